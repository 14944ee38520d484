package dist

import (
	"errors"
	"math"

	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/internal/wire"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// waiting is a signal that waits for the connection to be set up.
type waiting struct {
	signal
	h    heap.Heap // owns its terms
	size int
}

func (c *conn) enqueue(p packet) {
	c.queue = append(c.queue, p)
	c.grew(p.size)
}

func (c *conn) grew(n int) {
	c.qsize += n
	if c.qsize >= sysconf.C.DistBufBusy {
		c.busy = true
	}
}

func (c *conn) shrank(n int) {
	c.qsize -= n
	if c.busy && c.qsize < max(sysconf.C.DistBufBusy/2, 1) {
		c.resume()
	}
}

// resume lets those go on that wait for a shorter queue; the lock is held.
func (c *conn) resume() {
	c.busy = false
	for _, pid := range c.stalled {
		proc.ResumeForPort(c.stallKey(), pid)
	}
	c.stalled = nil
}

// stallKey stands for the connection in what a process is suspended by.
func (c *conn) stallKey() term.Term { return term.Atom(c.node.Name) }

// BusyPort is called when a process is made to wait for a connection. The
// builtins set it for system_monitor.
var BusyPort func(pid, ctrl term.Term)

// send sends a signal. p is the process on whose behalf it is, and which may be
// made to wait, or nil. false: the connection is gone. The caller holds no lock.
func (c *conn) send(p *proc.Process, s *signal) bool {
	return c.submit(p, s, math.MaxInt) != ocGone
}

// reply is send for those who act on what the peer has sent, and who may hold
// the port's lock. It goes out when the packet has acted.
func (c *conn) reply(s *signal) {
	if e, r := c.prepareSignal(s, math.MaxInt); r == ocSent && e != nil && c.putFor(nil, e, true) {
		c.owed.Store(true)
	} else {
		c.without(s, r)
	}
}

// maxUnread is the most memory of replies that a peer may leave unread. No
// process here waits for them, so a peer that asks and does not listen is cut
// off. A packet takes packetCost bytes besides what it holds.
const (
	maxUnread  = 64 << 20
	packetCost = 256
)

var errDeaf = errors.New("dist: the peer asks, but does not read the replies")

// owe counts a reply that was put into the queue; the lock is held.
func (c *conn) owe(p *packet) {
	p.owed = true
	c.unread += p.size + packetCost
	if c.unread > maxUnread && !c.deaf {
		c.deaf = true
		go c.bad(errDeaf)
	}
}

// left notes that a packet has left the queue; the lock is held.
func (c *conn) left(p *packet) {
	if p.owed {
		c.unread -= p.size + packetCost
	}
}

// settle sends replies. locked tells that the caller holds the port's lock.
func (c *conn) settle(locked bool) {
	if c.owed.Load() && c.owed.Swap(false) {
		c.flushPort(locked)
	}
}

// submit sends a signal unless its payload has more than a number of terms.
func (c *conn) submit(p *proc.Process, s *signal, terms int) outcome {
	e, r := c.prepareSignal(s, terms)
	if e == nil {
		if r == ocSent && p != nil {
			c.with(func() { c.stall(p) })
		}
		if r != ocLong && (r != ocTooBig || terms == math.MaxInt) {
			c.without(s, r)
		}
		return r
	}
	if !c.putFor(p, e, false) {
		return ocGone
	}
	c.flush()
	return ocSent
}

// prepareSignal encodes a signal, or keeps it until the connection is up; then
// and when it is not to be sent the result is nil.
func (c *conn) prepareSignal(s *signal, terms int) (*encoded, outcome) {
	n := c.node
	n.mu.Lock()
	if c.dead {
		n.mu.Unlock()
		return nil, ocGone
	}
	if c.ctrl == term.None {
		c.postpone(s)
		n.mu.Unlock()
		return nil, ocSent
	}
	n.mu.Unlock()
	return s.encode(c.flags, terms)
}

// putFor queues what p sends, or what is owed to the peer; false when the
// connection is gone.
func (c *conn) putFor(p *proc.Process, e *encoded, owed bool) bool {
	if p != nil {
		p.FCalls -= int64(e.size / 256)
	}
	c.node.mu.Lock()
	defer c.node.mu.Unlock()
	if c.dead {
		e.free()
		return false
	}
	c.put(e)
	if owed {
		c.owe(&c.queue[len(c.queue)-1])
	}
	c.stall(p)
	return true
}

// without acts on a signal that cannot be sent: one that is too big ends the
// connection, as its loss would go unnoticed.
func (c *conn) without(s *signal, r outcome) {
	switch r {
	case ocUnknown:
		c.unknown(s)
	case ocTooBig:
		c.fail()
	}
}

// unknown acts on a signal that the peer does not know.
func (c *conn) unknown(s *signal) {
	if s.op == wire.OpSpawnRequest {
		c.node.mu.Lock()
		delete(c.spawns, proc.RefKey(s.c))
		c.node.mu.Unlock()
		proc.RemoteSpawnReply(s.a, proc.RefKey(s.c), term.AmNotsup, 0)
	}
}

// postpone keeps a signal until the connection is up; the lock is held.
func (c *conn) postpone(s *signal) {
	w := &waiting{signal: *s}
	for _, t := range w.terms() {
		if *t != term.None && !t.IsImmed() {
			n := heap.Size(*t, true)
			a := w.h.Alloc(n)
			*t = heap.Copy(*t, &a, &w.h.Off, true)
			w.size += 8 * n
		}
	}
	w.size += 64
	c.wait = append(c.wait, w)
	c.grew(w.size)
}

// release queues what was postponed and returns what the peer does not know; the
// lock is held.
func (c *conn) release() (unknown []*waiting) {
	ws := c.wait
	c.wait = nil
	for _, w := range ws {
		c.qsize -= w.size
		switch e, r := w.encode(c.flags, math.MaxInt); r {
		case ocSent:
			c.put(e)
		case ocUnknown:
			unknown = append(unknown, w)
			continue
		default:
			c.fail()
		}
		freeHeap(&w.h)
	}
	if c.busy && c.qsize < max(sysconf.C.DistBufBusy/2, 1) {
		c.resume()
	}
	return unknown
}

// stall makes a process wait when the queue is long; the lock is held.
func (c *conn) stall(p *proc.Process) {
	if !c.busy || p == nil || p.Ctx == nil || p.Ctx.SchedID == 0 || p.Flags&proc.FlagAsyncDist != 0 || p.Exiting() {
		return
	}
	p.SuspendForPort(c.stallKey())
	p.FCalls = 0
	c.stalled = append(c.stalled, p.ID)
	if BusyPort != nil && c.ctrl != term.None {
		BusyPort(p.ID, c.ctrl)
	}
}

// flush gives the queue to the port, as far as that takes it, or tells the
// process that carries the connection.
func (c *conn) flush() { c.flushPort(false) }

func (c *conn) flushPort(locked bool) {
	n := c.node
	n.mu.Lock()
	if c.port == nil {
		pid := term.None
		if c.notify && len(c.queue) > 0 {
			c.notify, pid = false, c.ctrl
		}
		n.mu.Unlock()
		if pid != term.None {
			proc.SendTerm(term.None, pid, amDistData)
		}
		return
	}
	if c.sending {
		n.mu.Unlock()
		return
	}
	c.sending = true
	var bufs [][]byte
	var sizes []int
	for !c.stuck && len(c.queue) > 0 {
		batch, size := c.batch()
		n.mu.Unlock()
		bufs, sizes = bufs[:0], sizes[:0]
		for _, p := range batch {
			bufs, sizes = append(bufs, p.bufs...), append(sizes, p.size)
		}
		ok := false
		if locked {
			ok = c.port.DistSendLocked(bufs, sizes)
		} else {
			ok = c.port.DistSend(bufs, sizes)
		}
		n.mu.Lock()
		c.out.Add(uint64(len(batch)))
		for i := range batch {
			batch[i].free()
		}
		if !ok {
			break // its end comes through PortClosed
		}
		c.shrank(size)
	}
	c.sending = false
	n.mu.Unlock()
}

var amDistData = term.Intern("dist_data")

// batchSize and batchCount bound what the port is given at a time.
const (
	batchSize  = 256 << 10
	batchCount = 64
)

// batch takes packets out of the queue; the lock is held.
func (c *conn) batch() (ps []packet, size int) {
	n := 0
	for n < len(c.queue) && n < batchCount && (n == 0 || size+c.queue[n].size <= batchSize) {
		size += c.queue[n].size
		c.left(&c.queue[n])
		n++
	}
	ps = c.queue[:n:n]
	if c.queue = c.queue[n:]; len(c.queue) == 0 {
		c.queue = nil
	}
	return ps, size
}
