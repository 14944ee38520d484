package trace

import (
	"fmt"
	"os"

	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/matchspec"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// run is a match specification at work for a traced process.
type run struct {
	p  *proc.Process
	m  *matchspec.Machine
	cp uintptr // where the traced call returns to
}

// forms are the special forms of tracing; None makes 'EXIT'.
var forms = map[term.Term]func(r *run, h *heap.Heap, args []term.Term) term.Term{}

func addForm(name string, f func(r *run, h *heap.Heap, args []term.Term) term.Term) bool {
	forms[term.Intern(name)] = f
	return true
}

var _ = addForm("return_trace", func(r *run, _ *heap.Heap, _ []term.Term) term.Term {
	r.m.ReturnTrace = true
	return term.True
})

var _ = addForm("exception_trace", func(r *run, _ *heap.Heap, _ []term.Term) term.Term {
	r.m.ReturnTrace, r.m.ExceptionTrace = true, true
	return term.True
})

var _ = addForm("caller", func(r *run, h *heap.Heap, _ []term.Term) term.Term { return callerTerm(h, r.cp) })

var _ = addForm("caller_line", func(r *run, h *heap.Heap, _ []term.Term) term.Term {
	m, fn := code.Find(r.cp - 8)
	if r.cp == 0 || fn == nil {
		return term.AmUndefined
	}
	pos := term.AmUndefined
	if file, line, ok := m.LineAt(r.cp - 8); ok {
		pos = h.Tuple(h.Str(file), term.Small(int64(line)))
	}
	return h.Tuple(fn.Module, fn.Function, term.Small(int64(fn.Arity)), pos)
})

var _ = addForm("display", func(_ *run, _ *heap.Heap, args []term.Term) term.Term {
	fmt.Fprintf(os.Stdout, "%v\n", args[0])
	return term.True
})

var _ = addForm("process_dump", func(r *run, h *heap.Heap, _ []term.Term) term.Term {
	if proc.Backtrace == nil {
		return h.Binary(nil)
	}
	return h.Binary(proc.Backtrace(r.p))
})

var _ = addForm("silent", func(r *run, _ *heap.Heap, args []term.Term) term.Term {
	switch args[0] {
	case term.True:
		r.p.TraceFlags |= proc.TraceSilent
	case term.False:
		r.p.TraceFlags &^= proc.TraceSilent
	}
	return args[0]
})

var _ = addForm("is_seq_trace", func(r *run, _ *heap.Heap, _ []term.Term) term.Term {
	return term.Bool(r.p.SeqToken != term.None)
})

var _ = addForm("get_seq_token", func(r *run, _ *heap.Heap, _ []term.Term) term.Term {
	if r.p.SeqToken == term.None {
		return term.Nil
	}
	return r.p.SeqToken
})

var _ = addForm("set_seq_token", func(r *run, _ *heap.Heap, args []term.Term) term.Term {
	v := args[1]
	if !v.IsImmed() {
		v = heap.CopyTo(&r.p.Heap, v)
	}
	if SeqSet(r.p, args[0], v) == term.None {
		return term.None
	}
	return term.True
})

var _ = addForm("enable_trace", func(r *run, _ *heap.Heap, args []term.Term) term.Term { return r.flag(args, true) })

var _ = addForm("disable_trace", func(r *run, _ *heap.Heap, args []term.Term) term.Term { return r.flag(args, false) })

// flag sets or clears a flag of the process itself or of another one.
func (r *run) flag(args []term.Term, on bool) term.Term {
	q, bit := r.p, FlagOf(args[len(args)-1])
	if len(args) == 2 {
		q = processOf(args[0])
	}
	if q == nil || bit == 0 {
		return term.None
	}
	enable, disable := bit, uint64(0)
	if !on {
		enable, disable = 0, bit
	}
	setFlags(q, r.p.Tracer, disable, enable)
	return term.True
}

// processOf finds a process by pid or registered name.
func processOf(t term.Term) *proc.Process {
	if t.IsAtom() {
		t = proc.Whereis(t)
	}
	if !t.IsInternalPid() {
		return nil
	}
	return proc.Lookup(t)
}

func setFlags(p *proc.Process, tracer term.Term, disable, enable uint64) {
	p.TraceFlags = p.TraceFlags&^disable | enable
	if p.TraceFlags&proc.TraceeFlags == 0 {
		p.Tracer = term.None
	} else {
		p.Tracer = tracer
	}
}

// trace/2 and trace/3: [Process,] Disable, Enable.
var _ = addForm("trace", func(r *run, _ *heap.Heap, args []term.Term) term.Term {
	q := r.p
	if len(args) == 3 {
		q = processOf(args[0])
		args = args[1:]
	}
	tracer := r.p.Tracer
	disable, t1, cpu1, ok1 := ParseFlags(args[0])
	enable, t2, cpu2, ok2 := ParseFlags(args[1])
	if !ok1 || !ok2 || cpu1 || cpu2 || q == nil {
		return term.None
	}
	if t1 != term.None {
		tracer = t1
	}
	if t2 != term.None {
		tracer = t2
	}
	return matchTrace(q, tracer, disable, enable)
})

// matchTrace changes the flags of a process for a match specification: the
// result is true when anything changed.
func matchTrace(p *proc.Process, tracer term.Term, disable, enable uint64) term.Term {
	if tracer != p.Tracer && p.TraceFlags&proc.TraceeFlags != 0 && Alive(p.Tracer) {
		return term.None
	}
	flags := p.TraceFlags&^disable | enable
	if tracer == term.None || flags&proc.TraceeFlags == 0 {
		tracer, flags = term.None, flags&^proc.TraceeFlags
	}
	changed := flags != p.TraceFlags || tracer != p.Tracer
	p.TraceFlags, p.Tracer = flags, tracer
	return term.Bool(changed)
}

func (r *run) form(name term.Term, args []term.Term) term.Term {
	return forms[name](r, &r.p.Heap, args)
}
