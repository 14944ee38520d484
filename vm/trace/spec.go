package trace

import (
	"runtime"
	"sync"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/matchspec"
	"github.com/beamrd/beamrd/vm/term"
)

// Spec is a match specification with what it was compiled from.
type Spec struct {
	prog *matchspec.Program
	h    heap.Heap
	src  term.Term
}

// NewSpec compiles a specification; nil when there is an error in it. Its
// memory is given back when nothing refers to it.
func NewSpec(t term.Term) *Spec {
	prog, _ := matchspec.Compile(t, matchspec.Options{Dialect: matchspec.TraceCall})
	if prog == nil {
		return nil
	}
	s := &Spec{prog: prog}
	s.src = heap.CopyTo(&s.h, t)
	runtime.SetFinalizer(s, func(s *Spec) {
		s.prog.Free()
		release(&s.h)
	})
	return s
}

// Source copies what the specification was compiled from to h.
func (s *Spec) Source(h *heap.Heap) term.Term { return heap.CopyTo(h, s.src) }

var machines = sync.Pool{New: func() any { return new(matchspec.Machine) }}
