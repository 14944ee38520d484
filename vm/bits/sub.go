package bits

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// SubNeed is the most words that Sub allocates.
const SubNeed = 2 + heap.HeapBitsMax/8

// Sub builds the bitstring of n bits at bit start of a bitstring or match
// context: a copy on the heap when it is small, otherwise a view.
func Sub(h *heap.Heap, t term.Term, start, n uint64) term.Term {
	base, s, _ := heap.Bits(t)
	return Extract(h, t, base, s+start, n)
}

// Extract builds the bitstring of n bits at an absolute position of what t (a
// bitstring or match context whose bytes are at base) refers to.
func Extract(h *heap.Heap, t term.Term, base uintptr, off, n uint64) term.Term {
	if n <= heap.HeapBitsMax*8 {
		r, d := h.NewHeapBits(n)
		copyTo(d, base, off, n)
		return r
	}
	orig := t
	raw := base
	if t.Kind() != term.KHeapBits {
		orig = term.Term(t.W(4))
		raw = uintptr(t.W(1))
	}
	return heap.PutSubBits(h.Alloc(heap.SubBitsWords), raw, off, off+n, orig)
}

// copyTo copies n bits to the start of d; unused bits of the last byte become
// zero.
func copyTo(d uintptr, base uintptr, off, n uint64) {
	k := n &^ 7
	if k > 0 {
		copyBytes(d, base, off, k>>3)
	}
	if r := n & 7; r > 0 {
		offheap.StoreByte(d+uintptr(k>>3), byte(Peek(base, off+k, r)<<(8-r)))
	}
}

// Dup builds a bitstring of its own with the bits of a bitstring or match context.
func Dup(h *heap.Heap, t term.Term) term.Term {
	base, s, e := heap.Bits(t)
	r, d := h.NewBits(e - s)
	copyTo(d, base, s, e-s)
	return r
}

// Match contexts.

// CtxWords returns the words of a match context with a number of save slots.
func CtxWords(slots int) int { return heap.SubBitsWords + slots }

// Start builds a match context over a bitstring, with save slots for old code.
// The bitstring's bytes stay in place from now on.
func Start(h *heap.Heap, t term.Term, slots int) term.Term {
	orig := t
	if t.Kind() != term.KHeapBits {
		orig = term.Term(t.W(4))
		if t.W(1) == 0 && orig.Kind() == term.KBinRef {
			heap.BinOf(orig).Freeze()
		}
	}
	base, start, end := heap.Bits(t)
	n := CtxWords(slots)
	a := h.Alloc(n)
	term.Put(a, 0, term.Header(n-1, term.KMatch))
	term.Put(a, 1, uint64(base))
	term.Put(a, 2, start)
	term.Put(a, 3, end)
	term.PutTerm(a, 4, orig)
	for i := range slots {
		term.Put(a, 5+i, start)
	}
	return term.Box(a)
}

// Tail builds the bitstring from a match context's position to its end.
func Tail(h *heap.Heap, ctx term.Term) term.Term {
	base, s, e := heap.Bits(ctx)
	return Extract(h, ctx, base, s, e-s)
}
