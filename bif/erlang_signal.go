package bif

import (
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangSignalRows = []native.Row{
	{Module: "erlang", Name: "!", Arity: 2, Fn: erlangSend2},
	{Module: "erlang", Name: "send", Arity: 2, Fn: erlangSend2},
	{Module: "erlang", Name: "send", Arity: 3, Fn: erlangSend3},
	{Module: "erlang", Name: "exit", Arity: 2, Fn: erlangExit2},
	{Module: "erlang", Name: "exit_signal", Arity: 2, Fn: erlangExitSignal},
	{Module: "erlang", Name: "link", Arity: 1, Fn: erlangLink},
	{Module: "erlang", Name: "unlink", Arity: 1, Fn: erlangUnlink},
	{Module: "erlang", Name: "monitor", Arity: 2, Fn: erlangMonitor2},
	{Module: "erlang", Name: "monitor", Arity: 3, Fn: erlangMonitor3},
	{Module: "erlang", Name: "demonitor", Arity: 1, Fn: erlangDemonitor1},
	{Module: "erlang", Name: "demonitor", Arity: 2, Fn: erlangDemonitor2},
	{Module: "erlang", Name: "alias", Arity: 1, Fn: erlangAlias1},
	{Module: "erlang", Name: "unalias", Arity: 1, Fn: erlangUnalias},
	{Module: "erlang", Name: "is_process_alive", Arity: 1, Fn: erlangIsProcessAlive},
	{Module: "erts_internal", Name: "is_process_alive", Arity: 2, Fn: ertsIsProcessAlive},
	{Module: "erlang", Name: "group_leader", Arity: 0, Fn: erlangGroupLeader0},
	{Module: "erts_internal", Name: "group_leader", Arity: 2, Fn: ertsGroupLeader2},
	{Module: "erts_internal", Name: "group_leader", Arity: 3, Fn: ertsGroupLeader3},
	{Module: "erts_internal", Name: "suspend_process", Arity: 2, Fn: ertsSuspendProcess},
	{Module: "erlang", Name: "resume_process", Arity: 1, Fn: erlangResumeProcess},
}

var (
	amTimeOffset        = term.Intern("time_offset")
	amClockService      = term.Intern("clock_service")
	amFlushMonitor      = term.Intern("flush_monitor_messages")
	amIsProcessAlive    = term.Intern("is_process_alive")
	amUnlessSuspending  = term.Intern("unless_suspending")
	amSuspendedTag      = term.Intern("suspended")
	amExitedTag         = term.Intern("exited")
	amExplicitUnaliasOp = term.AmExplicitUnalias
)

// sendResult turns what Process.Send returned into a builtin's result.
func sendResult(c *native.Call, ok bool, trap *code.Export, res term.Term) term.Term {
	switch {
	case !ok:
		c.State = native.Raised
		return term.None
	case trap != nil:
		c.State, c.To = native.Trapped, trap
		return term.None
	}
	return res
}

func erlangSend2(c *native.Call) term.Term {
	ok, trap := c.P.Send(c.Arg(0), c.Arg(1))
	return sendResult(c, ok, trap, c.Arg(1))
}

func erlangSend3(c *native.Call) term.Term {
	noconnect, nosuspend := false, false
	l := c.Arg(2)
	for ; l.IsList(); l = l.Tail() {
		switch l.Head() {
		case term.AmNoconnect:
			noconnect = true
		case term.AmNosuspend:
			nosuspend = true
		default:
			return c.BadargCause(amBadoptSpawn)
		}
	}
	if !l.IsNil() {
		return c.BadargCause(amBadoptSpawn)
	}
	if noconnect && proc.Connected != nil && !proc.Connected(c.Arg(0)) {
		return term.AmNoconnect
	}
	if nosuspend && proc.Busy != nil && proc.Busy(c.Arg(0)) {
		return term.AmNosuspend
	}
	async := c.P.Flags & proc.FlagAsyncDist
	if nosuspend {
		c.P.Flags |= proc.FlagAsyncDist
	}
	ok, trap := c.P.Send(c.Arg(0), c.Arg(1))
	c.P.Flags = c.P.Flags&^proc.FlagAsyncDist | async
	if trap != nil {
		c.Ctx.X[0] = term.AmOk
	}
	return sendResult(c, ok, trap, term.AmOk)
}

func erlangExit2(c *native.Call) term.Term {
	to, reason := c.Arg(0), c.Arg(1)
	if to == c.P.ID {
		if c.P.SelfExit(reason) {
			c.P.EndBySignal()
			c.State = native.Exited
			return term.None
		}
		return term.True
	}
	return erlangExitSignal(c)
}

func erlangExitSignal(c *native.Call) term.Term {
	to, reason := c.Arg(0), c.Arg(1)
	switch {
	case to.IsInternalPid(), to.IsInternalPort():
		proc.SendExit(c.Ctx, c.P.ID, to, reason)
	case to.Is(term.KExtPid):
		if proc.Dist != nil {
			ok, trap := proc.Dist.ExitRemote(c.P, to, reason)
			return sendResult(c, ok, trap, term.True)
		}
	case to.Is(term.KExtPort):
	default:
		return c.Badarg()
	}
	return term.True
}

var amUnlink = term.Intern("unlink")

func erlangLink(c *native.Call) term.Term {
	to := c.Arg(0)
	if to.IsPid() || to.IsPort() {
		c.P.Event(term.AmLink, to)
	}
	switch {
	case to.IsInternalPid(), to.IsInternalPort():
		if c.P.Link(to) {
			return term.True
		}
		if c.P.Flags&proc.FlagTrapExit != 0 {
			c.P.SelfLinkExit(to, term.AmNoproc)
			return term.True
		}
		return c.Error(term.AmNoproc)
	case to.Is(term.KExtPid):
		c.P.LinkRemote(to)
		return distResult(c, term.True)
	}
	return c.Badarg()
}

func erlangUnlink(c *native.Call) term.Term {
	to := c.Arg(0)
	if !to.IsPid() && !to.IsPort() {
		return c.Badarg()
	}
	c.P.Unlink(to)
	c.P.Event(amUnlink, to)
	return distResult(c, term.True)
}

func erlangMonitor2(c *native.Call) term.Term { return monitor(c, nil) }

func erlangMonitor3(c *native.Call) term.Term {
	o, ok := parseMonitorOpts(c.Arg(2))
	if !ok {
		return c.BadargCause(amBadoptSpawn)
	}
	return monitor(c, &o)
}

// parseMonitorOpts decodes [{alias, Mode} | {tag, Term}].
func parseMonitorOpts(l term.Term) (o proc.MonitorOpts, ok bool) {
	o = proc.MonitorOpts{AliasMode: term.None, Tag: term.None}
	for ; l.IsList(); l = l.Tail() {
		t := l.Head()
		if !t.IsTuple() || t.Arity() != 2 {
			return o, false
		}
		switch v := t.El(2); t.El(1) {
		case term.AmAlias:
			if v != term.AmExplicitUnalias && v != term.AmDemonitor && v != term.AmReplyDemonitor {
				return o, false
			}
			o.AliasMode = v
		case term.AmTag:
			o.Tag = v
		default:
			return o, false
		}
	}
	return o, l.IsNil()
}

func monitor(c *native.Call, o *proc.MonitorOpts) term.Term {
	typ, to := c.Arg(0), c.Arg(1)
	port := typ == term.AmPort
	switch typ {
	case term.AmProcess, term.AmPort:
	case amTimeOffset:
		if to != amClockService {
			return c.Badarg()
		}
		return c.P.MonitorTimeOffset(o)
	default:
		return c.BadargCause(amBadtype)
	}
	this := term.Atom(term.ThisNode().Name)
	switch {
	case !port && to.IsInternalPid(), port && to.IsInternalPort():
		return c.P.Monitor(to, term.None, port, o)
	case to.IsTuple() && to.Arity() == 2 && to.El(1).IsAtom() && to.El(2).IsAtom():
		if to.El(2) != this {
			if port || !nodeAlive(c) {
				return c.Badarg()
			}
			return distResult(c, c.P.MonitorRemote(to.El(2), to.El(1), o))
		}
		to = to.El(1)
		fallthrough
	case to.IsAtom():
		return c.P.Monitor(proc.Whereis(to), to, port, o)
	case !port && to.Is(term.KExtPid), port && proc.FormerSelf(to):
		return distResult(c, c.P.MonitorRemote(to, term.None, o))
	}
	return c.Badarg()
}

func erlangDemonitor1(c *native.Call) term.Term { return demonitor(c, false, false) }

func erlangDemonitor2(c *native.Call) term.Term {
	flush, info := false, false
	l := c.Arg(1)
	for ; l.IsList(); l = l.Tail() {
		switch l.Head() {
		case term.AmFlush:
			flush = true
		case term.AmInfo:
			info = true
		default:
			return c.Badarg()
		}
	}
	if !l.IsNil() {
		return c.Badarg()
	}
	return demonitor(c, flush, info)
}

func demonitor(c *native.Call, flush, info bool) term.Term {
	ref := c.Arg(0)
	if !ref.IsRef() {
		return c.Badarg()
	}
	switch c.P.Demonitor(ref) {
	case proc.DemonitorDone:
		return term.True
	case proc.DemonitorOther:
		return c.Badarg()
	}
	res := term.Bool(!info)
	if flush {
		return c.Trap(code.GetExport(amErtsInternal, amFlushMonitor, 3), ref, term.False, res)
	}
	return distResult(c, res)
}

func erlangAlias1(c *native.Call) term.Term {
	mode := term.AmExplicitUnalias
	l := c.Arg(0)
	for ; l.IsList(); l = l.Tail() {
		if h := l.Head(); h != amExplicitUnaliasOp && h != term.AmReply {
			return c.Badarg()
		}
		mode = l.Head()
	}
	if !l.IsNil() {
		return c.Badarg()
	}
	return c.P.Alias(mode)
}

func erlangUnalias(c *native.Call) term.Term {
	if !c.Arg(0).IsRef() {
		return c.Badarg()
	}
	return term.Bool(c.P.Unalias(c.Arg(0)))
}

func erlangIsProcessAlive(c *native.Call) term.Term {
	pid := c.Arg(0)
	if proc.FormerSelf(pid) {
		return term.False
	}
	if !pid.IsInternalPid() {
		return c.Badarg()
	}
	if pid == c.P.ID {
		return term.True
	}
	p := proc.Lookup(pid)
	if p == nil {
		return term.False
	}
	if p.HasSignals() {
		return c.Trap(code.GetExport(amErtsInternal, amIsProcessAlive, 1), pid)
	}
	return term.True
}

func ertsIsProcessAlive(c *native.Call) term.Term {
	pid, ref := c.Arg(0), c.Arg(1)
	if !pid.IsInternalPid() || !ref.IsRef() {
		return c.Badarg()
	}
	if !proc.AskAlive(c.Ctx, c.P.ID, pid, ref) {
		c.P.SelfMessage(c.P.Heap.Tuple(ref, term.False))
	}
	return term.AmOk
}

func erlangGroupLeader0(c *native.Call) term.Term { return c.P.GroupLeader }

func ertsGroupLeader2(c *native.Call) term.Term {
	gl, pid := c.Arg(0), c.Arg(1)
	switch {
	case !gl.IsPid(), proc.FormerSelf(pid):
		return term.AmBadarg
	case pid == c.P.ID:
		c.P.GroupLeader = gl
		return term.True
	case pid.IsInternalPid():
		if proc.Lookup(pid) == nil {
			return term.AmBadarg
		}
		return term.False // go on with the signal of group_leader/3
	case pid.Is(term.KExtPid):
		if proc.Dist != nil {
			proc.Dist.GroupLeader(c.P, pid, gl)
		}
		return distResult(c, term.True)
	}
	return term.AmBadarg
}

func ertsGroupLeader3(c *native.Call) term.Term {
	gl, pid, ref := c.Arg(0), c.Arg(1), c.Arg(2)
	if !gl.IsPid() || !pid.IsInternalPid() || !ref.Is(term.KRef) {
		return c.Badarg()
	}
	c.P.SendGroupLeader(pid, gl, ref)
	return term.AmOk
}

func ertsSuspendProcess(c *native.Call) term.Term {
	pid := c.Arg(0)
	if !pid.IsInternalPid() || pid == c.P.ID {
		return term.AmBadarg
	}
	async, unless, tag := false, false, term.None
	l := c.Arg(1)
	for ; l.IsList(); l = l.Tail() {
		switch o := l.Head(); {
		case o == amUnlessSuspending:
			unless = true
		case o == term.AmAsynchronous:
			async = true
		case o.IsTuple() && o.Arity() == 2 && o.El(1) == term.AmAsynchronous:
			async, tag = true, o.El(2)
		default:
			return amBadoptSpawn
		}
	}
	if !l.IsNil() {
		return amBadoptSpawn
	}
	r := c.P.Suspend(pid, unless)
	res := term.Bool(r != proc.SuspendAlready || !unless)
	switch {
	case r == proc.SuspendGone && !async:
		return term.AmBadarg
	case tag != term.None:
		c.P.SyncSuspend(pid, tag, amSuspendedTag, amExitedTag)
	case !async:
		ref := proc.NewRef(&c.P.Heap, c.Ctx)
		c.P.SyncSuspend(pid, ref, res, term.AmBadarg)
		return ref
	}
	return res
}

func erlangResumeProcess(c *native.Call) term.Term {
	if !c.Arg(0).IsInternalPid() || c.Arg(0) == c.P.ID || !c.P.Resume(c.Arg(0)) {
		return c.Badarg()
	}
	return term.True
}
