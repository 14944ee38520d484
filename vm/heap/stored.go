package heap

import "github.com/beamrd/beamrd/vm/term"

// Stored is a term kept outside every process heap, in fragments of its own.
type Stored struct {
	H Heap
	T term.Term
}

// Store copies a term, literals too.
func Store(t term.Term) *Stored {
	s := &Stored{T: t}
	if !t.IsImmed() {
		a := s.H.Alloc(Size(t, true))
		s.T = Copy(t, &a, &s.H.Off, true)
	}
	return s
}

// Load copies the term to a process heap.
func (s *Stored) Load(h *Heap) term.Term { return CopyTo(h, s.T) }

// Free releases the term's memory. A nil s is fine.
func (s *Stored) Free() {
	if s == nil {
		return
	}
	ReleaseOffHeap(&s.H.Off)
	for f := s.H.Frags; f != nil; {
		next := f.Next
		f.Free()
		f = next
	}
	s.H = Heap{}
}
