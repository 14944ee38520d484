package sched

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/replay"
	"github.com/beamrd/beamrd/vm/proc"
)

func (s *Scheduler) loop() {
	runtime.LockOSThread()
	debug.SetPanicOnFault(true)
	defer close(s.stopped)
	defer invariants.Catch()
	s.thread.Enter()
	defer s.thread.Unregister()
	if Events.Look != nil {
		Events.Awake()
		defer Events.Asleep()
	}
	for !stop.Load() {
		if s.beyond() {
			s.hold()
			continue
		}
		if s.since >= checkEvery {
			s.since = 0
			s.publish()
			s.thread.Report()
			proc.RunTimers(proc.MonotonicNow(), s.ctx)
			s.look()
		}
		p, budget := s.next()
		if p == nil {
			s.park()
			continue
		}
		s.slice(p, budget)
	}
}

// next chooses the process to run and its budget; nil if there is none.
func (s *Scheduler) next() (*proc.Process, int) {
	if p := s.slot; p != nil {
		s.slot = nil
		if s.chain >= minSlot && s.run.upper.Load() == 0 {
			s.counters.SlotHits++
			return p, s.chain
		}
		s.run.put(p)
	}
	if p := s.run.get(); p != nil {
		s.watchBacklog()
		return p, Budget
	}
	s.backlog = 0
	proc.RunTimers(proc.MonotonicNow(), s.ctx)
	if p := s.run.get(); p != nil {
		return p, Budget
	}
	return s.steal(), Budget
}

// watchBacklog wakes another scheduler when work has been waiting for about a
// slice.
func (s *Scheduler) watchBacklog() {
	n := int(s.run.total.Load())
	if n == 0 {
		s.backlog = 0
		return
	}
	if s.backlog > Budget && idleN.Load() > 0 && wakeOne() {
		s.counters.Wakes++
		s.backlog = 0
	}
}

func (s *Scheduler) steal() *proc.Process {
	n := len(scheds)
	if n == 1 {
		return nil
	}
	at := replay.Choose("steal", n)
	for i := range n {
		v := scheds[(at+i)%n]
		if v == s {
			continue
		}
		if p := v.run.stealHalf(&s.run, s.id); p != nil {
			s.counters.Steals++
			return p
		}
	}
	return nil
}

// slice runs p, whose queue bit is set and which is in no queue, once.
func (s *Scheduler) slice(p *proc.Process, budget int) {
	s.chain, s.inChain = budget, true
	defer s.endSlice()
	if proc.Alone() {
		s.thread.Leave()
		end := proc.EnterAlone()
		s.thread.Enter()
		defer end()
	}
	s.prio = p.Prio()
	s.counters.Switches++
	p.Take()
	p.Ctx = s.ctx
	if p.ExitBegun() {
		p.TraceExiting(true)
	}
	if p.ExitBegun() || !p.CheckSignals() {
		s.putBack(p)
		s.charge(switchCost)
		return
	}
	if p.Traced(proc.TraceSched | proc.TraceSchedProcs | proc.TraceCalls) {
		p.TraceIn()
	}
	out := engine.Run(s.ctx, p, budget)
	if out != proc.Exited && p.Traced(proc.TraceSched|proc.TraceSchedProcs|proc.TraceCalls) {
		p.TraceOut()
	}
	used := budget - int(p.FCalls)
	s.charge(max(used, switchCost))
	switch out {
	case proc.Exited:
		s.afterExit(p)
	case proc.Dirty:
		p.ToDirty(p.DirtyIO)
		OnDirty(p)
	default:
		s.putBack(p)
	}
}

func (s *Scheduler) endSlice() {
	s.inChain = false
}

// publish shows the counters to others.
func (s *Scheduler) publish() {
	c, t := &s.counters, &s.shown
	atomic.AddUint64(&t.Switches, c.Switches)
	atomic.AddUint64(&t.Reductions, c.Reductions)
	atomic.AddUint64(&t.Steals, c.Steals)
	atomic.AddUint64(&t.Parks, c.Parks)
	atomic.AddUint64(&t.SlotHits, c.SlotHits)
	atomic.AddUint64(&t.Wakes, c.Wakes)
	*c = Counters{}
}

func (s *Scheduler) charge(reds int) {
	s.chain -= reds
	s.since += reds
	s.backlog += reds
	s.counters.Reductions += uint64(reds)
}

// putBack gives up the token of p, which has not exited in its own code.
func (s *Scheduler) putBack(p *proc.Process) {
	switch {
	case p.ExitBegun():
		p.Ctx = s.ctx
		p.ContinueExit()
		s.afterExit(p)
		return
	case p.PendingExit():
		p.Ctx = s.ctx
		p.EndBySignal()
		s.afterExit(p)
		return
	}
	p.Ctx = nil
	bound := p.Bound()
	switch {
	case !p.Release():
	case bound > 0 && bound != s.id+1:
		scheds[bound-1].enqueue(p)
	default:
		p.SetRunQueue(s.id)
		s.run.put(p)
	}
}

// afterExit retires p, or queues it when its exit takes further slices.
func (s *Scheduler) afterExit(p *proc.Process) {
	p.TraceExiting(false)
	p.Ctx = nil
	if p.ExitDone() {
		p.Retire()
		return
	}
	p.RequeueExit()
	p.SetRunQueue(s.id)
	s.run.put(p)
}

// look acts on input and output that has become possible.
func (s *Scheduler) look() (alone bool) {
	if Events.Look == nil {
		return false
	}
	defer looker.CompareAndSwap(s, nil)
	looker.CompareAndSwap(nil, s)
	_, alone = Events.Look()
	return alone
}

// spinTime is how long a scheduler without work looks for events before it
// sleeps, when there were some of late.
const spinTime = 50 * time.Microsecond

// spin looks for events; true: there is something to run.
func (s *Scheduler) spin() bool {
	if !s.look() || s.run.total.Load() != 0 {
		return s.run.total.Load() != 0
	}
	if !Events.Hot() {
		return false
	}
	for end := proc.MonotonicNow() + int64(spinTime); proc.MonotonicNow() < end && !stop.Load(); {
		if !s.look() {
			return false
		}
		if s.run.total.Load() != 0 {
			return true
		}
	}
	return false
}

// park sleeps until something is queued or a timer is due.
func (s *Scheduler) park() {
	if s.spin() {
		return
	}
	s.publish()
	s.thread.Leave()
	s.wait.Reset()
	idleMu.Lock()
	if s.beyond() {
		idleMu.Unlock()
		s.thread.Enter()
		return
	}
	s.parked = true
	idle = append(idle, s)
	idleN.Add(1)
	d := time.Duration(-1)
	if t := proc.NextTimer(); t != 1<<63-1 && (holder == nil || holderTime > t) {
		holder, holderTime = s, t
		d = max(0, time.Duration(t-proc.MonotonicNow()))
	}
	idleMu.Unlock()
	if !s.anyQueued() && !stop.Load() {
		s.counters.Parks++
		s.rest(func() { s.wait.Sleep(d) })
	}
	idleMu.Lock()
	s.unpark()
	idleMu.Unlock()
	s.since = 0
	s.thread.Enter()
	proc.RunTimers(proc.MonotonicNow(), s.ctx)
}

// holderTime is the deadline of holder; under idleMu.
var holderTime int64

// anyQueued tells whether there is anything that s could run.
func (s *Scheduler) anyQueued() bool {
	for _, o := range scheds {
		n := o.run.total.Load()
		if o != s {
			n -= o.run.bound.Load()
		}
		if n > 0 {
			return true
		}
	}
	return false
}
