package daemon

import (
	"sync/atomic"
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"

	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/sched"
)

// prober asks a process of the node whether it is scheduled.
type prober struct {
	asked    int64
	answered atomic.Int64
}

func (p *prober) answer(n int64) { p.answered.Store(n) }

// watch tells systemd that the node lives, as long as it does: a process of the
// node has answered the last probe, and no scheduler has been in one and the
// same call since the probe before. When systemd hears nothing for the time it
// allows, it restarts the service.
func (s *service) watch(limit time.Duration) {
	defer invariants.Catch()
	t := time.NewTicker(max(limit/4, time.Millisecond))
	var last progress
	for range t.C {
		alive := s.probe.answered.Load() == s.probe.asked
		now := takeProgress()
		stuck := now.stuckSince(last)
		switch {
		case alive && !stuck, s.notify.isStopping():
			s.notify.send(sd.SdNotifyWatchdog)
		case alive:
			s.print(prioWarning, "a scheduler of node %s has been in one call for %s", s.inst.Name, limit/4)
		}
		if alive {
			last = now
			s.probe.asked++
			s.node.Tell("beamrd_daemon", "probe", s.probe.asked)
		}
	}
}

// progress is what the schedulers have done so far.
type progress struct {
	n      []uint64
	parked []bool
}

func takeProgress() (p progress) {
	p.n, p.parked = sched.Progress()
	return p
}

// stuckSince tells whether some scheduler has worked since then without getting
// anywhere.
func (p progress) stuckSince(q progress) bool {
	for i := range q.n {
		if i < len(p.n) && !p.parked[i] && !q.parked[i] && p.n[i] == q.n[i] {
			return true
		}
	}
	return false
}
