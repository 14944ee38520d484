package dist

import (
	"encoding/binary"

	"github.com/beamrd/beamrd/dist/etf"
	"github.com/beamrd/beamrd/internal/wire"
)

// The header of a message: 131, 68 or 69 (the first of several fragments: 8
// bytes of sequence and 8 of fragment number follow), the number of atoms, half
// a byte of flags for each and one for the whole, and the atoms: a byte of
// index within a segment of the cache, and the text of those that are new.
const (
	cacheSize = 2048
	newEntry  = 8
	longAtoms = 1
)

// assembler makes messages of packets.
type assembler struct {
	max   int // bytes of a message, and of all that are incomplete
	cache [cacheSize]etf.Atom
	known [cacheSize]bool
	parts map[uint64]*partial
	held  int
}

// partial is a message of which fragments are still to come.
type partial struct {
	atoms []etf.Atom
	body  []byte
	next  uint64 // number of the fragment to come
}

const maxParts = 1 << 12 // messages begun at a time

// add takes a packet. ok: the message is complete; its bytes may be those of
// the packet.
func (s *assembler) add(b []byte) (atoms []etf.Atom, body []byte, ok bool, err error) {
	if len(b) < 2 || b[0] != etf.Version {
		return nil, nil, false, protocol("malformed packet")
	}
	switch tag := b[1]; tag {
	case wire.TagHeader:
		atoms, body, err = s.atoms(b[2:])
		return atoms, body, err == nil, err
	case wire.TagFragHeader, wire.TagFragCont:
		if len(b) >= 18 {
			return s.fragment(tag == wire.TagFragHeader, binary.BigEndian.Uint64(b[2:]), binary.BigEndian.Uint64(b[10:]), b[18:])
		}
	}
	return nil, nil, false, protocol("malformed packet")
}

func (s *assembler) fragment(first bool, seq, n uint64, b []byte) (atoms []etf.Atom, body []byte, ok bool, err error) {
	p := s.parts[seq]
	if n == 0 || first != (p == nil) {
		return nil, nil, false, protocol("unexpected fragment")
	}
	if first {
		if atoms, b, err = s.atoms(b); err != nil {
			return nil, nil, false, err
		}
		if n == 1 {
			return atoms, b, true, nil
		}
		if len(s.parts) >= maxParts {
			return nil, nil, false, protocol("too many incomplete messages")
		}
		if s.parts == nil {
			s.parts = map[uint64]*partial{}
		}
		p = &partial{atoms: atoms, next: n}
		s.parts[seq] = p
	}
	if n != p.next {
		return nil, nil, false, protocol("unexpected fragment")
	}
	if s.held += len(b); s.held > s.max {
		return nil, nil, false, protocol("message larger than %d bytes", s.max)
	}
	p.body = append(p.body, b...)
	if p.next--; p.next > 0 {
		return nil, nil, false, nil
	}
	delete(s.parts, seq)
	s.held -= len(p.body)
	return p.atoms, p.body, true, nil
}

// atoms reads the atoms of a header and returns the rest.
func (s *assembler) atoms(b []byte) ([]etf.Atom, []byte, error) {
	bad := protocol("malformed header")
	if len(b) < 1 {
		return nil, nil, bad
	}
	n := int(b[0])
	b = b[1:]
	if n == 0 {
		return nil, b, nil
	}
	if len(b) < n/2+1 {
		return nil, nil, bad
	}
	flags, rest := b[:n/2+1], b[n/2+1:]
	flag := func(i int) byte { return flags[i/2] >> (i % 2 * 4) & 15 }
	skip := 1
	if flag(n)&longAtoms != 0 {
		skip = 2
	}
	atoms := make([]etf.Atom, 0, n)
	for i := range n {
		if len(rest) < 1 {
			return nil, nil, bad
		}
		at := int(flag(i)&7)<<8 | int(rest[0])
		rest = rest[1:]
		if flag(i)&newEntry != 0 {
			if len(rest) < skip {
				return nil, nil, bad
			}
			size := int(rest[0])
			if skip == 2 {
				size = int(binary.BigEndian.Uint16(rest))
			}
			if len(rest) < skip+size {
				return nil, nil, bad
			}
			a, ok := etf.AtomOf(rest[skip : skip+size])
			if !ok {
				return nil, nil, bad
			}
			s.cache[at], s.known[at] = a, true
			rest = rest[skip+size:]
		}
		if !s.known[at] {
			return nil, nil, protocol("atom not in the cache")
		}
		atoms = append(atoms, s.cache[at])
	}
	return atoms, rest, nil
}
