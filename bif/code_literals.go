package bif

import (
	"sync"

	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var codeLiteralRows = []native.Row{
	{Module: "erts_literal_area_collector", Name: "release_area_switch", Arity: 0, Fn: codeReleaseSwitch},
	{Module: "erts_literal_area_collector", Name: "send_copy_request", Arity: 3, Fn: codeSendCopyRequest},
}

var amCopyLiterals = term.Intern("copy_literals")

// The literals of purged code wait here.
var purgedLiterals struct {
	sync.Mutex
	waiting []*code.Module
}

func releaseLiterals(c *native.Call, m *code.Module) {
	if m.LitSize == 0 {
		return
	}
	purgedLiterals.Lock()
	purgedLiterals.waiting = append(purgedLiterals.waiting, m)
	purgedLiterals.Unlock()
}

// codeReleaseSwitch: no area is released yet; they are kept.
func codeReleaseSwitch(c *native.Call) term.Term { return term.False }

// codeSendCopyRequest answers for the process: nothing is being released.
func codeSendCopyRequest(c *native.Call) term.Term {
	if !c.Arg(0).IsInternalPid() {
		return c.Badarg()
	}
	id := c.P.Heap.Tuple(c.Arg(1), c.Arg(2), c.Arg(0))
	proc.AnswerTask(c.Ctx, c.P.ID, amCopyLiterals, id, term.AmOk)
	return term.AmOk
}
