package proc

import (
	"os"
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// SendGroupLeader asks a process of this node to take a group leader; {Ref,
// true | badarg} comes back to p.
func (p *Process) SendGroupLeader(to, gl, ref term.Term) {
	s := newSignal(sigGroupLeader, 3+sizeOf(gl, false)+sizeOf(ref, false))
	s.From = p.ID
	s.Term = s.tuple2(gl, ref)
	if q := Lookup(to); q != nil && q.deliver(p.Ctx, s) {
		return
	}
	p.replyTerm(p.ID, ref, term.AmBadarg)
	s.free()
}

// tuple2 builds a tuple of copies of two terms.
func (s *Signal) tuple2(a, b term.Term) term.Term {
	ca := s.copyIn(a, false)
	cb := s.copyIn(b, false)
	return s.tuple(ca, cb)
}

func (p *Process) actGroupLeader(s *Signal) {
	p.GroupLeader = s.Term.El(1)
	p.replyTerm(s.From, s.Term.El(2), term.True)
	if p.load()&stHandling != 0 { // the heap is with the dirty thread
		s.setNext(p.late)
		p.late = s
		return
	}
	s.attach(&p.Heap)
}

// AskAlive asks a process whether it is alive; {Ref, Bool} comes back to from.
func AskAlive(ctx *Ctx, from, to, ref term.Term) bool {
	s := newSignal(sigIsAlive, sizeOf(ref, false))
	s.From = from
	s.Term = s.copyIn(ref, false)
	return sendTo(ctx, to, s)
}

// SelfExit sends p the exit signal of exit(self(), Reason) and lets it act.
// true: p is to end, with Terminate called by the caller of EndBySignal.
func (p *Process) SelfExit(reason term.Term) (ends bool) {
	p.deliver(p.Ctx, exitSignal(sigExit, p.ID, reason))
	p.fetch()
	return p.exitSig != nil
}

// EndBySignal terminates p with the exit signal that acted (PendingExit).
func (p *Process) EndBySignal() { p.endByExitSignal() }

// FlushSignals lets all signals act that have reached p, which the caller runs.
// false: one of them ends p.
func (p *Process) FlushSignals() bool {
	p.fetch()
	return p.exitSig == nil
}

// SelfMessage sends p, which the caller runs, a message from itself.
func (p *Process) SelfMessage(msg term.Term) { p.sendPid(p.ID, msg) }

// HasSignals tells whether signals that have not acted wait for p, or p is
// exiting; any thread may ask.
func (p *Process) HasSignals() bool { return p.load()&(stSig|stExiting|stFree) != 0 }

// AskSaveCalls asks another process to change its save_calls; {Ref, Old} comes
// back.
func (p *Process) AskSaveCalls(to, ref term.Term, n int) bool {
	s := newSignal(sigSaveCalls, sizeOf(ref, false))
	s.From, s.key.A = p.ID, uint64(n)
	s.Term = s.copyIn(ref, false)
	return sendTo(p.Ctx, to, s)
}

// SetSaveCalls changes the length of the save_calls buffer and returns the old
// one.
func (p *Process) SetSaveCalls(n int) (old int) {
	old = int(p.saveCalls)
	p.saveCalls = int32(n)
	return old
}

// AskDisplay asks another process to print its stack; {Ref, true} comes back.
func (p *Process) AskDisplay(to, ref term.Term) bool {
	s := newSignal(sigDisplay, sizeOf(ref, false))
	s.From = p.ID
	s.Term = s.copyIn(ref, false)
	return sendTo(p.Ctx, to, s)
}

// Display prints p's stack on standard error.
func (p *Process) Display() {
	if Backtrace != nil {
		os.Stderr.Write(Backtrace(p))
	}
}

// SaveCalls returns the length of the save_calls buffer.
func (p *Process) SaveCalls() int { return int(p.saveCalls) }

// Bind binds p to a scheduler, counted from 1; 0 frees it. It returns the old
// binding.
func (p *Process) Bind(n int) (old int) {
	return int(atomic.SwapInt32(&p.bound, int32(n)))
}

// Bound returns the scheduler p is bound to, from 1, or 0.
func (p *Process) Bound() int { return int(atomic.LoadInt32(&p.bound)) }

// Schedulers returns the number of schedulers.
func Schedulers() int { return len(wheels) }

// ForceGC asks for a collection at the next instruction boundary.
func (p *Process) ForceGC(major bool) {
	p.Heap.Flags |= heap.ForceGC
	if major {
		p.Heap.Flags |= heap.NeedFullsweep
	}
}
