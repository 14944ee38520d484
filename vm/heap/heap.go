// Package heap holds process heaps: where terms are built.
//
// A Heap has one block in which terms grow up from Start and the stack grows
// down from End; what does not fit goes to fragments, which the next
// collection folds in. A Heap without a block (the zero value) builds only in
// fragments: that is how messages, timers' terms and decoded ETF are made
// before they have a receiver.
//
// Alloc never collects, so a Go local may hold terms across it. Only vm/gc
// moves terms, at the instruction boundaries of the engines.
package heap

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/term"
)

// DefaultSize is the size of a new heap in words.
const DefaultSize = 233

// Heap is a process heap. It lies off the Go heap inside the process; the
// engines know the offsets of HP and E.
type Heap struct {
	HP    uintptr // next free word of the young heap
	E     uintptr // stack pointer: the newest stack word; also the heap's limit
	Start uintptr // block; 0 when there is none
	End   uintptr // end of the block, where the stack begins

	HighWater uintptr // terms below survived one collection

	OldStart, OldHP, OldEnd uintptr // old generation

	Frags     *Fragment // newest first
	FragWords uint64    // words used in all fragments

	Off    OffHeap // off-heap objects reached from the young heap and fragments
	OldOff OffHeap // those reached from the old heap

	MinSize     uint64 // words
	MinVHeap    uint64 // words of the virtual binary heap
	MaxSize     uint64 // words; 0 is no limit
	VHeap       uint64 // limit of Off.Words before a collection
	OldVHeap    uint64
	GenGCs      uint32 // minor collections since the last full one
	MaxGenGCs   uint32 // fullsweep_after
	MaxSizeOpts uint32 // of max_heap_size: MaxSizeKill, MaxSizeLog
	Flags       uint32
	MinorGCs    uint64 // since birth
	MajorGCs    uint64
	Copied      uint64 // words that the last collection copied

	// Memory that terms of the heap may refer to though it is not the heap's:
	// that of the message which a receive is looking at. Empty at other times.
	ForeignLo, ForeignHi uintptr
}

// Bits of Heap.Flags and MaxSizeOpts.
const (
	NeedFullsweep = 1 << 0
	ForceGC       = 1 << 1
	HeapGrow      = 1 << 2

	MaxSizeKill = 1 << 0
	MaxSizeLog  = 1 << 1
	MaxSizeBins = 1 << 2
)

// OffHeap is a list of the objects that own something outside the heap
// (bin refs and magic references), linked through the objects themselves.
type OffHeap struct {
	First uintptr // address of the newest object; 0 ends the list
	Words uint64  // virtual size: words of the binaries referred to
}

// Fragment is a piece of heap outside a block. Its words follow the struct.
type Fragment struct {
	Next *Fragment
	HP   uintptr // next free word
	End  uintptr
}

const fragHeader = 3 * 8

// Base returns the address of the fragment's first word.
func (f *Fragment) Base() uintptr { return offheap.Addr(f) + fragHeader }

// Used returns the words in use.
func (f *Fragment) Used() int { return int(f.HP-f.Base()) / 8 }

// NewFragment returns an empty fragment of a number of words.
func NewFragment(words int) *Fragment {
	n := uintptr(words)*8 + fragHeader
	size := offheap.RoundUp(n)
	f := offheap.At[Fragment](offheap.Alloc(n, offheap.Fragment))
	f.Next = nil
	f.HP = f.Base()
	f.End = offheap.Addr(f) + size
	return f
}

// Free gives the fragment's memory back; what its off-heap objects own must
// have been released or moved before.
func (f *Fragment) Free() {
	offheap.Free(offheap.Addr(f), f.End-offheap.Addr(f), offheap.Fragment)
}

// Alloc returns room for n words. It never collects and never moves a term.
func (h *Heap) Alloc(n int) uintptr {
	a := h.HP
	if b := uintptr(n) * 8; h.E-a >= b && h.E > a {
		h.HP = a + b
		return a
	}
	return h.allocFrag(n)
}

func (h *Heap) allocFrag(n int) uintptr {
	f := h.Frags
	b := uintptr(n) * 8
	if f == nil || f.End-f.HP < b {
		size := max(n, 64)
		if f != nil {
			size = max(n, min(2*int(f.End-f.Base())/8, 1<<16))
		}
		f = NewFragment(size)
		f.Next = h.Frags
		h.Frags = f
	}
	a := f.HP
	f.HP += b
	h.FragWords += uint64(n)
	return a
}

// Owns tells whether an address lies in the heap's blocks or fragments.
func (h *Heap) Owns(a uintptr) bool {
	if a >= h.Start && a < h.HP || a >= h.OldStart && a < h.OldHP {
		return true
	}
	for f := h.Frags; f != nil; f = f.Next {
		if a >= f.Base() && a < f.HP {
			return true
		}
	}
	return false
}

// Builders. Each allocates exactly what it needs.

// Cons builds [hd|tl].
func (h *Heap) Cons(hd, tl term.Term) term.Term { return term.MakeCons(h.Alloc(2), hd, tl) }

// Tuple builds a tuple.
func (h *Heap) Tuple(els ...term.Term) term.Term {
	a := h.Alloc(1 + len(els))
	term.Put(a, 0, term.Header(len(els), term.KTuple))
	for i, e := range els {
		term.PutTerm(a, i+1, e)
	}
	return term.Box(a)
}

// List builds a proper list.
func (h *Heap) List(els ...term.Term) term.Term { return h.ListTail(term.Nil, els...) }

// ListTail builds a list with a given tail.
func (h *Heap) ListTail(tail term.Term, els ...term.Term) term.Term {
	if len(els) == 0 {
		return tail
	}
	a := h.Alloc(2 * len(els))
	for i := len(els) - 1; i >= 0; i-- {
		tail = term.MakeCons(a+uintptr(i)*16, els[i], tail)
	}
	return tail
}

// Str builds a list of the code points of a UTF-8 string.
func (h *Heap) Str(s string) term.Term {
	r := []rune(s)
	if len(r) == 0 {
		return term.Nil
	}
	a := h.Alloc(2 * len(r))
	t := term.Nil
	for i := len(r) - 1; i >= 0; i-- {
		t = term.MakeCons(a+uintptr(i)*16, term.Small(int64(r[i])), t)
	}
	return t
}

// Latin1 builds a list of the bytes of a string.
func (h *Heap) Latin1(s []byte) term.Term {
	if len(s) == 0 {
		return term.Nil
	}
	a := h.Alloc(2 * len(s))
	t := term.Nil
	for i := len(s) - 1; i >= 0; i-- {
		t = term.MakeCons(a+uintptr(i)*16, term.Small(int64(s[i])), t)
	}
	return t
}

// Float builds a float.
func (h *Heap) Float(bits uint64) term.Term {
	a := h.Alloc(2)
	term.Put(a, 0, term.Header(1, term.KFloat))
	term.Put(a, 1, bits)
	return term.Box(a)
}

// Int builds an integer of any int64.
func (h *Heap) Int(v int64) term.Term {
	if term.FitsSmall(v) {
		return term.Small(v)
	}
	k, m := term.KPosBig, uint64(v)
	if v < 0 {
		k, m = term.KNegBig, -uint64(v)
	}
	a := h.Alloc(2)
	term.Put(a, 0, term.Header(1, k))
	term.Put(a, 1, m)
	return term.Box(a)
}

// Uint builds an integer of any uint64.
func (h *Heap) Uint(v uint64) term.Term {
	if v <= term.MaxSmall {
		return term.Small(int64(v))
	}
	a := h.Alloc(2)
	term.Put(a, 0, term.Header(1, term.KPosBig))
	term.Put(a, 1, v)
	return term.Box(a)
}
