package sched

import (
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/proc"
)

// Totals returns the sum of all schedulers' counters.
func Totals() (t Counters) {
	for _, s := range scheds {
		c := &s.shown
		t.Switches += atomic.LoadUint64(&c.Switches)
		t.Reductions += atomic.LoadUint64(&c.Reductions)
		t.Steals += atomic.LoadUint64(&c.Steals)
		t.Parks += atomic.LoadUint64(&c.Parks)
		t.SlotHits += atomic.LoadUint64(&c.SlotHits)
		t.Wakes += atomic.LoadUint64(&c.Wakes)
	}
	return t
}

// Queued returns the length of each scheduler's run queue.
func Queued() []int {
	r := make([]int, len(scheds))
	for i, s := range scheds {
		r[i] = int(s.run.total.Load())
	}
	return r
}

// Active returns, for each scheduler, the processes that run or wait to run.
func Active() []int {
	r := Queued()
	for i, s := range scheds {
		if s.idleSince.Load() == 0 {
			r[i]++
		}
	}
	return r
}

// WallTime returns the nanoseconds a scheduler (from 0) has worked, and in all,
// since the node started.
func WallTime(i int) (active, total int64) {
	s := scheds[i]
	now := proc.MonotonicNow()
	idle := s.idleTime.Load()
	if at := s.idleSince.Load(); at != 0 {
		idle += max(0, now-at)
	}
	total = now - s.began
	return max(0, total-idle), total
}

// Progress returns for each scheduler a number that changes while it makes
// progress; parked tells which have nothing to do. A scheduler that is not
// parked and whose number stays is stuck in one call.
func Progress() (n []uint64, parked []bool) {
	for _, s := range scheds {
		n = append(n, atomic.LoadUint64(&s.shown.Reductions)+uint64(s.idleTime.Load()))
		parked = append(parked, s.idleSince.Load() != 0)
	}
	return n, parked
}
