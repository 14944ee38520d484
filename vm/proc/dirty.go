package proc

import (
	"runtime"
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/term"
)

// A process in a dirty call keeps receiving signals, and those other than
// messages must act: it can be linked, asked and killed. A sender that finds it
// in a dirty call tells one of the dirty signal handlers, which are Erlang
// processes; they call HandleDirty, which takes the token for the time being.
// Only the heap stays with the dirty thread. If a signal ends the process, all
// but its memory goes at once, and the rest when the call returns.

// dirtyHandlers are the handlers' pids by priority: max, high, normal.
var dirtyHandlers [3]atomic.Uint64

// SetDirtyHandler names the dirty signal handler of a priority.
func SetDirtyHandler(prio int, pid term.Term) { dirtyHandlers[prio].Store(uint64(pid)) }

func (p *Process) askDirtyHandler(from *Ctx) {
	pid := term.Term(dirtyHandlers[min(p.Prio(), PrioNormal)].Load())
	s := newSignal(sigMessage, 0)
	s.Term = p.ID
	sendTo(from, pid, s)
}

// ToDirty marks the token as being with a dirty pool. Signals that came before
// are handed to the handler, as senders saw a process that was running.
func (p *Process) ToDirty(io bool) {
	bit := uint32(stDirtyCPU)
	if io {
		bit = stDirtyIO
	}
	from := p.Ctx
	p.setBits(bit)
	if p.load()&stSig != 0 {
		p.wake(from, stSig)
	}
}

// DirtyBegin marks that a dirty thread is about to execute p's call. false: p
// ended meanwhile, and its memory is freed; only Retire is left to do.
func (p *Process) DirtyBegin() bool {
	for {
		s := atomic.LoadUint32(&p.state)
		if s&stHandling != 0 {
			runtime.Gosched()
			continue
		}
		if p.ExitBegun() {
			p.finishExit()
			return false
		}
		if atomic.CompareAndSwapUint32(&p.state, s, s|stDirtyRun) {
			return true
		}
	}
}

// DirtyEnd takes the token back after the call. false: p ended meanwhile.
func (p *Process) DirtyEnd() bool {
	for {
		s := atomic.LoadUint32(&p.state)
		if s&stHandling != 0 {
			runtime.Gosched()
			continue
		}
		if p.ExitBegun() {
			p.finishExit()
			return false
		}
		if atomic.CompareAndSwapUint32(&p.state, s, s&^(stDirty|stDirtyRun|stAsked)) {
			break
		}
	}
	for s := p.late; s != nil; {
		n := s.next()
		s.attach(&p.Heap)
		s = n
	}
	p.late = nil
	return true
}

// finishExit ends the exit that a handler began while the heap was in use.
func (p *Process) finishExit() {
	for !p.ContinueExit() {
	}
}

// FinishExit brings an exit that has begun to its end, without yielding.
func (p *Process) FinishExit() { p.finishExit() }

// InDirty tells whether p is in a dirty call, waiting for or on a dirty thread.
func (p *Process) InDirty() bool { return p.load()&stDirty != 0 }

// DirtyResult is what HandleDirty found.
type DirtyResult int

// The results of HandleDirty.
const (
	DirtyHandled DirtyResult = iota
	DirtyMore                // signals came meanwhile
	DirtyBusy                // another handler is at it
	DirtyOver                // not in a dirty call any more
	DirtyGone                // ended
)

// HandleDirty lets the signals act that wait for a process in a dirty call.
func (p *Process) HandleDirty() DirtyResult {
	for {
		s := atomic.LoadUint32(&p.state)
		switch {
		case s&stFree != 0:
			return DirtyGone
		case s&stDirty == 0:
			return DirtyOver
		case s&stHandling != 0:
			return DirtyBusy
		}
		if atomic.CompareAndSwapUint32(&p.state, s, s&^stAsked|stHandling) {
			break
		}
	}
	p.receiveAll()
	if p.exitSig != nil {
		p.beginExit(p.exitSig.Term)
		for p.exitPhase < exitMemory {
			p.ContinueExit()
		}
	}
	p.clearBits(stHandling)
	switch s := p.load(); {
	case s&stFree == 0 && s&stSig != 0:
		return DirtyMore
	}
	return DirtyHandled
}
