package dist

import (
	"encoding/binary"
	"math"
	"sync"

	"github.com/beamrd/beamrd/internal/wire"
	"github.com/beamrd/beamrd/vm/etf"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

const (
	// fragSize is the size of the pieces that long messages go out in.
	fragSize = 64 << 10
	// leastRef is the smallest binary whose bytes are not copied on their way
	// to the port.
	leastRef = 4 << 10
	// sliceTerms is how many terms of a message a scheduler encodes; one that
	// has more is encoded by a dirty pool, from the start.
	sliceTerms = 8 << 10
)

// packet is a message or fragment of one, without the carrier's length. bins
// are what some of its bytes lie in, with a count each.
type packet struct {
	bufs [][]byte
	bins []*heap.Bin
	size int
	owed bool // an answer to the peer's own signal
}

func (p *packet) free() {
	for _, b := range p.bins {
		b.Unref()
	}
	*p = packet{}
}

// encoded is a signal in the external format, but for its header.
type encoded struct {
	atoms atomTable
	enc   etf.Encoder
	room  []byte // for short signals, used again
	parts []etf.Part
	size  int
	ctl   int // bytes of the control message
	msg   bool
}

var encoders = sync.Pool{New: func() any { return &encoded{enc: *etf.NewEncoder(etf.Options{UTF8Atoms: true})} }}

// outcome is what became of a signal.
type outcome uint8

const (
	ocSent    outcome = iota
	ocGone            // the connection is
	ocLong            // not yet: its encoding takes more than a slice
	ocTooBig          // a binary in it is too large for the format
	ocUnknown         // the peer knows no such signal
)

// encode writes a signal for a peer, of the payload at most a number of terms.
func (s *signal) encode(flags uint64, terms int) (*encoded, outcome) {
	var h heap.Heap
	ctl, msg, skip := s.control(&h, flags)
	defer freeHeap(&h)
	if skip {
		return nil, ocUnknown
	}
	e := encoders.Get().(*encoded)
	e.atoms.reset()
	e.enc.IOVec, e.enc.Least, e.enc.Cache = true, leastRef, nil
	version := flags&wire.FlagDistHdrAtomCache == 0
	e.enc.Begin(e.room)
	if version {
		e.enc.Byte(etf.Version)
	} else {
		e.enc.Cache = e.atoms.index
	}
	e.enc.Add(ctl)
	e.enc.Step(math.MaxInt)
	e.ctl, e.msg = e.enc.Len(), msg != term.None
	if e.msg {
		if version {
			e.enc.Byte(etf.Version)
		}
		e.enc.Add(msg)
		if _, done := e.enc.Step(terms); !done {
			e.free()
			return nil, ocLong
		}
	}
	if e.enc.TooBig() {
		e.free()
		return nil, ocTooBig
	}
	e.size = e.enc.Len()
	e.parts = e.enc.Parts(e.parts[:0])
	return e, ocSent
}

// maxRoom is the largest buffer that an encoder keeps.
const maxRoom = 8 << 10

// free gives the encoder back; parts that were not taken are dropped.
func (e *encoded) free() {
	for i, p := range e.parts {
		if p.Bin != nil {
			p.Bin.Unref()
		}
		e.parts[i] = etf.Part{}
	}
	e.parts = e.parts[:0]
	e.enc.Close()
	encoders.Put(e)
}

// take moves the next n bytes, or what there is, into a packet. Short ones are
// copied behind head, if that has room.
func (e *encoded) take(head []byte, n int) packet {
	p := packet{bufs: make([][]byte, 1, 2), size: len(head)}
	for n > 0 && len(e.parts) > 0 {
		q := &e.parts[0]
		k := min(n, len(q.Bytes))
		b := q.Bytes[:k:k]
		n -= k
		p.size += k
		whole := k == len(q.Bytes)
		switch {
		case q.Bin == nil && len(p.bufs) == 1 && k <= cap(head)-len(head):
			head = append(head, b...)
		case q.Bin != nil:
			p.bufs, p.bins = append(p.bufs, b), append(p.bins, q.Bin)
			if !whole {
				q.Bin.Ref()
			}
		default:
			p.bufs = append(p.bufs, b)
		}
		if whole {
			e.parts[0] = etf.Part{}
			e.parts = e.parts[1:]
		} else {
			q.Bytes = q.Bytes[k:]
		}
	}
	p.bufs[0] = head
	return p
}

// shortBody is the size up to which a message is one buffer.
const shortBody = 1024

// put queues an encoded signal; the node's lock is held.
func (c *conn) put(e *encoded) {
	body := 0
	if e.size <= shortBody {
		body = e.size
	}
	if c.flags&wire.FlagDistHdrAtomCache == 0 {
		c.enqueue(e.take(append(make([]byte, 0, 1+body), wire.TagPassThrough), e.size))
		c.done(e)
		return
	}
	n := 1
	if e.msg && c.flags&wire.FlagFragments != 0 && e.size-e.ctl > fragSize {
		n = (e.size - e.ctl + fragSize - 1) / fragSize
	}
	room := 32 + 4*len(e.atoms.atoms)
	if n == 1 {
		hdr := append(make([]byte, 0, room+body), etf.Version, wire.TagHeader)
		c.enqueue(e.take(appendAtoms(hdr, c.cache, e.atoms.atoms), e.size))
		c.done(e)
		return
	}
	c.seq++
	for i := n; i > 0; i-- {
		k := fragSize
		var hdr []byte
		if i == n {
			hdr = appendAtoms(fragHeader(make([]byte, 0, room), wire.TagFragHeader, c.seq, i), c.cache, e.atoms.atoms)
			k += e.ctl
		} else {
			hdr = fragHeader(make([]byte, 0, 18), wire.TagFragCont, c.seq, i)
		}
		c.enqueue(e.take(hdr, k))
	}
	c.done(e)
}

// done gives back an encoder whose parts were taken.
func (c *conn) done(e *encoded) {
	e.parts = e.parts[:0]
	e.free()
}

func fragHeader(b []byte, tag byte, seq uint64, n int) []byte {
	b = binary.BigEndian.AppendUint64(append(b, etf.Version, tag), seq)
	return binary.BigEndian.AppendUint64(b, uint64(n))
}

// Long is a message or exit signal whose encoding takes long: one pool encodes
// it, and then its sender goes on with it.
type Long struct {
	c   *conn
	e   *encoded
	end outcome
}

// NewLong encodes a signal of p to to, which may take long. exit: msg is the
// reason of exit/2. nil: there is no connection to send it over.
func NewLong(p *proc.Process, exit bool, to, msg term.Term) *Long {
	s, name := outgoing(p, exit, to, msg)
	c := connTo(name, true)
	if c == nil {
		return nil
	}
	l := &Long{c: c}
	l.e, l.end = c.prepareSignal(&s, math.MaxInt)
	return l
}

// Send sends it on behalf of p. tooBig tells of system_limit.
func (l *Long) Send(p *proc.Process) (tooBig bool) {
	e := l.e
	l.e = nil
	if e != nil {
		l.c.putFor(p, e, false)
		l.c.flush()
	}
	return l.end == ocTooBig
}

// Drop is called when it is not sent.
func (l *Long) Drop() {
	if l.e != nil {
		l.e.free()
		l.e = nil
	}
}
