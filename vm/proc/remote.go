package proc

import (
	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Signals to processes of this node from other nodes. Any thread may call these
// functions; false says that there is no such process.

// keep returns a copy of a term that lives as long as the node.
func (n *Node) keep(t term.Term) term.Term {
	if t.IsImmed() {
		return t
	}
	if n.block != nil {
		return n.block.addTerm(t)
	}
	n.block = newSignal(sigMessage, heap.Size(t, true))
	return n.block.copyIn(t, true)
}

// newNodeOf is newNode for an end that may be of another node.
func newNodeOf(kind nodeKind, key Key, other term.Term) *Node {
	n := newNode(kind, key, term.None)
	n.other = n.keep(other)
	return n
}

// remoteSignal makes a signal from an end of another node.
func remoteSignal(kind sigKind, from term.Term) *Signal {
	s := newSignal(kind, sizeOf(from, false))
	s.From = s.copyIn(from, false)
	return s
}

func sendPinned(to term.Term, s *Signal) bool {
	t := epoch.Pin()
	defer t.Unpin()
	return sendTo(nil, to, s)
}

// LinkRemote enters p's half of a link with a process of another node; the
// other half is asked for by a signal.
func (p *Process) LinkRemote(to term.Term) {
	k := EndKey(to)
	n := find(p.links, k)
	switch {
	case n == nil:
		insert(&p.links, newNodeOf(nodeLink, k, to))
	case n.x == 0:
		return
	default:
		n.x = 0
	}
	if Dist == nil || !Dist.Link(p, to) {
		p.deliver(p.Ctx, exitSignal(sigExitLink, to, lost(to)))
	}
}

// lost is why an identifier that no connection leads to is gone: it is of
// another node, or of an earlier incarnation of this one.
func lost(of term.Term) term.Term {
	if FormerSelf(of) {
		return term.AmNoproc
	}
	return term.AmNoconnection
}

// FormerSelf tells whether a pid or port is of an earlier incarnation of this
// node.
func FormerSelf(id term.Term) bool {
	return (id.Is(term.KExtPid) || id.Is(term.KExtPort)) && term.NodeName(id) == term.Atom(term.ThisNode().Name)
}

// RemoteLink is the link signal of a process of another node.
func RemoteLink(from, to term.Term) bool { return sendPinned(to, remoteSignal(sigLink, from)) }

// RemoteUnlink takes a link away; it is acknowledged unless id is 0.
func RemoteUnlink(from, to term.Term, id uint64) bool {
	s := remoteSignal(sigUnlink, from)
	s.key.A = id
	return sendPinned(to, s)
}

// RemoteUnlinkAck acknowledges an unlink signal of a process of this node.
func RemoteUnlinkAck(from, to term.Term, id uint64) bool {
	s := remoteSignal(sigUnlinkAck, from)
	s.key.A = id
	return sendPinned(to, s)
}

// RemoteExit is an exit signal, of a link or of exit/2.
func RemoteExit(from, to, reason term.Term, link bool) bool {
	kind := sigExit
	if link {
		kind = sigExitLink
	}
	return sendPinned(to, exitSignal(kind, from, reason))
}

// RemoteLinkLost breaks a link because the connection is gone.
func RemoteLinkLost(from, to term.Term) bool {
	s := exitSignal(sigExitLink, from, term.AmNoconnection)
	s.flags |= sfLost
	return sendPinned(to, s)
}

// RemoteMonitor makes from, whose monitor has the key, a watcher of a process.
func RemoteMonitor(from, to term.Term, key Key) bool {
	s := remoteSignal(sigMonitor, from)
	s.key = key
	return sendPinned(to, s)
}

// RemoteDemonitor takes a monitor of another node away.
func RemoteDemonitor(to term.Term, key Key) bool {
	s := newSignal(sigDemonitor, 0)
	s.key = key
	return sendPinned(to, s)
}

// RemoteDown reports to the origin of a monitor that obj, a pid of another node
// or {Name,Node}, is gone.
func RemoteDown(origin term.Term, key Key, pidRef bool, obj, reason term.Term) bool {
	return sendPinned(origin, downSignal(origin, key, pidRef, false, obj, reason))
}

// RemoteGroupLeader asks a process to take a group leader; nobody is answered.
func RemoteGroupLeader(to, gl term.Term) bool {
	s := newSignal(sigGroupLeader, 3+sizeOf(gl, false))
	s.Term = s.tuple2(gl, term.AmUndefined)
	return sendPinned(to, s)
}

// RemoteAlias delivers a message, built in the fragments of h, to an alias.
func RemoteAlias(from, ref, msg term.Term, h *heap.Heap) bool {
	t := epoch.Pin()
	defer t.Unpin()
	s := newSignal(sigAliasMessage, 0)
	s.From, s.Term, s.key = from, msg, RefKey(ref)
	s.more, s.off = h.Frags, h.Off
	h.Frags, h.FragWords, h.Off = nil, 0, heap.OffHeap{}
	return sendTo(nil, term.Term(ref.W(3)), s)
}
