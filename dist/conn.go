package dist

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/beamrd/beamrd/dist/etf"
	"github.com/beamrd/beamrd/internal/wire"
)

// ErrClosed says that we closed the connection.
var ErrClosed = errors.New("dist: the connection is closed")

// Conn is a connection to a node. Its methods may be called from any goroutine.
type Conn struct {
	nc   net.Conn
	self self
	peer peer
	o    Options

	wmu     sync.Mutex // held while a packet is written
	written atomic.Uint64

	refs atomic.Uint32

	mu    sync.Mutex
	boxes map[etf.Pid]*Mailbox
	names map[etf.Atom]*Mailbox
	next  uint32
	err   error
	done  chan struct{}
	ended sync.WaitGroup
}

func newConn(nc net.Conn, s self, p peer, o Options) *Conn {
	c := &Conn{
		nc: nc, self: s, peer: p, o: o, done: make(chan struct{}),
		boxes: map[etf.Pid]*Mailbox{}, names: map[etf.Atom]*Mailbox{},
	}
	c.refs.Store(rand.Uint32())
	c.ended.Add(2)
	go c.read()
	go c.tick()
	return c
}

// Node returns our own name on this connection, and Peer that of the node at
// the other end.
func (c *Conn) Node() string { return c.self.name }

// Peer returns the name of the node at the other end.
func (c *Conn) Peer() string { return c.peer.name }

// Done is closed when the connection has ended, which is how the node at the
// other end is monitored; Err then says why.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns why the connection has ended: ErrClosed after Close; nil while it
// lives.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the connection and waits until nothing of it runs.
func (c *Conn) Close() error {
	c.fail(ErrClosed)
	c.ended.Wait()
	return nil
}

// fail ends the connection for a reason.
func (c *Conn) fail(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	boxes := c.boxes
	c.boxes, c.names = nil, nil
	c.mu.Unlock()
	close(c.done)
	c.nc.Close()
	for _, m := range boxes {
		m.disconnected()
	}
}

// read takes packets until the connection ends.
func (c *Conn) read() {
	defer c.ended.Done()
	in := bufio.NewReaderSize(c.nc, 32<<10)
	asm := assembler{max: c.o.MaxMessage}
	var buf bytes.Buffer
	var dec etf.Decoder
	dec.MaxInflated = c.o.MaxMessage
	for {
		c.nc.SetReadDeadline(time.Now().Add(c.o.TickTime + c.o.TickTime/4))
		var l [4]byte
		_, err := io.ReadFull(in, l[:])
		n := int64(binary.BigEndian.Uint32(l[:]))
		switch {
		case err != nil:
		case n > int64(c.o.MaxMessage):
			err = protocol("packet of %d bytes", n)
		case n == 0:
			continue
		default:
			// The length is only believed as far as bytes come.
			buf.Reset()
			if _, err = io.CopyN(&buf, slowReader{c, in}, n); err == nil {
				err = c.packet(&asm, &dec, buf.Bytes())
			}
		}
		if err != nil {
			if ne := net.Error(nil); errors.As(err, &ne) && ne.Timeout() {
				err = fmt.Errorf("dist: %s does not respond", c.peer.name)
			}
			c.fail(err)
			return
		}
		if buf.Cap() > 1<<20 {
			buf = bytes.Buffer{}
		}
	}
}

// slowReader puts the deadline off as long as bytes come.
type slowReader struct {
	c *Conn
	r io.Reader
}

func (s slowReader) Read(b []byte) (int, error) {
	s.c.nc.SetReadDeadline(time.Now().Add(s.c.o.TickTime + s.c.o.TickTime/4))
	return s.r.Read(b)
}

func (c *Conn) packet(asm *assembler, dec *etf.Decoder, b []byte) error {
	atoms, body, ok, err := asm.add(b)
	if err != nil || !ok {
		return err
	}
	dec.Atoms = atoms
	ctl, rest, err := dec.Decode(body)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	t, ok := ctl.(etf.Tuple)
	if !ok || len(t) == 0 {
		return protocol("malformed control message")
	}
	var payload etf.Term
	if len(rest) > 0 {
		if payload, rest, err = dec.Decode(rest); err != nil {
			return fmt.Errorf("%w: %w", ErrProtocol, err)
		}
		if len(rest) > 0 {
			return protocol("bytes after the message")
		}
	}
	return c.control(t, payload, len(body))
}

// tick writes an empty packet in every quarter of the tick time in which
// nothing else is written.
func (c *Conn) tick() {
	defer c.ended.Done()
	t := time.NewTicker(c.o.TickTime / 4)
	defer t.Stop()
	last := uint64(0)
	for {
		select {
		case <-c.done:
			return
		case <-t.C:
		}
		if n := c.written.Load(); n != last {
			last = n
			continue
		}
		// A packet that is being written is as good.
		if c.wmu.TryLock() {
			err := c.write([]byte{0, 0, 0, 0})
			c.wmu.Unlock()
			if err != nil {
				c.fail(err)
				return
			}
		}
		last = c.written.Load()
	}
}

// write writes a packet; wmu is held. A peer that does not read for the tick
// time is given up.
func (c *Conn) write(b []byte) error {
	for len(b) > 0 {
		part := b[:min(len(b), 1<<20)]
		c.nc.SetWriteDeadline(time.Now().Add(c.o.TickTime))
		n, err := c.nc.Write(part)
		if err != nil {
			return err
		}
		b = b[n:]
	}
	c.written.Add(1)
	return nil
}

// signal sends a control message, with a payload unless it is none.
func (c *Conn) signal(ctl etf.Tuple, payload ...etf.Term) error {
	b := []byte{0, 0, 0, 0, etf.Version, wire.TagHeader, 0}
	b, err := etf.Append(b, ctl)
	for _, p := range payload {
		if err == nil {
			b, err = etf.Append(b, p)
		}
	}
	if err != nil {
		return err
	}
	if int64(len(b)-4) > 1<<32-1 {
		return fmt.Errorf("dist: message of %d bytes is too large", len(b)-4)
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	c.wmu.Lock()
	defer c.wmu.Unlock()
	if err := c.Err(); err != nil {
		return err
	}
	if err := c.write(b); err != nil {
		c.fail(err)
		return c.Err()
	}
	return nil
}

// MakeRef returns a new reference of ours.
func (c *Conn) MakeRef() etf.Ref {
	n := c.refs.Add(1)
	return etf.Ref{
		Node: etf.Atom(c.self.name), Creation: c.self.creation, Len: 3,
		ID: [5]uint32{n & (1<<18 - 1), rand.Uint32(), rand.Uint32()},
	}
}

// Send sends a message to a registered process of the peer. It says nothing
// about its arrival; ctx is that of writing.
func (c *Conn) Send(ctx context.Context, name string, t etf.Term) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	c.next++
	from := c.pid(c.next)
	c.mu.Unlock()
	return c.signal(etf.Tuple{wire.OpRegSend, from, etf.Atom(""), etf.Atom(name)}, t)
}

// pid makes a pid of ours; mu is held.
func (c *Conn) pid(n uint32) etf.Pid {
	return etf.Pid{Node: etf.Atom(c.self.name), ID: n & (1<<28 - 1), Serial: n >> 28, Creation: c.self.creation}
}
