package bif

import (
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangProcessInfoRows = []native.Row{
	{Module: "erlang", Name: "process_info", Arity: 1, Fn: erlangProcessInfo1},
	{Module: "erlang", Name: "process_info", Arity: 2, Fn: erlangProcessInfo2},
	{Module: "erts_internal", Name: "request_system_task", Arity: 3, Fn: ertsRequestSystemTask3},
	{Module: "erts_internal", Name: "request_system_task", Arity: 4, Fn: ertsRequestSystemTask4},
	{Module: "erts_internal", Name: "garbage_collect", Arity: 1, Fn: ertsGarbageCollect},
	{Module: "erts_internal", Name: "is_process_executing_dirty", Arity: 1, Fn: ertsIsExecutingDirty},
	{Module: "erts_internal", Name: "dirty_process_handle_signals", Arity: 1, Fn: ertsDirtyHandleSignals},
	{Module: "erts_internal", Name: "process_display", Arity: 2, Fn: ertsProcessDisplay},
	{Module: "erlang", Name: "yield", Arity: 0, Fn: erlangYield},
	{Module: "erlang", Name: "bump_reductions", Arity: 1, Fn: erlangBumpReductions},
}

var (
	amAwaitResult = term.Intern("await_result")
	amMajor       = term.Intern("major")
	amMinor       = term.Intern("minor")
	amBusy        = term.Intern("busy")
	amMore        = term.Intern("more")
)

func erlangProcessInfo1(c *native.Call) term.Term {
	return processInfo(c, proc.InfoDefault, proc.InfoDefault1)
}

func erlangProcessInfo2(c *native.Call) term.Term {
	t := c.Arg(1)
	if t.IsAtom() {
		if !proc.IsInfoItem(t) {
			return c.Badarg()
		}
		return processInfo(c, []term.Term{t}, proc.InfoSingle)
	}
	items, ok := listArgs(t)
	for _, it := range items {
		ok = ok && it.IsAtom() && proc.IsInfoItem(it)
	}
	if !ok {
		return c.Badarg()
	}
	return processInfo(c, items, 0)
}

func processInfo(c *native.Call, items []term.Term, flags int) term.Term {
	pid := c.Arg(0)
	if !pid.IsInternalPid() {
		return c.Badarg()
	}
	c.Bump(10 * len(items))
	if pid == c.P.ID {
		if !c.P.FlushSignals() {
			c.P.EndBySignal()
			c.State = native.Exited
			return term.None
		}
		return c.P.Info(&c.P.Heap, items, flags)
	}
	ref := proc.NewRef(&c.P.Heap, c.Ctx)
	if !c.P.AskInfo(pid, ref, items, flags) {
		return term.AmUndefined
	}
	return c.Trap(code.GetExport(amErtsInternal, amAwaitResult, 1), ref)
}

func ertsRequestSystemTask3(c *native.Call) term.Term {
	return requestTask(c, c.P.ID, c.Arg(0), c.Arg(1), c.Arg(2))
}

func ertsRequestSystemTask4(c *native.Call) term.Term {
	if !c.Arg(0).IsPid() {
		return c.Badarg()
	}
	return requestTask(c, c.Arg(0), c.Arg(1), c.Arg(2), c.Arg(3))
}

// requestTask asks for a system task. req is {Type, ReqId, Args…}.
func requestTask(c *native.Call, requester, target, prio, req term.Term) term.Term {
	if _, ok := prioOf(prio); !ok && prio != amInherit {
		return c.Badarg()
	}
	if !req.IsTuple() || req.Arity() < 2 || !req.El(1).IsAtom() || !target.IsInternalPid() {
		return c.Badarg()
	}
	var args []term.Term
	for i := 3; i <= req.Arity(); i++ {
		args = append(args, req.El(i))
	}
	if proc.Tasks[req.El(1)] == nil {
		return c.Badarg()
	}
	if !proc.RequestTask(c.Ctx, requester, target, req.El(1), req.El(2), args) {
		r := term.False
		if req.El(1) == amCopyLiteralsTask {
			r = term.AmOk
		}
		proc.AnswerTask(c.Ctx, requester, req.El(1), req.El(2), r)
	}
	return term.AmOk
}

var (
	amInherit          = term.Intern("inherit")
	amCopyLiteralsTask = term.Intern("copy_literals")
)

// ertsGarbageCollect collects the caller's heap, at the next instruction
// boundary.
func ertsGarbageCollect(c *native.Call) term.Term {
	switch c.Arg(0) {
	case amMajor:
		c.P.ForceGC(true)
	case amMinor:
		c.P.ForceGC(false)
	default:
		return c.Badarg()
	}
	return term.True
}

func ertsIsExecutingDirty(c *native.Call) term.Term {
	if !c.Arg(0).IsInternalPid() {
		return c.Badarg()
	}
	p := proc.Lookup(c.Arg(0))
	return term.Bool(p != nil && p.InDirty())
}

// ertsDirtyHandleSignals lets the signals act that wait for a process in a
// dirty call: ok, more (again, please), busy, noproc, or normal (not in a dirty
// call any more).
func ertsDirtyHandleSignals(c *native.Call) term.Term {
	if !c.P.IsSystem() {
		return c.Error(term.AmNotsup)
	}
	if !c.Arg(0).IsInternalPid() {
		return term.False
	}
	p := proc.Lookup(c.Arg(0))
	if p == nil {
		return term.AmNoproc
	}
	switch p.HandleDirty() {
	case proc.DirtyMore:
		return amMore
	case proc.DirtyBusy:
		return amBusy
	case proc.DirtyOver:
		return term.AmNormal
	case proc.DirtyGone:
		return term.AmNoproc
	}
	return term.AmOk
}

// ertsProcessDisplay prints a process's stack on standard error.
func ertsProcessDisplay(c *native.Call) term.Term {
	pid := c.Arg(0)
	if c.Arg(1) != term.AmBacktrace || !pid.IsInternalPid() {
		return term.AmBadarg
	}
	if pid == c.P.ID {
		c.P.Display()
		return term.True
	}
	ref := proc.NewRef(&c.P.Heap, c.Ctx)
	if !c.P.AskDisplay(pid, ref) {
		return term.AmBadarg
	}
	return ref
}

func erlangYield(c *native.Call) term.Term {
	c.P.FCalls = 0
	return term.True
}

func erlangBumpReductions(c *native.Call) term.Term {
	n := c.Arg(0)
	if n.IsBig() && n.Kind() == term.KPosBig {
		c.P.FCalls = 0
		return term.True
	}
	if !n.IsSmall() || n.Small() < 0 {
		return c.Badarg()
	}
	c.P.FCalls = max(0, c.P.FCalls-n.Small())
	return term.True
}
