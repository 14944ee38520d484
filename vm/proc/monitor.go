package proc

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// nodeName returns this node's name as a term.
func nodeName() term.Term { return term.Atom(term.ThisNode().Name) }

// MonitorOpts are the options of monitor/3.
type MonitorOpts struct {
	AliasMode term.Term // None, explicit_unalias, demonitor or reply_demonitor
	Tag       term.Term // None: 'DOWN'
}

func aliasFlags(mode term.Term) uint8 {
	switch mode {
	case term.AmExplicitUnalias:
		return nfAlias | nfPidRef | nfExplicit
	case term.AmDemonitor:
		return nfAlias | nfPidRef | nfDemonitor
	case term.AmReplyDemonitor:
		return nfAlias | nfPidRef | nfReplyDemon
	case term.AmReply:
		return nfAlias | nfPidRef | nfReply
	}
	return 0
}

// putRef builds the reference of a node of p's monitors on h.
func (p *Process) putRef(h *heap.Heap, n *Node) term.Term {
	if n.flags&nfPidRef != 0 {
		return PutPidRef(h.Alloc(1+term.PidRefWords), n.key, p.ID)
	}
	return PutRef(h.Alloc(1+term.RefWords), n.key)
}

// newMonitorNode makes the origin's half.
func (p *Process) newMonitorNode(kind nodeKind, to, name term.Term, o *MonitorOpts) *Node {
	n := newNode(kind, NewRefKey(p.Ctx), to)
	n.name = name
	if o != nil {
		if o.AliasMode != term.None {
			n.flags = aliasFlags(o.AliasMode)
		}
		if o.Tag != term.None {
			n.tag = o.Tag
			if !o.Tag.IsImmed() {
				n.block = newSignal(sigMessage, heap.Size(o.Tag, false))
				n.tag = n.block.copyIn(o.Tag, false)
			}
		}
	}
	insert(&p.mons, n)
	return n
}

// Monitor monitors a process or port of this node and returns the reference.
// name is the registered name by which it was asked for, or None. A target
// that does not exist (or None) is reported by a message with noproc.
func (p *Process) Monitor(to, name term.Term, port bool, o *MonitorOpts) term.Term {
	if to == p.ID { // as in ERTS: a reference, and nothing behind it
		k := NewRefKey(p.Ctx)
		if o != nil && o.AliasMode != term.None {
			return PutPidRef(p.Heap.Alloc(1+term.PidRefWords), k, p.ID)
		}
		return PutRef(p.Heap.Alloc(1+term.RefWords), k)
	}
	kind := nodeMonitor
	if port {
		kind = nodePort
	}
	n := p.newMonitorNode(kind, to, name, o)
	ref := p.putRef(&p.Heap, n)
	ok := false
	switch {
	case to.IsInternalPid():
		s := newSignal(sigMonitor, 0)
		s.From, s.key = p.ID, n.key
		if n.flags&nfPidRef != 0 {
			s.flags = sfPidRef
		}
		ok = sendTo(p.Ctx, to, s)
	case to.IsInternalPort():
		ok = Ports != nil && Ports.Monitor(p.ID, to, n.key, n.flags&nfPidRef != 0)
	}
	if !ok {
		obj := to
		if name != term.None {
			obj = p.ID
		}
		p.deliver(p.Ctx, downSignal(p.ID, n.key, n.flags&nfPidRef != 0, port, obj, term.AmNoproc))
	}
	return ref
}

// downSignal makes {'DOWN',Ref,Type,Object,Reason}, with room for {Name,Node}.
func downSignal(origin term.Term, key Key, pidRef, port bool, obj, reason term.Term) *Signal {
	s := newSignal(sigDown, 6+3+1+term.PidRefWords+sizeOf(reason, true)+sizeOf(obj, false))
	s.key = key
	var ref term.Term
	if pidRef {
		ref = PutPidRef(s.HP, key, origin)
		s.HP += (1 + term.PidRefWords) * 8
	} else {
		ref = PutRef(s.HP, key)
		s.HP += (1 + term.RefWords) * 8
	}
	typ := term.AmProcess
	if port {
		typ = term.AmPort
	}
	o := s.copyIn(obj, false)
	r := s.copyIn(reason, true)
	s.From = o
	s.Term = s.tuple(term.AmDOWN, ref, typ, o, r)
	return s
}

// SendDown reports to the origin of a monitor that obj is gone.
func SendDown(ctx *Ctx, origin term.Term, key Key, pidRef, port bool, obj, reason term.Term) {
	sendTo(ctx, origin, downSignal(origin, key, pidRef, port, obj, reason))
}

func (p *Process) actMonitor(s *Signal) {
	if find(p.tmons, s.key) == nil {
		n := newNodeOf(nodeMonitor, s.key, s.From)
		if s.flags&sfPidRef != 0 {
			n.flags = nfPidRef
		}
		insert(&p.tmons, n)
	}
	s.free()
}

// sendDemonitor tells the target of a monitor of p that it is gone.
func (p *Process) sendDemonitor(n *Node) {
	switch {
	case n.other.IsInternalPid():
		s := newSignal(sigDemonitor, 0)
		s.From, s.key = p.ID, n.key
		sendTo(p.Ctx, n.other, s)
	case n.other.IsInternalPort():
		if Ports != nil {
			Ports.Demonitor(p.ID, n.other, n.key)
		}
	case n.kind == nodeMonitor && Dist != nil && n.other != term.None:
		Dist.Demonitor(p, n.other, n.key, n.name)
	}
}

// DemonitorResult is what Demonitor found.
type DemonitorResult int

// The results of Demonitor.
const (
	DemonitorDone  DemonitorResult = iota
	DemonitorNone                  // no such monitor of p
	DemonitorOther                 // a reference of another node
)

// Demonitor takes a monitor away.
func (p *Process) Demonitor(ref term.Term) DemonitorResult {
	if ref.Kind() != term.KRef {
		return DemonitorOther
	}
	k := RefKey(ref)
	n := find(p.mons, k)
	if n == nil || n.kind == nodeAlias || n.kind == nodeSpawn {
		return DemonitorNone
	}
	if n.kind != nodeTimeOffset {
		p.sendDemonitor(n)
	}
	if n.flags&nfExplicit != 0 {
		n.kind, n.other, n.name = nodeAlias, p.ID, term.None
	} else {
		remove(&p.mons, k)
		freeMon(n)
	}
	return DemonitorDone
}

// Alias makes an alias of p; mode is explicit_unalias or reply.
func (p *Process) Alias(mode term.Term) term.Term {
	n := newNode(nodeAlias, NewRefKey(p.Ctx), p.ID)
	n.flags = aliasFlags(mode)
	insert(&p.mons, n)
	return p.putRef(&p.Heap, n)
}

// Unalias deactivates an alias; false if ref is not an active alias of p.
func (p *Process) Unalias(ref term.Term) bool {
	if !IsPidRef(ref) || term.Term(ref.W(3)) != p.ID {
		return false
	}
	k := RefKey(ref)
	n := find(p.mons, k)
	if n == nil || n.flags&nfAlias == 0 {
		return false
	}
	if n.kind == nodeAlias {
		remove(&p.mons, k)
		freeMon(n)
		return true
	}
	forgetAlias(k)
	n.flags &^= nfAlias | nfExplicit | nfDemonitor | nfReplyDemon
	return true
}

// MonitorTimeOffset monitors the time offset. It never changes here (no time
// warp), so no message comes.
func (p *Process) MonitorTimeOffset(o *MonitorOpts) term.Term {
	return p.putRef(&p.Heap, p.newMonitorNode(nodeTimeOffset, amClockService, term.None, o))
}

var amClockService = term.Intern("clock_service")

// MonitorRemote monitors a process of another node: to is its pid, or the
// node's name with the registered name in name.
func (p *Process) MonitorRemote(to, name term.Term, o *MonitorOpts) term.Term {
	n := p.newMonitorNode(nodeMonitor, to, name, o)
	n.other = n.keep(to)
	if Dist == nil || !Dist.Monitor(p, n.other, n.key, name, n.flags&nfPidRef != 0) {
		p.remoteDown(n, lost(to))
	}
	return p.putRef(&p.Heap, n)
}

// remoteDown queues the message of a monitor of another node's process.
func (p *Process) remoteDown(n *Node, reason term.Term) {
	obj := n.other
	if n.name == term.None {
		p.deliver(p.Ctx, downSignal(p.ID, n.key, n.flags&nfPidRef != 0, false, obj, reason))
		return
	}
	s := downSignal(p.ID, n.key, n.flags&nfPidRef != 0, false, p.ID, reason)
	s.Term.SetW(4, uint64(s.tuple(n.name, obj)))
	p.deliver(p.Ctx, s)
}
