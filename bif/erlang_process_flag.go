package bif

import (
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangProcessFlagRows = []native.Row{
	{Module: "erlang", Name: "process_flag", Arity: 2, Fn: erlangProcessFlag},
	{Module: "erts_internal", Name: "process_flag", Arity: 3, Fn: ertsProcessFlag},
}

var amMonitorNodes = term.Intern("monitor_nodes")

// MonitorNodes is process_flag(monitor_nodes, On) and ({monitor_nodes, Opts},
// On): the package dist sets it. None is badarg.
var MonitorNodes func(c *native.Call, on, opts term.Term) term.Term

func erlangProcessFlag(c *native.Call) term.Term {
	flag, v := c.Arg(0), c.Arg(1)
	if flag.IsTuple() && flag.Arity() == 2 && flag.El(1) == amMonitorNodes {
		return monitorNodes(c, v, flag.El(2))
	}
	if f := processFlags[flag]; f != nil {
		if r := f(c, c.P, v); r != term.None || c.State == native.Trapped {
			return r
		}
		if flag == term.AmSaveCalls {
			return c.BadargCause(amNone)
		}
		return c.Badarg()
	}
	return c.BadargCause(amBadoptSpawn)
}

// processFlags sets a flag and returns its old value; None is badarg.
var processFlags = map[term.Term]func(c *native.Call, p *proc.Process, v term.Term) term.Term{
	term.AmErrorHandler:     flagErrorHandler,
	term.AmPriority:         flagPriority,
	term.AmTrapExit:         flagTrapExit,
	amScheduler:             flagScheduler,
	term.AmFullsweepAfter:   flagFullsweep,
	term.AmMinHeapSize:      flagMinHeap,
	term.AmMinBinVheapSize:  flagMinVHeap,
	term.AmMaxHeapSize:      flagMaxHeap,
	term.AmMessageQueueData: flagQueueData,
	term.AmSensitive:        flagSensitive,
	term.AmSaveCalls:        flagSaveCalls,
	amMonitorNodes: func(c *native.Call, _ *proc.Process, v term.Term) term.Term {
		return monitorNodes(c, v, term.Nil)
	},
}

func monitorNodes(c *native.Call, on, opts term.Term) term.Term {
	if MonitorNodes != nil {
		return MonitorNodes(c, on, opts)
	}
	return c.Badarg()
}

func flagErrorHandler(_ *native.Call, p *proc.Process, v term.Term) term.Term {
	if !v.IsAtom() {
		return term.None
	}
	old := p.ErrHandler
	if old == term.None {
		old = term.AmErrorHandler
	}
	p.ErrHandler = v
	return old
}

func flagPriority(_ *native.Call, p *proc.Process, v term.Term) term.Term {
	n, ok := prioOf(v)
	if !ok {
		return term.None
	}
	old := prioAtom(p.Prio())
	p.SetPrio(n)
	return old
}

// setBit changes a bit of Process.Flags.
func setBit(p *proc.Process, bit uint64, v term.Term) term.Term {
	old := term.Bool(p.Flags&bit != 0)
	switch v {
	case term.True:
		p.Flags |= bit
	case term.False:
		p.Flags &^= bit
	default:
		return term.None
	}
	return old
}

func flagTrapExit(_ *native.Call, p *proc.Process, v term.Term) term.Term {
	return setBit(p, proc.FlagTrapExit, v)
}

func flagSensitive(c *native.Call, p *proc.Process, v term.Term) term.Term {
	return setBit(p, proc.FlagSensitive, v)
}

func flagFullsweep(_ *native.Call, p *proc.Process, v term.Term) term.Term {
	if !isNonNeg(v) {
		return term.None
	}
	old := term.Small(int64(p.MaxGenGCs))
	p.MaxGenGCs = uint32(min(v.Small(), 1<<32-1))
	return old
}

func flagMinHeap(_ *native.Call, p *proc.Process, v term.Term) term.Term {
	if !isNonNeg(v) {
		return term.None
	}
	old := term.Small(int64(p.MinSize))
	p.MinSize = minHeapSize(v.Small())
	return old
}

func flagMinVHeap(_ *native.Call, p *proc.Process, v term.Term) term.Term {
	if !isNonNeg(v) {
		return term.None
	}
	old := term.Small(int64(p.MinVHeap))
	p.MinVHeap = minVHeapSize(v.Small())
	return old
}

func flagMaxHeap(c *native.Call, p *proc.Process, v term.Term) term.Term {
	size, opts, ok := parseMaxHeap(v)
	if !ok || size != 0 && size < p.MinSize {
		return term.None
	}
	old := maxHeapMap(&c.P.Heap, p.MaxSize, p.MaxSizeOpts)
	p.MaxSize, p.MaxSizeOpts = size, opts
	return old
}

// maxHeapMap builds the map form of max_heap_size.
func maxHeapMap(h *heap.Heap, size uint64, opts uint32) term.Term {
	m, _ := maps.FromPairs(h, []term.Term{
		term.AmErrorLogger, term.Bool(opts&heap.MaxSizeLog != 0),
		term.AmKill, term.Bool(opts&heap.MaxSizeKill != 0),
		term.AmSize, h.Uint(size),
	})
	return m
}

func flagQueueData(_ *native.Call, p *proc.Process, v term.Term) term.Term {
	old := term.AmOnHeap
	if p.Flags&proc.FlagOffHeapMsgs != 0 {
		old = term.AmOffHeap
	}
	switch v {
	case term.AmOffHeap:
		p.Flags |= proc.FlagOffHeapMsgs
	case term.AmOnHeap:
		p.Flags &^= proc.FlagOffHeapMsgs
	default:
		return term.None
	}
	return old
}

// flagScheduler binds a process to a scheduler, an undocumented flag.
func flagScheduler(c *native.Call, p *proc.Process, v term.Term) term.Term {
	if !isNonNeg(v) || v.Small() > int64(proc.Schedulers()) {
		return term.None
	}
	old := term.Small(int64(p.Bind(int(v.Small()))))
	if n := v.Small(); n != 0 && n != c.Ctx.SchedID {
		return c.Trap(rescheduledTrap, old)
	}
	return old
}

var rescheduledTrap = code.GetExport(term.Intern("erts_internal"), term.Intern("rescheduled"), 1)

// rescheduled returns its argument on the scheduler that the caller is bound to.
func rescheduled(c *native.Call) term.Term {
	if n := c.P.Bound(); n != 0 && int64(n) != c.Ctx.SchedID {
		return c.YieldWith(c.Arg(0))
	}
	return c.Arg(0)
}

// flagSaveCalls keeps the length of the save_calls buffer.
func flagSaveCalls(_ *native.Call, p *proc.Process, v term.Term) term.Term {
	if !isNonNeg(v) || v.Small() > 10000 {
		return term.None
	}
	return term.Small(int64(p.SetSaveCalls(int(v.Small()))))
}

func ertsProcessFlag(c *native.Call) term.Term {
	pid, flag, v := c.Arg(0), c.Arg(1), c.Arg(2)
	switch {
	case !pid.IsInternalPid():
		return term.AmBadarg
	case flag != term.AmSaveCalls:
		return amBadtype
	case !isNonNeg(v) || v.Small() > 10000:
		return term.AmBadarg
	case pid == c.P.ID:
		return flagSaveCalls(c, c.P, v)
	}
	ref := proc.NewRef(&c.P.Heap, c.Ctx)
	if !c.P.AskSaveCalls(pid, ref, int(v.Small())) {
		return term.AmBadarg
	}
	return ref
}
