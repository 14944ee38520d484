// Package sched runs processes on scheduler threads.
//
// Each scheduler has run queues by priority and a wake slot: the process that
// the running one has just woken, which runs next on what is left of the
// waker's slice, so that two processes that talk to each other do so without
// queues or other threads. What is queued is first in, first out. An idle
// scheduler steals half of another's queue, and parks when there is nothing.
//
// Nobody is woken for one more queued process: a scheduler whose queue stays
// non-empty over about a slice's work wakes one parked scheduler, which wakes
// the next if it finds more than it can run. Waking costs a system call and
// moves a process away from its caches, so brief backlogs are better left.
//
// A scheduler that parks first publishes itself as idle, then looks at all
// queues again; whoever queues something looks for idle schedulers afterwards.
// At most one parked scheduler sleeps with the deadline of the next timer.
package sched

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/internal/futex"
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/proc"
)

// Budget is the reductions of a slice.
const Budget = 4000

const (
	minSlot    = 200  // a wake slot is not run with fewer reductions
	checkEvery = 1000 // reductions between looks at timers and safe points
	switchCost = 40   // reductions a slice counts for at least
)

// Scheduler is one scheduler thread.
type Scheduler struct {
	id     int // 0..
	ctx    *proc.Ctx
	thread *epoch.Thread
	run    runQueue
	wait   futex.Waiter

	slot     *proc.Process // owner only
	chain    int           // reductions left of the slice that fills the slot
	inChain  bool
	since    int // reductions since timers were looked at
	backlog  int
	prio     int // of the running process
	parked   bool
	held     atomic.Bool
	stopped  chan struct{}
	counters Counters // since publish
	shown    Counters // what others read, atomically

	began     int64        // monotonic time of its start
	idleTime  atomic.Int64 // nanoseconds spent parked
	idleSince atomic.Int64 // when it parked; 0: it is not parked
}

// Counters are written by their scheduler only, and read by anyone.
type Counters struct {
	Switches, Reductions, Steals, Parks, SlotHits, Wakes uint64
}

var (
	engine  proc.Engine
	scheds  []*Scheduler
	stop    atomic.Bool
	idleMu  sync.Mutex
	idle    []*Scheduler
	idleN   atomic.Int32
	holder  *Scheduler // sleeps with the timers' deadline; under idleMu
	nextPut atomic.Uint32
)

// Events, when set before Start, lets schedulers look for input and output
// between slices, and for a moment before they sleep.
var Events struct {
	Look          func() (n int, alone bool)
	Hot           func() bool
	Awake, Asleep func()
}

// looker is the scheduler that looks for events, whose queue what they wake goes
// to.
var looker atomic.Pointer[Scheduler]

// OnDirty is called with a process whose pending call wants a dirty thread; it
// takes over the token.
var OnDirty func(p *proc.Process)

// Start starts n scheduler threads. extra is the number of dirty CPU threads,
// which counts for GOMAXPROCS: a woken scheduler must find a free P at once.
func Start(e proc.Engine, n, extra int) {
	engine = e
	proc.TheEngine = e
	stop.Store(false)
	proc.SetWheels(n)
	runtime.GOMAXPROCS(max(n+extra+4, 2*n+4))
	scheds = nil
	held.online, held.blocked, held.change = n, false, sync.NewCond(&held.mu)
	limit.Store(int32(n))
	for i := range n {
		s := &Scheduler{id: i, stopped: make(chan struct{}), thread: epoch.Register(true), began: proc.MonotonicNow()}
		s.ctx = offheap.New[proc.Ctx](offheap.Misc)
		s.ctx.SchedID = int64(i + 1)
		scheds = append(scheds, s)
	}
	proc.OnRunnable = onRunnable
	proc.OnTimer = func(int64) { wakeOne() }
	for _, s := range scheds {
		go s.loop()
	}
}

// Stop stops all schedulers after their current slices and waits for them. It
// must not be called on one of them.
func Stop() {
	stop.Store(true)
	setHeld(func() {})
	for _, s := range scheds {
		s.wait.Wake()
	}
	for _, s := range scheds {
		<-s.stopped
	}
}

// Thread returns the safe-point thread of the scheduler with a register file,
// or nil.
func Thread(ctx *proc.Ctx) *epoch.Thread {
	if ctx == nil || ctx.SchedID <= 0 {
		return nil
	}
	return scheds[ctx.SchedID-1].thread
}

// Count returns the number of schedulers.
func Count() int { return len(scheds) }

// onRunnable puts a process that has become runnable where it will be run.
func onRunnable(p *proc.Process, from *proc.Ctx) {
	if b := p.Bound(); b > 0 && b <= len(scheds) {
		scheds[b-1].enqueue(p)
		return
	}
	if from != nil && from.SchedID > 0 {
		s := scheds[from.SchedID-1]
		if s.slot == nil && s.inChain && p.RunQueue() >= 0 && p.Prio() == proc.PrioNormal && s.prio == proc.PrioNormal {
			p.SetRunQueue(s.id)
			s.slot = p
			return
		}
		p.SetRunQueue(s.id)
		s.run.put(p)
		return
	}
	if s := looker.Load(); s != nil {
		s.enqueue(p) // which may have ceased to look meanwhile
		return
	}
	i := p.RunQueue()
	if n := int(limit.Load()); i < 0 || i >= n {
		i = int(nextPut.Add(1)) % n
	}
	s := scheds[i]
	if !s.enqueue(p) {
		wakeOne()
	}
}

// enqueue puts p into the queue of s and wakes s if it is parked.
func (s *Scheduler) enqueue(p *proc.Process) (woken bool) {
	p.SetRunQueue(s.id)
	s.run.put(p)
	if s.beyond() {
		s.giveAway()
	}
	return wake(s)
}

// wake wakes a scheduler if it is parked.
func wake(s *Scheduler) bool {
	if idleN.Load() == 0 {
		return false
	}
	idleMu.Lock()
	ok := s.unpark()
	idleMu.Unlock()
	if ok {
		s.wait.Wake()
	}
	return ok
}

// wakeOne wakes one parked scheduler, if there is any.
func wakeOne() bool {
	if idleN.Load() == 0 {
		return false
	}
	idleMu.Lock()
	var s *Scheduler
	if n := len(idle); n > 0 {
		s = idle[n-1]
		s.unpark()
	}
	idleMu.Unlock()
	if s == nil {
		return false
	}
	s.wait.Wake()
	return true
}

// unpark takes s off the idle list; false if it is not on it. idleMu is held.
func (s *Scheduler) unpark() bool {
	if !s.parked {
		return false
	}
	s.parked = false
	if holder == s {
		holder = nil
	}
	for i, o := range idle {
		if o == s {
			idle = append(idle[:i], idle[i+1:]...)
			break
		}
	}
	idleN.Add(-1)
	return true
}
