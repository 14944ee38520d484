package dist

import (
	"github.com/beamrd/beamrd/dist/etf"
	"github.com/beamrd/beamrd/internal/wire"
)

var errControl = protocol("malformed control message")

// control acts on a control message; size is that of the whole message.
// Signals that name processes of ours that do not exist are answered as a node
// does.
func (c *Conn) control(t etf.Tuple, payload etf.Term, size int) error {
	op, ok := etf.Int(t[0])
	if !ok || wire.Arities[op] != len(t) {
		return errControl
	}
	switch op {
	case wire.OpSend, wire.OpSendTT, wire.OpSendSender, wire.OpSendSenderTT:
		to, ok := t[2].(etf.Pid)
		return c.deliver(ok && payload != nil, c.box(to), Message{payload}, size)
	case wire.OpRegSend, wire.OpRegSendTT:
		return c.regSend(t, payload, size)
	case wire.OpAliasSend, wire.OpAliasSendTT, wire.OpGroupLeader:
		return nil // we make no aliases, and have no use for a group leader
	case wire.OpLink:
		return c.linked(t[1], t[2])
	case wire.OpUnlink:
		return c.unlinked(nil, t[1], t[2])
	case wire.OpUnlinkID:
		return c.unlinked(t[1], t[2], t[3])
	case wire.OpUnlinkIDAck:
		return c.unlinkAck(t[1], t[2], t[3])
	case wire.OpExit, wire.OpExitTT, wire.OpExit2, wire.OpExit2TT:
		return c.exited(t, t[len(t)-1], op == wire.OpExit || op == wire.OpExitTT, size)
	case wire.OpPayloadExit, wire.OpPayloadExitTT, wire.OpPayloadExit2, wire.OpPayloadExit2TT:
		return c.exited(t, payload, op == wire.OpPayloadExit || op == wire.OpPayloadExitTT, size)
	case wire.OpMonitorP:
		return c.watched(t[1], t[2], t[3])
	case wire.OpDemonitorP:
		return c.unwatched(t[2], t[3])
	case wire.OpMonitorPExit:
		return c.down(t, t[4], size)
	case wire.OpPayloadMonPExit:
		return c.down(t, payload, size)
	case wire.OpSpawnRequest, wire.OpSpawnRequestTT:
		if _, ok := t[2].(etf.Pid); !ok {
			return errControl
		}
		return c.signal(etf.Tuple{wire.OpSpawnReply, t[1], t[2], 0, etf.Atom("notsup")})
	case wire.OpSpawnReply, wire.OpSpawnReplyTT:
		ref, ok := t[1].(etf.Ref)
		to, ok1 := t[2].(etf.Pid)
		return c.deliver(ok && ok1, c.box(to), spawned{ref, t[4]}, size)
	}
	return errControl
}

// box returns the mailbox of a pid, or nil.
func (c *Conn) box(pid etf.Pid) *Mailbox {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.boxes[pid]
}

func (c *Conn) named(name etf.Atom) *Mailbox {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.names[name]
}

func (c *Conn) deliver(valid bool, m *Mailbox, e Event, size int) error {
	if !valid {
		return errControl
	}
	if m == nil {
		return nil
	}
	return m.put(e, size)
}

func (c *Conn) regSend(t etf.Tuple, payload etf.Term, size int) error {
	name, ok := t[3].(etf.Atom)
	if !ok || payload == nil {
		return errControl
	}
	if name == "net_kernel" {
		return c.netKernel(payload)
	}
	return c.deliver(true, c.named(name), Message{payload}, size)
}

// netKernel answers net_adm:ping/1.
func (c *Conn) netKernel(msg etf.Term) error {
	t, ok := msg.(etf.Tuple)
	if !ok || len(t) != 3 || t[0] != etf.Term(etf.Atom("$gen_call")) {
		return nil
	}
	from, ok := t[1].(etf.Tuple)
	req, ok1 := t[2].(etf.Tuple)
	if !ok || !ok1 || len(from) != 2 || len(req) != 2 || req[0] != etf.Term(etf.Atom("is_auth")) {
		return nil
	}
	to, ok := from[0].(etf.Pid)
	if !ok {
		return nil
	}
	reply := etf.Tuple{from[1], etf.Atom("yes")}
	c.mu.Lock()
	c.next++
	self := c.pid(c.next)
	c.mu.Unlock()
	// A tag [alias|Ref] asks for the answer by the alias.
	if l, ok := from[1].(etf.Improper); ok {
		if alias, ok := l.Tail.(etf.Ref); ok {
			return c.signal(etf.Tuple{wire.OpAliasSend, self, alias}, reply)
		}
	}
	return c.signal(etf.Tuple{wire.OpSendSender, self, to}, reply)
}

func (c *Conn) linked(from, to etf.Term) error {
	peer, ok := from.(etf.Pid)
	pid, ok1 := to.(etf.Pid)
	if !ok || !ok1 {
		return errControl
	}
	if m := c.box(pid); m != nil {
		m.mu.Lock()
		live := m.err == nil
		if live {
			m.links[peer] = struct{}{}
		}
		m.mu.Unlock()
		if live {
			return nil
		}
	}
	return c.signal(etf.Tuple{wire.OpPayloadExit, pid, peer}, noproc)
}

func (c *Conn) unlinked(id, from, to etf.Term) error {
	peer, ok := from.(etf.Pid)
	pid, ok1 := to.(etf.Pid)
	if !ok || !ok1 {
		return errControl
	}
	if m := c.box(pid); m != nil {
		m.mu.Lock()
		if m.err == nil {
			delete(m.links, peer)
		}
		m.mu.Unlock()
	}
	if id == nil {
		return nil
	}
	return c.signal(etf.Tuple{wire.OpUnlinkIDAck, id, pid, peer})
}

func (c *Conn) unlinkAck(id, from, to etf.Term) error {
	n, ok := etf.Int(id)
	peer, ok1 := from.(etf.Pid)
	pid, ok2 := to.(etf.Pid)
	if !ok || !ok1 || !ok2 {
		return errControl
	}
	if m := c.box(pid); m != nil {
		m.mu.Lock()
		if m.unlinks[peer] == uint64(n) {
			delete(m.unlinks, peer)
		}
		m.mu.Unlock()
	}
	return nil
}

func (c *Conn) exited(t etf.Tuple, reason etf.Term, link bool, size int) error {
	from, ok := t[1].(etf.Pid)
	to, ok1 := t[2].(etf.Pid)
	if !ok || !ok1 || reason == nil {
		return errControl
	}
	m := c.box(to)
	if m == nil {
		return nil
	}
	if link {
		m.mu.Lock()
		_, is := m.links[from]
		_, unlinking := m.unlinks[from]
		if m.err == nil {
			delete(m.links, from)
		}
		m.mu.Unlock()
		if !is || unlinking {
			return nil // of a link that we have ended already
		}
	}
	return m.put(Exit{from, reason, link}, size)
}

// watched enters a monitor of a mailbox.
func (c *Conn) watched(by, target, r etf.Term) error {
	pid, ok := by.(etf.Pid)
	ref, ok1 := r.(etf.Ref)
	if !ok || !ok1 {
		return errControl
	}
	var m *Mailbox
	w := watcher{pid: pid}
	switch v := target.(type) {
	case etf.Pid:
		m = c.box(v)
	case etf.Atom:
		if v == "net_kernel" {
			return nil // which lives as long as the connection
		}
		m, w.name = c.named(v), v
	default:
		return errControl
	}
	if m != nil {
		m.mu.Lock()
		live := m.err == nil
		full := len(m.watchers) >= 1<<16
		if live && !full {
			m.watchers[ref] = w
		}
		m.mu.Unlock()
		if full {
			return protocol("too many monitors")
		}
		if live {
			return nil
		}
	}
	return c.signal(etf.Tuple{wire.OpPayloadMonPExit, target, pid, ref}, noproc)
}

func (c *Conn) unwatched(target, r etf.Term) error {
	ref, ok := r.(etf.Ref)
	if !ok {
		return errControl
	}
	var m *Mailbox
	switch v := target.(type) {
	case etf.Pid:
		m = c.box(v)
	case etf.Atom:
		m = c.named(v)
	default:
		return errControl
	}
	if m != nil {
		m.mu.Lock()
		if m.err == nil {
			delete(m.watchers, ref)
		}
		m.mu.Unlock()
	}
	return nil
}

func (c *Conn) down(t etf.Tuple, reason etf.Term, size int) error {
	to, ok := t[2].(etf.Pid)
	ref, ok1 := t[3].(etf.Ref)
	if !ok || !ok1 || reason == nil {
		return errControl
	}
	m := c.box(to)
	if m == nil {
		return nil
	}
	m.mu.Lock()
	target, is := m.monitors[ref]
	if m.err == nil {
		delete(m.monitors, ref)
	}
	m.mu.Unlock()
	if !is {
		return nil
	}
	return m.put(Down{ref, target, reason}, size)
}
