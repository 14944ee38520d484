// Package dirty runs what would hold a scheduler for too long: native calls
// declared dirty, on two pools (CPU and IO), and jobs of the VM itself.
//
// A process whose call is dirty gives its execution token to a pool; a worker
// runs the call on a register file of its own and gives the token back. Workers
// are goroutines locked to threads. Queues are bounded by the number of
// processes, as each has at most one call; jobs are bounded by their limit.
package dirty

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/epoch"
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
	name    string
	mu      sync.Mutex
	cond    *sync.Cond
	head    *proc.Process
	tail    *proc.Process
	jobs    []func()
	size    int
	queued  int
	busy    atomic.Int32
	stopped bool
	done    sync.WaitGroup
}

// The pools. Zero until Start.
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
	q := &Pool{name: name, size: n}
	q.cond = sync.NewCond(&q.mu)
	q.done.Add(n)
	for range n {
		go q.work()
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
	q.mu.Unlock()
	q.cond.Signal()
}

// Submit runs fn on a thread of the pool. fn may block. It is not online in
// internal/epoch: it pins what it looks up.
func (q *Pool) Submit(fn func()) error {
	if q == nil {
		return ErrStopped
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stopped {
		return ErrStopped
	}
	if len(q.jobs) >= MaxJobs {
		return ErrFull
	}
	q.jobs = append(q.jobs, fn)
	q.cond.Signal()
	return nil
}

// Stop lets the workers finish what is queued and waits for them.
func (q *Pool) Stop() {
	q.mu.Lock()
	q.stopped = true
	q.mu.Unlock()
	q.cond.Broadcast()
	q.done.Wait()
}

// Size, Queued and Busy are the numbers of threads, of waiting and of running
// calls.
func (q *Pool) Size() int { return q.size }

// Queued returns the number of calls and jobs that wait.
func (q *Pool) Queued() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.queued + len(q.jobs)
}

// Busy returns the number of threads at work.
func (q *Pool) Busy() int { return int(q.busy.Load()) }

func (q *Pool) work() {
	runtime.LockOSThread()
	defer q.done.Done()
	ctx := offheap.New[proc.Ctx](offheap.Misc)
	th := epoch.Register(false)
	defer th.Unregister()
	for {
		q.mu.Lock()
		for q.head == nil && len(q.jobs) == 0 && !q.stopped {
			q.cond.Wait()
		}
		var p *proc.Process
		var fn func()
		switch {
		case q.head != nil:
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
		default:
			q.mu.Unlock()
			return
		}
		q.mu.Unlock()
		q.busy.Add(1)
		if fn != nil {
			fn()
		} else {
			runCall(ctx, th, p)
		}
		q.busy.Add(-1)
	}
}

// runCall runs the pending call of p and gives its token back. While the call
// runs the thread does not hold up safe points: what it looks up it pins.
func runCall(ctx *proc.Ctx, th *epoch.Thread, p *proc.Process) {
	p.DirtyBegin()
	out := engine.Run(ctx, p, 1<<30)
	th.Enter()
	defer th.Leave()
	p.Ctx = nil
	if p.PendingExit() && !p.Gone() {
		p.EndBySignal()
	}
	if out == proc.Exited || p.Gone() {
		p.Retire()
		return
	}
	if p.Release() {
		proc.OnRunnable(p, nil)
	}
}
