//go:build !race

package offheap

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"unsafe"
)

const (
	wantReserve    = 1 << 40
	minReserve     = 1 << 29
	restOfLimit    = 1 << 29
	literalShare   = 64 // 1/64 of the reservation is for literals
	literalMinimum = 64 << 20
)

var (
	reserveMu            sync.Mutex
	base, limit          uintptr // the whole reservation
	litBase, litLimit    uintptr // its literal part
	next                 uintptr // first byte never handed out
	litNext              uintptr
	literalFree          = map[uintptr][]uintptr{}
	reservationAttempted = initReserve()
)

func initReserve() bool {
	for n := uintptr(wantReserve); n >= minReserve; n >>= 1 {
		b, err := syscall.Mmap(-1, 0, int(n), syscall.PROT_READ|syscall.PROT_WRITE,
			syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
		if err != nil {
			continue
		}
		// Under a limit (ulimit -v) Go's own memory needs some, too.
		rest, err := syscall.Mmap(-1, 0, restOfLimit, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
		if err != nil {
			_ = syscall.Munmap(b)
			continue
		}
		_ = syscall.Munmap(rest)
		base = uintptr(unsafe.Pointer(unsafe.SliceData(b)))
		limit = base + n
		litBase, litLimit = base, base+max(n/literalShare, literalMinimum)
		litNext, next = litBase, litLimit
		return true
	}
	fmt.Fprintln(os.Stderr, "beamrd: cannot reserve 1 GiB of address space (see ulimit -v)")
	os.Exit(1)
	return false
}

// Contains tells whether an address lies in memory of this package.
func Contains(a uintptr) bool { return a-base < limit-base }

// IsLiteral tells whether an address lies in the literal range.
func IsLiteral(a uintptr) bool { return a-litBase < litLimit-litBase }

// LiteralRange returns the bounds of the literal range.
func LiteralRange() (lo, hi uintptr) { return litBase, litLimit }

// reserve hands out n bytes of the reservation for good; 0 when too few are left.
func reserve(n uintptr) uintptr {
	reserveMu.Lock()
	defer reserveMu.Unlock()
	n = (n + 15) &^ 15
	if limit-next < n {
		return 0
	}
	a := next
	next += n
	return a
}

// AllocLiteral returns n bytes in the literal range.
func AllocLiteral(n uintptr) uintptr {
	_, size := classOf(n)
	a := takeLiteral(size)
	if a == 0 {
		outOfMemory(n, Literal)
	}
	usage[Literal].Add(int64(size))
	counts[Literal].Add(1)
	return a
}

func takeLiteral(size uintptr) uintptr {
	reserveMu.Lock()
	defer reserveMu.Unlock()
	if l := literalFree[size]; len(l) > 0 {
		literalFree[size] = l[:len(l)-1]
		return l[len(l)-1]
	}
	if litLimit-litNext < size {
		return 0
	}
	a := litNext
	litNext += size
	return a
}

// FreeLiteral gives back a block of AllocLiteral.
func FreeLiteral(a, n uintptr) {
	_, size := classOf(n)
	PoisonRange(a, a+size)
	usage[Literal].Add(-int64(size))
	counts[Literal].Add(-1)
	reserveMu.Lock()
	literalFree[size] = append(literalFree[size], a)
	reserveMu.Unlock()
}

// release gives the pages of a large free block back to the kernel, in steps
// small enough not to hold the address space lock for long.
func release(a, n uintptr) {
	lo, hi := (a+4095)&^4095, (a+n)&^4095
	for lo < hi {
		step := min(hi-lo, 4<<20)
		_ = syscall.Madvise(Bytes(lo, step), syscall.MADV_DONTNEED)
		lo += step
	}
}
