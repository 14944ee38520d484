package sched

import (
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/proc"
)

// Schedulers can be held: those beyond the number online, and all but the first
// while multi-scheduling is blocked. One that is held keeps the processes bound
// to it and gives the others away. What is put into its queue all the same, by
// a thread that does not know yet, that thread gives away itself.

var held struct {
	mu      sync.Mutex
	change  *sync.Cond // limit grew, or the schedulers stop
	online  int
	blocked bool
}

// limit is the number of schedulers that may run.
var limit atomic.Int32

// SetOnline sets how many schedulers run. It does not wait for the others.
func SetOnline(n int) { setHeld(func() { held.online = n }) }

// Block lets only the first scheduler run, or ends that. It does not wait.
func Block(on bool) { setHeld(func() { held.blocked = on }) }

func setHeld(change func()) {
	held.mu.Lock()
	defer held.mu.Unlock()
	change()
	n := held.online
	if held.blocked {
		n = 1
	}
	old := int(limit.Swap(int32(n)))
	held.change.Broadcast()
	for i := n; i < old; i++ {
		wake(scheds[i]) // it was to be woken for work that it must not do
	}
}

// Settled tells whether all schedulers that are to be held are.
func Settled() bool {
	for _, s := range scheds[min(len(scheds), int(limit.Load())):] {
		if !s.held.Load() {
			return false
		}
	}
	return true
}

func (s *Scheduler) beyond() bool { return s.id >= int(limit.Load()) }

// hold waits until s may run again.
func (s *Scheduler) hold() {
	if p := s.slot; p != nil {
		s.slot = nil
		s.run.put(p)
	}
	s.giveAway()
	s.publish()
	s.thread.Leave()
	s.rest(func() {
		held.mu.Lock()
		s.held.Store(true)
		for s.beyond() && !stop.Load() {
			held.change.Wait()
		}
		s.held.Store(false)
		held.mu.Unlock()
	})
	s.since = 0
	s.thread.Enter()
}

// rest counts the time that f takes as idle.
func (s *Scheduler) rest(f func()) {
	at := proc.MonotonicNow()
	s.idleSince.Store(at)
	if Events.Look != nil {
		Events.Asleep()
		defer Events.Awake()
	}
	f()
	s.idleSince.Store(0)
	s.idleTime.Add(proc.MonotonicNow() - at)
}

// giveAway moves what is queued and not bound to s to schedulers that run.
func (s *Scheduler) giveAway() {
	for i := 0; ; i++ {
		p := s.run.takeFree()
		if p == nil {
			return
		}
		scheds[i%max(1, int(limit.Load()))].enqueue(p)
	}
}
