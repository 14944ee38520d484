// Package offheap hands out memory that Go's collector neither scans nor
// moves: process heaps, stacks, messages, code, binaries, ETS tables.
//
// One address range is reserved at start; size classes are carved from it and
// freed blocks go to a LIFO list of their class. Nothing in this memory may
// point into the Go heap. "Is this address ours" is one comparison (Contains),
// and so is "is this a literal" (IsLiteral): literals live in a range of their
// own within the reservation.
//
// Every block is counted under a Purpose, so that erlang:memory/0 and metrics
// can be answered without walking anything.
package offheap

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/beamrd/beamrd/internal/invariants"
)

// Purpose says what a block is for; usage is counted by it.
type Purpose uint8

// The purposes.
const (
	Misc     Purpose = iota
	Heap             // process heaps and stacks
	Fragment         // heap fragments and messages
	Binary           // reference counted binaries
	Code             // code blocks, exports, funs
	Literal          // literal areas
	Proc             // process and port descriptors, links, monitors
	Ets              // tables and their objects
	Table            // global tables
	numPurposes
)

var purposeNames = [numPurposes]string{"misc", "heap", "fragment", "binary", "code", "literal", "proc", "ets", "table"}

// Purposes lists all purposes.
func Purposes() []Purpose {
	ps := make([]Purpose, numPurposes)
	for i := range ps {
		ps[i] = Purpose(i)
	}
	return ps
}

func (p Purpose) String() string { return purposeNames[p] }

const (
	smallMax   = 2048 // bytes; classes of 16 bytes below: a new heap of 233 words fits well
	smallLog   = 11
	keepMax    = 1 << 20  // freed blocks up to this size keep their pages
	keepLarge  = 64 << 20 // of larger ones, so many bytes in all do
	carveChunk = 256 << 10
	numClasses = smallMax/16 + 1 + 8*40
	// Poison fills freed and abandoned memory in the invariants build. As a
	// term it is a header of an impossible kind.
	Poison uint64 = 0xDEADBEEFDEADBE04
)

type class struct {
	mu    sync.Mutex
	free  uintptr // intrusive list: word 0 of a free block is the next one
	carve uintptr // unused tail of the last carved run
	end   uintptr
	_     [24]byte
}

var (
	classes [numClasses]class
	usage   [numPurposes]atomic.Int64
	counts  [numPurposes]atomic.Int64
	kept    atomic.Int64 // bytes of large free blocks that keep their pages
)

// classOf returns the class of a request and the block size of that class.
func classOf(n uintptr) (int, uintptr) {
	if n <= smallMax {
		c := (n + 15) >> 4
		if c == 0 {
			c = 1
		}
		return int(c), c << 4
	}
	// Eight steps per doubling above smallMax.
	lg := uintptr(bits.Len64(uint64(n-1))) - 1 // 2^lg <= n-1 < 2^(lg+1)
	step := uintptr(1) << (lg - 3)
	size := (n + step - 1) &^ (step - 1)
	idx := (size - (1 << lg)) / step // 1..8
	return smallMax/16 + int((lg-smallLog)*8+idx), size
}

// RoundUp returns the number of bytes a request of n bytes really gets.
func RoundUp(n uintptr) uintptr {
	_, s := classOf(n)
	return s
}

// Alloc returns n bytes of uninitialised memory, aligned to 16 bytes.
// It never returns 0: exhaustion ends the node through the OutOfMemory hook.
func Alloc(n uintptr, p Purpose) uintptr {
	ci, size := classOf(n)
	if size >= bigRequest && size > Available() {
		outOfMemory(n, p)
	}
	usage[p].Add(int64(size))
	counts[p].Add(1)
	c := &classes[ci]
	c.mu.Lock()
	a := c.free
	if a != 0 {
		c.free = *(*uintptr)(unsafe.Add(nil, a))
		c.mu.Unlock()
		if size > keepMax && Load(a+8) != 0 {
			kept.Add(-int64(size))
		}
	} else {
		if c.end-c.carve < size {
			run := size
			if size < carveChunk {
				run = carveChunk / size * size
			}
			if c.carve = reserve(run); c.carve == 0 {
				c.end = 0
				c.mu.Unlock()
				outOfMemory(n, p)
			}
			c.end = c.carve + run
		}
		a = c.carve
		c.carve += size
		c.mu.Unlock()
	}
	if invariants.Enabled {
		poison(a, size)
	}
	return a
}

// AllocZero is Alloc with the memory cleared.
func AllocZero(n uintptr, p Purpose) uintptr {
	a := Alloc(n, p)
	clear(unsafe.Slice((*byte)(unsafe.Add(nil, a)), n))
	return a
}

// Free gives back a block of n bytes (the n given to Alloc) got for purpose p.
func Free(a, n uintptr, p Purpose) {
	if a == 0 {
		return
	}
	ci, size := classOf(n)
	if invariants.Enabled {
		if !Contains(a) {
			invariants.Failf("offheap.Free of foreign address %#x", a)
		}
		poison(a, size)
	}
	usage[p].Add(-int64(size))
	counts[p].Add(-1)
	if size > keepMax {
		keep := kept.Add(int64(size)) <= keepLarge
		if !keep {
			kept.Add(-int64(size))
			release(a, size)
		}
		Store(a+8, uint64(b2i(keep))) // word 1 of a large free block
	}
	c := &classes[ci]
	c.mu.Lock()
	*(*uintptr)(unsafe.Add(nil, a)) = c.free
	c.free = a
	c.mu.Unlock()
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Realloc moves a block to a new size, keeping the lesser of both sizes.
func Realloc(a, old, n uintptr, p Purpose) uintptr {
	if _, os := classOf(old); os >= n && os <= 2*n+64 {
		_, ns := classOf(n)
		if ns == os {
			return a
		}
	}
	b := Alloc(n, p)
	Copy(b, a, min(old, n))
	Free(a, old, p)
	return b
}

// New returns a zeroed T. T must hold no pointer into the Go heap.
func New[T any](p Purpose) *T {
	var z T
	return (*T)(unsafe.Add(nil, AllocZero(unsafe.Sizeof(z), p)))
}

// Delete gives back a T got from New.
func Delete[T any](t *T, p Purpose) {
	var z T
	Free(uintptr(unsafe.Pointer(t)), unsafe.Sizeof(z), p)
}

// Usage returns the bytes and blocks in use for a purpose.
func Usage(p Purpose) (bytes, blocks int64) { return usage[p].Load(), counts[p].Load() }

// TotalUsage returns the bytes in use for all purposes.
func TotalUsage() (n int64) {
	for i := range usage {
		n += usage[i].Load()
	}
	return n
}

// Account adds n bytes to a purpose for memory held outside this package.
func Account(p Purpose, n int64) { usage[p].Add(n) }

// Load reads the word at a.
func Load(a uintptr) uint64 { return *(*uint64)(unsafe.Add(nil, a)) }

// Store writes the word at a.
func Store(a uintptr, v uint64) { *(*uint64)(unsafe.Add(nil, a)) = v }

// LoadByte reads the byte at a.
func LoadByte(a uintptr) byte { return *(*byte)(unsafe.Add(nil, a)) }

// StoreByte writes the byte at a.
func StoreByte(a uintptr, b byte) { *(*byte)(unsafe.Add(nil, a)) = b }

// Bytes views n bytes at a. The view is valid only while the block is: do not
// keep it across anything that may free or move the block.
func Bytes(a, n uintptr) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(nil, a)), n)
}

// Words views n words at a, under the same rule as Bytes.
func Words(a, n uintptr) []uint64 {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*uint64)(unsafe.Add(nil, a)), n)
}

// Copy moves n bytes; the areas may overlap.
//
//go:noinline
func Copy(dst, src, n uintptr) {
	copy(Bytes(dst, n), Bytes(src, n))
}

// Addr returns the address of an off-heap object.
func Addr[T any](t *T) uintptr { return uintptr(unsafe.Pointer(t)) }

// At views the off-heap object at a.
func At[T any](a uintptr) *T { return (*T)(unsafe.Add(nil, a)) }

func poison(a, n uintptr) {
	w := Words(a, n/8)
	for i := range w {
		w[i] = Poison
	}
}

// PoisonRange overwrites a range in the invariants build, so that a stale
// pointer into it is seen at once. It does nothing in a plain build.
func PoisonRange(a, end uintptr) {
	if invariants.Enabled && end > a {
		poison(a, end-a)
	}
}
