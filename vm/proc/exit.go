package proc

import (
	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// The order in which a process goes is observable and that of ERTS: the
// receive timer and the BIF timers that would send to it; tables (with heirs)
// and what else ExitHooks hold; system tasks, which are answered; the
// registered name; the entry in the process table; then links, monitors it
// made, monitors of it, and the signals that came too late.

// ExitHooks are called, in order, for a process that exits while it still has
// its name and its entry in the table.
var ExitHooks []func(p *Process, reason term.Term)

// EtsExit deletes or bequeaths the tables of a process that exits, for a slice;
// done is false when it is to be called again.
var EtsExit func(p *Process) (done bool)

// OnSystemExit is called when a system process terminates; it ends the node.
var OnSystemExit func(p *Process, reason term.Term)

// Terminate ends p, which the caller runs: error reports, links, monitors,
// name, memory. reason is as the program gave it; class and trace are in p.
func (p *Process) Terminate(reason term.Term) {
	p.terminate(reason)
	p.freeMemory()
}

// terminate does all that others can see of p's end.
func (p *Process) terminate(reason term.Term) {
	if p.Ctx == nil || p.Ctx.SchedID == 0 {
		defer epoch.Pin().Unpin()
	}
	if p.Freason&ExcLog != 0 && p.Freason&ClassMask != ClassExit {
		p.logCrash(reason)
	}
	if p.IsSystem() {
		if OnSystemExit == nil {
			invariants.Failf("system process %#x terminated", uint64(p.ID))
		}
		OnSystemExit(p, reason)
	}
	p.setBits(stExiting)
	p.stopReceiveTimer()
	p.cancelTimers()
	for p.Flags&FlagUsingDB != 0 && !EtsExit(p) {
	}
	for _, f := range ExitHooks {
		f(p, reason)
	}
	p.closeTasks()
	p.dropName()
	p.setBits(stFree)
	p.leave()
	p.takeTransit(true)
	p.breakLinks(reason)
	p.dropMonitors()
	p.reportDown(reason)
	p.exitSignals()
}

// endByExitSignal terminates p with the reason of the signal that acted.
func (p *Process) endByExitSignal() {
	p.Freason = ClassExit
	p.Fvalue, p.Ftrace = term.None, term.Nil
	p.Terminate(p.exitSig.Term)
}

func (p *Process) dropName() {
	regMu.Lock()
	if p.name != term.None {
		setName(p.name, term.None)
		p.setName(term.None)
	}
	regMu.Unlock()
}

func (p *Process) breakLinks(reason term.Term) {
	for p.links != nil {
		n := takeMin(&p.links)
		if n.x == 0 {
			SendLinkExit(p.Ctx, p.ID, n.other, reason)
		}
		n.free()
	}
}

func (p *Process) dropMonitors() {
	for p.mons != nil {
		n := takeMin(&p.mons)
		if n.kind == nodeMonitor || n.kind == nodePort {
			p.sendDemonitor(n)
		}
		n.free()
	}
	for p.susp != nil {
		n := takeMin(&p.susp)
		p.sendResume(n)
		n.free()
	}
	for p.suspBy != nil {
		takeMin(&p.suspBy).free()
	}
	p.clearBits(stSuspended)
}

func (p *Process) reportDown(reason term.Term) {
	for p.tmons != nil {
		n := takeMin(&p.tmons)
		p.sendDownTo(n.other, n.key, n.flags&nfPidRef != 0, reason)
		n.free()
	}
}

func (p *Process) sendDownTo(origin term.Term, key Key, pidRef bool, reason term.Term) {
	if origin.IsImmed() {
		SendDown(p.Ctx, origin, key, pidRef, false, p.ID, reason)
	} else if Dist != nil {
		Dist.Down(p.ID, origin, key, reason)
	}
}

// exitSignals answers the signals that reached p and did not act before it
// ended, and drops the messages.
func (p *Process) exitSignals() {
	for s := p.restHead; s != nil; {
		n := s.next()
		switch s.kind {
		case sigLink:
			SendLinkExit(p.Ctx, p.ID, s.From, term.AmNoproc)
		case sigUnlink:
			SendUnlinkAck(p, s.From, s.key.A)
		case sigMonitor:
			p.sendDownTo(s.From, s.key, s.flags&sfPidRef != 0, term.AmNoproc)
		case sigIsAlive:
			p.replyTerm(s.From, s.Term, term.False)
		case sigInfo:
			p.replyTerm(s.From, s.Term.El(1), term.AmUndefined)
		case sigSaveCalls:
			p.replyTerm(s.From, s.Term, term.AmBadarg)
		case sigGroupLeader:
			p.replyTerm(s.From, s.Term.El(2), term.AmBadarg)
		case sigSuspend:
			p.suspendGone(s)
		case sigSync:
			p.act(s)
			s = n
			continue
		}
		s.free()
		s = n
	}
	p.restHead, p.restTail = nil, nil
	for s := p.msgHead; s != nil; {
		n := s.next()
		s.free()
		s = n
	}
	p.msgHead, p.msgTail, p.savePrev, p.numMsgs = nil, nil, nil, 0
}

// freeMemory gives back everything but the descriptor.
func (p *Process) freeMemory() {
	p.DictClear()
	p.freeMarkers()
	heap.ReleaseOffHeap(&p.Off)
	heap.ReleaseOffHeap(&p.OldOff)
	for f := p.Frags; f != nil; {
		n := f.Next
		f.Free()
		f = n
	}
	p.Frags = nil
	offheap.Free(p.Start, p.End-p.Start, offheap.Heap)
	offheap.Free(p.OldStart, p.OldEnd-p.OldStart, offheap.Heap)
	p.Start, p.End, p.HP, p.E = 0, 0, 0, 0
	p.OldStart, p.OldEnd, p.OldHP = 0, 0, 0
	if p.SaveX != 0 {
		offheap.Free(p.SaveX, uintptr(p.SaveCap)*8, offheap.Proc)
		p.SaveX, p.SaveCap = 0, 0
	}
	if p.exitSig != nil {
		p.exitSig.free()
		p.exitSig = nil
	}
	p.Fvalue, p.Ftrace, p.FaultArgs = term.None, term.None, term.None
}
