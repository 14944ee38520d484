package dist

import (
	"github.com/beamrd/beamrd/internal/wire"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/etf"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// message is a control message that has arrived, with its payload still in the
// external format.
type message struct {
	c       *conn
	dec     *etf.Decoder
	ctl     term.Term
	rest    []byte
	bin     *heap.Bin // in which rest lies, at the end; or nil
	atoms   []term.Term
	version bool
	err     error // of the payload
}

// arities of the control messages, the tag included.
var arities = map[int]int{
	wire.OpLink: 3, wire.OpSend: 3, wire.OpExit: 4, wire.OpUnlink: 3, wire.OpRegSend: 4, wire.OpGroupLeader: 3, wire.OpExit2: 4,
	wire.OpSendTT: 4, wire.OpExitTT: 5, wire.OpRegSendTT: 5, wire.OpExit2TT: 5, wire.OpMonitorP: 4, wire.OpDemonitorP: 4,
	wire.OpMonitorPExit: 5, wire.OpSendSender: 3, wire.OpSendSenderTT: 4, wire.OpPayloadExit: 3, wire.OpPayloadExitTT: 4,
	wire.OpPayloadExit2: 3, wire.OpPayloadExit2TT: 4, wire.OpPayloadMonPExit: 4, wire.OpSpawnRequest: 6,
	wire.OpSpawnRequestTT: 7, wire.OpSpawnReply: 5, wire.OpSpawnReplyTT: 6, wire.OpAliasSend: 3, wire.OpAliasSendTT: 4,
	wire.OpUnlinkID: 4, wire.OpUnlinkIDAck: 4,
}

// act carries the message out; false: it is not as it should be. Trace tokens
// are taken and dropped: there is no sequential tracing.
func (m *message) act() bool {
	t := m.ctl
	op := int(t.El(1).Small())
	if arities[op] != t.Arity() {
		return false
	}
	switch op {
	case wire.OpLink:
		return m.link(t.El(2), t.El(3))
	case wire.OpUnlink:
		return m.unlink(0, t.El(2), t.El(3))
	case wire.OpUnlinkID:
		id, ok := uint64Of(t.El(2))
		return ok && id != 0 && m.unlink(id, t.El(3), t.El(4))
	case wire.OpUnlinkIDAck:
		id, ok := uint64Of(t.El(2))
		return ok && m.unlinkAck(id, t.El(3), t.El(4))
	case wire.OpMonitorP:
		return m.monitor(t.El(2), t.El(3), t.El(4))
	case wire.OpDemonitorP:
		return m.demonitor(t.El(2), t.El(3), t.El(4))
	case wire.OpRegSend, wire.OpRegSendTT:
		return m.regSend(t.El(2), t.El(4))
	case wire.OpSend, wire.OpSendTT, wire.OpSendSender, wire.OpSendSenderTT:
		return m.send(t.El(2), t.El(3))
	case wire.OpAliasSend, wire.OpAliasSendTT:
		return m.aliasSend(t.El(2), t.El(3))
	case wire.OpMonitorPExit, wire.OpPayloadMonPExit:
		return m.monitorExit(t.El(2), t.El(3), t.El(4), op == wire.OpMonitorPExit)
	case wire.OpExit, wire.OpExitTT, wire.OpExit2, wire.OpExit2TT:
		return m.exit(t.El(2), t.El(3), t.El(t.Arity()), op == wire.OpExit || op == wire.OpExitTT)
	case wire.OpPayloadExit, wire.OpPayloadExitTT, wire.OpPayloadExit2, wire.OpPayloadExit2TT:
		return m.exit(t.El(2), t.El(3), term.None, op == wire.OpPayloadExit || op == wire.OpPayloadExitTT)
	case wire.OpGroupLeader:
		return m.groupLeader(t.El(2), t.El(3))
	case wire.OpSpawnRequest, wire.OpSpawnRequestTT:
		return m.spawnRequest()
	case wire.OpSpawnReply, wire.OpSpawnReplyTT:
		return m.spawnReply()
	}
	return false
}

// ofPeer tells whether t is a pid of the node at the other end.
func (m *message) ofPeer(t term.Term) bool {
	return t.Is(term.KExtPid) && term.NodeAt(int(t.W(1))).Name == m.c.node.Name
}

// old tells whether t is a pid of this node, but of an earlier life.
func old(t term.Term) bool {
	return t.Is(term.KExtPid) && term.NodeAt(int(t.W(1))).Name == term.ThisNode().Name
}

// payload decodes what follows the control message into h.
func (m *message) payload(h *heap.Heap) (term.Term, bool) {
	t, err := m.term(h)
	if err != nil {
		freeHeap(h)
		m.err = err
		return term.None, false
	}
	return t, true
}

func ends(local, remote term.Term) linkEnds { return linkEnds{local, remote.W(1), remote.W(2)} }

// with runs f under the lock unless the connection is gone.
func (c *conn) with(f func()) bool {
	c.node.mu.Lock()
	defer c.node.mu.Unlock()
	if c.dead {
		return false
	}
	f()
	return true
}

func (m *message) link(from, to term.Term) bool {
	if !m.ofPeer(from) || !to.IsInternalPid() && !old(to) {
		return false
	}
	if to.IsInternalPid() {
		k := ends(to, from)
		if !m.c.with(func() { m.c.links[k] = struct{}{} }) || proc.RemoteLink(from, to) {
			return true
		}
		m.c.with(func() { delete(m.c.links, k) })
	}
	m.c.reply(&signal{op: wire.OpExit, a: to, b: from, msg: term.AmNoproc})
	return true
}

func (m *message) unlink(id uint64, from, to term.Term) bool {
	if !m.ofPeer(from) || !to.IsInternalPid() && !old(to) {
		return false
	}
	if to.IsInternalPid() {
		m.c.with(func() { delete(m.c.links, ends(to, from)) })
		if !proc.RemoteUnlink(from, to, id) && id != 0 {
			m.c.reply(&signal{op: wire.OpUnlinkIDAck, id: id, a: to, b: from})
		}
	}
	return true
}

func (m *message) unlinkAck(id uint64, from, to term.Term) bool {
	if !m.ofPeer(from) || !to.IsInternalPid() && !old(to) {
		return false
	}
	if to.IsInternalPid() {
		proc.RemoteUnlinkAck(from, to, id)
	}
	return true
}

func (m *message) monitor(watcher, watched, ref term.Term) bool {
	if !m.ofPeer(watcher) || !ref.IsRef() {
		return false
	}
	pid, name := watched, term.None
	switch {
	case watched.IsInternalPid(), old(watched):
	case watched.IsAtom():
		pid, name = proc.Whereis(watched), watched
	default:
		return false
	}
	if pid.IsInternalPid() {
		k := proc.RefKey(ref)
		if !m.c.with(func() { m.c.monsIn[k] = monIn{pid, name, flat(ref)} }) || proc.RemoteMonitor(watcher, pid, k) {
			return true
		}
		m.c.with(func() { delete(m.c.monsIn, k) })
	}
	m.c.reply(&signal{op: wire.OpMonitorPExit, a: watched, b: watcher, c: ref, msg: term.AmNoproc})
	return true
}

func (m *message) demonitor(watcher, watched, ref term.Term) bool {
	if !m.ofPeer(watcher) || !ref.IsRef() || !watched.IsInternalPid() && !watched.IsAtom() && !old(watched) {
		return false
	}
	k := proc.RefKey(ref)
	target := term.None
	m.c.with(func() {
		if i, ok := m.c.monsIn[k]; ok {
			target = i.target
			delete(m.c.monsIn, k)
		}
	})
	if target != term.None {
		proc.RemoteDemonitor(target, k)
	}
	return true
}

func (m *message) regSend(from, to term.Term) bool {
	if !from.IsPid() || !to.IsAtom() {
		return false
	}
	if pid := proc.Whereis(to); pid.IsInternalPid() {
		m.deliver(pid)
	}
	return true
}

func (m *message) send(from, to term.Term) bool {
	if !to.IsPid() {
		return false
	}
	if to.IsInternalPid() {
		m.deliver(to)
	}
	return true
}

func (m *message) deliver(to term.Term) {
	if proc.Lookup(to) == nil {
		return
	}
	var h heap.Heap
	if msg, ok := m.payload(&h); ok {
		proc.SendBuilt(term.None, to, msg, &h)
	}
}

func (m *message) aliasSend(from, to term.Term) bool {
	if !from.IsPid() || !to.IsRef() {
		return false
	}
	if !proc.IsPidRef(to) {
		return true // deactivated, or of an earlier life
	}
	var h heap.Heap
	if msg, ok := m.payload(&h); ok {
		proc.RemoteAlias(term.None, to, msg, &h)
	}
	return true
}

// reason returns the reason of an exit message, from the control message or the
// payload. done: there is nobody to be told.
func (m *message) reason(inCtl, to term.Term, h *heap.Heap) (reason term.Term, done bool) {
	if proc.Lookup(to) == nil {
		return term.None, true
	}
	if inCtl != term.None {
		return inCtl, false
	}
	reason, ok := m.payload(h)
	return reason, !ok
}

func (m *message) monitorExit(watched, watcher, ref term.Term, inCtl bool) bool {
	if !ref.IsRef() || !watched.Is(term.KExtPid) && !watched.IsAtom() {
		return false
	}
	if !watcher.IsInternalPid() {
		return old(watcher)
	}
	k := proc.RefKey(ref)
	var mon monOut
	ok := false
	m.c.with(func() {
		mon, ok = m.c.monsOut[k]
		delete(m.c.monsOut, k)
	})
	if !ok || mon.origin != watcher {
		return true
	}
	why := term.None
	if inCtl {
		why = m.ctl.El(5)
	}
	var h heap.Heap
	defer freeHeap(&h)
	reason, done := m.reason(why, watcher, &h)
	if done {
		return true
	}
	obj := watched
	if mon.name != term.None {
		obj = h.Tuple(mon.name, term.Atom(m.c.node.Name))
	}
	proc.RemoteDown(watcher, k, mon.pidRef, obj, reason)
	return true
}

func (m *message) exit(from, to, inCtl term.Term, link bool) bool {
	if !m.ofPeer(from) {
		return false
	}
	if !to.IsInternalPid() {
		return old(to)
	}
	if link {
		m.c.with(func() { delete(m.c.links, ends(to, from)) })
	}
	var h heap.Heap
	defer freeHeap(&h)
	reason, done := m.reason(inCtl, to, &h)
	if !done {
		proc.RemoteExit(from, to, reason, link)
	}
	return true
}

func (m *message) groupLeader(gl, to term.Term) bool {
	if !gl.IsPid() || !to.IsPid() {
		return false
	}
	if to.IsInternalPid() {
		proc.RemoteGroupLeader(to, gl)
	}
	return true
}

// SpawnOptions reads the options of a spawn request. ok is false for no list;
// bad tells of an option that is wrong. The builtins set it.
var SpawnOptions func(l term.Term) (o proc.SpawnOpts, bad, ok bool)

var (
	distSpawnInit = code.MFA{Module: term.Intern("erts_internal"), Function: term.Intern("dist_spawn_init"), Arity: 1}
	amBadopt      = term.Intern("badopt")
)

func (m *message) spawnRequest() bool {
	t := m.ctl
	ref, from, gl, mfa := t.El(2), t.El(3), t.El(4), t.El(5)
	if !ref.Is(term.KExtRef) || !m.ofPeer(from) || !gl.IsPid() || !mfa.IsTuple() || mfa.Arity() != 3 ||
		!mfa.El(1).IsAtom() || !mfa.El(2).IsAtom() || !mfa.El(3).IsSmall() || mfa.El(3).Small() < 0 {
		return false
	}
	o, bad, ok := SpawnOptions(t.El(6))
	if !ok {
		return false
	}
	c := m.c
	answer := func(flags int, result term.Term) {
		c.reply(&signal{op: wire.OpSpawnReply, a: from, c: ref, d: term.Small(int64(flags)), e: result})
	}
	if bad {
		answer(0, amBadopt)
		return true
	}
	var h heap.Heap
	args, ok := m.payload(&h)
	if !ok {
		return true
	}
	defer freeHeap(&h)
	n := int64(0)
	l := args
	for ; l.IsList(); l = l.Tail() {
		n++
	}
	if !l.IsNil() || n != mfa.El(3).Small() {
		return false
	}
	k := proc.RefKey(ref)
	flags := 0
	r := proc.RemoteSpawn{Parent: from, GroupLeader: gl, MFA: mfa, Init: distSpawnInit, Key: k, Args: args, Heap: &h}
	r.Entered = func(pid term.Term) {
		c.with(func() {
			if o.Link {
				flags |= proc.SpawnLink
				c.links[ends(pid, from)] = struct{}{}
			}
			if o.Monitor {
				flags |= proc.SpawnMonitor
				c.monsIn[k] = monIn{pid, term.None, flat(ref)}
			}
		})
		answer(flags, pid)
	}
	if _, err := r.Spawn(&o); err != term.None {
		answer(0, err)
	}
	return true
}

func (m *message) spawnReply() bool {
	t := m.ctl
	ref, parent, fl, result := t.El(2), t.El(3), t.El(4), t.El(5)
	if !parent.IsInternalPid() {
		return old(parent)
	}
	if !ref.Is(term.KRef) {
		return ref.Is(term.KExtRef) && term.NodeAt(int(ref.W(1))).Name == term.ThisNode().Name
	}
	if !fl.IsSmall() || fl.Small() < 0 || fl.Small() >= 1<<27 || !m.ofPeer(result) && !result.IsAtom() {
		return false
	}
	flags, c := int(fl.Small()), m.c
	k := proc.RefKey(ref)
	known := false
	c.with(func() {
		if _, known = c.spawns[k]; !known {
			return
		}
		delete(c.spawns, k)
		if !result.IsPid() {
			return
		}
		if flags&proc.SpawnMonitor != 0 {
			c.monsOut[k] = monOut{c.count(), parent, proc.IsPidRef(ref), term.None, result.W(1), result.W(2)}
		}
		if flags&proc.SpawnLink != 0 {
			c.links[ends(parent, result)] = struct{}{}
		}
	})
	if !known || proc.RemoteSpawnReply(parent, k, result, flags) || !result.IsPid() {
		return true
	}
	// The parent is gone.
	c.with(func() {
		delete(c.monsOut, k)
		delete(c.links, ends(parent, result))
	})
	if flags&proc.SpawnMonitor != 0 {
		c.reply(&signal{op: wire.OpDemonitorP, a: parent, b: result, c: ref})
	}
	if flags&proc.SpawnLink != 0 {
		c.reply(&signal{op: wire.OpExit, a: parent, b: result, msg: term.AmNoproc})
	}
	return true
}
