package heap

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/term"
)

// The defaults of a new heap, as of ERTS: the virtual binary heap in words and
// the number of minor collections before a full one.
const (
	DefaultMinVHeap  = 46422
	DefaultMaxGenGCs = 65535
)

// Init gives a zeroed heap its block: size words at least, DefaultSize when 0.
// MinSize is set to what the block has; limits left at 0 get their defaults,
// except MaxGenGCs, for which 0 is a setting of its own.
func (h *Heap) Init(size uint64) {
	n := uintptr(max(size, DefaultSize))
	if n > DefaultSize {
		n = NextSize(n)
	}
	h.SetBlock(offheap.Alloc(n*8, offheap.Heap), n)
	h.MinSize = uint64(n)
	if h.MinVHeap == 0 {
		h.MinVHeap = DefaultMinVHeap
	}
	h.VHeap, h.OldVHeap = h.MinVHeap, h.MinVHeap
}

// SetBlock makes n words at a the empty block of h.
func (h *Heap) SetBlock(a, n uintptr) {
	h.Start, h.HP, h.HighWater = a, a, a
	h.End = a + n*8
	h.E = h.End
}

// BlockWords returns the size of the block in words.
func (h *Heap) BlockWords() uint64 { return uint64(h.End-h.Start) / 8 }

// OldWords returns the size of the old heap in words.
func (h *Heap) OldWords() uint64 { return uint64(h.OldEnd-h.OldStart) / 8 }

// StackWords returns the words in use by the stack.
func (h *Heap) StackWords() uint64 { return uint64(h.End-h.E) / 8 }

// YoungWords returns the words in use in the block, without the stack.
func (h *Heap) YoungWords() uint64 { return uint64(h.HP-h.Start) / 8 }

// OldUsed returns the words in use in the old heap.
func (h *Heap) OldUsed() uint64 { return uint64(h.OldHP-h.OldStart) / 8 }

// TotalWords returns the words of all memory of the heap, as of
// process_info(total_heap_size).
func (h *Heap) TotalWords() uint64 { return h.BlockWords() + h.OldWords() + h.FragWords }

// Attach makes a fragment (or a chain of them) and what it owns part of the
// heap, as when a message is received. The terms stay where they are until the
// next collection.
func (h *Heap) Attach(f *Fragment, off *OffHeap) {
	for f != nil {
		next := f.Next
		h.FragWords += uint64(f.Used())
		if cur := h.Frags; cur != nil && cur.End-cur.HP > f.End-f.HP {
			f.Next, cur.Next = cur.Next, f // go on filling the roomier one
		} else {
			f.Next, h.Frags = cur, f
		}
		f = next
	}
	if off != nil {
		h.Off.Append(off)
	}
}

// FreeFragments gives back a chain of fragments.
func FreeFragments(f *Fragment) {
	for f != nil {
		next := f.Next
		f.Free()
		f = next
	}
}

// FreeBlock gives back the block.
func (h *Heap) FreeBlock() {
	if h.Start != 0 {
		offheap.Free(h.Start, h.End-h.Start, offheap.Heap)
	}
	h.Start, h.End, h.HP, h.E, h.HighWater = 0, 0, 0, 0, 0
}

// FreeOld gives back the old heap.
func (h *Heap) FreeOld() {
	if h.OldStart != 0 {
		offheap.Free(h.OldStart, h.OldEnd-h.OldStart, offheap.Heap)
	}
	h.OldStart, h.OldHP, h.OldEnd = 0, 0, 0
}

// Release gives back everything the heap has: terms, what they own, memory.
func (h *Heap) Release() {
	ReleaseOffHeap(&h.Off)
	ReleaseOffHeap(&h.OldOff)
	FreeFragments(h.Frags)
	h.Frags, h.FragWords = nil, 0
	h.FreeBlock()
	h.FreeOld()
}

// Detach empties a heap without a block and returns what it was made of: the
// fragments and the off-heap objects in them, which now belong to the caller.
func (h *Heap) Detach() (*Fragment, OffHeap) {
	f, o := h.Frags, h.Off
	h.Frags, h.FragWords, h.Off = nil, 0, OffHeap{}
	return f, o
}

// LiteralArea is a run of terms in the literal range, with what they own.
type LiteralArea struct {
	Start, End uintptr
	Off        OffHeap
}

// MakeLiteral copies a term, literals it refers to included, into an area of
// its own and returns it there.
func MakeLiteral(t term.Term) (term.Term, *LiteralArea) {
	ts := []term.Term{t}
	l := MakeLiterals(ts)
	return ts[0], l
}

// MakeLiterals copies terms into one area and updates ts.
func MakeLiterals(ts []term.Term) *LiteralArea {
	n := 0
	for _, t := range ts {
		n += Size(t, true)
	}
	l := &LiteralArea{}
	if n == 0 {
		return l
	}
	hp := offheap.AllocLiteral(uintptr(n) * 8)
	l.Start = hp
	for i, t := range ts {
		ts[i] = Copy(t, &hp, &l.Off, true)
	}
	l.End = hp
	return l
}

// Free releases what the area's terms own, and its memory. No term may refer
// to it any more.
func (l *LiteralArea) Free() {
	ReleaseOffHeap(&l.Off)
	if l.Start != 0 {
		offheap.FreeLiteral(l.Start, l.End-l.Start)
	}
	l.Start, l.End = 0, 0
}
