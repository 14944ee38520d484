// Package atom is the atom table: names to small numbers and back.
//
// Atoms are never freed. The well-known ones, listed in names.txt, have fixed
// numbers (atom.Ok, and as terms term.AmOk), written by `go generate`.
package atom

//go:generate go run ./_gen

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// Atom is the number of an atom in the table.
type Atom uint32

// MaxChars is the largest number of characters in an atom.
const MaxChars = 255

// DefaultLimit is the atom limit of `erl` without +t.
const DefaultLimit = 1048576

// The errors of TryIntern.
var (
	ErrTooLong = errors.New("atom: longer than 255 characters")
	ErrFull    = errors.New("atom: table is full (see +t)")
	ErrUTF8    = errors.New("atom: not UTF-8")
)

type entry struct {
	name   string // UTF-8
	latin1 bool   // every character is below 256
	chars  uint16
	hash   uint32
	ord    uint32 // the first bytes of the name: decides most comparisons
}

const pageBits = 10

type page [1 << pageBits]entry

var (
	mu     sync.RWMutex
	index  = map[string]Atom{}
	pages  atomic.Pointer[[]*page]
	count  atomic.Uint32
	limit  = uint32(DefaultLimit)
	onFull func()
)

var wellKnown = internWellKnown()

func internWellKnown() bool {
	pages.Store(&[]*page{})
	for i, n := range names {
		if a := Intern(n); int(a) != i {
			panic("atom: name twice in names.txt: " + n)
		}
	}
	return true
}

// SetLimit sets the largest number of atoms (+t). Before the node starts only.
func SetLimit(n int) { limit = uint32(n) }

// Limit returns the largest number of atoms.
func Limit() int { return int(limit) }

// Count returns the number of atoms.
func Count() int { return int(count.Load()) }

// SetOnFull sets what happens when the table is found full; f must not
// return (ERTS ends the node).
func SetOnFull(f func()) { onFull = f }

// Intern returns the atom of a name that is known to be valid. A full table
// ends the node.
func Intern(name string) Atom {
	a, err := TryIntern(name)
	if err != nil {
		panic("atom.Intern(" + name + "): " + err.Error())
	}
	return a
}

// TryIntern returns the atom of a UTF-8 name, entering it if it is new. A full
// table ends the node through SetOnFull; without that it is ErrFull.
func TryIntern(name string) (Atom, error) {
	a, err := tryIntern(name)
	if onFull != nil && errors.Is(err, ErrFull) {
		onFull()
	}
	return a, err
}

func tryIntern(name string) (Atom, error) {
	if a, ok := Lookup(name); ok {
		return a, nil
	}
	n := utf8.RuneCountInString(name)
	if n > MaxChars {
		return 0, ErrTooLong
	}
	if !utf8.ValidString(name) {
		return 0, ErrUTF8
	}
	mu.Lock()
	defer mu.Unlock()
	if a, ok := index[name]; ok {
		return a, nil
	}
	c := count.Load()
	if c >= limit {
		return 0, ErrFull
	}
	ps := *pages.Load()
	if int(c>>pageBits) == len(ps) {
		ps = append(ps[:len(ps):len(ps)], new(page))
		pages.Store(&ps)
	}
	name = string([]byte(name)) // do not keep a caller's larger buffer alive
	e := &ps[c>>pageBits][c&(1<<pageBits-1)]
	e.name, e.chars, e.latin1 = name, uint16(n), true
	for _, r := range name {
		if r > 255 {
			e.latin1 = false
			break
		}
	}
	e.hash, e.ord = hashName(name), prefix(name)
	index[name] = Atom(c)
	count.Store(c + 1)
	return Atom(c), nil
}

// InternLatin1 is TryIntern for a Latin-1 name.
func InternLatin1(name []byte) (Atom, error) {
	for _, b := range name {
		if b >= 0x80 {
			r := make([]rune, len(name))
			for i, b := range name {
				r[i] = rune(b)
			}
			return TryIntern(string(r))
		}
	}
	return TryIntern(string(name))
}

// Lookup returns the atom of a name if there is one.
func Lookup(name string) (Atom, bool) {
	mu.RLock()
	a, ok := index[name]
	mu.RUnlock()
	return a, ok
}

func at(a Atom) *entry {
	return &(*pages.Load())[a>>pageBits][a&(1<<pageBits-1)]
}

// String returns the name, in UTF-8.
func (a Atom) String() string { return at(a).name }

// Chars returns the number of characters.
func (a Atom) Chars() int { return int(at(a).chars) }

// IsLatin1 tells whether all characters are below 256.
func (a Atom) IsLatin1() bool { return at(a).latin1 }

// Valid tells whether the number is that of an atom.
func (a Atom) Valid() bool { return uint32(a) < count.Load() }

// Compare orders two atoms by the bytes of their names.
func Compare(a, b Atom) int {
	if a == b {
		return 0
	}
	x, y := at(a), at(b)
	if x.ord != y.ord {
		if x.ord < y.ord {
			return -1
		}
		return 1
	}
	return strings.Compare(x.name, y.name)
}

// prefix returns the first four bytes of a name as a number, with zeros for
// those that are not there.
func prefix(s string) (n uint32) {
	for i := range 4 {
		n <<= 8
		if i < len(s) {
			n |= uint32(s[i])
		}
	}
	return n
}

// Hash returns the atom's hash, which phash2 and others are made of.
func (a Atom) Hash() uint32 { return at(a).hash }

// hashName is hashpjw over the UTF-8 bytes, with the characters 128 to 255
// taken as one byte.
func hashName(s string) uint32 {
	var h uint32
	for i := 0; i < len(s); i++ {
		v := s[i]
		if v&0xFE == 0xC2 && i+1 < len(s) && s[i+1]&0xC0 == 0x80 {
			i++
			v = v<<6 | s[i]&0x3F
		}
		h = h<<4 + uint32(v)
		if g := h & 0xf0000000; g != 0 {
			h ^= g >> 24
			h ^= g
		}
	}
	return h
}
