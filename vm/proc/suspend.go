package proc

import "github.com/beamrd/beamrd/vm/term"

var amExited = term.Intern("exited")

// Suspension: each suspender holds a node (with a count) in its susp tree and
// the target one in suspBy. The target counts the suspenders, and user work is
// masked while there are any.

// Suspend asks a process to be suspended once more by p. reply, when not None,
// is a reference: {Ref, true|exited} comes back when it acted. ok is false when
// the target is gone, over when the count would pass its limit.
func (p *Process) Suspend(to, reply term.Term) (ok, over bool) {
	k := EndKey(to)
	n := find(p.susp, k)
	if n != nil && n.x >= 1<<31-1 {
		return false, true
	}
	s := newSignal(sigSuspend, sizeOf(reply, false))
	s.From, s.key.A = p.ID, 1
	s.Term = s.copyIn(reply, false)
	if !sendTo(p.Ctx, to, s) {
		return false, false
	}
	if n == nil {
		n = newNode(nodeSuspend, k, to)
		insert(&p.susp, n)
	}
	n.x++
	return true, false
}

// Suspends returns how often p suspends a process now.
func (p *Process) Suspends(to term.Term) int {
	if n := find(p.susp, EndKey(to)); n != nil {
		return int(n.x)
	}
	return 0
}

// Resume takes one suspension by p back; ok is false when there is none.
func (p *Process) Resume(to term.Term) (ok bool) {
	k := EndKey(to)
	n := find(p.susp, k)
	if n == nil {
		return false
	}
	p.sendResumeOne(n)
	if n.x--; n.x == 0 {
		remove(&p.susp, k)
		n.free()
	}
	return true
}

func (p *Process) sendResumeOne(n *Node) {
	s := newSignal(sigSuspend, 0)
	s.From = p.ID
	sendTo(p.Ctx, n.other, s)
}

// sendResume takes all of a suspender's suspensions of one process back.
func (p *Process) sendResume(n *Node) {
	for ; n.x > 0; n.x-- {
		p.sendResumeOne(n)
	}
}

func (p *Process) actSuspend(s *Signal) {
	k := EndKey(s.From)
	n := find(p.suspBy, k)
	if s.key.A == 1 {
		if n == nil {
			n = newNode(nodeSuspend, k, s.From)
			insert(&p.suspBy, n)
		}
		n.x++
		p.suspC++
		p.setBits(stSuspended)
		if s.Term != term.None {
			p.replyTerm(s.From, s.Term, term.True)
		}
	} else if n != nil {
		p.suspC--
		if n.x--; n.x == 0 {
			remove(&p.suspBy, k)
			n.free()
		}
		if p.suspC == 0 {
			p.clearBits(stSuspended)
		}
	}
	s.free()
}

// suspendGone answers a suspend signal that found its target gone.
func (p *Process) suspendGone(s *Signal) {
	if s.key.A == 1 && s.Term != term.None {
		p.replyTerm(s.From, s.Term, amExited)
	}
}
