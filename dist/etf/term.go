// Package etf is Erlang's terms as Go values: the external term format in both
// directions, their text, and a parser of that text. The format is that of
// OTP's erl_ext_dist document.
//
// A term is one of
//
//	Atom
//	int64, and *big.Int where it does not fit (any of Go's integers is taken
//	when a term is written; bool stands for the atoms true and false)
//	float64
//	Binary, BitString
//	Tuple, List, Improper
//	Map
//	Pid, Port, Ref
//	Export, *Fun
//
// What is read is what is written: reading the bytes of a value gives an equal
// value. Input is taken for hostile: what a count promises must fit the bytes
// that follow, so memory stays within a small multiple of the input, and
// nothing recurses in proportion to the depth of a term.
package etf

import (
	"math/big"
	"unicode/utf8"
)

// Term is any of the values that the package documentation lists.
type Term = any

// Atom is an atom's name, in UTF-8; at most 255 characters.
type Atom string

// Tuple is a tuple.
type Tuple []Term

// List is a proper list. An Erlang string is a list of integers: see Chars and
// List.Text.
type List []Term

// Improper is a list of at least one element whose tail is no list.
type Improper struct {
	Head List
	Tail Term
}

// Binary is a binary.
type Binary []byte

// BitString is a string of bits that do not fill the last byte: Bits of it,
// 1 to 7, are used, from the top; the others are 0.
type BitString struct {
	Bytes []byte
	Bits  int
}

// Pair is an association of a map.
type Pair struct{ Key, Value Term }

// Map is a map, in the order in which it was written.
type Map []Pair

// Pid is the identity of a process.
type Pid struct {
	Node                 Atom
	ID, Serial, Creation uint32
}

// Port is the identity of a port.
type Port struct {
	Node     Atom
	ID       uint64
	Creation uint32
}

// Ref is a reference: its first Len numbers.
type Ref struct {
	Node     Atom
	Creation uint32
	Len      uint8 // at most 5
	ID       [5]uint32
}

// Export is fun Module:Function/Arity.
type Export struct {
	Module, Function Atom
	Arity            int
}

// Fun is a fun with an environment. It means something only to the node that
// made it, or one that has loaded the same module.
type Fun struct {
	Module   Atom
	Arity    int
	Uniq     [16]byte
	Index    uint32
	OldIndex int64
	OldUniq  int64
	Pid      Pid
	Free     []Term
}

// Get returns the value of a key, by the equality of =:=.
func (m Map) Get(key Term) (Term, bool) {
	for _, p := range m {
		if Equal(p.Key, key) {
			return p.Value, true
		}
	}
	return nil, false
}

// Chars returns the Erlang string of s: a list of its code points.
func Chars(s string) List {
	l := make(List, 0, len(s))
	for _, r := range s {
		l = append(l, int64(r))
	}
	return l
}

// Text returns the text of a list of code points; ok is false for another list.
func (l List) Text() (s string, ok bool) {
	b := make([]byte, 0, len(l))
	for _, e := range l {
		c, ok := intOf(e)
		if !ok || c < 0 || c > utf8.MaxRune || !utf8.ValidRune(rune(c)) {
			return "", false
		}
		b = utf8.AppendRune(b, rune(c))
	}
	return string(b), true
}

// Text returns the text of what Erlang calls chardata: a binary of UTF-8, a
// list of code points, or lists of those; an atom's name as well. ok is false
// for what is none of these.
func Text(t Term) (s string, ok bool) {
	if a, is := t.(Atom); is {
		return string(a), true
	}
	return chars(t, utf8.MaxRune)
}

// Latin1 returns the text of what Erlang calls iodata: binaries and lists of
// bytes, which are Latin-1.
func Latin1(t Term) (s string, ok bool) { return chars(t, 255) }

func chars(t Term, top int64) (s string, ok bool) {
	var out []byte
	stack := []Term{t}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch v := t.(type) {
		case Binary:
			switch {
			case top == 255:
				for _, c := range v {
					out = utf8.AppendRune(out, rune(c))
				}
			case !utf8.Valid(v):
				return "", false
			default:
				out = append(out, v...)
			}
		case List:
			for i := len(v) - 1; i >= 0; i-- {
				stack = append(stack, v[i])
			}
		case Improper:
			stack = append(stack, v.Tail, v.Head)
		default:
			c, ok := intOf(v)
			if !ok || c < 0 || c > top || !utf8.ValidRune(rune(c)) {
				return "", false
			}
			out = utf8.AppendRune(out, rune(c))
		}
	}
	return string(out), true
}

// Int returns the value of an integer that fits.
func Int(t Term) (int64, bool) { return intOf(t) }

func intOf(t Term) (int64, bool) {
	switch v := t.(type) {
	case int64:
		return v, true
	case int:
		return int64(v), true
	case int32:
		return int64(v), true
	case int16:
		return int64(v), true
	case int8:
		return int64(v), true
	case uint8:
		return int64(v), true
	case uint16:
		return int64(v), true
	case uint32:
		return int64(v), true
	case uint64:
		return int64(v), v < 1<<63
	case uint:
		return int64(v), v < 1<<63
	case *big.Int:
		if v != nil && v.IsInt64() {
			return v.Int64(), true
		}
	}
	return 0, false
}

// bigOf returns an integer of any size.
func bigOf(t Term) (*big.Int, bool) {
	switch v := t.(type) {
	case *big.Int:
		return v, v != nil
	case uint64:
		return new(big.Int).SetUint64(v), true
	case uint:
		return new(big.Int).SetUint64(uint64(v)), true
	}
	if n, ok := intOf(t); ok {
		return big.NewInt(n), true
	}
	return nil, false
}
