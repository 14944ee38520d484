package bif

import (
	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// What a node tells of itself.

var erlangNodeRows = []native.Row{
	{Module: "erlang", Name: "node", Arity: 0, Fn: node0, Flags: native.Guard},
	{Module: "erlang", Name: "node", Arity: 1, Fn: node1, Flags: native.Guard},
	{Module: "erl_tracer", Name: "enabled", Arity: 3, Fn: noTracer, Flags: native.NIF},
	{Module: "erl_tracer", Name: "trace", Arity: 5, Fn: noTracer, Flags: native.NIF},
	{Module: "error_logger", Name: "warning_map", Arity: 0, Fn: warningMap},
	{Module: "io", Name: "printable_range", Arity: 0, Fn: printableRange},
}

func node0(c *native.Call) term.Term { return term.Atom(term.ThisNode().Name) }

func node1(c *native.Call) term.Term {
	t := c.Arg(0)
	switch {
	case t.IsInternalPid(), t.IsInternalPort(), t.Is(term.KRef):
		return node0(c)
	case t.Is(term.KExtPid), t.Is(term.KExtPort), t.Is(term.KExtRef):
		return term.Atom(term.NodeAt(int(t.W(1))).Name)
	}
	return c.Badarg()
}

// noTracer stands for the default tracer module until there is tracing.
func noTracer(c *native.Call) term.Term { return c.Error(term.AmUndef) }

func warningMap(*native.Call) term.Term { return term.Intern(sysconf.C.WarnMap) }

func printableRange(*native.Call) term.Term {
	if sysconf.C.PrintUnicode {
		return term.Intern("unicode")
	}
	return amLatin1
}
