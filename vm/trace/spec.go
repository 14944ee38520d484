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

// NewSpec compiles a specification, for an event (send, receive) or None; nil
// when there is an error in it, or when it nests too deep (limit). Its memory
// is given back when nothing refers to it.
func NewSpec(t, event term.Term) (spec *Spec, limit bool) {
	o := matchspec.Options{Dialect: matchspec.TraceCall, NoCall: event == amSend, NoOps: event == amReceive}
	prog, res := matchspec.Compile(t, o)
	if prog == nil {
		return nil, res.Limit
	}
	s := &Spec{prog: prog}
	s.src = heap.CopyTo(&s.h, t)
	runtime.SetFinalizer(s, func(s *Spec) {
		s.prog.Free()
		release(&s.h)
	})
	return s, false
}

// Source copies what the specification was compiled from to h.
func (s *Spec) Source(h *heap.Heap) term.Term { return heap.CopyTo(h, s.src) }

var machines = sync.Pool{New: func() any { return new(matchspec.Machine) }}
