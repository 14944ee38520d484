package dist

import (
	"math"
	"sync"

	"github.com/beamrd/beamrd/internal/wire"
	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// uint64Of returns the value of an integer that is not negative.
func uint64Of(t term.Term) (uint64, bool) {
	switch {
	case t.IsSmall():
		return uint64(t.Small()), t.Small() >= 0
	case t.Is(term.KPosBig) && term.HeaderWords(t.Hdr()) == 1:
		return t.W(1), true
	}
	return 0, false
}

// nodeOf returns the name of the node that a pid or reference is of.
func nodeOf(t term.Term) atom.Atom { return term.NodeAt(int(t.W(1))).Name }

// connTo returns the connection to a node, as prepare; nil for this node (in an
// earlier life) too.
func connTo(name atom.Atom, connect bool) *conn {
	if !alive.Load() || name == term.ThisNode().Name {
		return nil
	}
	if connect {
		return Find(name).prepare(true)
	}
	n := lookup(name)
	if n == nil {
		return nil
	}
	return n.prepare(false)
}

// Ops is what processes ask of other nodes.
type Ops struct{}

var _ proc.DistOps = Ops{}

// outgoing makes the signal of a message, or of exit/2, and tells which node it
// is for.
func outgoing(p *proc.Process, exit bool, to, msg term.Term) (s signal, name atom.Atom) {
	s = signal{op: wire.OpSend, a: p.ID, b: to, msg: msg}
	switch {
	case exit:
		s.op = wire.OpExit2
	case to.IsTuple():
		s.op, s.b = wire.OpRegSend, to.El(1)
		return s, to.El(2).Atom()
	case to.Is(term.KExtRef):
		s.op = wire.OpAliasSend
	}
	return s, nodeOf(to)
}

// The exports where a sender goes on: bif_return_trap when it has to wait, and
// dsend_long when its message is long.
var (
	returnTrap = sync.OnceValue(func() *code.Export {
		return code.GetExport(term.Intern("erlang"), term.Intern("bif_return_trap"), 1)
	})
	longTrap = sync.OnceValue(func() *code.Export {
		return code.GetExport(term.Intern("erts_internal"), term.Intern("dsend_long"), 4)
	})
)

// SendRemote is proc.SendRemote. With a trap, X0 is the result of the send.
func SendRemote(p *proc.Process, to, msg term.Term) (bool, *code.Export) {
	return sendSliced(p, false, to, msg, msg)
}

// ExitRemote is exit/2 to a process of another node; as SendRemote.
func (Ops) ExitRemote(p *proc.Process, to, reason term.Term) (bool, *code.Export) {
	return sendSliced(p, true, to, reason, term.True)
}

func sendSliced(p *proc.Process, exit bool, to, msg, res term.Term) (bool, *code.Export) {
	s, name := outgoing(p, exit, to, msg)
	c := connTo(name, true)
	if c == nil {
		return true, nil
	}
	terms := math.MaxInt
	if p.Ctx != nil && p.Ctx.SchedID != 0 {
		terms = sliceTerms
	}
	switch c.submit(p, &s, terms) {
	case ocLong:
		x := &p.Ctx.X
		x[0], x[1], x[2], x[3] = res, term.Bool(exit), to, msg
		return true, longTrap()
	case ocTooBig:
		p.Raise(proc.ClassError, term.AmSystemLimit)
		return false, nil
	}
	if p.IsSuspended() {
		p.Ctx.X[0] = res
		return true, returnTrap()
	}
	return true, nil
}

// target returns the node that a message to t goes to; ok is false when that is
// this one.
func target(t term.Term) (name atom.Atom, ok bool) {
	switch {
	case t.Is(term.KExtPid), t.Is(term.KExtRef):
		return nodeOf(t), true
	case t.IsTuple() && t.Arity() == 2 && t.El(2).IsAtom():
		return t.El(2).Atom(), t.El(2).Atom() != term.ThisNode().Name
	}
	return 0, false
}

// Connected is proc.Connected: whether a message goes out, or would be kept,
// without a connection being asked for.
func Connected(to term.Term) bool {
	name, ok := target(to)
	return !ok || name == term.ThisNode().Name || connTo(name, false) != nil
}

// Busy is proc.Busy: whether a sender to t would be made to wait.
func Busy(to term.Term) bool {
	name, ok := target(to)
	if !ok {
		return false
	}
	c := connTo(name, false)
	if c == nil {
		return false
	}
	c.node.mu.Lock()
	defer c.node.mu.Unlock()
	return c.busy
}

// Link asks for a link; the caller has entered its half.
func (Ops) Link(p *proc.Process, to term.Term) bool {
	c := connTo(nodeOf(to), true)
	if c == nil || !c.with(func() { c.links[ends(p.ID, to)] = struct{}{} }) {
		return false
	}
	c.send(p, &signal{op: wire.OpLink, a: p.ID, b: to})
	return true
}

// Unlink takes a link away.
func (Ops) Unlink(p *proc.Process, to term.Term, id uint64) bool {
	c := connTo(nodeOf(to), false)
	if c == nil || !c.send(p, &signal{op: wire.OpUnlinkID, id: id, a: p.ID, b: to}) {
		return false
	}
	c.node.mu.Lock()
	oldPeer := c.ctrl != term.None && c.flags&wire.FlagUnlinkID == 0
	if oldPeer {
		delete(c.links, ends(p.ID, to))
	}
	c.node.mu.Unlock()
	if oldPeer { // which acknowledges nothing
		proc.RemoteUnlinkAck(to, p.ID, id)
	}
	return true
}

// UnlinkAck acknowledges an unlink signal.
func (Ops) UnlinkAck(p *proc.Process, to term.Term, id uint64) {
	if c := connTo(nodeOf(to), false); c != nil {
		c.send(nil, &signal{op: wire.OpUnlinkIDAck, id: id, a: p.ID, b: to})
	}
}

// Exit sends the exit signal of the end of a linked process.
func (Ops) Exit(from, to, reason term.Term) {
	c := connTo(nodeOf(to), false)
	if c == nil {
		return
	}
	c.with(func() { delete(c.links, ends(from, to)) })
	c.send(nil, &signal{op: wire.OpExit, a: from, b: to, msg: reason})
}

// monRef builds the reference of a monitor of a process here.
func monRef(h *heap.Heap, k proc.Key, pid term.Term, pidRef bool) term.Term {
	if pidRef {
		return proc.PutPidRef(h.Alloc(1+term.PidRefWords), k, pid)
	}
	return proc.PutRef(h.Alloc(1+term.RefWords), k)
}

// Monitor asks for a monitor of a pid, or of a name on the node to.
func (Ops) Monitor(p *proc.Process, to term.Term, k proc.Key, name term.Term, pidRef bool) bool {
	m := monOut{origin: p.ID, pidRef: pidRef, name: name}
	node, watched := atom.Atom(0), to
	if to.IsAtom() {
		node, watched = to.Atom(), name
	} else {
		node, m.node, m.num = nodeOf(to), to.W(1), to.W(2)
	}
	c := connTo(node, true)
	if c == nil || !c.with(func() { m.born = c.count(); c.monsOut[k] = m }) {
		return false
	}
	var h heap.Heap
	defer freeHeap(&h)
	c.send(p, &signal{op: wire.OpMonitorP, a: p.ID, b: watched, c: monRef(&h, k, p.ID, pidRef)})
	return true
}

// Demonitor takes such a monitor away.
func (Ops) Demonitor(p *proc.Process, to term.Term, k proc.Key, name term.Term) {
	node, watched := atom.Atom(0), to
	if to.IsAtom() {
		node, watched = to.Atom(), name
	} else {
		node = nodeOf(to)
	}
	c := connTo(node, false)
	if c == nil {
		return
	}
	had := false
	c.with(func() {
		_, had = c.monsOut[k]
		delete(c.monsOut, k)
	})
	if !had {
		return
	}
	var h heap.Heap
	defer freeHeap(&h)
	c.send(p, &signal{op: wire.OpDemonitorP, a: p.ID, b: watched, c: monRef(&h, k, p.ID, false)})
}

// GroupLeader asks a process to take a group leader.
func (Ops) GroupLeader(p *proc.Process, to, gl term.Term) {
	if c := connTo(nodeOf(to), true); c != nil {
		c.send(p, &signal{op: wire.OpGroupLeader, a: gl, b: to})
	}
}

// Down tells the origin of a monitor that from is gone.
func (Ops) Down(from, origin term.Term, k proc.Key, reason term.Term) {
	c := connTo(nodeOf(origin), false)
	if c == nil {
		return
	}
	var m monIn
	ok := false
	c.with(func() {
		m, ok = c.monsIn[k]
		delete(c.monsIn, k)
	})
	if !ok {
		return
	}
	watched := from
	if m.name != term.None {
		watched = m.name
	}
	var h heap.Heap
	defer freeHeap(&h)
	c.send(nil, &signal{op: wire.OpMonitorPExit, a: watched, b: origin, c: unflat(&h, m.ref), msg: reason})
}

// SpawnRequest asks a node for a process: {M,F,Arity}, the arguments, and the
// options that are for the other node. ref is that of p.PendingSpawn. false:
// there is no connection.
func SpawnRequest(p *proc.Process, name, ref, mfa, args, opts term.Term) bool {
	c := connTo(name.Atom(), true)
	k := proc.RefKey(ref)
	if c == nil || !c.with(func() { c.spawns[k] = spawn{c.count(), p.ID} }) {
		return false
	}
	c.send(p, &signal{op: wire.OpSpawnRequest, a: p.ID, b: p.GroupLeader, c: ref, d: mfa, e: opts, msg: args})
	return true
}

// MonitorNode is monitor_node/3: wait tells that only a connection that is up
// will do. false: it is not, or cannot be asked for.
func MonitorNode(p *proc.Process, name term.Term, connect bool) bool {
	c := connTo(name.Atom(), connect)
	if c == nil {
		return false
	}
	first, ok := false, false
	if !c.with(func() {
		if ok = connect || c.ctrl != term.None; ok {
			m := c.nodeMons[p.ID]
			if first = m.count == 0; first {
				m.born = c.count()
			}
			m.count++
			c.nodeMons[p.ID] = m
		}
	}) || !ok {
		return false
	}
	if pid := p.ID; first {
		proc.OnExit(p, func() { c.with(func() { delete(c.nodeMons, pid) }) })
	}
	return true
}

// DemonitorNode takes one monitor_node back.
func DemonitorNode(p *proc.Process, name term.Term) {
	if c := connTo(name.Atom(), false); c != nil {
		c.with(func() {
			if m := c.nodeMons[p.ID]; m.count > 1 {
				m.count--
				c.nodeMons[p.ID] = m
			} else {
				delete(c.nodeMons, p.ID)
			}
		})
	}
}

// Flags returns the capabilities of the node that a pid is of; 0 when there is
// no connection.
func Flags(pid term.Term) uint64 {
	n := lookup(nodeOf(pid))
	if n == nil {
		return 0
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.state != connected {
		return 0
	}
	return n.conn.flags
}

// LastID returns the number of the present or last connection to a node; ok is
// false for a node that was never heard of.
func LastID(name atom.Atom) (id uint32, ok bool) {
	n := lookup(name)
	if n == nil {
		return 0, false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.id, true
}
