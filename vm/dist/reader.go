package dist

import (
	"encoding/binary"
	"errors"
	"math"
	"sync"

	"github.com/beamrd/beamrd/internal/epoch"
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
}

// partial is a message of which fragments are still to come.
type partial struct {
	atoms []term.Term
	body  []byte
	next  uint64 // number of the fragment to come
}

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

func (r *reader) free() {
	r.mu.Lock()
	r.parts, r.cache, r.dec = nil, nil, nil
	r.mu.Unlock()
}

// Blocked, while locked, keeps packets from being read: a node whose schedulers
// are blocked for a test hears nothing either.
var Blocked sync.RWMutex

// input acts on a packet; the bytes are only borrowed.
func (c *conn) input(b []byte) {
	Blocked.RLock()
	defer Blocked.RUnlock()
	c.in.Add(1)
	if len(b) == 0 || !alive.Load() {
		return
	}
	r := &c.rd
	r.mu.Lock()
	err := r.packet(b)
	r.mu.Unlock()
	if err != nil {
		logBad(c, err)
		c.fail()
	}
}

// LogBad reports what was wrong with a peer's packet. The node sets it.
var LogBad func(node term.Term, err error)

func logBad(c *conn, err error) {
	if LogBad != nil {
		LogBad(term.Atom(c.node.Name), err)
	}
}

func (r *reader) packet(b []byte) error {
	if r.cache == nil {
		r.cache, r.dec = new([cacheSize]term.Term), new(etf.Decoder)
		r.parts = map[uint64]*partial{}
	}
	if b[0] == tagPassThrough {
		return r.message(b[1:], nil, true)
	}
	if len(b) < 2 || b[0] != etf.Version {
		return errPacket
	}
	switch tag := b[1]; tag {
	case tagHeader:
		atoms, rest, err := readAtoms(b[2:], r.cache, r.atoms[:0])
		if err != nil {
			return err
		}
		r.atoms = atoms
		return r.message(rest, atoms, false)
	case tagFragHeader, tagFragCont:
		if len(b) < 18 {
			return errPacket
		}
		return r.fragment(tag == tagFragHeader, binary.BigEndian.Uint64(b[2:]), binary.BigEndian.Uint64(b[10:]), b[18:])
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
			return r.message(rest, atoms, false)
		}
		if len(r.parts) >= maxParts {
			return errTooMuch
		}
		p = &partial{atoms: atoms, next: n}
		r.parts[seq] = p
		b = rest
	}
	if n != p.next {
		return errFragment
	}
	if r.held += len(b); r.held > maxHeld {
		return errTooMuch
	}
	if cap(p.body)-len(p.body) < len(b) && n < 1<<14 {
		// The sender has said how many there are, but only what has come
		// already is believed: twice that is made room for.
		grown := make([]byte, len(p.body), len(p.body)+max(len(b), min(int(n)*len(b), len(p.body))))
		copy(grown, p.body)
		p.body = grown
	}
	p.body = append(p.body, b...)
	p.next--
	if p.next > 0 {
		return nil
	}
	delete(r.parts, seq)
	r.held -= len(p.body)
	return r.message(p.body, p.atoms, false)
}

// term decodes the term at the start of b into h and returns the rest.
func (r *reader) term(h *heap.Heap, b []byte, atoms []term.Term, version bool) (term.Term, []byte, error) {
	if version {
		if len(b) == 0 || b[0] != etf.Version {
			return term.None, nil, errPacket
		}
		b = b[1:]
	}
	r.dec.Restart(h, b, false)
	r.dec.Atoms = atoms
	r.dec.Step(math.MaxInt)
	t, n, err := r.dec.Result()
	if err != nil {
		return term.None, nil, err
	}
	return t, b[n:], nil
}

// message acts on a control message and what follows it.
func (r *reader) message(b []byte, atoms []term.Term, version bool) error {
	g := epoch.Pin()
	defer g.Unpin()
	var h heap.Heap
	defer freeHeap(&h)
	ctl, rest, err := r.term(&h, b, atoms, version)
	if err != nil {
		return err
	}
	if !ctl.IsTuple() || ctl.Arity() < 1 || !ctl.El(1).IsSmall() {
		return errControl
	}
	m := message{c: r.c, r: r, ctl: ctl, rest: rest, atoms: atoms, version: version}
	if !m.act() {
		return errControl
	}
	return m.err
}
