package proc

import (
	"sync/atomic"

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

// exitBatch is how many links, monitors and signals of an exiting process are
// dealt with in one slice.
const exitBatch = 2000

// The phases of an exit, in Process.exitPhase. Between them, and within those
// that walk something long, others may run.
const (
	exitNot = iota
	exitTables
	exitName
	exitLinks
	exitMonitors
	exitMonitored
	exitRest
	exitMemory
	exitDone
)

// Terminate ends p, which the caller runs: error reports, links, monitors,
// name, memory. reason is as the program gave it; class and trace are in p.
// What takes long goes on in later slices: see ContinueExit.
func (p *Process) Terminate(reason term.Term) {
	p.beginExit(reason)
	p.ContinueExit()
}

func (p *Process) beginExit(reason term.Term) {
	if p.Freason&ExcLog != 0 && p.Freason&ClassMask != ClassExit {
		p.logCrash(reason)
	}
	if p.IsSystem() {
		if OnSystemExit == nil {
			invariants.Failf("system process %#x terminated", uint64(p.ID))
		}
		OnSystemExit(p, reason)
	}
	p.Fvalue = reason
	p.Event(amExitEvent, reason)
	p.setBits(stExiting)
	p.exitPhase = exitTables
	p.stopReceiveTimer()
	p.cancelTimers()
}

// ContinueExit goes on with an exit that has begun, for a slice. done: only
// Retire is left to do.
func (p *Process) ContinueExit() (done bool) {
	if p.Ctx == nil || p.Ctx.SchedID == 0 {
		defer epoch.Pin().Unpin()
	}
	for n := exitBatch; n > 0 && p.exitPhase < exitDone; {
		if p.exitPhase == exitMemory && p.load()&stHandling != 0 {
			return true // the dirty thread still uses the heap, and frees it
		}
		n = p.exitStep(n)
	}
	return p.exitPhase == exitDone
}

// exitStep does part of the present phase and returns what is left of n.
func (p *Process) exitStep(n int) int {
	done := true
	switch p.exitPhase {
	case exitTables:
		if EtsExit != nil && !EtsExit(p) { // cheap for a process without tables
			return 0
		}
		for _, f := range ExitHooks {
			f(p, p.Fvalue)
		}
	case exitName:
		p.beginLeave()
		p.closeTasks()
		p.dropName()
		p.setBits(stFree)
		p.leave()
		p.takeTransit(true)
	case exitLinks:
		n, done = p.breakLinks(p.Fvalue, n)
	case exitMonitors:
		n, done = p.dropMonitors(n)
	case exitMonitored:
		n, done = p.reportDown(p.Fvalue, n)
	case exitRest:
		n, done = p.exitSignals(n)
	case exitMemory:
		p.freeMemory()
	}
	if done {
		p.exitPhase++
	}
	return n
}

// ExitBegun tells whether Terminate was called.
func (p *Process) ExitBegun() bool { return p.exitPhase != exitNot }

// ExitDone tells whether p is gone and its memory freed.
func (p *Process) ExitDone() bool { return p.exitPhase == exitDone }

// RequeueExit gives the token of an exiting process back; the caller must put
// it into a run queue for ContinueExit.
func (p *Process) RequeueExit() {
	for {
		s := atomic.LoadUint32(&p.state)
		if atomic.CompareAndSwapUint32(&p.state, s, s&^stRunning|stQueued) {
			return
		}
	}
}

// endByExitSignal terminates p with the reason of the signal that acted.
func (p *Process) endByExitSignal() {
	p.Freason = ClassExit
	p.Fvalue, p.Ftrace = term.None, term.Nil
	if p.TraceFlags&TraceFrames != 0 {
		UnwindExit(p, p.exitSig.Term)
	}
	p.Terminate(p.exitSig.Term)
}

func (p *Process) dropName() {
	regMu.Lock()
	name := p.name
	if name != term.None {
		setName(name, term.None)
		p.setName(term.None)
	}
	regMu.Unlock()
	if name != term.None {
		p.Event(amUnregisterEvent, name)
	}
}

func (p *Process) breakLinks(reason term.Term, max int) (left int, done bool) {
	for ; p.links != nil; max-- {
		if max <= 0 {
			return 0, false
		}
		n := takeMin(&p.links)
		if n.x == 0 && p.SeqToken != term.None && n.other.IsInternalPid() {
			p.sendTokenExit(n.other, reason)
		} else if n.x == 0 {
			SendLinkExit(p.Ctx, p.ID, n.other, reason)
		}
		n.free()
	}
	return max, true
}

func (p *Process) dropMonitors(max int) (left int, done bool) {
	for ; p.mons != nil; max-- {
		if max <= 0 {
			return 0, false
		}
		n := takeMin(&p.mons)
		if n.kind == nodeMonitor || n.kind == nodePort {
			p.sendDemonitor(n)
		}
		freeMon(n)
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
	return max, true
}

func (p *Process) reportDown(reason term.Term, max int) (left int, done bool) {
	for ; p.tmons != nil; max-- {
		if max <= 0 {
			return 0, false
		}
		n := takeMin(&p.tmons)
		p.sendDownTo(n.other, n.key, n.flags&nfPidRef != 0, reason)
		n.free()
	}
	return max, true
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
func (p *Process) exitSignals(max int) (left int, done bool) {
	for ; p.restHead != nil; max-- {
		if max <= 0 {
			return 0, false
		}
		s := p.restHead
		p.restHead = s.next()
		p.lateSignal(s)
	}
	p.restTail = nil
	for ; p.msgHead != nil; max-- {
		if max <= 0 {
			return 0, false
		}
		s := p.msgHead
		p.msgHead = s.next()
		s.free()
	}
	p.msgTail, p.savePrev, p.numMsgs = nil, nil, 0
	return max, true
}

// lateSignal answers a signal that came too late.
func (p *Process) lateSignal(s *Signal) {
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
	case sigDisplay:
		p.replyTerm(s.From, s.Term, term.AmBadarg)
	case sigSuspend:
		p.suspendGone(s)
	case sigSync:
		p.act(s)
		return
	}
	s.free()
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
	p.endLeave()
}
