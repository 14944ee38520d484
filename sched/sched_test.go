package sched

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/beamrd/beamrd/dirty"
	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// goEngine runs processes whose code is a Go function, chosen by the function
// atom they were spawned with.
type goEngine struct {
	code  sync.Map // term.Term of the function -> func(ctx, p) proc.Outcome
	dirty sync.Map // pid -> func(p)
}

type body func(ctx *proc.Ctx, p *proc.Process) proc.Outcome

func (e *goEngine) Run(ctx *proc.Ctx, p *proc.Process, budget int) proc.Outcome {
	ctx.P, p.Ctx = p, ctx
	p.FCalls = int64(budget)
	if ctx.SchedID == 0 {
		f, _ := e.dirty.Load(p.ID)
		f.(func(p *proc.Process))(p)
		return proc.Yielded
	}
	f, _ := e.code.Load(p.Initial.Function)
	return f.(body)(ctx, p)
}

func (e *goEngine) Collect(p *proc.Process, full bool) {}

var (
	eng     = &goEngine{}
	started sync.Once
	nameSeq atomic.Int64
)

func setup(t testing.TB) {
	started.Do(func() {
		proc.SetMax(1 << 18)
		Start(eng, 2, 1)
		OnDirty = dirty.Take
		dirty.Start(eng, 1, 1)
	})
}

// define registers a body and returns its function atom.
func define(f body) term.Term {
	a := term.Intern("sched_test_" + string(rune('a'+nameSeq.Load()%26)) + time.Now().Format("150405.000000000") + string(rune('a'+nameSeq.Add(1)%26)))
	eng.code.Store(a, f)
	return a
}

func spawn(t testing.TB, parent *proc.Process, f body, o *proc.SpawnOpts) (pid, mon term.Term) {
	if o == nil {
		d := proc.DefaultSpawnOpts()
		o = &d
	}
	pid, mon, err := proc.Spawn(parent, term.AmErlang, define(f), nil, o)
	if err != term.None {
		t.Fatalf("spawn: %v", err)
	}
	return pid, mon
}

func exit(p *proc.Process, reason term.Term) proc.Outcome {
	p.Freason = proc.ClassExit
	p.Terminate(reason)
	return proc.Exited
}

func waitFor(t testing.TB, done chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("processes are stuck")
	}
}

// receive takes the first message or prepares to wait.
func receive(p *proc.Process) (term.Term, bool) {
	for {
		if m := p.PeekMessage(); m != term.None {
			p.RemoveMessage()
			return m, true
		}
		if p.PrepareWait() {
			return term.None, false
		}
	}
}

func TestPingPong(t *testing.T) {
	setup(t)
	const rounds = 20000
	done := make(chan struct{})
	pong, _ := spawn(t, nil, func(ctx *proc.Ctx, p *proc.Process) proc.Outcome {
		for {
			m, ok := receive(p)
			if !ok {
				return proc.Waiting
			}
			if m.IsAtom() {
				return exit(p, term.AmNormal)
			}
			p.Send(m, p.ID)
		}
	}, nil)
	n := 0
	spawn(t, nil, func(ctx *proc.Ctx, p *proc.Process) proc.Outcome {
		if n == 0 {
			p.Send(pong, p.ID)
		}
		for {
			_, ok := receive(p)
			if !ok {
				return proc.Waiting
			}
			if n++; n == rounds {
				p.Send(pong, term.AmOk)
				close(done)
				return exit(p, term.AmNormal)
			}
			p.Send(pong, p.ID)
		}
	}, nil)
	waitFor(t, done)
}

func TestFanInKeepsOrder(t *testing.T) {
	setup(t)
	const senders, each = 8, 5000
	done := make(chan struct{})
	last := map[int64]int64{}
	got := 0
	sink, _ := spawn(t, nil, func(ctx *proc.Ctx, p *proc.Process) proc.Outcome {
		for {
			m, ok := receive(p)
			if !ok {
				return proc.Waiting
			}
			id, seq := m.Small()>>32, m.Small()&0xFFFFFFFF
			if last[id] != seq {
				t.Errorf("sender %d: got %d, want %d", id, seq, last[id])
			}
			last[id]++
			if got++; got == senders*each {
				close(done)
				return exit(p, term.AmNormal)
			}
		}
	}, nil)
	for i := range int64(senders) {
		seq := int64(0)
		spawn(t, nil, func(ctx *proc.Ctx, p *proc.Process) proc.Outcome {
			for range 97 {
				if seq == each {
					return exit(p, term.AmNormal)
				}
				p.Send(sink, term.Small(i<<32|seq))
				seq++
			}
			return proc.Yielded
		}, nil)
	}
	waitFor(t, done)
}

func TestSpawnMonitorStorm(t *testing.T) {
	setup(t)
	const total = 20000
	done := make(chan struct{})
	child := define(func(ctx *proc.Ctx, p *proc.Process) proc.Outcome { return exit(p, term.AmNormal) })
	started, downs := 0, 0
	spawn(t, nil, func(ctx *proc.Ctx, p *proc.Process) proc.Outcome {
		o := proc.DefaultSpawnOpts()
		o.Monitor = true
		for range 100 {
			if started < total {
				started++
				if _, _, err := proc.Spawn(p, term.AmErlang, child, nil, &o); err != term.None {
					t.Errorf("spawn: %v", err)
				}
			}
		}
		for {
			if started < total && p.PeekMessage() == term.None {
				return proc.Yielded // receive would have prepared to wait
			}
			m, ok := receive(p)
			if !ok {
				return proc.Waiting
			}
			if m.Arity() != 5 || m.El(1) != term.AmDOWN || m.El(5) != term.AmNormal {
				t.Errorf("bad message of arity %d", m.Arity())
			}
			if downs++; downs == total {
				close(done)
				return exit(p, term.AmNormal)
			}
		}
	}, nil)
	waitFor(t, done)
}

func TestLinksAndTimers(t *testing.T) {
	setup(t)
	done := make(chan struct{})
	var order []term.Term
	var child term.Term
	st := 0
	spawn(t, nil, func(ctx *proc.Ctx, p *proc.Process) proc.Outcome {
		if st == 0 {
			st = 1
			p.Flags |= proc.FlagTrapExit
			o := proc.DefaultSpawnOpts()
			o.Link = true
			child, _ = spawn(t, p, func(ctx *proc.Ctx, p *proc.Process) proc.Outcome {
				if p.PeekMessage() == term.None {
					if exp, _ := p.SetReceiveTimer(term.Small(20)); exp {
						return exit(p, term.AmTimeout)
					}
					if p.PrepareWait() {
						return proc.Waiting
					}
				}
				return proc.Yielded
			}, &o)
			p.StartTimer(proc.ErlangMonotonic()+5_000_000, p.ID, term.AmOk, true)
			k := p.StartTimer(proc.ErlangMonotonic()+1_000_000_000, p.ID, term.AmError, true)
			if left, ok := proc.CancelTimer(k); !ok || left < 900_000_000 {
				t.Errorf("cancel: %d %v", left, ok)
			}
		}
		for {
			m, ok := receive(p)
			if !ok {
				return proc.Waiting
			}
			order = append(order, m.El(1))
			if m.El(1) == term.AmEXIT {
				if m.El(2) != child || m.El(3) != term.AmTimeout {
					t.Errorf("bad exit message")
				}
				if p.Link(child) {
					t.Errorf("linked with a dead process")
				}
				close(done)
				return exit(p, term.AmNormal)
			}
		}
	}, nil)
	waitFor(t, done)
	if len(order) != 2 || order[0] != term.AmTimeout {
		t.Errorf("order %v", len(order))
	}
}

func TestExitSignalKillsSleeper(t *testing.T) {
	setup(t)
	done := make(chan struct{})
	sleeper := func(ctx *proc.Ctx, p *proc.Process) proc.Outcome {
		if _, ok := receive(p); !ok {
			return proc.Waiting
		}
		return proc.Yielded
	}
	st := 0
	spawn(t, nil, func(ctx *proc.Ctx, p *proc.Process) proc.Outcome {
		if st == 0 {
			st = 1
			o := proc.DefaultSpawnOpts()
			o.Monitor = true
			pid, _ := spawn(t, p, sleeper, &o)
			proc.SendExit(p.Ctx, p.ID, pid, term.AmKill)
		}
		m, ok := receive(p)
		if !ok {
			return proc.Waiting
		}
		if m.El(5) != term.AmKilled {
			t.Errorf("reason is not killed")
		}
		close(done)
		return exit(p, term.AmNormal)
	}, nil)
	waitFor(t, done)
}

func TestDirtyCall(t *testing.T) {
	setup(t)
	done := make(chan struct{})
	st := 0
	spawn(t, nil, func(ctx *proc.Ctx, p *proc.Process) proc.Outcome {
		if st == 0 {
			eng.dirty.Store(p.ID, func(p *proc.Process) { st = 1 })
			return proc.Dirty
		}
		close(done)
		return exit(p, term.AmNormal)
	}, nil)
	waitFor(t, done)
}

func TestBlockAll(t *testing.T) {
	setup(t)
	var running atomic.Int32
	var stopNow atomic.Bool
	for range 4 {
		spawn(t, nil, func(ctx *proc.Ctx, p *proc.Process) proc.Outcome {
			running.Add(1)
			defer running.Add(-1)
			if stopNow.Load() {
				return exit(p, term.AmNormal)
			}
			return proc.Yielded
		}, nil)
	}
	for range 50 {
		epoch.BlockAll(nil, func() {
			if n := running.Load(); n != 0 {
				t.Errorf("%d processes run", n)
			}
		})
	}
	stopNow.Store(true)
}

func TestSuspend(t *testing.T) {
	setup(t)
	done := make(chan struct{})
	var beats atomic.Int64
	var quit atomic.Bool
	st := 0
	var victim term.Term
	spawn(t, nil, func(ctx *proc.Ctx, p *proc.Process) proc.Outcome {
		if st == 0 {
			st = 1
			victim, _ = spawn(t, p, func(ctx *proc.Ctx, p *proc.Process) proc.Outcome {
				beats.Add(1)
				if quit.Load() {
					return exit(p, term.AmNormal)
				}
				return proc.Yielded
			}, nil)
			p.Suspend(victim, false)
			p.SyncSuspend(victim, term.AmOk, term.True, term.False)
		}
		m, ok := receive(p)
		if !ok {
			return proc.Waiting
		}
		if m.El(1) != term.AmOk || m.El(2) != term.True {
			t.Error("bad reply")
		}
		n := beats.Load()
		time.Sleep(5 * time.Millisecond)
		if beats.Load() != n {
			t.Error("a suspended process ran")
		}
		quit.Store(true)
		if !p.Resume(victim) {
			t.Error("resume")
		}
		close(done)
		return exit(p, term.AmNormal)
	}, nil)
	waitFor(t, done)
}

func BenchmarkPingPong(b *testing.B) {
	setup(b)
	done := make(chan struct{})
	n := 0
	pong, _ := spawn(b, nil, func(ctx *proc.Ctx, p *proc.Process) proc.Outcome {
		for {
			m, ok := receive(p)
			if !ok {
				return proc.Waiting
			}
			p.Send(m, p.ID)
		}
	}, nil)
	b.ReportAllocs()
	b.ResetTimer()
	spawn(b, nil, func(ctx *proc.Ctx, p *proc.Process) proc.Outcome {
		if n == 0 {
			p.Send(pong, p.ID)
		}
		for {
			_, ok := receive(p)
			if !ok {
				return proc.Waiting
			}
			if n++; n == b.N {
				close(done)
				return exit(p, term.AmNormal)
			}
			p.Send(pong, p.ID)
		}
	}, nil)
	<-done
}

func BenchmarkSpawnExit(b *testing.B) {
	setup(b)
	done := make(chan struct{})
	child := define(func(ctx *proc.Ctx, p *proc.Process) proc.Outcome { return exit(p, term.AmNormal) })
	n := 0
	b.ReportAllocs()
	b.ResetTimer()
	spawn(b, nil, func(ctx *proc.Ctx, p *proc.Process) proc.Outcome {
		o := proc.DefaultSpawnOpts()
		for range 40 {
			if n++; n == b.N {
				close(done)
				return exit(p, term.AmNormal)
			}
			proc.Spawn(p, term.AmErlang, child, nil, &o)
		}
		return proc.Yielded
	}, nil)
	<-done
}
