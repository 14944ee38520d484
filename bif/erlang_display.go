package bif

import (
	"math"
	"os"

	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangDisplayRows = []native.Row{
	{Module: "erlang", Name: "display", Arity: 1, Fn: erlangDisplay},
	{Module: "erlang", Name: "display_string", Arity: 1, Fn: erlangDisplayString},
	{Module: "erlang", Name: "display_nl", Arity: 0, Fn: erlangDisplayNl},
	{Module: "erts_debug", Name: "display", Arity: 1, Fn: ertsDebugDisplay},
}

func erlangDisplay(c *native.Call) term.Term {
	os.Stdout.WriteString(c.Arg(0).String() + "\n")
	return term.True
}

func ertsDebugDisplay(c *native.Call) term.Term {
	s := c.Arg(0).String() + "\n"
	os.Stdout.WriteString(s)
	return c.P.Heap.Latin1([]byte(s))
}

func erlangDisplayString(c *native.Call) term.Term {
	s, _, ok := charList(nil, c.Arg(0), math.MaxInt)
	if !ok {
		return c.Badarg()
	}
	os.Stderr.Write(s)
	return term.True
}

func erlangDisplayNl(c *native.Call) term.Term {
	os.Stderr.WriteString("\n")
	return term.True
}
