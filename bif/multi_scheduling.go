package bif

import (
	"slices"
	"sync"

	"github.com/beamrd/beamrd/dirty"
	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/sched"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// How many schedulers run: system_flag(multi_scheduling, _) and
// system_flag(schedulers_online, _), and the states that system_info tells.

var multiSchedulingRows = []native.Row{
	{Module: "erts_internal", Name: "rescheduled", Arity: 1, Fn: rescheduled, Flags: native.Hidden},
	{Module: "erts_internal", Name: "schedulers_settled", Arity: 1, Fn: schedulersSettled, Flags: native.Hidden},
}

var settledTrap = code.GetExport(term.Intern("erts_internal"), term.Intern("schedulers_settled"), 1)

// schedulersSettled returns its argument once the schedulers that are not to
// run do not.
func schedulersSettled(c *native.Call) term.Term {
	if !sched.Settled() || !proc.AloneSettled() {
		return c.YieldWith(c.Arg(0))
	}
	return c.Arg(0)
}

// blocker is a process that blocks multi-scheduling, and how often.
type blocker struct {
	pid         term.Term
	all, normal int
	cancel      func()
}

var blockers struct {
	sync.Mutex
	list []*blocker // the newest first
}

var (
	amBlocked       = term.Intern("blocked")
	amBlockedNormal = term.Intern("blocked_normal")
	amEnabled       = term.Intern("enabled")
)

// blockState says what is blocked; blockers is locked.
func blockState() term.Term {
	state := amEnabled
	for _, b := range blockers.list {
		if b.all > 0 {
			return amBlocked
		}
		state = amBlockedNormal
	}
	return state
}

// applyBlocks makes the schedulers follow; blockers is locked.
func applyBlocks() term.Term {
	s := blockState()
	proc.SetAlone(s == amBlocked)
	sched.Block(s == amBlocked || s == amBlockedNormal)
	return s
}

func (b *blocker) remove() {
	blockers.list = slices.DeleteFunc(blockers.list, func(o *blocker) bool { return o == b })
}

// blockerOf returns the entry of the calling process; it is made if add is set.
func blockerOf(c *native.Call, add bool) *blocker {
	for _, b := range blockers.list {
		if b.pid == c.P.ID {
			return b
		}
	}
	if !add {
		return nil
	}
	b := &blocker{pid: c.P.ID}
	cancel, ok := proc.OnExit(c.P, func() {
		blockers.Lock()
		defer blockers.Unlock()
		b.remove()
		applyBlocks()
	})
	if !ok {
		return nil
	}
	b.cancel = cancel
	blockers.list = slices.Insert(blockers.list, 0, b)
	return b
}

func sysMultiScheduling(c *native.Call, v term.Term) term.Term {
	blockers.Lock()
	defer blockers.Unlock()
	switch v {
	case term.Intern("block"):
		if b := blockerOf(c, true); b != nil {
			b.all++
		}
	case term.Intern("block_normal"):
		if b := blockerOf(c, true); b != nil {
			b.normal++
		}
	case term.Intern("unblock"):
		if b := blockerOf(c, false); b != nil && b.all > 0 {
			b.all--
			b.release()
		}
	case term.Intern("unblock_normal"):
		if b := blockerOf(c, false); b != nil && b.normal > 0 {
			b.normal--
			b.release()
		}
	default:
		return c.Badarg()
	}
	return c.Trap(settledTrap, applyBlocks())
}

// release forgets a process that blocks nothing any more.
func (b *blocker) release() {
	if b.all == 0 && b.normal == 0 {
		b.cancel()
		b.remove()
	}
}

// sysSchedulersOnline changes how many schedulers run processes, and in
// proportion how many dirty CPU threads.
func sysSchedulersOnline(c *native.Call, v term.Term) term.Term {
	n, ok := countArg(v)
	if !ok || n < 1 || n > int64(sysconf.C.Schedulers) {
		return c.Badarg()
	}
	blockers.Lock()
	defer blockers.Unlock()
	old := sysconf.C.Online
	sysconf.C.Online = int(n)
	setDirtyOnline(min(sysconf.C.DirtyCPU, max(1, sysconf.C.DirtyCPUOnline*int(n)/max(1, old))))
	sched.SetOnline(int(n))
	return c.Trap(settledTrap, term.Small(int64(old)))
}

func sysDirtyOnline(c *native.Call, v term.Term) term.Term {
	n, ok := countArg(v)
	blockers.Lock()
	defer blockers.Unlock()
	if !ok || n < 1 || n > int64(sysconf.C.DirtyCPU) || n > int64(sysconf.C.Online) {
		return c.Badarg()
	}
	old := sysconf.C.DirtyCPUOnline
	setDirtyOnline(int(n))
	return term.Small(int64(old))
}

func setDirtyOnline(n int) {
	sysconf.C.DirtyCPUOnline = n
	if dirty.CPU != nil {
		dirty.CPU.SetOnline(n)
	}
}

func multiScheduling(*native.Call) term.Term {
	blockers.Lock()
	defer blockers.Unlock()
	return blockState()
}

// blockerList lists the processes that block; normal selects those that block
// normal schedulers only. ERTS names none when there is one scheduler.
func blockerList(normal bool) infoFn {
	return func(c *native.Call) term.Term {
		blockers.Lock()
		defer blockers.Unlock()
		var pids []term.Term
		for _, b := range blockers.list {
			if sysconf.C.Schedulers > 1 && (normal && b.normal > 0 || !normal && b.all > 0) {
				pids = append(pids, b.pid)
			}
		}
		return c.P.Heap.List(pids...)
	}
}

// schedulerCounts is {total, online, active} of each kind of scheduler.
func schedulerCounts() (normal, cpu, io [3]int) {
	C := &sysconf.C
	normal = [3]int{C.Schedulers, C.Online, C.Online}
	cpu = [3]int{C.DirtyCPU, C.DirtyCPUOnline, C.DirtyCPUOnline}
	io = [3]int{C.DirtyIO, C.DirtyIO, C.DirtyIO}
	blockers.Lock()
	defer blockers.Unlock()
	switch blockState() {
	case amBlocked:
		normal[2], cpu[2], io[2] = 1, 0, 0
	case amBlockedNormal:
		normal[2] = 1
	}
	return normal, cpu, io
}

func schedulersActive(*native.Call) term.Term {
	n, _, _ := schedulerCounts()
	return term.Small(int64(n[2]))
}

func schedulersState(c *native.Call) term.Term {
	n, _, _ := schedulerCounts()
	return c.P.Heap.Tuple(term.Small(int64(n[0])), term.Small(int64(n[1])), term.Small(int64(n[2])))
}

func allSchedulersState(c *native.Call) term.Term {
	n, cpu, io := schedulerCounts()
	h := &c.P.Heap
	row := func(kind string, v [3]int) term.Term {
		return h.Tuple(term.Intern(kind), term.Small(int64(v[0])), term.Small(int64(v[1])), term.Small(int64(v[2])))
	}
	return h.List(row("normal", n), row("dirty_cpu", cpu), row("dirty_io", io))
}
