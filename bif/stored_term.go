package bif

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// storedTerm is a term kept outside every process heap.
type storedTerm struct {
	h heap.Heap
	t term.Term
}

// store copies a term, literals too.
func store(t term.Term) *storedTerm {
	s := &storedTerm{t: t}
	if !t.IsImmed() {
		a := s.h.Alloc(heap.Size(t, true))
		s.t = heap.Copy(t, &a, &s.h.Off, true)
	}
	return s
}

// load copies the term to a process heap.
func (s *storedTerm) load(h *heap.Heap) term.Term { return heap.CopyTo(h, s.t) }

func (s *storedTerm) free() {
	heap.ReleaseOffHeap(&s.h.Off)
	for f := s.h.Frags; f != nil; {
		next := f.Next
		f.Free()
		f = next
	}
	s.h = heap.Heap{}
}
