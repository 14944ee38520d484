// Package dirty runs what would hold a scheduler for too long: native calls
// declared dirty, on two pools (CPU and IO), and jobs of the VM itself.
//
// A process whose call is dirty gives its execution token to a pool; a worker
// runs the call on a register file of its own and gives the token back. Workers
// are goroutines locked to threads, asleep on a futex while there is nothing:
// a channel or condition variable wakes ten times slower. Queues of calls are
// bounded by the number of processes, as each has at most one; those of jobs by
// MaxJobs.
package dirty

import (
	"errors"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/internal/futex"
	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/proc"
)

// MaxJobs is the largest number of jobs that wait in a pool.
const MaxJobs = 1 << 16

// The errors of Submit.
var (
	ErrFull    = errors.New("dirty: too many jobs are waiting")
	ErrStopped = errors.New("dirty: the pool is not running")
)

// Pool is a set of dirty threads with one queue.
type Pool struct {
	name       string
	mu         sync.Mutex
	head, tail *proc.Process
	jobs       []func()
	idle       []*worker
	workers    []*worker
	queued     int
	online     int // workers below this take calls
	stopped    bool
	busy       atomic.Int32
	done       sync.WaitGroup
}

type worker struct {
	id   int
	wait futex.Waiter
	work atomic.Int64 // nanoseconds at work
	at   atomic.Int64 // when the present work began, or 0
}

// The pools. Nil until Start.
var (
	CPU, IO *Pool
	engine  proc.Engine
)

// Start starts the pools with a number of threads each (+SDcpu, +SDio).
func Start(e proc.Engine, cpu, io int) {
	engine = e
	CPU, IO = newPool("cpu", cpu), newPool("io", io)
}

func newPool(name string, n int) *Pool {
	q := &Pool{name: name, online: n}
	q.done.Add(n)
	for i := range n {
		w := &worker{id: i}
		q.workers = append(q.workers, w)
		go q.run(w)
	}
	return q
}

// Take runs the pending call of a process whose token the caller gives away.
func Take(p *proc.Process) {
	q := CPU
	if p.DirtyIO {
		q = IO
	}
	p.SetNextQueued(nil)
	q.mu.Lock()
	if q.tail == nil {
		q.head = p
	} else {
		q.tail.SetNextQueued(p)
	}
	q.tail = p
	q.queued++
	q.wakeOne(q.online)
}

// SetOnline sets how many threads take calls. Jobs go to any.
func (q *Pool) SetOnline(n int) {
	q.mu.Lock()
	q.online = n
	idle := q.idle
	q.idle = nil
	q.mu.Unlock()
	for _, w := range idle {
		w.wait.Wake()
	}
}

// Submit runs fn on a thread of the pool. fn may block. It is not online in
// internal/epoch: it pins what it looks up.
func (q *Pool) Submit(fn func()) error {
	if q == nil {
		return ErrStopped
	}
	q.mu.Lock()
	if q.stopped || len(q.jobs) >= MaxJobs {
		defer q.mu.Unlock()
		if q.stopped {
			return ErrStopped
		}
		return ErrFull
	}
	q.jobs = append(q.jobs, fn)
	q.wakeOne(len(q.workers))
	return nil
}

// wakeOne unlocks the pool and wakes one of the first n workers, if one sleeps.
func (q *Pool) wakeOne(n int) {
	var w *worker
	for i := len(q.idle) - 1; i >= 0; i-- {
		if q.idle[i].id < n {
			w = q.idle[i]
			q.idle = append(q.idle[:i], q.idle[i+1:]...)
			break
		}
	}
	q.mu.Unlock()
	if w != nil {
		w.wait.Wake()
	}
}

// Stop lets the workers finish what is queued and waits for them.
func (q *Pool) Stop() {
	q.mu.Lock()
	q.stopped = true
	idle := q.idle
	q.idle = nil
	q.mu.Unlock()
	for _, w := range idle {
		w.wait.Wake()
	}
	q.done.Wait()
}

// Size returns the number of threads.
func (q *Pool) Size() int { return len(q.workers) }

// Queued returns the number of calls and jobs that wait.
func (q *Pool) Queued() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.queued + len(q.jobs)
}

// Busy returns the number of threads at work.
func (q *Pool) Busy() int { return int(q.busy.Load()) }

// WorkTimes returns the nanoseconds each thread has worked.
func (q *Pool) WorkTimes() []int64 {
	now := proc.MonotonicNow()
	r := make([]int64, len(q.workers))
	for i, w := range q.workers {
		r[i] = w.work.Load()
		if at := w.at.Load(); at != 0 {
			r[i] += max(0, now-at)
		}
	}
	return r
}

// take returns what is to be done next, waiting for it; ok is false when the
// pool has stopped.
func (q *Pool) take(w *worker) (p *proc.Process, fn func(), ok bool) {
	for {
		q.mu.Lock()
		switch {
		case q.head != nil && (w.id < q.online || q.stopped):
			p = q.head
			q.head = p.NextQueued()
			if q.head == nil {
				q.tail = nil
			}
			q.queued--
		case len(q.jobs) > 0:
			fn = q.jobs[0]
			q.jobs[0] = nil
			q.jobs = q.jobs[1:]
		case q.stopped:
			q.mu.Unlock()
			return nil, nil, false
		default:
			w.wait.Reset()
			q.idle = append(q.idle, w)
			q.mu.Unlock()
			for !w.wait.Woken() {
				w.wait.Sleep(-1)
			}
			continue
		}
		q.mu.Unlock()
		return p, fn, true
	}
}

func (q *Pool) run(w *worker) {
	runtime.LockOSThread()
	debug.SetPanicOnFault(true)
	defer q.done.Done()
	defer invariants.Catch()
	ctx := offheap.New[proc.Ctx](offheap.Misc)
	th := epoch.Register(false)
	defer th.Unregister()
	for {
		p, fn, ok := q.take(w)
		if !ok {
			return
		}
		at := proc.MonotonicNow()
		w.at.Store(at)
		q.busy.Add(1)
		if fn != nil {
			fn()
		} else {
			proc.DirtyCall(func() { runCall(ctx, th, p) })
		}
		q.busy.Add(-1)
		w.at.Store(0)
		w.work.Add(proc.MonotonicNow() - at)
	}
}

// runCall runs the pending call of p and gives its token back. While the call
// runs the thread does not hold up safe points: what it looks up it pins.
func runCall(ctx *proc.Ctx, th *epoch.Thread, p *proc.Process) {
	th.Enter()
	if !p.DirtyBegin() {
		p.Retire()
		th.Leave()
		return
	}
	th.Leave()
	out := engine.Run(ctx, p, 1<<30)
	th.Enter()
	defer th.Leave()
	if out != proc.Exited && p.DirtyEnd() {
		p.Ctx = nil
		if p.Release() {
			proc.OnRunnable(p, nil)
		}
		return
	}
	p.FinishExit()
	p.Retire()
}
