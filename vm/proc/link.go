package proc

import (
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/term"
)

// PortOps is what processes ask of ports; vm/port sets Ports. Every function
// is called with the caller's pid and must not block.
type PortOps interface {
	// Send is Port ! Msg and Name ! Msg of a port: {Pid,{command,…}} and the
	// like. ok is false for an exception recorded in p.
	Send(p *Process, port, msg term.Term) (ok bool)
	// Exists tells whether a port is open.
	Exists(port term.Term) bool
	// Link, Unlink and UnlinkAck act on a port's links; Link is false when
	// there is no such port.
	Link(from, port term.Term) bool
	Unlink(from, port term.Term, id uint64) bool
	UnlinkAck(from, port term.Term, id uint64)
	// Exit is an exit signal; link tells that it comes through a link.
	Exit(from, port, reason term.Term, link bool)
	// Monitor and Demonitor act on the monitors of a port.
	Monitor(from, port term.Term, key Key, pidRef bool) bool
	Demonitor(from, port term.Term, key Key)
	// SetName and ClearName tell a port its registered name.
	SetName(port, name term.Term) bool
	ClearName(port term.Term)
	// NameOf returns the registered name of a port, or None.
	NameOf(port term.Term) term.Term
}

// DistOps is what processes ask of other nodes; vm/dist sets Dist. Its
// functions set up a connection where ERTS does.
type DistOps interface {
	// Link and Unlink ask the other end; false: there is no connection.
	Link(p *Process, to term.Term) bool
	Unlink(p *Process, to term.Term, id uint64) bool
	UnlinkAck(p *Process, to term.Term, id uint64)
	// Exit is the exit signal of a link, ExitRemote exit/2; the latter is like
	// SendRemote.
	Exit(from, to, reason term.Term)
	ExitRemote(p *Process, to, reason term.Term) (ok bool, trap *code.Export)
	// Monitor asks for a monitor of a pid, or of a name on the node to; false:
	// there is no connection.
	Monitor(p *Process, to term.Term, key Key, name term.Term, pidRef bool) bool
	Demonitor(p *Process, to term.Term, key Key, name term.Term)
	GroupLeader(p *Process, to, gl term.Term)
	Down(from, to term.Term, key Key, reason term.Term)
}

// Hooks of higher packages, set before the node starts.
var (
	Ports PortOps
	Dist  DistOps
)

var unlinkID atomic.Uint64

// Link links p with a pid or port of this node. false: there is no such end.
func (p *Process) Link(to term.Term) bool {
	if to == p.ID {
		return true
	}
	k := EndKey(to)
	n := find(p.links, k)
	if n != nil && n.x == 0 {
		return true
	}
	if to.IsInternalPid() {
		s := newSignal(sigLink, 0)
		s.From = p.ID
		if !sendTo(p.Ctx, to, s) {
			return false
		}
	} else if Ports == nil || !Ports.Link(p.ID, to) {
		return false
	}
	if n != nil {
		n.x = 0
	} else {
		insert(&p.links, newNode(nodeLink, k, to))
	}
	return true
}

// Linked tells whether p has a link to an end.
func (p *Process) Linked(to term.Term) bool {
	n := find(p.links, EndKey(to))
	return n != nil && n.x == 0
}

// Unlink takes a link away: from now on no exit signal of it acts.
func (p *Process) Unlink(to term.Term) {
	k := EndKey(to)
	n := find(p.links, k)
	if n == nil || n.x != 0 {
		return
	}
	n.x = unlinkID.Add(1)
	sent := false
	switch {
	case to.IsInternalPid():
		s := newSignal(sigUnlink, 0)
		s.From, s.key.A = p.ID, n.x
		sent = sendTo(p.Ctx, to, s)
	case to.IsInternalPort():
		sent = Ports != nil && Ports.Unlink(p.ID, to, n.x)
	case Dist != nil:
		sent = Dist.Unlink(p, to, n.x)
	}
	if !sent {
		remove(&p.links, k)
		n.free()
	}
}

func (p *Process) actLink(s *Signal) {
	k := EndKey(s.From)
	if n := find(p.links, k); n == nil {
		insert(&p.links, newNodeOf(nodeLink, k, s.From))
		p.Event(amGettingLinked, s.From)
	}
	s.free()
}

func (p *Process) actUnlink(s *Signal) {
	k := EndKey(s.From)
	if n := find(p.links, k); n != nil && n.x == 0 {
		remove(&p.links, k)
		n.free()
		p.Event(amGettingUnlinked, s.From)
	}
	if s.key.A != 0 {
		SendUnlinkAck(p, s.From, s.key.A)
	}
	s.free()
}

// SendUnlinkAck answers an unlink signal of an end.
func SendUnlinkAck(p *Process, to term.Term, id uint64) {
	switch {
	case to.IsInternalPid():
		r := newSignal(sigUnlinkAck, 0)
		r.From, r.key.A = p.ID, id
		sendTo(p.Ctx, to, r)
	case to.IsInternalPort():
		if Ports != nil {
			Ports.UnlinkAck(p.ID, to, id)
		}
	case Dist != nil:
		Dist.UnlinkAck(p, to, id)
	}
}

func (p *Process) actUnlinkAck(s *Signal) {
	k := EndKey(s.From)
	if n := find(p.links, k); n != nil && n.x == s.key.A && n.x != 0 {
		remove(&p.links, k)
		n.free()
	}
	s.free()
}

// exitSignal makes an exit signal: {'EXIT',From,Reason}.
func exitSignal(kind sigKind, from, reason term.Term) *Signal {
	s := newSignal(kind, 4+sizeOf(reason, true)+sizeOf(from, false))
	s.From = s.copyIn(from, false)
	r := s.copyIn(reason, true)
	s.Term = s.tuple(term.AmEXIT, s.From, r)
	if reason == term.AmNormal {
		s.flags = sfNormal
	} else if reason == term.AmKill && kind == sigExit {
		s.flags = sfKill
	}
	return s
}

// SendExit sends the signal of exit/2 to a pid or port of this node.
func SendExit(ctx *Ctx, from, to, reason term.Term) {
	if to.IsInternalPort() {
		if Ports != nil {
			Ports.Exit(from, to, reason, false)
		}
		return
	}
	sendTo(ctx, to, exitSignal(sigExit, from, reason))
}

// SendLinkExit sends the exit signal of a link whose end from is gone.
func SendLinkExit(ctx *Ctx, from, to, reason term.Term) {
	switch {
	case to.IsInternalPid():
		sendTo(ctx, to, exitSignal(sigExitLink, from, reason))
	case to.IsInternalPort():
		if Ports != nil {
			Ports.Exit(from, to, reason, true)
		}
	case Dist != nil:
		Dist.Exit(from, to, reason)
	}
}

// SelfLinkExit queues an exit signal for p itself, as if a link that p has
// just tried to make had broken: {'EXIT',From,noproc}.
func (p *Process) SelfLinkExit(from, reason term.Term) {
	if find(p.links, EndKey(from)) == nil {
		insert(&p.links, newNodeOf(nodeLink, EndKey(from), from))
	}
	p.deliver(p.Ctx, exitSignal(sigExitLink, from, reason))
}

// SendLink, SendUnlink and SendUnlinkAckTo are a port's side of links.

// SendLink tells a process that from has linked itself to it.
func SendLink(from, to term.Term) bool {
	s := newSignal(sigLink, 0)
	s.From = from
	return sendTo(nil, to, s)
}

// SendUnlink tells a process that from takes its link away.
func SendUnlink(from, to term.Term, id uint64) bool {
	s := newSignal(sigUnlink, 0)
	s.From, s.key.A = from, id
	return sendTo(nil, to, s)
}

// SendUnlinkAckTo answers a process's unlink.
func SendUnlinkAckTo(from, to term.Term, id uint64) {
	s := newSignal(sigUnlinkAck, 0)
	s.From, s.key.A = from, id
	sendTo(nil, to, s)
}

// NewUnlinkID returns an id for an unlink signal.
func NewUnlinkID() uint64 { return unlinkID.Add(1) }

// EachLink calls f with the other ends of p's links.
func (p *Process) EachLink(f func(other term.Term)) {
	each(p.links, func(n *Node) {
		if n.x == 0 {
			f(n.other)
		}
	})
}

// LinkedByPort enters p's half of the link with a port that p has opened.
func (p *Process) LinkedByPort(port term.Term) {
	if k := EndKey(port); find(p.links, k) == nil {
		insert(&p.links, newNode(nodeLink, k, port))
	}
}
