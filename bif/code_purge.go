package bif

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var codePurgeRows = []native.Row{
	{Module: "erts_internal", Name: "purge_module", Arity: 2, Fn: codePurgeModule},
	{Module: "erts_internal", Name: "check_process_code", Arity: 1, Fn: codeCheckProcessCode},
	{Module: "erts_internal", Name: "check_dirty_process_code", Arity: 2, Fn: codeCheckDirtyProcessCode},
	{Module: "erts_internal", Name: "pending_fun", Arity: 3, Fn: codePendingFun, Flags: native.Hidden},
}

var (
	amErtsCodePurger     = term.Intern("erts_code_purger")
	amPrepare            = term.Intern("prepare")
	amPrepareOnLoad      = term.Intern("prepare_on_load")
	amAbort              = term.Intern("abort")
	amComplete           = term.Intern("complete")
	amPendingPurgeLambda = term.Intern("pending_purge_lambda")
	amCheckProcessCode   = term.Intern("check_process_code")
)

// codePurgeModule is erts_internal:purge_module(Module, Step), for the code
// purger alone.
func codePurgeModule(c *native.Call) term.Term {
	mod, step := c.Arg(0), c.Arg(1)
	if c.P.ID != proc.Whereis(amErtsCodePurger) {
		return c.Error(term.AmNotsup)
	}
	if !mod.IsAtom() {
		return c.Badarg()
	}
	switch step {
	case amPrepare, amPrepareOnLoad:
		var some, ok bool
		stopAll(c, func() { some, ok = code.PreparePurge(mod, step == amPrepareOnLoad) })
		if !ok {
			return c.Badarg()
		}
		return term.Bool(some)
	case amAbort:
		ok := false
		stopAll(c, func() { ok = code.AbortPurge(mod) })
		if !ok {
			return c.Badarg()
		}
		return term.False
	case amComplete:
		return completePurge(c, mod)
	}
	return c.Badarg()
}

func completePurge(c *native.Call, mod term.Term) term.Term {
	if !code.TryWrite() {
		return again(c)
	}
	defer code.EndWrite()
	var m *code.Module
	ok := false
	stopAll(c, func() { m, ok = code.CompletePurge(mod) })
	if !ok {
		return c.Badarg()
	}
	if m != nil {
		releaseLiterals(c, m)
	}
	return term.Bool(m != nil)
}

// codeCheckProcessCode tells whether the caller executes old code of a module.
func codeCheckProcessCode(c *native.Call) term.Term {
	if !c.Arg(0).IsAtom() {
		return c.Badarg()
	}
	c.Bump(int(c.P.End-c.P.E) / 8 / 32)
	return term.Bool(executesOld(c.P, c.Arg(0)))
}

// codeCheckDirtyProcessCode is erts_internal:check_dirty_process_code(Pid,
// Module), for the handlers of signals to processes in dirty calls: normal when
// Pid is not in one, busy when it cannot be looked at now, else the answer.
func codeCheckDirtyProcessCode(c *native.Call) term.Term {
	pid, mod := c.Arg(0), c.Arg(1)
	if !c.P.IsSystem() {
		return c.Error(term.AmNotsup)
	}
	if !pid.IsInternalPid() || !mod.IsAtom() {
		return c.Badarg()
	}
	if pid == c.P.ID {
		return term.AmNormal
	}
	q := proc.Lookup(pid)
	switch {
	case q == nil:
		return term.False
	case !q.InDirty():
		return term.AmNormal
	}
	// A dirty call leaves its process's stack alone.
	old := executesOld(q, mod)
	if !q.InDirty() {
		return amBusy
	}
	return term.Bool(old)
}

// codePendingFun is where a call of a fun goes whose code is being purged: it
// waits for the end of the purge, then has the purger's code try again.
func codePendingFun(c *native.Call) term.Term {
	if code.Purging() == c.Arg(0) {
		c.Bump(c.Left())
		return again(c)
	}
	to := code.GetExport(amErtsCodePurger, amPendingPurgeLambda, 3)
	return c.Trap(to, c.Arg(0), c.Arg(1), c.Arg(2))
}

// executesOld tells whether a process, whose token the caller holds, executes
// or would return to old code of a module.
func executesOld(p *proc.Process, mod term.Term) bool {
	old := code.Old(mod)
	if old == nil {
		return false
	}
	if old.Within(p.IP) {
		return true
	}
	for a := p.E; a < p.End; a += 8 {
		if w := offheap.Load(a); w&term.PrimMask == term.PrimHeader && old.Within(uintptr(w)) {
			return true
		}
	}
	if old.Within(p.FaultIP) {
		p.FaultIP = 0
	}
	return false
}

var _ = addCodeTasks()

func addCodeTasks() bool {
	proc.Tasks[amCheckProcessCode] = func(p *proc.Process, args []term.Term) (term.Term, bool) {
		return term.Bool(len(args) == 1 && executesOld(p, args[0])), true
	}
	return true
}
