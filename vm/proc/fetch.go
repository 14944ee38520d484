package proc

import (
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// takeTransit moves the signals in transit, oldest first, to the end of the
// fetched ones.
func (p *Process) takeTransit(close bool) {
	var repl uintptr
	if close {
		repl = inqClosed
	}
	a := atomic.SwapUintptr(&p.inq, repl)
	if a == 0 || a == inqClosed {
		return
	}
	var head *Signal
	tail := offheap.At[Signal](a)
	for s := tail; s != nil; {
		n := s.next()
		s.setNext(head)
		head = s
		s = n
	}
	if p.restTail == nil {
		p.restHead = head
	} else {
		p.restTail.setNext(head)
	}
	p.restTail = tail
}

// fetch receives what is in transit: messages go to the queue, other signals
// act. It stops at a signal that ends the process.
func (p *Process) fetch() { p.FCalls -= int64(p.receiveAll() / 8) }

// receiveAll is fetch without the charge; it returns the cost in eighths of a
// reduction.
func (p *Process) receiveAll() (n int) {
	p.clearBits(stSig)
	p.takeTransit(false)
	for p.exitSig == nil {
		s := p.restHead
		if s == nil {
			break
		}
		p.restHead = s.next()
		if p.restHead == nil {
			p.restTail = nil
		}
		n++
		if s.kind == sigMessage {
			p.appendMessage(s)
			continue
		}
		p.act(s)
		n += 9
	}
	return n
}

// message turns a signal into a message of the queue.
func (p *Process) message(s *Signal) {
	s.kind = sigMessage
	p.appendMessage(s)
	p.setBits(stActive)
}

// act carries out a signal other than a plain message. It owns s.
func (p *Process) act(s *Signal) {
	switch s.kind {
	case sigAliasMessage:
		p.actAlias(s)
	case sigExit, sigExitLink:
		p.actExit(s)
	case sigLink:
		p.actLink(s)
	case sigUnlink:
		p.actUnlink(s)
	case sigUnlinkAck:
		p.actUnlinkAck(s)
	case sigMonitor:
		p.actMonitor(s)
	case sigDemonitor:
		if n := remove(&p.tmons, s.key); n != nil {
			n.free()
		}
		s.free()
	case sigDown:
		p.actDown(s)
	case sigGroupLeader:
		p.actGroupLeader(s)
	case sigIsAlive:
		p.replyTerm(s.From, s.Term, term.Bool(p.load()&stExiting == 0))
		s.free()
	case sigSuspend:
		p.actSuspend(s)
	case sigSaveCalls:
		p.replyTerm(s.From, s.Term, term.Small(int64(p.SetSaveCalls(int(s.key.A)))))
		s.free()
	case sigDisplay:
		p.Display()
		p.replyTerm(s.From, s.Term, term.True)
		s.free()
	case sigInfo:
		p.actInfo(s)
	case sigSpawnReply:
		p.actSpawnReply(s)
	case sigSync:
		if to := Lookup(s.From); to != nil {
			s.kind, s.From = sigMessage, term.None
			if to.deliver(p.Ctx, s) {
				return
			}
		}
		s.free()
	default:
		p.actOther(s)
	}
}

// ActOther carries out signal kinds of other packages (distribution).
var ActOther func(p *Process, s *Signal)

func (p *Process) actOther(s *Signal) {
	if ActOther == nil {
		invariants.Failf("signal of kind %d has no handler", s.kind)
	}
	ActOther(p, s)
}

// replyTerm sends {Ref, t} to a pid.
func (p *Process) replyTerm(to, ref, t term.Term) {
	s := newSignal(sigMessage, sizeOf(ref, false)+sizeOf(t, false)+3)
	r := s.copyIn(ref, false)
	v := s.copyIn(t, false)
	s.Term = s.tuple(r, v)
	sendTo(p.Ctx, to, s)
}

func (p *Process) actAlias(s *Signal) {
	n := find(p.mons, s.key)
	if n == nil || n.flags&nfAlias == 0 {
		s.free()
		return
	}
	if n.flags&(nfReply|nfReplyDemon) != 0 {
		remove(&p.mons, s.key)
		if n.kind == nodeMonitor || n.kind == nodePort {
			p.sendDemonitor(n)
		}
		freeMon(n)
	}
	p.message(s)
}

func (p *Process) actExit(s *Signal) {
	if s.kind == sigExitLink {
		k := EndKey(s.From)
		n := find(p.links, k)
		if n == nil || n.x != 0 { // unlinked meanwhile
			if n != nil && s.flags&sfLost != 0 { // nobody will acknowledge it
				remove(&p.links, k)
				n.free()
			}
			s.free()
			return
		}
		remove(&p.links, k)
		n.free()
	}
	if s.kind == sigExit && s.flags&sfKill != 0 {
		s.Term = term.AmKilled
		p.exitSig = s
		return
	}
	if p.Flags&FlagTrapExit != 0 {
		if s.kind == sigExitLink {
			p.Event(amGettingUnlinked, s.From)
		}
		p.message(s)
		return
	}
	if s.flags&sfNormal != 0 && (s.kind == sigExitLink || s.From != p.ID) {
		if s.kind == sigExitLink {
			p.Event(amGettingUnlinked, s.From)
		}
		s.free()
		return
	}
	s.Term = s.Term.El(3)
	p.exitSig = s
}

func (p *Process) actDown(s *Signal) {
	n := find(p.mons, s.key)
	if n == nil || n.kind != nodeMonitor && n.kind != nodePort {
		s.free()
		return
	}
	t := s.Term
	if n.name.IsAtom() && !n.other.IsAtom() {
		t.SetW(4, uint64(s.tuple(n.name, nodeName())))
	}
	if n.tag != term.None {
		tag := n.tag
		if !tag.IsImmed() {
			tag = s.addTerm(n.tag)
		}
		t.SetW(1, uint64(tag))
	}
	if n.flags&nfExplicit != 0 {
		n.kind, n.other, n.name = nodeAlias, p.ID, term.None
	} else {
		remove(&p.mons, s.key)
		freeMon(n)
	}
	p.message(s)
}

// addTerm copies a term into a further fragment of the signal.
func (s *Signal) addTerm(t term.Term) term.Term {
	f := heap.NewFragment(heap.Size(t, false))
	t = heap.Copy(t, &f.HP, &s.off, false)
	f.Next = s.more
	s.more = f
	return t
}

// CheckSignals handles what must act on p between slices (exit signals,
// suspend, system tasks); false means p must not go on running now.
func (p *Process) CheckSignals() bool {
	if p.load()&stSig != 0 {
		p.fetch()
	}
	if p.exitSig != nil {
		p.endByExitSignal()
		return false
	}
	if p.load()&stSys != 0 {
		p.runTasks()
	}
	return p.MayRun()
}

// PendingExit tells whether an exit signal has acted that ends the process.
func (p *Process) PendingExit() bool { return p.exitSig != nil }
