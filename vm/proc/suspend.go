package proc

import "github.com/beamrd/beamrd/vm/term"

var (
	amExited       = term.Intern("exited")
	amNotSuspended = term.Intern("not_suspended")
)

// Suspension: each suspender counts in a node of its susp tree; only the first
// suspension and the last resumption are signalled. The target keeps its
// suspenders in suspBy, and user work is masked while there are any.

// What a sigSuspend does, in key.A.
const (
	suspendResume = iota
	suspendAdd
	suspendSync // Term is {Tag, IfSuspended, IfGone}
)

// SuspendResult is what Suspend did.
type SuspendResult int

// The results of Suspend.
const (
	SuspendDone    SuspendResult = iota
	SuspendAlready               // counted only: it was suspended by p before
	SuspendGone                  // there is no such process
)

// Suspend suspends a process once more on behalf of p; unless: only if p does
// not suspend it yet.
func (p *Process) Suspend(to term.Term, unless bool) SuspendResult {
	k := EndKey(to)
	if n := find(p.susp, k); n != nil {
		if !unless {
			n.x++
		}
		return SuspendAlready
	}
	s := newSignal(sigSuspend, 0)
	s.From, s.key.A = p.ID, suspendAdd
	if !sendTo(p.Ctx, to, s) {
		return SuspendGone
	}
	n := newNode(nodeSuspend, k, to)
	n.x = 1
	insert(&p.susp, n)
	return SuspendDone
}

// SyncSuspend asks a process for {Tag, ok} once what p sent it before has
// acted; gone is the answer instead of ok when there is no such process.
func (p *Process) SyncSuspend(to, tag, ok, gone term.Term) {
	s := newSignal(sigSuspend, 4+sizeOf(tag, false))
	s.From, s.key.A = p.ID, suspendSync
	s.Term = s.tuple(s.copyIn(tag, false), ok, gone)
	if q := Lookup(to); q != nil && q.deliver(p.Ctx, s) {
		return
	}
	p.suspendGone(s)
	s.free()
}

// Suspends returns how often p suspends a process now.
func (p *Process) Suspends(to term.Term) int {
	if n := find(p.susp, EndKey(to)); n != nil {
		return int(n.x)
	}
	return 0
}

// Resume takes one suspension by p back; false when there is none.
func (p *Process) Resume(to term.Term) bool {
	k := EndKey(to)
	n := find(p.susp, k)
	if n == nil {
		return false
	}
	if n.x--; n.x == 0 {
		remove(&p.susp, k)
		p.sendResume(n)
		n.free()
	}
	return true
}

func (p *Process) sendResume(n *Node) {
	s := newSignal(sigSuspend, 0)
	s.From = p.ID
	sendTo(p.Ctx, n.other, s)
}

func (p *Process) actSuspend(s *Signal) {
	k := EndKey(s.From)
	switch s.key.A {
	case suspendAdd:
		if find(p.suspBy, k) == nil {
			insert(&p.suspBy, newNode(nodeSuspend, k, s.From))
			p.setBits(stSuspended)
		}
	case suspendResume:
		if n := remove(&p.suspBy, k); n != nil {
			n.free()
		}
		if p.suspBy == nil {
			p.clearBits(stSuspended)
		}
	case suspendSync:
		r := amNotSuspended
		if p.suspBy != nil {
			r = s.Term.El(2)
		}
		p.replyTerm(s.From, s.Term.El(1), r)
	}
	s.free()
}

// suspendGone answers a suspend signal that found its target gone.
func (p *Process) suspendGone(s *Signal) {
	if s.key.A == suspendSync {
		p.replyTerm(s.From, s.Term.El(1), s.Term.El(3))
	}
}
