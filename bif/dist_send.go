package bif

import (
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/dist"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// Where senders to other nodes go on. A message that takes long to encode is
// encoded by the dirty pool; a process that is to wait for a busy connection
// waits in bif_return_trap, or in dsend_continue_trap after a long message.
var distSendRows = []native.Row{
	{Module: "erlang", Name: "bif_return_trap", Arity: 1, Fn: bifReturnTrap, Flags: native.Hidden},
	{Module: "erts_internal", Name: "dsend_long", Arity: 4, Fn: dsendLong, Flags: native.Hidden | native.DirtyCPU},
	{Module: "erts_internal", Name: "dsend_continue_trap", Arity: 2, Fn: dsendContinue, Flags: native.Hidden},
}

func bifReturnTrap(c *native.Call) term.Term { return c.Arg(0) }

// distResult is how a builtin returns that has sent a signal which may have made
// its caller wait.
func distResult(c *native.Call, res term.Term) term.Term {
	if !c.P.IsSuspended() {
		return res
	}
	return c.Trap(code.GetExport(term.Intern("erlang"), term.Intern("bif_return_trap"), 1), res)
}

// dsendLong has the arguments Result, IsExit, To, Message.
func dsendLong(c *native.Call) term.Term {
	l := dist.NewLong(c.P, c.Arg(1) == term.True, c.Arg(2), c.Arg(3))
	if l == nil {
		return c.Arg(0)
	}
	return dirtyTrap(c, "dsend_continue_trap", saveState(c, l), c.Arg(0))
}

func dsendContinue(c *native.Call) term.Term {
	l, ok := savedState[*dist.Long](c.Arg(0))
	if !ok {
		return c.Badarg()
	}
	res := c.Arg(1)
	if l.Send(c.P) {
		return c.SystemLimit()
	}
	return distResult(c, res)
}
