package dist

import (
	"encoding/binary"
	"errors"

	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/etf"
	"github.com/beamrd/beamrd/vm/term"
)

// The header of a message: 131, 68 or 69 (the first of several fragments: 8
// bytes of sequence and 8 of fragment number follow), the number of atoms, half
// a byte of flags for each and one for the whole, and the atoms: a byte of
// index within a segment of the cache, and the text of those that are new.

const (
	cacheSize  = 2048
	maxAtoms   = 255
	newEntry   = 8
	longAtoms  = 1
	cacheSlots = 1024
)

// atomTable numbers the atoms of one message.
type atomTable struct {
	atoms []atom.Atom
	slot  [cacheSlots]uint8 // index + 1, by atom
}

func (t *atomTable) reset() {
	for _, a := range t.atoms {
		t.slot[a%cacheSlots] = 0
	}
	t.atoms = t.atoms[:0]
}

// index is the Cache of an encoder. An atom whose slot is taken is written out.
func (t *atomTable) index(a atom.Atom) (byte, bool) {
	s := &t.slot[a%cacheSlots]
	if *s != 0 {
		i := *s - 1
		return i, t.atoms[i] == a
	}
	if len(t.atoms) == maxAtoms {
		return 0, false
	}
	t.atoms = append(t.atoms, a)
	*s = uint8(len(t.atoms))
	return *s - 1, true
}

// appendAtoms writes the part of a header after its tag, and updates the cache
// of what the peer knows.
func appendAtoms(b []byte, cache *[cacheSize]atom.Atom, atoms []atom.Atom) []byte {
	n := len(atoms)
	b = append(b, byte(n))
	if n == 0 {
		return b
	}
	at := len(b)
	for range n/2 + 1 {
		b = append(b, 0)
	}
	fresh := make([]bool, n)
	long := false
	for i, a := range atoms {
		c := &cache[a%cacheSize]
		fl := byte(uint32(a) % cacheSize >> 8)
		if *c != a+1 {
			// Two atoms of a message may want the same place: the later one
			// is written out, and so on, which the peer follows in order.
			*c = a + 1
			fresh[i] = true
			fl |= newEntry
			long = long || len(a.String()) > 255
		}
		b[at+i/2] |= fl << (i % 2 * 4)
	}
	if long {
		b[at+n/2] |= longAtoms << (n % 2 * 4)
	}
	for i, a := range atoms {
		b = append(b, byte(a))
		if !fresh[i] {
			continue
		}
		s := a.String()
		if long {
			b = binary.BigEndian.AppendUint16(b, uint16(len(s)))
		} else {
			b = append(b, byte(len(s)))
		}
		b = append(b, s...)
	}
	return b
}

var (
	errHeader = errors.New("dist: malformed header")
	errAtom   = errors.New("dist: atom not in the cache")
)

// readAtoms reads what appendAtoms writes, with the cache of what this side
// knows; it returns the atoms and the rest.
func readAtoms(b []byte, cache *[cacheSize]term.Term, atoms []term.Term) ([]term.Term, []byte, error) {
	if len(b) < 1 {
		return nil, nil, errHeader
	}
	n := int(b[0])
	b = b[1:]
	if n == 0 {
		return atoms, b, nil
	}
	if len(b) < n/2+1 {
		return nil, nil, errHeader
	}
	flags, rest := b[:n/2+1], b[n/2+1:]
	long := flags[n/2]>>(n%2*4)&longAtoms != 0
	for i := range n {
		fl := flags[i/2] >> (i % 2 * 4) & 15
		if len(rest) < 1 {
			return nil, nil, errHeader
		}
		c := &cache[int(fl&7)<<8|int(rest[0])]
		rest = rest[1:]
		if fl&newEntry == 0 {
			if *c == term.None {
				return nil, nil, errAtom
			}
			atoms = append(atoms, *c)
			continue
		}
		size, skip := 0, 1
		if long {
			skip = 2
		}
		if len(rest) < skip {
			return nil, nil, errHeader
		}
		if long {
			size = int(binary.BigEndian.Uint16(rest))
		} else {
			size = int(rest[0])
		}
		rest = rest[skip:]
		if len(rest) < size {
			return nil, nil, errHeader
		}
		a, err := etf.AtomUTF8(rest[:size])
		if err != nil {
			return nil, nil, err
		}
		*c = a
		atoms = append(atoms, a)
		rest = rest[size:]
	}
	return atoms, rest, nil
}

// MaxAtomIndex is the last place of the cache of atoms that go out.
const MaxAtomIndex = cacheSize - 1

// AtomIndex returns the place of an atom in that cache.
func AtomIndex(a atom.Atom) int { return int(a % cacheSize) }
