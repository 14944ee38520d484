package bif

import (
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
	"github.com/beamrd/beamrd/vm/trace"
)

var traceRows = []native.Row{
	{Module: "erts_internal", Name: "trace", Arity: 3, Fn: internalTrace},
	{Module: "erts_internal", Name: "trace_pattern", Arity: 3, Fn: internalTracePattern},
	{Module: "erlang", Name: "trace_info", Arity: 2, Fn: traceInfo},
	{Module: "erlang", Name: "trace_delivered", Arity: 1, Fn: traceDelivered},
	{Module: "erlang", Name: "seq_trace", Arity: 2, Fn: seqTrace},
	{Module: "erlang", Name: "seq_trace_info", Arity: 1, Fn: seqTraceInfo},
	{Module: "erlang", Name: "seq_trace_print", Arity: 1, Fn: seqTracePrint1},
	{Module: "erlang", Name: "seq_trace_print", Arity: 2, Fn: seqTracePrint2},
}

var (
	amMatchSpecCause = term.Intern("match_spec")
	amTraceCount     = term.Intern("call_count")
	amTraceTime      = term.Intern("call_time")
	amTraceLocal     = term.Intern("local")
	amTraceGlobal    = term.Intern("global")
	amTraceMeta      = term.Intern("meta")
	amTraceNone      = term.Intern("none")
	amTraceAll       = term.Intern("all")
	amTraceSend      = term.Intern("send")
	amTraceReceive   = term.Intern("receive")
	amTraceAny       = term.Intern("_")
)

// traceSpec says which processes and ports trace/3 means.
type traceSpec struct{ procs, ports, existing, new bool }

var traceSpecs = func() map[term.Term]traceSpec {
	m := map[term.Term]traceSpec{}
	for name, s := range map[string]traceSpec{
		"all": {true, true, true, true}, "existing": {true, true, true, false}, "new": {true, true, false, true},
		"processes": {true, false, true, true}, "existing_processes": {true, false, true, false},
		"new_processes": {true, false, false, true}, "ports": {false, true, true, true},
		"existing_ports": {false, true, true, false}, "new_ports": {false, true, false, true},
	} {
		m[term.Intern(name)] = s
	}
	return m
}()

func badCause(c *native.Call, cause term.Term) term.Term { return c.BadargCause(cause) }

// internalTrace is erts_internal:trace(Spec, How, Flags).
func internalTrace(c *native.Call) term.Term {
	mask, tracer, cpu, ok := trace.ParseFlags(c.Arg(2))
	if !ok {
		return badCause(c, amBadopt)
	}
	if !code.TryWrite() {
		return again(c)
	}
	defer code.EndWrite()
	on := c.Arg(1) == term.True
	if !on && c.Arg(1) != term.False {
		return c.Badarg()
	}
	if on && tracer == term.None {
		tracer = c.P.ID
	}
	what := c.Arg(0)
	if what.IsInternalPid() || what.IsInternalPort() {
		if cpu {
			return c.Badarg()
		}
		return traceOne(c, what, on, mask, tracer)
	}
	s, ok := traceSpecs[what]
	if !ok || cpu && what != amTraceAll {
		return c.Badarg()
	}
	if !s.procs || on && s.ports && mask&(proc.TracePorts|proc.TraceSchedPorts) != 0 {
		return c.Error(term.AmNotsup) // events of ports are not reported
	}
	if cpu {
		trace.CPUStamps.Store(on)
	}
	n := 0
	stopAll(c, func() { n = traceMany(s, on, mask, tracer) })
	return term.Small(int64(n))
}

func traceOne(c *native.Call, what term.Term, on bool, mask uint64, tracer term.Term) term.Term {
	if what.IsInternalPort() {
		if port.Lookup(what) == nil {
			return c.Badarg()
		}
		return c.Error(term.AmNotsup) // events of ports are not reported
	}
	done, found := false, false
	stopAll(c, func() {
		if p := proc.Lookup(what); p != nil && !p.Exiting() {
			found = true
			done = trace.SetFlags(p, on, mask, tracer)
		}
	})
	if found && !done {
		c.P.LogError("** can only have one tracer per process\n")
	}
	if !done {
		return c.Badarg()
	}
	return term.Small(1)
}

// traceMany changes the flags of all that a spec means; it returns how many.
func traceMany(s traceSpec, on bool, mask uint64, tracer term.Term) (n int) {
	mods := mask&proc.TraceModifiers != 0
	if s.existing {
		if s.procs && (mask&(proc.TraceProcFlags&^proc.TraceModifiers) != 0 || mods) {
			proc.Each(func(p *proc.Process) bool {
				if trace.SetFlags(p, on, mask, tracer) {
					n++
				}
				return true
			})
		}
		if s.ports && (mask&(proc.TracePortFlags&^proc.TraceModifiers) != 0 || mods) {
			n += port.Count()
		}
	}
	if s.new {
		var pf, qf uint64
		if s.procs {
			pf = mask & proc.TraceProcFlags
		}
		if s.ports {
			qf = mask & proc.TracePortFlags
		}
		trace.SetNew(on, pf, qf, tracer)
	}
	return n
}

// patternFlags reads the flags of trace_pattern/3.
func patternFlags(c *native.Call, l term.Term) (k trace.Kinds, tracer term.Term, ok bool) {
	global := false
	tracer = term.None
	for ; l.IsList(); l = l.Tail() {
		t := l.Head()
		switch {
		case t.IsTuple():
			var good bool
			if tracer, good = trace.TracerOf(amTraceMeta, t); !good {
				return k, tracer, false
			}
			k.Meta = true
			continue
		case t == amTraceGlobal:
			if !k.Global() {
				return k, tracer, false
			}
			global = true
			continue
		case global:
			return k, tracer, false
		}
		switch t {
		case amTraceLocal:
			k.Local = true
		case amTraceMeta:
			k.Meta = true
			if tracer == term.None {
				tracer = c.P.ID
			}
		case amTraceCount:
			k.Count = true
		case amTraceTime:
			k.Time = true
		default:
			return k, tracer, false
		}
	}
	return k, tracer, l.IsNil()
}

// internalTracePattern is erts_internal:trace_pattern(Functions, Pattern, Flags).
func internalTracePattern(c *native.Call) term.Term {
	if !code.TryWrite() {
		return again(c)
	}
	defer code.EndWrite()
	ch := trace.Change{On: trace.TurnOn}
	switch pat := c.Arg(1); pat {
	case term.False:
		ch.On = trace.TurnOff
	case term.True, term.Nil:
	case term.Intern("restart"):
		ch.On = trace.Restart
	case term.Intern("pause"):
		ch.On = trace.Pause
	default:
		event, limit := term.None, false
		if c.Arg(0).IsAtom() {
			event = c.Arg(0)
		}
		if ch.Spec, limit = trace.NewSpec(pat, event); limit {
			return c.SystemLimit()
		} else if ch.Spec == nil {
			return badCause(c, amMatchSpecCause)
		}
	}
	global := false
	for l := c.Arg(2); l.IsList(); l = l.Tail() {
		global = global || l.Head() == amTraceGlobal
	}
	var ok bool
	if ch.Kinds, ch.Tracer, ok = patternFlags(c, c.Arg(2)); !ok {
		return badCause(c, amBadopt)
	}
	if k := ch.Kinds; ch.Spec != nil && !k.Local && !k.Meta && (k.Count || k.Time) {
		return badCause(c, amTraceCount)
	}
	what := c.Arg(0)
	switch {
	case what == amOnLoad:
		trace.SetOnLoad(ch)
		return term.Small(0)
	case what == amTraceSend || what == amTraceReceive:
		if global || !ch.Kinds.Global() || ch.On > trace.TurnOn {
			return badCause(c, amTraceNone)
		}
		p := &trace.Pattern{Off: ch.On == trace.TurnOff, Spec: ch.Spec}
		if what == amTraceSend {
			trace.Sends.Store(p)
		} else {
			trace.Receives.Store(p)
		}
		return term.Small(1)
	}
	f, ok := traceFunctions(what)
	if !ok {
		return badCause(c, amTraceNone)
	}
	n := 0
	stopAll(c, func() { n = trace.Set(f, ch) })
	return term.Small(int64(n))
}

// traceFunctions reads {M,F,A}, of which the last ones may be '_'.
func traceFunctions(t term.Term) (f trace.Functions, ok bool) {
	if !t.IsTuple() || t.Arity() != 3 || !t.El(1).IsAtom() || !t.El(2).IsAtom() || !t.El(3).IsSmall() && t.El(3) != amTraceAny {
		return f, false
	}
	for f.Specified < 3 && t.El(f.Specified+1) != amTraceAny {
		f.Specified++
	}
	for i := f.Specified; i < 3; i++ {
		if t.El(i+1) != amTraceAny {
			return f, false
		}
	}
	f.MFA.Module, f.MFA.Function = t.El(1), t.El(2)
	if f.Specified == 3 {
		f.MFA.Arity = uint64(t.El(3).Small())
	}
	return f, true
}

var amTraceDelivered = term.Intern("trace_delivered")

// traceDelivered answers {trace_delivered, Tracee, Ref} at once: trace messages
// are in their receiver's queue when the traced process goes on. Every process
// passes a safe point before.
func traceDelivered(c *native.Call) term.Term {
	t := c.Arg(0)
	if t != amTraceAll && !t.IsInternalPid() {
		return c.Badarg()
	}
	ref := proc.NewRef(&c.P.Heap, c.Ctx)
	var h heap.Heap
	m := h.Tuple(amTraceDelivered, t, heap.CopyTo(&h, ref))
	stopAll(c, func() {})
	proc.DeliverFrom(c.Ctx, c.P.ID, &h, m)
	return ref
}

func seqTrace(c *native.Call) term.Term {
	if r := trace.SeqSet(c.P, c.Arg(0), c.Arg(1)); r != term.None {
		return r
	}
	return c.Badarg()
}

func seqTraceInfo(c *native.Call) term.Term {
	if r := trace.SeqInfo(c.P, c.Arg(0)); r != term.None {
		return r
	}
	return c.Badarg()
}

func seqTracePrint1(c *native.Call) term.Term {
	return term.Bool(trace.SeqPrint(c.P, term.None, c.Arg(0)))
}

func seqTracePrint2(c *native.Call) term.Term {
	return term.Bool(trace.SeqPrint(c.P, c.Arg(0), c.Arg(1)))
}

// sysSeqTracer is system_flag(sequential_tracer, Pid | Port | {erl_tracer, Pid} | false | []).
func sysSeqTracer(c *native.Call, v term.Term) term.Term {
	to := term.None
	if v != term.False && v != term.Nil {
		if v.IsTuple() && v.Arity() == 2 && v.El(1) == term.Intern("erl_tracer") {
			v = v.El(2)
		}
		if !v.IsInternalPid() && !v.IsInternalPort() || !trace.Alive(v) {
			return c.Badarg()
		}
		to = v
	}
	return seqTracerTerm(trace.SetSeqTracer(to))
}

func seqTracerTerm(t term.Term) term.Term {
	if t == term.None {
		return term.False
	}
	return t
}

// sysResetSeq is system_flag(reset_seq_trace, true).
func sysResetSeq(c *native.Call, v term.Term) term.Term {
	if v != term.True {
		return c.Badarg()
	}
	stopAll(c, func() {
		proc.Each(func(p *proc.Process) bool {
			p.ForgetTokens()
			return true
		})
	})
	return term.True
}
