package dist

import (
	"encoding/binary"
	"errors"
	"sync"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/internal/wire"
	"github.com/beamrd/beamrd/vm/etf"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// reader takes packets of a connection apart.
type reader struct {
	mu    sync.Mutex
	c     *conn
	cache *[cacheSize]term.Term
	atoms []term.Term
	dec   *etf.Decoder
	parts map[uint64]*partial
	held  int // bytes of all parts
	late  late
}

// partial is a message of which fragments are still to come.
type partial struct {
	atoms []term.Term
	body  *heap.Bin // Size is what has come
	next  uint64    // number of the fragment to come
}

// add appends a fragment; left is how many more are announced.
func (p *partial) add(b []byte, left uint64) {
	n := p.body.Size + uintptr(len(b))
	if n > p.body.Cap {
		// The sender has said how many there are, but only what has come
		// already is believed: twice that is made room for, or a little.
		want := n + uintptr(min(left, maxParts*4))*uintptr(len(b))
		p.body.Resize(max(n, min(want, max(2*n, beliefSize))))
	}
	copy(offheap.Bytes(p.body.Data+p.body.Size, uintptr(len(b))), b)
	p.body.Size = n
}

// beliefSize is the room made for a fragmented message on its sender's word.
const beliefSize = 1 << 20

// The limits of what a peer can make this node keep.
const (
	maxParts = 1 << 14 // messages begun at a time
	maxHeld  = 4 << 30 // bytes of them
)

var (
	errPacket   = errors.New("dist: malformed packet")
	errFragment = errors.New("dist: unexpected fragment")
	errControl  = errors.New("dist: invalid control message")
	errTooMuch  = errors.New("dist: too many or too large fragmented messages")
)

// free waits until what has come has acted, and drops the rest.
func (r *reader) free() {
	r.late.wait()
	r.mu.Lock()
	for _, p := range r.parts {
		p.body.Unref()
	}
	r.parts, r.cache, r.dec = nil, nil, nil
	r.mu.Unlock()
}

// Blocked, while locked, keeps packets from being read: a node whose schedulers
// are blocked for a test hears nothing either.
var Blocked sync.RWMutex

// input acts on a packet; the bytes are only borrowed. more is false when there
// is enough to do for the time being.
func (c *conn) input(b []byte) (more bool) {
	Blocked.RLock()
	defer Blocked.RUnlock()
	c.in.Add(1)
	r := &c.rd
	if len(b) == 0 || !alive.Load() {
		return true
	}
	r.mu.Lock()
	err := r.packet(b)
	r.mu.Unlock()
	if err != nil {
		c.bad(err)
	}
	return r.late.more()
}

// bad ends a connection whose peer sends what it should not.
func (c *conn) bad(err error) {
	if LogBad != nil {
		LogBad(term.Atom(c.node.Name), err)
	}
	c.fail()
}

// LogBad reports what was wrong with a peer's packet. The node sets it.
var LogBad func(node term.Term, err error)

func (r *reader) packet(b []byte) error {
	if r.cache == nil {
		r.cache, r.dec = new([cacheSize]term.Term), new(etf.Decoder)
		r.parts = map[uint64]*partial{}
	}
	if b[0] == wire.TagPassThrough {
		return r.message(b[1:], nil, true, nil)
	}
	if len(b) < 2 || b[0] != etf.Version {
		return errPacket
	}
	switch tag := b[1]; tag {
	case wire.TagHeader:
		atoms, rest, err := readAtoms(b[2:], r.cache, r.atoms[:0])
		if err != nil {
			return err
		}
		r.atoms = atoms
		return r.message(rest, atoms, false, nil)
	case wire.TagFragHeader, wire.TagFragCont:
		if len(b) < 18 {
			return errPacket
		}
		return r.fragment(tag == wire.TagFragHeader, binary.BigEndian.Uint64(b[2:]), binary.BigEndian.Uint64(b[10:]), b[18:])
	}
	return errPacket
}

// fragment keeps a fragment until the message is complete.
func (r *reader) fragment(first bool, seq, n uint64, b []byte) error {
	p := r.parts[seq]
	if n == 0 || first != (p == nil) {
		return errFragment
	}
	if first {
		atoms, rest, err := readAtoms(b, r.cache, nil)
		if err != nil {
			return err
		}
		if n == 1 {
			return r.message(rest, atoms, false, nil)
		}
		if len(r.parts) >= maxParts {
			return errTooMuch
		}
		p = &partial{atoms: atoms, next: n, body: heap.NewBin(0)}
		r.parts[seq] = p
		b = rest
	}
	if n != p.next {
		return errFragment
	}
	if r.held += len(b); r.held > maxHeld {
		return errTooMuch
	}
	p.next--
	p.add(b, p.next)
	if p.next > 0 {
		return nil
	}
	delete(r.parts, seq)
	r.held -= int(p.body.Size)
	return r.message(p.body.Bytes(), p.atoms, false, p.body)
}

// message acts on a control message and what follows it, at once or, when that
// takes long or follows what does, later. It takes over bin, if any, in which
// the bytes lie.
func (r *reader) message(b []byte, atoms []term.Term, version bool, bin *heap.Bin) error {
	if len(b) < longMessage && !r.late.busy() {
		m := message{c: r.c, dec: r.dec, rest: b, atoms: atoms, version: version, bin: bin}
		return m.run()
	}
	if bin == nil {
		bin = heap.NewBin(uintptr(len(b)))
		copy(bin.Bytes(), b)
		b = bin.Bytes()
		atoms = append([]term.Term(nil), atoms...)
	}
	r.late.put(&message{c: r.c, rest: b, atoms: atoms, version: version, bin: bin})
	return nil
}
