package proc

import (
	"github.com/beamrd/beamrd/vm/term"
)

// SendGroupLeader asks a process of this node to take a group leader.
func SendGroupLeader(ctx *Ctx, to, gl term.Term) bool {
	s := newSignal(sigGroupLeader, sizeOf(gl, false))
	s.Term = s.copyIn(gl, false)
	return sendTo(ctx, to, s)
}

func (p *Process) actGroupLeader(s *Signal) {
	p.GroupLeader = s.Term
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

// DirtyBegin marks that a dirty thread executes p's call now.
func (p *Process) DirtyBegin() { p.setBits(stDirtyRun) }
