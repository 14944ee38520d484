package dist

import (
	"strings"
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/wire"
	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Data, PortBusy and PortClosed are what a port tells of the connection that it
// carries. They are called under the port's lock.

// Data takes a packet.
func (c *conn) Data(b []byte) bool {
	more := c.input(b)
	c.settle(true)
	return more
}

// PortBusy stops the sender, or lets it go on.
func (c *conn) PortBusy(busy bool) {
	c.node.mu.Lock()
	c.stuck = busy
	more := !busy && len(c.queue) > 0
	c.node.mu.Unlock()
	if more {
		go c.flush()
	}
}

// PortClosed ends the connection.
func (c *conn) PortClosed(reason term.Term) { c.down(reason) }

// Result is what Up found.
type Result int

// The results of Up.
const (
	UpDone   Result = iota
	UpBadarg        // no pending connection, or no such carrier
	UpWait          // the end of the last connection is still being told
)

// Up makes a port or process the carrier of the pending connection to a node.
// creation is that of the node's incarnation, setup the process that did the
// handshake.
func (n *Node) Up(ctrl term.Term, flags uint64, creation uint32, setup term.Term) (id uint32, r Result) {
	n.mu.Lock()
	c := n.conn
	switch {
	case n.ends > 0:
		n.mu.Unlock()
		return 0, UpWait
	case n.state != pending || c.ctrl != term.None || halting.Load():
		n.mu.Unlock()
		return 0, UpBadarg
	}
	n.mu.Unlock()
	var p *port.Port
	if ctrl.IsInternalPort() {
		p = port.Lookup(ctrl)
		if p == nil || !strings.HasSuffix(p.DriverName(), "_inet") || !p.SetDist(c) {
			return 0, UpBadarg
		}
	} else if !c.carriedBy(ctrl) {
		return 0, UpBadarg
	}
	n.mu.Lock()
	if c.dead || n.state != pending {
		n.mu.Unlock()
		if p != nil {
			p.SetDist(nil)
		}
		return 0, UpBadarg
	}
	var h heap.Heap
	name := term.Atom(n.Name)
	proc.Deliver(term.None, Kernel(), &h, h.Tuple(amDistCtrlr, ctrl, name, setup))
	c.flags = flags
	if flags&wire.FlagDistHdrAtomCache != 0 {
		c.cache = new([cacheSize]atom.Atom)
	}
	c.ctrl, c.port, n.state, n.creation = ctrl, p, connected, creation
	unknown := c.release()
	n.mu.Unlock()
	for _, w := range unknown {
		c.unknown(&w.signal)
		freeHeap(&w.h)
	}
	c.flush()
	nodesChanged(true, name, int64(c.id), c.kind(), term.Nil)
	return c.id, UpDone
}

var halting atomic.Bool

// Halt ends all connections and lets none come up any more: this node ends.
// Others are not to see it half dead.
func Halt() {
	halting.Store(true)
	for _, n := range allNodes() {
		n.mu.Lock()
		c := n.conn
		n.mu.Unlock()
		if c != nil && c.port != nil {
			c.port.CloseAndWait()
		}
	}
}

// carriedBy enters a process that carries c.
func (c *conn) carriedBy(pid term.Term) bool {
	p := proc.Lookup(pid)
	if p == nil || p.Exiting() {
		return false
	}
	carriers.Lock()
	defer carriers.Unlock()
	if carriers.m == nil {
		carriers.m = map[term.Term]*conn{}
	}
	if carriers.m[pid] != nil {
		return false
	}
	carriers.m[pid] = c
	carriers.n.Store(int64(len(carriers.m)))
	return true
}

// carried returns the connection of a handle if pid carries it. notCarrier: pid
// carries none at all.
func carried(pid, handle term.Term) (c *conn, notCarrier bool) {
	carriers.Lock()
	c = carriers.m[pid]
	carriers.Unlock()
	if c == nil {
		return nil, true
	}
	if n, id := FromHandle(handle); n != c.node || id != c.id {
		return nil, false
	}
	return c, false
}

// Ctrl is a connection as its process sees it.
type Ctrl struct{ c *conn }

// Carried returns what dist_ctrl_* functions of a process act on. notSup: the
// process carries no connection; else a nil ok means that it is another.
func Carried(pid, handle term.Term) (ctrl Ctrl, ok, notSup bool) {
	c, no := carried(pid, handle)
	return Ctrl{c}, c != nil, no
}

// SetInputHandler says which process puts data in.
func (k Ctrl) SetInputHandler(pid term.Term) { k.c.with(func() { k.c.handler = pid }) }

// GetSize tells whether data come with their size, and SetGetSize changes it.
func (k Ctrl) GetSize() (on bool) {
	k.c.with(func() { on = k.c.getSize })
	return on
}

// SetGetSize changes whether data come with their size.
func (k Ctrl) SetGetSize(on bool) { k.c.with(func() { k.c.getSize = on }) }

// Notify asks for a message when there are data.
func (k Ctrl) Notify() {
	k.c.with(func() { k.c.notify = true })
	k.c.flush()
}

// Next takes a packet out of the queue. The buffers are valid until free is
// called.
func (k Ctrl) Next() (bufs [][]byte, size int, free func(), ok bool) {
	c := k.c
	c.with(func() {
		if len(c.queue) == 0 {
			return
		}
		p := c.queue[0]
		c.left(&p)
		c.queue[0] = packet{}
		c.queue = c.queue[1:]
		bufs, size, free, ok = p.bufs, p.size, p.free, true
		c.out.Add(1)
		c.shrank(size)
	})
	return bufs, size, free, ok
}

// Put takes a packet in from the input handler of a connection. known is false
// for a stale handle; mine is false for another process.
func Put(pid, handle term.Term, b []byte) (known, mine bool) {
	n, id := FromHandle(handle)
	if n == nil {
		return false, false
	}
	n.mu.Lock()
	c := n.conn
	if c == nil || c.id != id {
		n.mu.Unlock()
		return true, false
	}
	mine = c.handler == pid
	n.mu.Unlock()
	if mine {
		c.input(b)
		c.settle(false)
	}
	return true, mine
}

// Stat returns the packets in and out and the bytes that wait; ok is false when
// the handle is not that of the present connection.
func Stat(handle term.Term) (in, out uint64, queued int, ok bool) {
	n, id := FromHandle(handle)
	if n == nil {
		return 0, 0, 0, false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.conn
	if n.id != id {
		return 0, 0, 0, false
	}
	if c == nil {
		return 0, 0, 0, true
	}
	return c.in.Load(), c.out.Load(), c.qsize, true
}
