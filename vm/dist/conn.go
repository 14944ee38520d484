package dist

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/wire"
	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// conn is a connection, from the moment that someone wants it. Its fields are
// guarded by the node's lock unless they say otherwise.
type conn struct {
	node *Node
	id   uint32
	dead bool
	told chan struct{} // closed when everyone has been told of its end

	ctrl    term.Term  // the port or process that carries it; None: pending
	port    *port.Port // or nil
	flags   uint64     // fixed once connected
	handler term.Term  // the process that puts data in
	getSize bool

	wait    []*waiting // signals before it is connected
	queue   []packet
	qsize   int // bytes in queue or wait
	busy    bool
	stalled []term.Term // processes that wait for a shorter queue
	sending bool        // someone is emptying the queue into the port
	stuck   bool        // the port is busy
	notify  bool        // the carrier wants to hear of data
	cache   *[cacheSize]atom.Atom
	seq     uint64
	in, out atomic.Uint64 // packets

	links    map[linkEnds]struct{}
	monsOut  map[proc.Key]monOut // monitors that processes here have
	monsIn   map[proc.Key]monIn  // monitors of processes here
	spawns   map[proc.Key]spawn
	nodeMons map[term.Term]nodeMon
	born     uint64      // counts monitors
	owed     atomic.Bool // there are replies in the queue
	unread   int         // bytes of replies in the queue
	deaf     bool        // it is given up for not reading them

	rd reader
}

// linkEnds is a link of a process here with one there: the words of its pid.
type linkEnds struct {
	local     term.Term
	node, num uint64
}

// nodeMon is how often a process monitors the node.
type nodeMon struct {
	count int
	born  uint64
}

type monOut struct {
	born      uint64
	origin    term.Term
	pidRef    bool
	name      term.Term // registered name, or None
	node, num uint64    // else the pid
}

type spawn struct {
	born   uint64
	parent term.Term
}

type monIn struct {
	target term.Term
	name   term.Term // by which it was asked for, or None
	ref    []uint64  // the reference, header and all
}

func (n *Node) newConn() *conn {
	n.id++
	c := &conn{
		node: n, id: n.id, ctrl: term.None, handler: term.None, told: make(chan struct{}),
		links: map[linkEnds]struct{}{}, monsOut: map[proc.Key]monOut{}, monsIn: map[proc.Key]monIn{},
		spawns: map[proc.Key]spawn{}, nodeMons: map[term.Term]nodeMon{},
	}
	c.rd.c = c
	n.conn, n.state = c, pending
	return c
}

func (c *conn) kind() term.Term {
	if c.flags&wire.FlagPublished != 0 {
		return amVisible
	}
	return amHidden
}

// NewConnection returns the present connection of a node, a new one when there
// is none.
func (n *Node) NewConnection() (id uint32) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.state == idle {
		n.newConn()
	}
	return n.id
}

// prepare returns the node's connection, pending or not; nil when there is none
// and none is to be made, or there is nobody to make it.
func (n *Node) prepare(connect bool) *conn {
	if !alive.Load() {
		return nil
	}
	n.mu.Lock()
	if n.state != idle {
		c := n.conn
		n.mu.Unlock()
		return c
	}
	if !connect {
		n.mu.Unlock()
		return nil
	}
	c := n.newConn()
	n.mu.Unlock()
	var h heap.Heap
	msg := h.Tuple(amAutoConnect, term.Atom(n.Name), n.Handle(&h, c.id))
	if !proc.Deliver(term.None, amNetKernel, &h, msg) {
		c.abort()
		return nil
	}
	return c
}

// Abort gives a pending connection up; false when it was connected.
func (n *Node) Abort(id uint32) bool {
	n.mu.Lock()
	c, st := n.conn, n.state
	if n.id != id {
		c = nil
	}
	n.mu.Unlock()
	switch {
	case c == nil:
		return true
	case st == connected:
		return false
	}
	c.abort()
	return true
}

func (c *conn) abort() {
	c.node.mu.Lock()
	if c.ctrl != term.None || c.dead {
		c.node.mu.Unlock()
		return
	}
	rest := c.detach()
	c.node.mu.Unlock()
	go rest.tell(false, term.None, nil)
}

// down ends a connection whose carrier is gone.
func (c *conn) down(reason term.Term) {
	if reason == term.AmNormal {
		reason = amConnectionClosed
	}
	h := &heap.Heap{}
	if !reason.IsImmed() {
		a := h.Alloc(heap.Size(reason, true))
		reason = heap.Copy(reason, &a, &h.Off, true)
	}
	c.node.mu.Lock()
	if c.dead {
		c.node.mu.Unlock()
		return
	}
	rest := c.detach()
	c.node.ends++
	c.node.mu.Unlock()
	go rest.tell(true, reason, h)
}

// detach takes a connection from its node. The lock is held.
func (c *conn) detach() *conn {
	c.dead = true
	if c.node.conn == c {
		c.node.conn, c.node.state = nil, idle
	}
	for _, w := range c.wait {
		freeHeap(&w.h)
	}
	for i := range c.queue {
		c.queue[i].free()
	}
	c.wait, c.queue, c.qsize, c.cache = nil, nil, 0, nil
	c.resume()
	return c
}

// tell tells everyone who had to do with the other node that it is gone.
func (c *conn) tell(wasUp bool, reason term.Term, h *heap.Heap) {
	defer close(c.told)
	c.rd.late.wait()
	name := term.Atom(c.node.Name)
	for l := range c.links {
		var b heap.Heap
		proc.RemoteLinkLost(extPid(&b, l.node, l.num), l.local)
		freeHeap(&b)
	}
	for _, f := range c.lastWords(name) {
		f()
	}
	for k, m := range c.monsIn {
		proc.RemoteDemonitor(m.target, k)
	}
	c.rd.free()
	if !wasUp {
		return
	}
	nodesChanged(false, name, int64(c.id), c.kind(), reason)
	freeHeap(h)
	c.node.mu.Lock()
	c.node.ends--
	c.node.mu.Unlock()
}

// lastWords returns what is to be told to those who watch something on the other
// node, in the order in which they began to.
func (c *conn) lastWords(name term.Term) []func() {
	type word struct {
		born uint64
		f    func()
	}
	var ws []word
	for k, m := range c.monsOut {
		ws = append(ws, word{m.born, func() {
			var b heap.Heap
			defer freeHeap(&b)
			obj := term.None
			if m.name != term.None {
				obj = b.Tuple(m.name, name)
			} else {
				obj = extPid(&b, m.node, m.num)
			}
			proc.RemoteDown(m.origin, k, m.pidRef, obj, term.AmNoconnection)
		}})
	}
	for pid, m := range c.nodeMons {
		ws = append(ws, word{m.born, func() {
			for range m.count {
				var b heap.Heap
				proc.SendBuilt(term.None, pid, b.Tuple(amNodedown, name), &b)
			}
		}})
	}
	for k, s := range c.spawns {
		ws = append(ws, word{s.born, func() { proc.RemoteSpawnReply(s.parent, k, term.AmNoconnection, 0) }})
	}
	slices.SortFunc(ws, func(a, b word) int { return cmp.Compare(a.born, b.born) })
	fs := make([]func(), len(ws))
	for i, w := range ws {
		fs[i] = w.f
	}
	return fs
}

// count numbers what begins; the lock is held.
func (c *conn) count() uint64 {
	c.born++
	return c.born
}

// kill ends a connection by its carrier.
func (c *conn) kill(reason term.Term) {
	c.node.mu.Lock()
	ctrl, p := c.ctrl, c.port
	c.node.mu.Unlock()
	switch {
	case ctrl == term.None:
		c.abort()
	case p != nil:
		p.Do(func() { p.Fail(reason) })
	default:
		proc.RemoteExit(term.AmUndefined, ctrl, term.AmKill, false)
	}
}

// fail ends a connection from any thread, those in the port's driver too.
func (c *conn) fail() { go c.kill(term.AmKilled) }

func extPid(h *heap.Heap, node, num uint64) term.Term {
	a := h.Alloc(3)
	term.Put(a, 0, term.Header(2, term.KExtPid))
	term.Put(a, 1, node)
	term.Put(a, 2, num)
	return term.Box(a)
}

// flat returns the words of a boxed object without pointers.
func flat(t term.Term) []uint64 {
	n := term.HeaderWords(t.Hdr()) + 1
	w := make([]uint64, n)
	for i := range w {
		w[i] = t.W(i)
	}
	return w
}

func unflat(h *heap.Heap, w []uint64) term.Term {
	a := h.Alloc(len(w))
	for i, v := range w {
		term.Put(a, i, v)
	}
	return term.Box(a)
}

// freeHeap frees what was built in the fragments of h.
func freeHeap(h *heap.Heap) {
	heap.ReleaseOffHeap(&h.Off)
	heap.FreeFragments(h.Frags)
	h.Frags, h.FragWords = nil, 0
}
