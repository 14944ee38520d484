package trace

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// flagNames is in the reverse of the order in which trace_info shows flags.
var flagNames = []struct {
	bit  uint64
	name term.Term
}{
	{proc.TraceNow, term.Intern("timestamp")},
	{proc.TraceStrict, term.Intern("strict_monotonic_timestamp")},
	{proc.TraceMono, term.Intern("monotonic_timestamp")},
	{proc.TraceSend, term.Intern("send")},
	{proc.TraceReceive, term.Intern("receive")},
	{proc.TraceSOS, term.Intern("set_on_spawn")},
	{proc.TraceCalls, term.Intern("call")},
	{proc.TraceProcs, term.Intern("procs")},
	{proc.TraceSOS1, term.Intern("set_on_first_spawn")},
	{proc.TraceSOL, term.Intern("set_on_link")},
	{proc.TraceSOL1, term.Intern("set_on_first_link")},
	{proc.TraceSched, term.Intern("running")},
	{proc.TraceSchedExit, term.Intern("exiting")},
	{proc.TraceGC, term.Intern("garbage_collection")},
	{proc.TraceArity, term.Intern("arity")},
	{proc.TraceReturnTo, term.Intern("return_to")},
	{proc.TraceSilent, term.Intern("silent")},
	{proc.TraceSchedID, term.Intern("scheduler_id")},
	{proc.TracePorts, term.Intern("ports")},
	{proc.TraceSchedPorts, term.Intern("running_ports")},
	{proc.TraceSchedProcs, term.Intern("running_procs")},
	{proc.TraceeFlags, term.Intern("all")},
}

var (
	amCPU       = term.Intern("cpu_timestamp")
	amTracer    = term.Intern("tracer")
	amErlTracer = term.Intern("erl_tracer")
)

// FlagOf returns the bits of a flag by its name, or 0.
func FlagOf(name term.Term) uint64 {
	for i := range flagNames {
		if flagNames[i].name == name {
			return flagNames[i].bit
		}
	}
	return 0
}

// FlagList builds the list of flags that trace_info shows.
func FlagList(h *heap.Heap, flags uint64) term.Term {
	l := term.Nil
	for _, f := range flagNames[:len(flagNames)-1] {
		if flags&f.bit != 0 {
			l = h.Cons(f.name, l)
		}
	}
	return l
}

// TracerOf reads {Tag, Pid | Port}, {Tag, []} or {Tag, erl_tracer, Pid}; ok is
// false for what is none. The tracer is None when none is named.
func TracerOf(tag, t term.Term) (tracer term.Term, ok bool) {
	if !t.IsTuple() || t.Arity() < 2 || t.Arity() > 3 || t.El(1) != tag {
		return term.None, false
	}
	v := t.El(2)
	if t.Arity() == 3 {
		// Other modules would need callbacks in C.
		if v != amErlTracer {
			return term.None, false
		}
		v = t.El(3)
	} else if v == term.Nil {
		return term.None, true
	}
	return v, (v.IsInternalPid() || v.IsInternalPort()) && Alive(v)
}

// ParseFlags reads a list of flags. tracer is None when there is none in it.
func ParseFlags(l term.Term) (mask uint64, tracer term.Term, cpu, ok bool) {
	tracer = term.None
	for ; l.IsList(); l = l.Tail() {
		t := l.Head()
		switch {
		case t.IsAtom() && FlagOf(t) != 0:
			mask |= FlagOf(t)
		case t == amCPU:
			cpu = true
		case t.IsTuple():
			var good bool
			if tracer, good = TracerOf(amTracer, t); !good {
				return 0, term.None, false, false
			}
		default:
			return 0, term.None, false, false
		}
	}
	return mask, tracer, cpu, l.IsNil()
}
