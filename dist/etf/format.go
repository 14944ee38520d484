package etf

import (
	"fmt"
	"math/big"
	"strconv"
	"unicode/utf8"

	"github.com/beamrd/beamrd/internal/floattext"
	"github.com/beamrd/beamrd/internal/wire"
)

// Format returns the text of a term as io_lib:format("~0tp") of a node that
// prints Unicode: on one line, lists of printable characters as strings.
func Format(t Term) string { return string(new(Formatter).Append(nil, t)) }

// Formatter makes text of terms. The zero value does as Format.
type Formatter struct {
	// Local is the node whose pids, ports and references are written as it
	// would write its own: <0.85.0>. Others show their node's name where
	// Erlang has a number that means nothing elsewhere: <a@host.85.0>.
	Local Atom
	// Plain keeps lists of integers as such, as ~w does.
	Plain bool
}

// item is a part of a term that is still to be written: text or a term.
type item struct {
	els   []Term
	pairs []Pair
	value bool   // the value of pairs[0] is next
	begun bool   // a separator comes first
	tail  Term   // of an improper list, after the elements
	bar   bool   // the tail is next
	close string // after the last part
}

// Append appends the text of a term.
func (f *Formatter) Append(b []byte, t Term) []byte {
	var stack []item
	for {
		out, it, compound := f.one(b, t)
		b = out
		if compound {
			stack = append(stack, it)
		}
		for {
			if len(stack) == 0 {
				return b
			}
			it := &stack[len(stack)-1]
			var ok bool
			if b, t, ok = it.next(b); ok {
				break
			}
			b = append(b, it.close...)
			*it = item{}
			stack = stack[:len(stack)-1]
		}
	}
}

func (it *item) next(b []byte) ([]byte, Term, bool) {
	switch {
	case len(it.pairs) > 0 && it.value:
		t := it.pairs[0].Value
		it.pairs, it.value = it.pairs[1:], false
		return append(b, " => "...), t, true
	case len(it.els) == 0 && len(it.pairs) == 0:
		if it.bar {
			it.bar = false
			return append(b, '|'), it.tail, true
		}
		return b, nil, false
	}
	if it.begun {
		b = append(b, ',')
	}
	it.begun = true
	if len(it.pairs) > 0 {
		it.value = true
		return b, it.pairs[0].Key, true
	}
	t := it.els[0]
	it.els = it.els[1:]
	return b, t, true
}

func (f *Formatter) one(b []byte, t Term) ([]byte, item, bool) {
	switch v := t.(type) {
	case Atom:
		return AppendAtom(b, v), item{}, false
	case bool:
		return strconv.AppendBool(b, v), item{}, false
	case float64:
		return floattext.AppendShort(b, v), item{}, false
	case Binary:
		return f.binary(b, v), item{}, false
	case BitString:
		return f.bits(b, v), item{}, false
	case Tuple:
		return append(b, '{'), item{els: v, close: "}"}, true
	case List:
		if !f.Plain && printable(v) {
			s, _ := v.Text()
			return appendQuoted(b, s, '"'), item{}, false
		}
		return append(b, '['), item{els: v, close: "]"}, true
	case Improper:
		return append(b, '['), item{els: v.Head, tail: v.Tail, bar: true, close: "]"}, true
	case Map:
		return append(b, "#{"...), item{pairs: v, close: "}"}, true
	case Pid, Port, Ref, Export, *Fun:
		return f.identity(b, v), item{}, false
	}
	if n, ok := intOf(t); ok {
		return strconv.AppendInt(b, n, 10), item{}, false
	}
	if n, ok := bigOf(t); ok {
		return (*big.Int).Append(n, b, 10), item{}, false
	}
	return fmt.Appendf(b, "?%T?", t), item{}, false
}

func (f *Formatter) identity(b []byte, t Term) []byte {
	node := func(n Atom) string {
		if n == f.Local {
			return "0"
		}
		return string(n)
	}
	switch v := t.(type) {
	case Pid:
		return fmt.Appendf(b, "<%s.%d.%d>", node(v.Node), v.ID, v.Serial)
	case Port:
		return fmt.Appendf(b, "#Port<%s.%d>", node(v.Node), v.ID)
	case Ref:
		b = fmt.Appendf(b, "#Ref<%s", node(v.Node))
		for i := int(min(v.Len, wire.MaxRefNumbers)) - 1; i >= 0; i-- {
			b = fmt.Appendf(b, ".%d", v.ID[i])
		}
		return append(b, '>')
	case Export:
		b = AppendAtom(append(b, "fun "...), v.Module)
		b = AppendAtom(append(b, ':'), v.Function)
		return fmt.Appendf(b, "/%d", v.Arity)
	case *Fun:
		b = AppendAtom(append(b, "#Fun<"...), v.Module)
		return fmt.Appendf(b, ".%d.%d>", v.OldIndex, v.OldUniq)
	}
	return b
}

func printable(l List) bool {
	for _, e := range l {
		c, ok := intOf(e)
		if !ok || !printableChar(c) {
			return false
		}
	}
	return len(l) > 0
}

func printableChar(c int64) bool {
	switch {
	case c >= ' ' && c <= '~', c >= 0xA0 && c < 0xD800, c > 0xDFFF && c < 0xFFFE, c > 0xFFFF && c <= utf8.MaxRune:
		return true
	case c >= '\b' && c <= '\r', c == 0x1B:
		return true
	}
	return false
}

func printableLatin1(b []byte) bool {
	for _, c := range b {
		if c > 0x7E && c < 0xA0 || !printableChar(int64(c)) {
			return false
		}
	}
	return len(b) > 0
}

func (f *Formatter) binary(b []byte, v Binary) []byte {
	b = append(b, "<<"...)
	if !f.Plain && len(v) > 0 {
		if utf8.Valid(v) {
			ok, ascii := true, true
			for _, r := range string(v) {
				ok = ok && printableChar(int64(r))
				ascii = ascii && r < 0x80
			}
			switch {
			case ok && ascii:
				return append(appendQuoted(b, string(v), '"'), ">>"...)
			case ok:
				return append(appendQuoted(b, string(v), '"'), "/utf8>>"...)
			}
		} else if printableLatin1(v) {
			return append(appendQuoted(b, string(latin1(v)), '"'), ">>"...)
		}
	}
	return append(appendBytes(b, v), ">>"...)
}

func appendBytes(b []byte, v []byte) []byte {
	for i, c := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, uint64(c), 10)
	}
	return b
}

func (f *Formatter) bits(b []byte, v BitString) []byte {
	if len(v.Bytes) == 0 || v.Bits < 1 || v.Bits > 7 {
		return append(b, "<<>>"...)
	}
	last := len(v.Bytes) - 1
	b = appendBytes(append(b, "<<"...), v.Bytes[:last])
	if last > 0 {
		b = append(b, ',')
	}
	return fmt.Appendf(b, "%d:%d>>", v.Bytes[last]>>(8-v.Bits), v.Bits)
}

var reserved = map[Atom]bool{
	"after": true, "and": true, "andalso": true, "band": true, "begin": true, "bnot": true, "bor": true, "bsl": true,
	"bsr": true, "bxor": true, "case": true, "catch": true, "cond": true, "div": true, "end": true, "fun": true,
	"if": true, "let": true, "not": true, "of": true, "or": true, "orelse": true, "receive": true, "rem": true,
	"try": true, "when": true, "xor": true,
}

// AppendAtom appends an atom as source text has it, in quotes where it must be.
func AppendAtom(b []byte, a Atom) []byte {
	if a == "" || reserved[a] {
		return appendQuoted(b, string(a), '\'')
	}
	for i, r := range string(a) {
		lower := r >= 'a' && r <= 'z' || r >= 'ß' && r <= 'ÿ' && r != '÷'
		other := r >= 'A' && r <= 'Z' || r >= 'À' && r <= 'Þ' && r != '×' || r >= '0' && r <= '9' || r == '_' || r == '@'
		if !lower && (i == 0 || !other) {
			return appendQuoted(b, string(a), '\'')
		}
	}
	return append(b, a...)
}

func appendQuoted(b []byte, s string, quote rune) []byte {
	b = append(b, byte(quote))
	for _, r := range s {
		switch {
		case r == quote || r == '\\':
			b = append(b, '\\', byte(r))
		case r >= ' ' && r <= '~' || r >= 0xA0:
			b = utf8.AppendRune(b, r)
		default:
			if e, ok := escapes[r]; ok {
				b = append(b, '\\', e)
			} else {
				b = append(b, '\\', byte(r>>6)+'0', byte(r>>3&7)+'0', byte(r&7)+'0')
			}
		}
	}
	return append(b, byte(quote))
}

var escapes = map[rune]byte{'\n': 'n', '\r': 'r', '\t': 't', '\v': 'v', '\b': 'b', '\f': 'f', 0x1B: 'e', 0x7F: 'd'}
