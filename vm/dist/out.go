package dist

import (
	"encoding/binary"
	"sync"

	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/vm/etf"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// fragSize is the size of the pieces that long messages go out in.
const fragSize = 64 << 10

// packet is a message or fragment of one, without the carrier's length.
type packet struct {
	bufs [][]byte
	size int
}

// waiting is a signal that waits for the connection to be set up.
type waiting struct {
	signal
	h    heap.Heap // owns its terms
	size int
}

// encoded is a signal in the external format, but for its header.
type encoded struct {
	atoms atomTable
	body  []byte
	ctl   int // bytes of the control message
	msg   bool
}

var encoders = sync.Pool{New: func() any { return new(encoded) }}

// encode writes a signal for a peer. nil: the peer knows no such signal.
func (s *signal) encode(flags uint64) *encoded {
	var h heap.Heap
	ctl, msg, skip := s.control(&h, flags)
	if skip {
		freeHeap(&h)
		return nil
	}
	e := encoders.Get().(*encoded)
	e.atoms.reset()
	o := etf.Options{UTF8Atoms: true}
	if flags&FlagDistHdrAtomCache != 0 {
		o.Cache = e.atoms.index
		e.body = o.Append(e.body[:0], ctl)
	} else {
		e.body = o.Append(append(e.body[:0], etf.Version), ctl)
	}
	e.ctl, e.msg = len(e.body), msg != term.None
	if e.msg {
		if flags&FlagDistHdrAtomCache == 0 {
			e.body = append(e.body, etf.Version)
		}
		e.body = o.Append(e.body, msg)
	}
	freeHeap(&h)
	return e
}

// put queues an encoded signal; the node's lock is held.
func (c *conn) put(e *encoded) (size int) {
	var hdr []byte
	body := e.body
	if cap(body) < 4096 && len(body) < 1024 {
		body = append([]byte(nil), body...) // and the encoder keeps its own
	} else {
		e.body = nil
	}
	if c.flags&FlagDistHdrAtomCache == 0 {
		size = c.enqueue([]byte{tagPassThrough}, body)
		encoders.Put(e)
		return size
	}
	n := 1
	if e.msg && c.flags&FlagFragments != 0 && len(body)-e.ctl > fragSize {
		n = (len(body) - e.ctl + fragSize - 1) / fragSize
	}
	hdr = make([]byte, 0, 32+4*len(e.atoms.atoms))
	if n == 1 {
		hdr = append(hdr, etf.Version, tagHeader)
		size = c.enqueue(appendAtoms(hdr, c.cache, e.atoms.atoms), body)
		encoders.Put(e)
		return size
	}
	c.seq++
	for i := n; i > 0; i-- {
		k := fragSize
		if i == n {
			hdr = appendAtoms(fragHeader(hdr, tagFragHeader, c.seq, i), c.cache, e.atoms.atoms)
			k += e.ctl
		} else {
			hdr = fragHeader(nil, tagFragCont, c.seq, i)
		}
		k = min(k, len(body))
		size += c.enqueue(hdr, body[:k:k])
		body = body[k:]
	}
	encoders.Put(e)
	return size
}

func fragHeader(b []byte, tag byte, seq uint64, n int) []byte {
	b = binary.BigEndian.AppendUint64(append(b, etf.Version, tag), seq)
	return binary.BigEndian.AppendUint64(b, uint64(n))
}

func (c *conn) enqueue(bufs ...[]byte) int {
	p := packet{bufs: bufs}
	for _, b := range bufs {
		p.size += len(b)
	}
	c.queue = append(c.queue, p)
	c.grew(p.size)
	return p.size
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
	if !c.submit(p, s) {
		return false
	}
	c.flush()
	return true
}

// reply is send for those who may hold the lock of a port.
func (c *conn) reply(s *signal) {
	if c.submit(nil, s) {
		go c.flush()
	}
}

func (c *conn) submit(p *proc.Process, s *signal) bool {
	n := c.node
	n.mu.Lock()
	if c.dead {
		n.mu.Unlock()
		return false
	}
	if c.ctrl == term.None {
		c.postpone(s)
		c.stall(p)
		n.mu.Unlock()
		return true
	}
	n.mu.Unlock()
	e := s.encode(c.flags)
	if e == nil {
		c.unknown(s)
		return true
	}
	if p != nil {
		p.FCalls -= int64(len(e.body) / 128)
	}
	n.mu.Lock()
	if c.dead {
		n.mu.Unlock()
		return false
	}
	c.put(e)
	c.stall(p)
	n.mu.Unlock()
	return true
}

// unknown acts on a signal that the peer does not know.
func (c *conn) unknown(s *signal) {
	if s.op == opSpawnRequest {
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
		e := w.encode(c.flags)
		if e == nil {
			unknown = append(unknown, w)
			continue
		}
		c.put(e)
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
func (c *conn) flush() {
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
	for !c.stuck && len(c.queue) > 0 {
		p := c.queue[0]
		c.queue[0] = packet{}
		c.queue = c.queue[1:]
		n.mu.Unlock()
		_, ok := c.port.DistSend(p.bufs)
		n.mu.Lock()
		c.out.Add(1)
		if !ok {
			break // its end comes through PortClosed
		}
		c.shrank(p.size)
	}
	c.sending = false
	n.mu.Unlock()
}

var amDistData = term.Intern("dist_data")
