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

var (
	amTraceFlags    = term.Intern("flags")
	amTraceTracer   = term.Intern("tracer")
	amTraced        = term.Intern("traced")
	amMetaMatchSpec = term.Intern("meta_match_spec")
)

// traceInfo is erlang:trace_info(What, Item).
func traceInfo(c *native.Call) term.Term {
	what, key := c.Arg(0), c.Arg(1)
	if !code.TryWrite() {
		return again(c)
	}
	defer code.EndWrite()
	var r term.Term
	switch {
	case what == amOnLoad:
		r = traceInfoOnLoad(c, key)
	case what == amTraceSend || what == amTraceReceive:
		r = traceInfoEvent(c, what, key)
	case what.IsAtom(), what.IsPid(), what.IsPort():
		return traceInfoTracee(c, what, key)
	case what.IsTuple():
		r = traceInfoFunction(c, what, key)
	default:
		return badCause(c, amBadopt)
	}
	if r == term.None {
		return badCause(c, amTraceNone)
	}
	return c.P.Heap.Tuple(key, r)
}

func traceInfoTracee(c *native.Call, what, key term.Term) term.Term {
	var flags uint64
	tracer := term.None
	s, isSpec := traceSpecs[what]
	switch {
	case isSpec && s.new && !s.existing:
		flags, tracer = trace.New(!s.procs)
	case what.IsInternalPort():
		if port.Lookup(what) == nil {
			return term.AmUndefined
		}
	case what.IsInternalPid():
		if key != amTraceFlags && key != amTraceTracer {
			return badCause(c, amTraceNone)
		}
		p := proc.Lookup(what)
		if p == nil || p.Exiting() {
			return term.AmUndefined
		}
		if p.Tracer != term.None && !trace.Alive(p.Tracer) {
			stopAll(c, func() { trace.CheckTracer(p) })
		}
		flags, tracer = p.TraceFlags, p.Tracer
	default:
		return badCause(c, amBadopt)
	}
	h := &c.P.Heap
	switch key {
	case amTraceFlags:
		return h.Tuple(key, trace.FlagList(h, flags))
	case amTraceTracer:
		if tracer == term.None {
			tracer = term.Nil
		}
		return h.Tuple(key, tracer)
	}
	return badCause(c, amTraceNone)
}

func traceInfoEvent(c *native.Call, what, key term.Term) term.Term {
	if key != amMatchSpecCause {
		return term.None
	}
	p := trace.PatternOf(&trace.Sends)
	if what == amTraceReceive {
		p = trace.PatternOf(&trace.Receives)
	}
	switch {
	case p.Off:
		return term.False
	case p.Spec == nil:
		return term.True
	}
	return p.Spec.Source(&c.P.Heap)
}

func specSource(h *heap.Heap, s *trace.Spec, on bool) term.Term {
	switch {
	case !on:
		return term.False
	case s == nil:
		return term.Nil
	}
	return s.Source(h)
}

func traceInfoFunction(c *native.Call, what, key term.Term) term.Term {
	f, ok := traceFunctions(what)
	if !ok || f.Specified != 3 {
		return term.None
	}
	pt, exists := trace.Find(f.MFA)
	switch {
	case !exists:
		return term.AmUndefined
	case pt == nil:
		return term.False
	}
	if key == amTraceAll {
		h := &c.P.Heap
		l := term.Nil
		for _, k := range []term.Term{amTraceCount, amTraceTime, amMetaMatchSpec, amTraceMeta, amMatchSpecCause, amTraced} {
			v := pointInfo(c, pt, k)
			if k == amTraceMeta && v == term.Nil {
				v = term.False
			}
			l = h.Cons(h.Tuple(k, v), l)
		}
		return l
	}
	return pointInfo(c, pt, key)
}

func pointInfo(c *native.Call, pt *trace.Point, key term.Term) term.Term {
	h := &c.P.Heap
	switch key {
	case amTraced:
		switch {
		case pt.Global:
			return amTraceGlobal
		case pt.Local:
			return amTraceLocal
		}
		return term.False
	case amMatchSpecCause:
		return specSource(h, pt.Spec, pt.Global || pt.Local)
	case amTraceMeta:
		if t := pt.MetaTracer(); pt.Meta && t != term.None {
			return t
		}
		return term.Nil
	case amMetaMatchSpec:
		return specSource(h, pt.MetaSpec, pt.Meta)
	case amTraceCount:
		if pt.Counts == 0 {
			return term.False
		}
		return h.Int(pt.Calls())
	case amTraceTime:
		if pt.Timing == 0 {
			return term.False
		}
		l := term.Nil
		for _, t := range pt.AllTimes() {
			us := t.Nanos / 1000
			l = h.Cons(h.Tuple(t.Pid, h.Int(t.Calls), h.Int(us/1e6), h.Int(us%1e6)), l)
		}
		return l
	}
	return term.None
}

func traceInfoOnLoad(c *native.Call, key term.Term) term.Term {
	o := &trace.OnLoad
	o.Lock()
	defer o.Unlock()
	if !o.On {
		return term.False
	}
	h, k := &c.P.Heap, o.Kinds
	item := func(key term.Term) term.Term {
		switch key {
		case amTraced:
			switch {
			case k.Global():
				return amTraceGlobal
			case k.Local:
				return amTraceLocal
			}
			return term.False
		case amMatchSpecCause:
			return specSource(h, o.Spec, k.Global() || k.Local)
		case amTraceMeta:
			if k.Meta && o.MetaTracer != term.None {
				return o.MetaTracer
			}
			return term.False
		case amMetaMatchSpec:
			return specSource(h, o.MetaSpec, k.Meta)
		case amTraceCount:
			return term.Bool(k.Count)
		case amTraceTime:
			return term.Bool(k.Time)
		}
		return term.None
	}
	if key != amTraceAll {
		return item(key)
	}
	l := term.Nil
	for _, k := range []term.Term{amTraceCount, amMetaMatchSpec, amTraceMeta, amMatchSpecCause, amTraced} {
		l = h.Cons(h.Tuple(k, item(k)), l)
	}
	return l
}
