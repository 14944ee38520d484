//go:build race

package offheap

import (
	"sync"
	"unsafe"
)

// Under the race detector memory comes from the Go heap, which is what the
// detector watches, in slabs that are never freed. The slabs hold no pointers
// as far as Go knows; `slabs` keeps them alive.

const slabSize = 64 << 20

var (
	reserveMu    sync.Mutex
	slabs        [][]uint64
	cur, curEnd  uintptr
	lits         []byte
	litBase      uintptr
	litLimit     uintptr
	litNext      uintptr
	literalFree  = map[uintptr][]uintptr{}
	literalReady = initLiterals()
)

func initLiterals() bool {
	s := make([]uint64, 512<<20/8)
	slabs = append(slabs, s)
	litBase = uintptr(unsafe.Pointer(unsafe.SliceData(s)))
	litLimit = litBase + 512<<20
	litNext = litBase
	return true
}

// Contains tells whether an address lies in memory of this package.
func Contains(a uintptr) bool {
	reserveMu.Lock()
	defer reserveMu.Unlock()
	for _, s := range slabs {
		b := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
		if a-b < uintptr(len(s))*8 {
			return true
		}
	}
	return false
}

// IsLiteral tells whether an address lies in the literal range.
func IsLiteral(a uintptr) bool { return a-litBase < litLimit-litBase }

// LiteralRange returns the bounds of the literal range.
func LiteralRange() (lo, hi uintptr) { return litBase, litLimit }

func reserve(n uintptr) uintptr {
	reserveMu.Lock()
	defer reserveMu.Unlock()
	n = (n + 15) &^ 15
	if n > slabSize/4 {
		s := make([]uint64, n/8+2)
		slabs = append(slabs, s)
		return (uintptr(unsafe.Pointer(unsafe.SliceData(s))) + 15) &^ 15
	}
	if curEnd-cur < n {
		s := make([]uint64, slabSize/8)
		slabs = append(slabs, s)
		cur = (uintptr(unsafe.Pointer(unsafe.SliceData(s))) + 15) &^ 15
		curEnd = uintptr(unsafe.Pointer(unsafe.SliceData(s))) + slabSize
	}
	a := cur
	cur += n
	return a
}

// AllocLiteral returns n bytes in the literal range.
func AllocLiteral(n uintptr) uintptr {
	_, size := classOf(n)
	usage[Literal].Add(int64(size))
	reserveMu.Lock()
	defer reserveMu.Unlock()
	if l := literalFree[size]; len(l) > 0 {
		literalFree[size] = l[:len(l)-1]
		return l[len(l)-1]
	}
	if litLimit-litNext < size {
		outOfMemory(n, Literal)
	}
	a := litNext
	litNext += size
	return a
}

// FreeLiteral gives back a block of AllocLiteral.
func FreeLiteral(a, n uintptr) {
	_, size := classOf(n)
	usage[Literal].Add(-int64(size))
	reserveMu.Lock()
	literalFree[size] = append(literalFree[size], a)
	reserveMu.Unlock()
}

func release(a, n uintptr) {}
