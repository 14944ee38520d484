package bif

import (
	"sync"
	"syscall"

	"github.com/beamrd/beamrd/dirty"
	"github.com/beamrd/beamrd/sched"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/gc"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangStatisticsRows = []native.Row{
	{Module: "erlang", Name: "statistics", Arity: 1, Fn: erlangStatistics},
	{Module: "erts_internal", Name: "scheduler_wall_time", Arity: 1, Fn: ertsSchedulerWallTime},
}

var statistics = map[string]func(c *native.Call) term.Term{
	"context_switches":            statSwitches,
	"reductions":                  func(c *native.Call) term.Term { return pair(c, &reductionsSeen, sched.Totals().Reductions) },
	"exact_reductions":            func(c *native.Call) term.Term { return pair(c, &exactSeen, exactReductions(c)) },
	"garbage_collection":          statGC,
	"io":                          statIO,
	"run_queue":                   func(c *native.Call) term.Term { return term.Small(int64(sum(sched.Queued()))) },
	"run_queues":                  statRunQueues,
	"run_queue_lengths":           func(c *native.Call) term.Term { return lengths(c, sched.Queued(), false) },
	"run_queue_lengths_all":       func(c *native.Call) term.Term { return lengths(c, sched.Queued(), true) },
	"total_run_queue_lengths":     func(c *native.Call) term.Term { return total(sched.Queued(), false, false) },
	"total_run_queue_lengths_all": func(c *native.Call) term.Term { return total(sched.Queued(), true, false) },
	"active_tasks":                func(c *native.Call) term.Term { return active(c, false) },
	"active_tasks_all":            func(c *native.Call) term.Term { return active(c, true) },
	"total_active_tasks":          func(c *native.Call) term.Term { return total(sched.Active(), false, true) },
	"total_active_tasks_all":      func(c *native.Call) term.Term { return total(sched.Active(), true, true) },
	"runtime":                     func(c *native.Call) term.Term { return pair(c, &runtimeSeen, CPUMillis()) },
	"wall_clock":                  func(c *native.Call) term.Term { return pair(c, &wallSeen, uint64(proc.MonotonicNow()/1e6)) },
	"scheduler_wall_time":         func(c *native.Call) term.Term { return wallTimes(c, false) },
	"scheduler_wall_time_all":     func(c *native.Call) term.Term { return wallTimes(c, true) },
	"microstate_accounting":       statMicrostate,
}

func erlangStatistics(c *native.Call) term.Term {
	if c.Arg(0).IsAtom() {
		if f := statistics[c.Arg(0).Atom().String()]; f != nil {
			return f(c)
		}
	}
	return c.Badarg()
}

// seen keeps the value of the last call, for the difference since.
type seen struct {
	sync.Mutex
	last uint64
}

var reductionsSeen, exactSeen, runtimeSeen, wallSeen seen

// pair builds {Total, SinceLastCall}.
func pair(c *native.Call, s *seen, v uint64) term.Term {
	s.Lock()
	d := v - min(v, s.last)
	s.last = v
	s.Unlock()
	return c.P.Heap.Tuple(c.P.Heap.Uint(v), c.P.Heap.Uint(d))
}

func exactReductions(c *native.Call) uint64 {
	return sched.Totals().Reductions + uint64(max(0, c.Ctx.Reds-c.P.FCalls))
}

// CPUMillis returns the user processor time of the program in milliseconds.
func CPUMillis() uint64 {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return uint64(r.Utime.Sec*1000 + r.Utime.Usec/1000)
}

func statSwitches(c *native.Call) term.Term {
	return c.P.Heap.Tuple(c.P.Heap.Uint(sched.Totals().Switches), term.Small(0))
}

func statGC(c *native.Call) term.Term {
	n, words := gc.Stats()
	return c.P.Heap.Tuple(c.P.Heap.Uint(n), c.P.Heap.Uint(words), term.Small(0))
}

func statIO(c *native.Call) term.Term {
	in, out := port.Traffic()
	h := &c.P.Heap
	return h.Tuple(h.Tuple(term.Intern("input"), h.Uint(in)), h.Tuple(term.Intern("output"), h.Uint(out)))
}

func sum(l []int) (n int) {
	for _, v := range l {
		n += v
	}
	return n
}

// withDirty appends the lengths of the dirty queues.
func withDirty(l []int, io, busy bool) []int {
	for i, q := range []*dirty.Pool{dirty.CPU, dirty.IO} {
		if q == nil || i == 1 && !io {
			continue
		}
		n := q.Queued()
		if busy {
			n += q.Busy()
		}
		l = append(l, n)
	}
	return l
}

func ints(h *heap.Heap, l []int) []term.Term {
	r := make([]term.Term, len(l))
	for i, v := range l {
		r[i] = h.Int(int64(v))
	}
	return r
}

func lengths(c *native.Call, l []int, io bool) term.Term {
	return c.P.Heap.List(ints(&c.P.Heap, withDirty(l, io, false))...)
}

func active(c *native.Call, io bool) term.Term {
	return c.P.Heap.List(ints(&c.P.Heap, withDirty(sched.Active(), io, true))...)
}

func total(l []int, io, busy bool) term.Term {
	return term.Small(int64(sum(withDirty(l, io, busy))))
}

func statRunQueues(c *native.Call) term.Term {
	return c.P.Heap.Tuple(ints(&c.P.Heap, withDirty(sched.Queued(), true, false))...)
}

// wallTime is the state of system_flag(scheduler_wall_time): what the clocks
// showed when it was turned on.
var wallTime struct {
	sync.Mutex
	on    bool
	base  []int64 // active nanoseconds of each scheduler, then total ones
	baseT []int64
	dirty map[*dirty.Pool][]int64
	since int64
}

// setWallTime turns the measuring on or off.
func setWallTime(on bool) {
	wallTime.Lock()
	defer wallTime.Unlock()
	if on == wallTime.on {
		return
	}
	wallTime.on = on
	wallTime.base, wallTime.baseT = nil, nil
	for i := range sched.Count() {
		a, t := sched.WallTime(i)
		wallTime.base = append(wallTime.base, a)
		wallTime.baseT = append(wallTime.baseT, t)
	}
	wallTime.dirty = map[*dirty.Pool][]int64{dirty.CPU: dirty.CPU.WorkTimes(), dirty.IO: dirty.IO.WorkTimes()}
	wallTime.since = proc.MonotonicNow()
}

// ertsSchedulerWallTime turns the measuring on or off; a message that is the
// returned reference comes from every scheduler.
func ertsSchedulerWallTime(c *native.Call) term.Term {
	on := c.Arg(0)
	if !on.IsBool() {
		return c.Badarg()
	}
	setWallTime(on == term.True)
	ref := proc.NewRef(&c.P.Heap, c.Ctx)
	for range sched.Count() {
		c.P.SelfMessage(ref)
	}
	return ref
}

var amGatherWallTime = term.Intern("gather_sched_wall_time_result")

// wallTimes sends {Ref, {Id, Active, Total}} for each scheduler (a list with
// the dirty ones in the first) and goes on in Erlang, where they are gathered.
func wallTimes(c *native.Call, io bool) term.Term {
	wallTime.Lock()
	defer wallTime.Unlock()
	if !wallTime.on {
		return term.AmUndefined
	}
	h := &c.P.Heap
	ref := proc.NewRef(h, c.Ctx)
	n := sched.Count()
	for i := range n {
		a, t := sched.WallTime(i)
		me := h.Tuple(term.Small(int64(i+1)), h.Int(a-wallTime.base[i]), h.Int(t-wallTime.baseT[i]))
		if i == 0 {
			me = h.List(append([]term.Term{me}, dirtyWallTimes(h, n+1, io)...)...)
		}
		c.P.SelfMessage(h.Tuple(ref, me))
	}
	return c.Trap(code.GetExport(amErtsInternal, amGatherWallTime, 1), ref)
}

// dirtyWallTimes builds {Id, Active, Total} of the dirty threads, numbered from
// id.
func dirtyWallTimes(h *heap.Heap, id int, io bool) (els []term.Term) {
	t := proc.MonotonicNow() - wallTime.since
	for i, q := range []*dirty.Pool{dirty.CPU, dirty.IO} {
		if i == 1 && !io {
			break
		}
		base := wallTime.dirty[q]
		for j, a := range q.WorkTimes() {
			els = append(els, h.Tuple(term.Small(int64(id)), h.Int(min(a-base[j], t)), h.Int(t)))
			id++
		}
	}
	return els
}

var microStates = []string{"aux", "check_io", "emulator", "gc", "other", "port", "sleep"}

// statMicrostate lists the threads with no time in any state: the accounting
// (system_flag(microstate_accounting)) is never on.
func statMicrostate(c *native.Call) term.Term {
	h := &c.P.Heap
	var els []term.Term
	add := func(typ string, from, to int) {
		for i := from; i <= to; i++ {
			var kv []term.Term
			for _, s := range microStates {
				kv = append(kv, term.Intern(s), term.Small(0))
			}
			m, _ := maps.FromPairs(h, kv)
			e, _ := maps.FromPairs(h, []term.Term{
				term.Intern("counters"), m, term.Intern("id"), term.Small(int64(i)), term.Intern("type"), term.Intern(typ),
			})
			els = append(els, e)
		}
	}
	add("aux", 1, 1)
	add("poll", 0, 0)
	add("dirty_io_scheduler", 1, dirty.IO.Size())
	add("dirty_cpu_scheduler", 1, dirty.CPU.Size())
	add("async", 0, 0)
	add("scheduler", 1, sched.Count())
	return h.List(els...)
}
