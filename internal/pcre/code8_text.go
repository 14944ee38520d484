package pcre

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// markGroup and three bytes of a group's number stand where it opens.
const markGroup = 1

const unbounded = -1

// item8 is a piece of a pattern: text that is repeated.
type item8 struct {
	text     string
	min, max int
	mode     string // "", "?" or "+"
	groups   []int  // that it opens
	inner    *item8 // the only piece of a non-capturing group
}

func once8(text string) item8 { return item8{text: text, min: 1, max: 1} }

func (it item8) String() string {
	switch {
	case it.min == 1 && it.max == 1:
		return it.text
	case it.min == 0 && it.max == unbounded:
		return it.text + "*" + it.mode
	case it.min == 1 && it.max == unbounded:
		return it.text + "+" + it.mode
	case it.min == 0 && it.max == 1:
		return it.text + "?" + it.mode
	case it.max == unbounded:
		return fmt.Sprintf("%s{%d,}%s", it.text, it.min, it.mode)
	case it.min == it.max:
		return fmt.Sprintf("%s{%d}%s", it.text, it.min, it.mode)
	}
	return fmt.Sprintf("%s{%d,%d}%s", it.text, it.min, it.max, it.mode)
}

// whole is the text of all the code, which is one group.
func (p *pattern8) whole() string {
	alts, _, end, ket := p.alternatives(0, 1+link8)
	if p.byte(0) != op8Bra && p.byte(0) != op8SBra || ket != op8Ket || p.byte(end) != op8End {
		panic(bad8{})
	}
	return join8(alts)
}

// alternatives reads from the body of the group at an offset to its end.
func (p *pattern8) alternatives(group, at int) (alts [][]item8, groups []int, end, ket int) {
	for {
		seq, stop := p.sequence(at)
		alts = append(alts, seq)
		for _, it := range seq {
			groups = append(groups, it.groups...)
		}
		if group += p.two(group + 1); group != stop {
			panic(bad8{})
		}
		if ket = p.byte(stop); ket != op8Alt {
			return alts, groups, stop + 1 + link8, ket
		}
		at = stop + 1 + link8
	}
}

func join8(alts [][]item8) string {
	var b strings.Builder
	for i, seq := range alts {
		if i > 0 {
			b.WriteByte('|')
		}
		for _, it := range seq {
			b.WriteString(it.String())
		}
	}
	return b.String()
}

// sequence reads pieces up to the end of an alternative. A compiler repeats a
// group by writing it again and again; capturing groups must become one again
// to keep their numbers.
func (p *pattern8) sequence(at int) (seq []item8, end int) {
	for {
		switch op := p.byte(at); {
		case op >= op8Alt && op <= op8KetRPos:
			return seq, at
		case op == op8Callout || op == op8Close || op == op8Reverse:
			at += p.length(at)
			continue
		}
		var it item8
		it, at = p.item(at)
		if n := len(seq); n > 0 && len(it.groups) > 0 {
			if l := &seq[n-1]; l.text == it.text && l.min == l.max && slices.Equal(l.groups, it.groups) {
				it.min += l.min
				if it.max != unbounded {
					it.max += l.max
				}
				*l = it
				continue
			}
		}
		seq = append(seq, it)
	}
}

// item reads one piece with its repeat.
func (p *pattern8) item(at int) (item8, int) {
	op := p.byte(at)
	next := at + p.length(at)
	switch {
	case simple8[op] != "":
		return once8(simple8[op]), next
	case op == op8Prop || op == op8NotProp:
		return once8(property8(op == op8NotProp, p.byte(at+1), p.byte(at+2))), next
	case op < op8Char:
		panic(bad8{})
	case op < op8Star:
		return once8(p.char(op-op8Char, at+1)), next
	case op < op8TypeStar:
		return p.repeated(at)
	case op < op8CRStar:
		return p.typeRepeat(at), next
	case op >= op8Class && op <= op8DNRefI:
		return p.classRepeat(p.classOrRef(op, at), next)
	case op == op8Recurse:
		group, ok := p.at[p.two(at+1)]
		if !ok {
			panic(bad8{})
		}
		return once8(fmt.Sprintf("(?>(?%d))", group)), next
	case verbs8[op] != "":
		return once8(fmt.Sprintf("(*%s:%x)", verbs8[op], p.bytes(at+2, p.byte(at+1)))), next // only other verbs know the name
	case op == op8SkipZero:
		it, next := p.group(at + 1)
		it.min, it.max = 0, 0
		return it, next
	case op >= op8BraZero && op <= op8BraPosZero:
		it, next := p.group(at + 1)
		return it.optional(op == op8BraMinZero), next
	}
	return p.group(at)
}

// optional makes a piece that may be missing.
func (it item8) optional(lazy bool) item8 {
	if in := it.inner; in != nil && it.max == 1 && len(in.groups) > 0 && in.min == 1 && (in.max == 1 || (in.mode == "?") == lazy) {
		it = *in
	}
	if it.min != 1 {
		panic(bad8{})
	}
	it.min = 0
	if lazy && it.max == 1 {
		it.mode = "?"
	}
	return it
}

// char is a single character: as it is, caseless, negated, or both.
func (p *pattern8) char(form, at int) string {
	b := p.bytes(at, p.charLen(at))
	c := rune(b[0])
	if p.utf {
		var n int
		if c, n = utf8.DecodeRune(b); n != len(b) || c == utf8.RuneError && n == 1 {
			panic(bad8{})
		}
	}
	s := literal8(c)
	if form >= 2 {
		s = "[^" + s + "]"
	}
	if form&1 != 0 {
		s = "(?i:" + s + ")"
	}
	return s
}

func literal8(c rune) string {
	if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == ' ' || c == '_' {
		return string(c)
	}
	return fmt.Sprintf(`\x{%x}`, c)
}

// forms8 are the repeats of single characters and types; counts follow code.
var forms8 = [types8]item8{
	{max: unbounded}, {max: unbounded, mode: "?"}, {min: 1, max: unbounded}, {min: 1, max: unbounded, mode: "?"},
	{max: 1}, {max: 1, mode: "?"}, {}, {mode: "?"}, {}, {max: unbounded, mode: "+"}, {min: 1, max: unbounded, mode: "+"},
	{max: 1, mode: "+"}, {mode: "+"},
}

// form is the repeat of a kind at an offset, and what follows its count.
func (p *pattern8) form(kind, at int) (it item8, next int) {
	it = forms8[kind]
	if n := counted8(kind); n != 0 {
		it.max = p.two(at)
		if kind == exact8 {
			it.min = it.max
		}
		at += n
	}
	return it, at
}

func (p *pattern8) repeated(at int) (item8, int) {
	kind := p.byte(at) - op8Star
	it, c := p.form(kind%types8, at+1)
	it.text = p.char(kind/types8, c)
	return it, c + p.charLen(c)
}

func (p *pattern8) typeRepeat(at int) item8 {
	it, t := p.form(p.byte(at)-op8TypeStar, at+1)
	switch op := p.byte(t); {
	case op == op8Prop || op == op8NotProp:
		it.text = property8(op == op8NotProp, p.byte(t+1), p.byte(t+2))
	case op <= op8ExtUni && simple8[op] != "":
		it.text = simple8[op]
	default:
		panic(bad8{})
	}
	return it
}

// classRepeat puts the repeat that may follow to a class or a reference.
func (p *pattern8) classRepeat(text string, at int) (item8, int) {
	kind := p.byte(at) - op8CRStar
	if kind < 0 || kind > op8CRPosRange-op8CRStar {
		return once8(text), at
	}
	var it item8
	switch kind {
	case crRange8, crMinRange8, crPosRange8:
		it = item8{min: p.two(at + 1), max: p.two(at + 3), mode: map[int]string{crMinRange8: "?", crPosRange8: "+"}[kind]}
		if it.max == 0 {
			it.max = unbounded
		}
	case 8, 9, 10:
		it = forms8[kind+1]
	default:
		it = forms8[kind]
	}
	it.text = text
	return it, at + p.length(at)
}

func (p *pattern8) classOrRef(op, at int) string {
	var s string
	switch op {
	case op8Class, op8NClass:
		return p.class(p.bytes(at+1, classMapBytes8), op == op8NClass)
	case op8XClass:
		return p.xclass(p.bytes(at, p.length(at))[3:])
	case op8Ref, op8RefI:
		s = fmt.Sprintf(`\g{%d}`, p.two(at+1))
	default:
		s = `\k<` + p.name(p.two(at+1)) + ">"
	}
	if op == op8RefI || op == op8DNRefI {
		s = "(?i:" + s + ")"
	}
	return s
}

func (p *pattern8) name(row int) string {
	if row >= len(p.index) {
		panic(bad8{})
	}
	return p.index[row]
}
