package trace

import (
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/matchspec"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// metaFlags are the flags of meta tracing, whatever those of the process.
const metaFlags = proc.TraceCalls | proc.TraceNow

// Wanted is what a call asks of its return.
type Wanted struct {
	Return    bool // a message when it returns
	Exception bool // or raises an exception
	ReturnTo  bool // a message of where it returns to
	Tracer    term.Term
}

// Wants tells whether a call by p is traced, by its own tracer or by the meta
// tracer.
func (pt *Point) Wants(p *proc.Process, meta bool) bool {
	if meta {
		return pt.Meta && pt.MetaTracer() != term.None && p.Flags&proc.FlagSensitive == 0
	}
	return (pt.Global || pt.Local) && p.Traced(proc.TraceCalls)
}

// Call reports a call that Wants is true for. cp is where it returns to.
func (pt *Point) Call(p *proc.Process, args []term.Term, cp uintptr, meta bool) (w Wanted) {
	tracer, flags, spec := p.Tracer, p.TraceFlags, pt.Spec
	w.Tracer = term.True
	if meta {
		tracer, flags, spec = pt.MetaTracer(), metaFlags, pt.MetaSpec
		w.Tracer = tracer
	}
	if tracer == p.ID { // nobody hears of itself
		return Wanted{}
	}
	if !Alive(tracer) {
		pt.tracerGone(p, meta)
		return Wanted{}
	}
	result := term.True
	if spec != nil {
		m := machines.Get().(*matchspec.Machine)
		defer func() {
			m.Close()
			machines.Put(m)
		}()
		r := run{p: p, m: m, cp: cp}
		m.Trace, m.Self = r.form, p.ID
		if result = m.RunArgs(spec.prog, args, nil); result == term.None {
			result = term.False
			m.ReturnTrace, m.ExceptionTrace = false, false
		}
		w.Return, w.Exception = m.ReturnTrace || m.ExceptionTrace, m.ExceptionTrace
		m.Trace = nil
		if !meta {
			flags = p.TraceFlags
		}
	}
	if !meta && flags&proc.TraceSilent != 0 {
		return Wanted{}
	}
	if result == term.False {
		return w
	}
	w.ReturnTo = !meta && pt.Local && flags&proc.TraceReturnTo != 0
	var h heap.Heap
	defer release(&h)
	a := term.Small(int64(len(args)))
	if flags&proc.TraceArity == 0 {
		a = h.List(args...)
	}
	els := []term.Term{amCall, h.Tuple(pt.MFA.Module, pt.MFA.Function, a)}
	if result != term.True {
		els = append(els, result)
	}
	if !send(p.Ctx, tracer, flags, p.ID, els...) {
		pt.tracerGone(p, meta)
	}
	return w
}

func (pt *Point) tracerGone(p *proc.Process, meta bool) {
	if meta {
		pt.metaTracer.Store(uint64(term.None))
	} else {
		Untrace(p)
	}
}

// tracerOf resolves the tracer in a frame: true is that of the process.
func tracerOf(p *proc.Process, t term.Term) (tracer term.Term, flags uint64) {
	if t != term.True {
		return t, metaFlags
	}
	if p.TraceFlags&proc.TraceCalls == 0 {
		return term.None, 0
	}
	return p.Tracer, p.TraceFlags
}

// Return reports the result of a call.
func Return(p *proc.Process, mfa, tracer, result term.Term) {
	if t, flags := tracerOf(p, tracer); t != term.None {
		send(p.Ctx, t, flags, p.ID, amReturn, mfa, result)
	}
}

// Exception reports that a call ended by an exception.
func Exception(p *proc.Process, mfa, tracer, class, value term.Term) {
	t, flags := tracerOf(p, tracer)
	if t == term.None {
		return
	}
	var h heap.Heap
	defer release(&h)
	send(p.Ctx, t, flags, p.ID, amExcept, mfa, h.Tuple(class, value))
}

// ReturnTo reports where a call returns to.
func ReturnTo(p *proc.Process, cp uintptr) {
	var h heap.Heap
	defer release(&h)
	emit(p, amReturnTo, callerTerm(&h, cp))
}

// callerTerm builds {M,F,A} of a continuation pointer, or undefined.
func callerTerm(h *heap.Heap, cp uintptr) term.Term {
	if cp != 0 {
		if _, fn := code.Find(cp - 8); fn != nil {
			return mfaTerm(h, fn.Module, fn.Function, fn.Arity)
		}
	}
	return term.AmUndefined
}
