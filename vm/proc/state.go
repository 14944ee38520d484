package proc

import (
	"runtime"
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/term"
)

// ProcState is the part of a descriptor that the scheduler and the signal
// code own. Fields marked shared are touched by others, atomically.
type ProcState struct {
	state  uint32  // shared: bits below
	rq     int32   // index of the run queue it was last on
	rqNext uintptr // next *Process of a run queue or limbo list

	inq uintptr // shared: newest signal in transit, or inqClosed

	restHead, restTail *Signal // fetched, not yet acted
	msgHead, msgTail   *Signal // messages received
	savePrev           *Signal // message before the save pointer, nil: none
	numMsgs            int64
	markers            uintptr // receive markers, see marker.go

	links  *Node // by the other end
	mons   *Node // this process is the origin; aliases too
	tmons  *Node // this process is the target
	susp   *Node // processes this one has suspended
	suspBy *Node // who suspended it

	recvTimer    Timer     // of receive … after; its links belong to the wheel
	timedOut     uint32    // shared: the receive timer fired
	timerLock    uint32    // shared: guards the next two
	btimers      *bifTimer // BIF timers whose target this process is
	timersClosed bool
	timerSet     bool
	exitPhase    uint8
	leaveGen     uint8 // see literals.go

	name      term.Term // registered name, or None
	exitSig   *Signal   // the exit signal that kills it, once acted
	late      *Signal   // to be attached to the heap after the dirty call
	tasks     uintptr   // shared: newest system task, or inqClosed
	stamp     uint64    // of the descriptor in a limbo list
	started   int64
	bound     int32 // scheduler it is bound to, from 1; 0: none
	saveCalls int32 // length of the save_calls buffer
}

// Bits of ProcState.state.
const (
	stActive    = 1 << iota // user work is wanted
	stSig                   // signals other than messages are in transit
	stSys                   // system tasks are wanted
	stRunning               // someone holds the execution token
	stQueued                // in a run queue
	stSuspended             // user work is masked
	stExiting               // terminating
	stFree                  // gone
	stDirtyCPU              // the token is with the dirty CPU pool
	stDirtyIO               // the token is with the dirty IO pool
	stDirtyRun              // executing there now
	stSystem                // a system process
	stGC                    // being collected
	stAsked                 // the dirty signal handler was told
	stHandling              // the dirty signal handler has the token

	stDirty   = stDirtyCPU | stDirtyIO
	prioShift = 28
	prioMask  = 3 << prioShift
)

// Priorities, as in Process.Priority.
const (
	PrioMax = iota
	PrioHigh
	PrioNormal
	PrioLow
)

// OnRunnable is called with a process that must go to a run queue. from is the
// register file of the scheduler on which that came about, or nil.
var OnRunnable func(p *Process, from *Ctx)

func runnable(s uint32) bool {
	return s&(stSig|stSys) != 0 || s&(stActive|stSuspended) == stActive
}

func (p *Process) load() uint32 { return atomic.LoadUint32(&p.state) }

// wake records wishes to run and queues p if nobody has it.
func (p *Process) wake(from *Ctx, bits uint32) {
	for {
		s := atomic.LoadUint32(&p.state)
		n := s | bits
		if s&(stRunning|stQueued|stFree) == 0 && runnable(n) {
			n |= stQueued
		} else if n&stDirty != 0 && n&(stSig|stFree) == stSig {
			n |= stAsked
		}
		if n == s {
			return
		}
		if !atomic.CompareAndSwapUint32(&p.state, s, n) {
			continue
		}
		if n&^s&stQueued != 0 {
			OnRunnable(p, from)
		} else if n&^s&stAsked != 0 {
			p.askDirtyHandler(from)
		}
		return
	}
}

func (p *Process) setBits(bits uint32)   { atomic.OrUint32(&p.state, bits) }
func (p *Process) clearBits(bits uint32) { atomic.AndUint32(&p.state, ^bits) }

// Take gives the caller, who has taken p out of a run queue, its execution
// token.
func (p *Process) Take() {
	for {
		s := atomic.LoadUint32(&p.state)
		if atomic.CompareAndSwapUint32(&p.state, s, s&^stQueued|stRunning) {
			return
		}
	}
}

// Release gives the execution token back. It returns true when p wants to run
// again: the caller must put it into a run queue.
func (p *Process) Release() bool {
	for {
		s := atomic.LoadUint32(&p.state)
		if s&stHandling != 0 {
			runtime.Gosched()
			continue
		}
		n := s &^ (stRunning | stDirty | stDirtyRun | stAsked)
		if n&stFree == 0 && runnable(n) {
			n |= stQueued
		}
		if atomic.CompareAndSwapUint32(&p.state, s, n) {
			return n&stQueued != 0
		}
	}
}

// MayRun tells the holder of the token whether user work is wanted.
func (p *Process) MayRun() bool {
	return p.load()&(stActive|stSuspended|stExiting|stFree) == stActive
}

// Gone tells whether the process has terminated.
func (p *Process) Gone() bool { return p.load()&stFree != 0 }

// Exiting tells whether the process is terminating or gone.
func (p *Process) Exiting() bool { return p.load()&(stExiting|stFree) != 0 }

// IsSystem tells whether this is a system process.
func (p *Process) IsSystem() bool { return p.load()&stSystem != 0 }

// Prio returns the priority; any thread may ask.
func (p *Process) Prio() int { return int(p.load() >> prioShift & 3) }

// SetPrio changes the priority. The holder of the token only.
func (p *Process) SetPrio(n int) {
	p.Priority = uint8(n)
	for {
		s := atomic.LoadUint32(&p.state)
		if atomic.CompareAndSwapUint32(&p.state, s, s&^prioMask|uint32(n)<<prioShift) {
			return
		}
	}
}

// Queue links, for the scheduler that has p in a run queue.

// RunQueue returns the run queue p was last on.
func (p *Process) RunQueue() int { return int(atomic.LoadInt32(&p.rq)) }

// SetRunQueue records the run queue p is put on.
func (p *Process) SetRunQueue(i int) { atomic.StoreInt32(&p.rq, int32(i)) }

// NextQueued returns the next process of the queue p is in.
func (p *Process) NextQueued() *Process {
	if p.rqNext == 0 {
		return nil
	}
	return offheap.At[Process](p.rqNext)
}

// SetNextQueued links p in a queue.
func (p *Process) SetNextQueued(q *Process) { p.rqNext = offheap.Addr(q) }
