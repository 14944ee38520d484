package bif

import (
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangTimerRows = []native.Row{
	{Module: "erlang", Name: "send_after", Arity: 3, Fn: erlangSendAfter3},
	{Module: "erlang", Name: "send_after", Arity: 4, Fn: erlangSendAfter4},
	{Module: "erlang", Name: "start_timer", Arity: 3, Fn: erlangStartTimer3},
	{Module: "erlang", Name: "start_timer", Arity: 4, Fn: erlangStartTimer4},
	{Module: "erlang", Name: "cancel_timer", Arity: 1, Fn: erlangCancelTimer1},
	{Module: "erlang", Name: "cancel_timer", Arity: 2, Fn: erlangCancelTimer2},
	{Module: "erlang", Name: "read_timer", Arity: 1, Fn: erlangReadTimer1},
	{Module: "erlang", Name: "read_timer", Arity: 2, Fn: erlangReadTimer2},
}

var (
	amAbs         = term.Intern("abs")
	amCancelTimer = term.Intern("cancel_timer")
	amReadTimer   = term.Intern("read_timer")
)

func erlangSendAfter3(c *native.Call) term.Term  { return startTimer(c, false, false) }
func erlangStartTimer3(c *native.Call) term.Term { return startTimer(c, false, true) }

func erlangSendAfter4(c *native.Call) term.Term  { return startTimerOpts(c, false) }
func erlangStartTimer4(c *native.Call) term.Term { return startTimerOpts(c, true) }

func startTimerOpts(c *native.Call, wrap bool) term.Term {
	abs := false
	l := c.Arg(3)
	for ; l.IsList(); l = l.Tail() {
		o := l.Head()
		if !o.IsTuple() || o.Arity() != 2 || o.El(1) != amAbs || !o.El(2).IsBool() {
			return c.BadargCause(amBadoptSpawn)
		}
		abs = o.El(2) == term.True
	}
	if !l.IsNil() {
		return c.BadargCause(amBadoptSpawn)
	}
	return startTimer(c, abs, wrap)
}

const (
	nanosPerMilli = 1_000_000
	// maxTimer is the largest relative timeout, 2^60 ns or 36 years; ERTS
	// allows a little more than this.
	maxTimerMillis = 1 << 60 / nanosPerMilli
)

func startTimer(c *native.Call, abs, wrap bool) term.Term {
	t, to := c.Arg(0), c.Arg(1)
	if !t.IsSmall() {
		return c.BadargCause(term.AmTime)
	}
	var due int64
	v := t.Small()
	if abs {
		low := proc.StartTime() / nanosPerMilli
		if v < low || v > low+maxTimerMillis {
			return c.BadargCause(term.AmTime)
		}
		due = v * nanosPerMilli
	} else {
		if v < 0 || v > maxTimerMillis {
			return c.BadargCause(term.AmTime)
		}
		due = proc.ErlangMonotonic() + v*nanosPerMilli
	}
	if !to.IsAtom() && !to.IsInternalPid() {
		return c.Badarg()
	}
	k := c.P.StartTimer(due, to, c.Arg(2), wrap)
	return proc.PutRef(c.Alloc(1+term.RefWords), k)
}

func erlangCancelTimer1(c *native.Call) term.Term {
	ref := c.Arg(0)
	if !ref.Is(term.KRef) {
		return c.Badarg()
	}
	left, ok := proc.CancelTimer(proc.RefKey(ref))
	return timeLeft(c, left, ok)
}

// timeLeft is false or the milliseconds left, rounded up.
func timeLeft(c *native.Call, left int64, ok bool) term.Term {
	if !ok {
		return term.False
	}
	return term.Small((left + nanosPerMilli - 1) / nanosPerMilli)
}

func erlangCancelTimer2(c *native.Call) term.Term {
	async, info, ok := timerOpts(c, true)
	if !ok || !c.Arg(0).Is(term.KRef) {
		return c.Badarg()
	}
	left, found := proc.CancelTimer(proc.RefKey(c.Arg(0)))
	return timerAnswer(c, amCancelTimer, timeLeft(c, left, found), async, info)
}

func erlangReadTimer1(c *native.Call) term.Term {
	ref := c.Arg(0)
	if !ref.Is(term.KRef) {
		return c.Badarg()
	}
	left, ok := proc.ReadTimer(proc.RefKey(ref))
	return timeLeft(c, left, ok)
}

func erlangReadTimer2(c *native.Call) term.Term {
	async, _, ok := timerOpts(c, false)
	if !ok || !c.Arg(0).Is(term.KRef) {
		return c.Badarg()
	}
	left, found := proc.ReadTimer(proc.RefKey(c.Arg(0)))
	return timerAnswer(c, amReadTimer, timeLeft(c, left, found), async, true)
}

// timerAnswer returns the result, or sends {Tag, Ref, Result} when it was
// asked for asynchronously.
func timerAnswer(c *native.Call, tag, res term.Term, async, info bool) term.Term {
	if !async {
		if !info {
			return term.AmOk
		}
		return res
	}
	if info {
		c.P.SelfMessage(c.P.Heap.Tuple(tag, c.Arg(0), res))
	}
	return term.AmOk
}

// timerOpts decodes [{async, Bool} | {info, Bool}].
func timerOpts(c *native.Call, withInfo bool) (async, info, ok bool) {
	info = true
	l := c.Arg(1)
	for ; l.IsList(); l = l.Tail() {
		o := l.Head()
		if !o.IsTuple() || o.Arity() != 2 || !o.El(2).IsBool() {
			return async, info, false
		}
		switch v := o.El(2) == term.True; {
		case o.El(1) == term.AmAsync:
			async = v
		case o.El(1) == term.AmInfo && withInfo:
			info = v
		default:
			return async, info, false
		}
	}
	return async, info, l.IsNil()
}
