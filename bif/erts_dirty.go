package bif

import (
	"runtime"
	"time"

	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// erts_debug:dirty_cpu/2, dirty_io/2 and dirty/3, with which OTP's suites look
// at dirty calls: What and Arg say what is done on a thread of which kind.

var ertsDirtyRows = []native.Row{
	{Module: "erts_debug", Name: "dirty_cpu", Arity: 2, Fn: dirtyTestCPU, Flags: native.DirtyCPU},
	{Module: "erts_debug", Name: "dirty_io", Arity: 2, Fn: dirtyTestIO, Flags: native.DirtyIO},
	{Module: "erts_debug", Name: "dirty", Arity: 3, Fn: dirtyTestAny},
}

var (
	amDirtyCPU  = term.Intern("dirty_cpu")
	amDirtyIO   = term.Intern("dirty_io")
	dirtyTraps  = map[term.Term]*code.Export{amDirtyCPU: dirtyExport("dirty_cpu", 2), amDirtyIO: dirtyExport("dirty_io", 2)}
	dirtyAny    = dirtyExport("dirty", 3)
	dirtyErrors = []term.Term{term.AmNotsup, term.AmUndef, term.AmBadarith, term.AmNoproc, term.AmSystemLimit}
)

func dirtyExport(name string, arity int) *code.Export {
	return code.GetExport(term.Intern("erts_debug"), term.Intern(name), arity)
}

func dirtyTestCPU(c *native.Call) term.Term { return dirtyTest(c, amDirtyCPU, c.Arg(0), c.Arg(1)) }
func dirtyTestIO(c *native.Call) term.Term  { return dirtyTest(c, amDirtyIO, c.Arg(0), c.Arg(1)) }

// dirtyTestAny is dirty(Kind, What, Arg).
func dirtyTestAny(c *native.Call) term.Term {
	kind := c.Arg(0)
	if kind == term.AmNormal {
		return dirtyTest(c, kind, c.Arg(1), c.Arg(2))
	}
	if to := dirtyTraps[kind]; to != nil {
		return c.Trap(to, c.Arg(1), c.Arg(2))
	}
	return c.Badarg()
}

func dirtyTest(c *native.Call, kind, what, arg term.Term) term.Term {
	switch what {
	case term.Intern("scheduler"):
		if arg == term.Intern("type") {
			return kind
		}
	case term.AmError:
		for _, e := range dirtyErrors {
			if e == arg {
				return c.Error(e)
			}
		}
	case term.Intern("copy"):
		l := term.Nil
		for range 1000 {
			l = c.P.Heap.Cons(heap.CopyTo(&c.P.Heap, arg), l)
		}
		return l
	case term.Intern("send"):
		dirtySend(c, arg, term.AmOk)
		return term.AmOk
	case term.Intern("wait"):
		if arg.IsSmall() {
			dirtyWait(time.Duration(arg.Small())*time.Millisecond, kind == amDirtyCPU)
			return term.AmOk
		}
	case term.Intern("reschedule"):
		return dirtyReschedule(c, kind, what, arg)
	case term.Intern("ready_wait6_done"):
		dirtySend(c, arg, term.Intern("ready"))
		dirtyWait(6*time.Second, false)
		dirtySend(c, arg, term.Intern("done"))
		return term.AmOk
	case term.Intern("alive_waitexiting"):
		return dirtyAlive(c, kind, arg)
	}
	return c.Badarg()
}

// dirtySend sends {tag, Caller}.
func dirtySend(c *native.Call, to, tag term.Term) {
	var h heap.Heap
	proc.Deliver(c.P.ID, to, &h, h.Tuple(tag, c.P.ID))
}

// dirtyWait waits, busily if asked to.
func dirtyWait(d time.Duration, busy bool) {
	if !busy {
		time.Sleep(d)
		return
	}
	for end := proc.MonotonicNow() + int64(d); proc.MonotonicNow() < end; {
		runtime.Gosched()
	}
}

// dirtyReschedule calls on, two less each time, on a thread of the next kind
// when the number is divisible by four; an odd number fails in the end.
func dirtyReschedule(c *native.Call, kind, what, arg term.Term) term.Term {
	if !arg.IsSmall() || arg.Small() < 0 {
		return c.Badarg()
	}
	n := arg.Small()
	if n == 0 {
		return term.AmOk
	}
	if n%4 == 0 {
		switch kind {
		case amDirtyCPU:
			kind = amDirtyIO
		case amDirtyIO:
			kind = term.AmNormal
		default:
			kind = amDirtyCPU
		}
	}
	if to := dirtyTraps[kind]; to != nil {
		return c.Trap(to, what, term.Small(n-2))
	}
	return c.Trap(dirtyAny, kind, what, term.Small(n-2))
}

// dirtyAlive tells a process that the caller lives, waits until it is killed,
// and then uses its heap, which is still there.
func dirtyAlive(c *native.Call, kind, to term.Term) term.Term {
	if c.P.ExitBegun() {
		return c.Badarg()
	}
	dirtySend(c, to, term.Intern("alive"))
	for !c.P.ExitBegun() {
		if kind == amDirtyIO {
			time.Sleep(100 * time.Millisecond)
		} else {
			runtime.Gosched()
		}
	}
	time.Sleep(time.Second)
	h := &c.P.Heap
	els := make([]term.Term, 10000)
	for i := range els {
		els[i] = term.Small(4711)
	}
	return h.Tuple(term.AmOk, h.Tuple(els...))
}
