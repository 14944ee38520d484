package sched

import (
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/proc"
)

const numPrios = 4

// fifo is an intrusive queue of processes.
type fifo struct {
	head, tail *proc.Process
	n          int
}

func (q *fifo) push(p *proc.Process) {
	p.SetNextQueued(nil)
	if q.tail == nil {
		q.head = p
	} else {
		q.tail.SetNextQueued(p)
	}
	q.tail = p
	q.n++
}

func (q *fifo) pop() *proc.Process {
	p := q.head
	if p == nil {
		return nil
	}
	q.head = p.NextQueued()
	if q.head == nil {
		q.tail = nil
	}
	q.n--
	return p
}

// runQueue is the queues of one scheduler. Only their owner and thieves take
// out; anyone puts in.
type runQueue struct {
	mu    sync.Mutex
	q     [numPrios]fifo
	total atomic.Int32 // of all priorities; readable without the lock
	upper atomic.Int32 // of max and high
	bound atomic.Int32 // of those that no other scheduler may run
	turn  int          // normal turns since a low one
}

func (r *runQueue) put(p *proc.Process) {
	prio := p.Prio()
	r.mu.Lock()
	r.q[prio].push(p)
	r.total.Add(1)
	if prio < proc.PrioNormal {
		r.upper.Add(1)
	}
	if p.Bound() > 0 {
		r.bound.Add(1)
	}
	r.mu.Unlock()
}

// took counts p, of a priority, out.
func (r *runQueue) took(p *proc.Process, prio int) {
	r.total.Add(-1)
	if prio < proc.PrioNormal {
		r.upper.Add(-1)
	}
	if p.Bound() > 0 {
		r.bound.Add(-1)
	}
}

// takeFree takes out a process that is not bound, or returns nil.
func (r *runQueue) takeFree() *proc.Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	for prio := range r.q {
		q := &r.q[prio]
		for range q.n {
			p := q.pop()
			if p.Bound() == 0 {
				r.took(p, prio)
				return p
			}
			q.push(p)
		}
	}
	return nil
}

// lowTurns is how many processes of normal priority run before one of low.
const lowTurns = 8

// get takes the process that is to run next, or returns nil.
func (r *runQueue) get() *proc.Process {
	if r.total.Load() == 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.getLocked()
}

func (r *runQueue) getLocked() *proc.Process {
	order := [numPrios]int{proc.PrioMax, proc.PrioHigh, proc.PrioNormal, proc.PrioLow}
	if r.q[proc.PrioLow].n > 0 && r.turn >= lowTurns {
		order[2], order[3] = proc.PrioLow, proc.PrioNormal
	}
	for _, prio := range order {
		p := r.q[prio].pop()
		if p == nil {
			continue
		}
		r.took(p, prio)
		switch prio {
		case proc.PrioNormal:
			r.turn++
		case proc.PrioLow:
			r.turn = 0
		}
		return p
	}
	return nil
}

// stealHalf moves half of the most urgent processes of r to dst and returns
// one of them, or nil.
func (r *runQueue) stealHalf(dst *runQueue, index int) *proc.Process {
	if r.total.Load() == 0 {
		return nil
	}
	var got fifo
	r.mu.Lock()
	for prio := range r.q {
		q := &r.q[prio]
		for n := (q.n + 1) / 2; n > 0; n-- {
			p := q.pop()
			if p.Bound() > 0 {
				q.push(p)
				continue
			}
			r.took(p, prio)
			got.push(p)
		}
		if got.n > 0 {
			break
		}
	}
	r.mu.Unlock()
	first := got.pop()
	for p := got.pop(); p != nil; p = got.pop() {
		p.SetRunQueue(index)
		dst.put(p)
	}
	if first != nil {
		first.SetRunQueue(index)
	}
	return first
}

// lengths returns the number of processes by priority.
func (r *runQueue) lengths() (n [numPrios]int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.q {
		n[i] = r.q[i].n
	}
	return n
}
