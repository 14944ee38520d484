package pcre

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const lastRune = 0x10ffff

// Flags and items of an extended class.
const (
	xclNot, xclMap, xclHasProp                       = 1, 2, 4
	xclEnd, xclSingle, xclRange, xclProp, xclNotProp = 0, 1, 2, 3, 4
)

// ranges8 writes the characters of a bitmap as ranges of a class.
func ranges8(b *strings.Builder, bitmap []byte) {
	in := func(c int) bool { return c < 256 && bitmap[c/8]>>(c%8)&1 != 0 }
	for c := 0; c < 256; c++ {
		if !in(c) {
			continue
		}
		first := c
		for in(c + 1) {
			c++
		}
		range8(b, rune(first), rune(c))
	}
}

func range8(b *strings.Builder, lo, hi rune) {
	b.WriteString(literal8(lo))
	if lo != hi {
		b.WriteByte('-')
		b.WriteString(literal8(hi))
	}
}

// class is a class of characters below 256; above is whether it has all others.
func (p *pattern8) class(bitmap []byte, above bool) string {
	var b strings.Builder
	ranges8(&b, bitmap)
	if above && p.utf {
		range8(&b, 256, lastRune)
	}
	if b.Len() == 0 {
		return `[^\x{0}-` + literal8(p.last()) + "]"
	}
	return "[" + b.String() + "]"
}

func (p *pattern8) last() rune {
	if p.utf {
		return lastRune
	}
	return 255
}

// xclass is a class with characters from 256 on, or with properties. Without
// properties the bitmap is what matches; with them, a negation is of all.
func (p *pattern8) xclass(c []byte) string {
	var bitmap []byte
	flags, c := c[0], c[1:]
	if flags&xclMap != 0 {
		if len(c) < classMapBytes8 {
			panic(bad8{})
		}
		bitmap, c = c[:classMapBytes8], c[classMapBytes8:]
	}
	var b strings.Builder
	not := flags&xclNot != 0
	if bitmap != nil {
		ranges8(&b, bitmap)
	} else if not && flags&xclHasProp == 0 {
		range8(&b, 0, 255)
	}
	if flags&xclHasProp == 0 && not {
		p.complement(&b, c)
		not = false
	} else {
		p.items(c, func(kind byte, lo, hi rune) {
			if kind == xclProp || kind == xclNotProp {
				b.WriteString(classProperty8(kind == xclNotProp, int(lo), int(hi)))
			} else {
				range8(&b, lo, hi)
			}
		})
	}
	switch {
	case b.Len() == 0 && not:
		return "(?s:.)"
	case b.Len() == 0:
		return `[^\x{0}-\x{10ffff}]`
	case not:
		return "[^" + b.String() + "]"
	}
	return "[" + b.String() + "]"
}

// complement writes what the items leave of the characters from 256 on.
func (p *pattern8) complement(b *strings.Builder, c []byte) {
	next := rune(256)
	p.items(c, func(_ byte, lo, hi rune) {
		if lo < next && lo >= 256 {
			panic(bad8{})
		}
		if lo > next {
			range8(b, next, lo-1)
		}
		next = max(next, hi+1)
	})
	if next <= lastRune {
		range8(b, next, lastRune)
	}
}

// items calls f for each item: characters, or a property's type and value.
func (p *pattern8) items(c []byte, f func(kind byte, lo, hi rune)) {
	for len(c) > 0 && c[0] != xclEnd {
		kind := c[0]
		c = c[1:]
		var lo, hi rune
		switch kind {
		case xclSingle:
			lo, c = rune8(c)
			hi = lo
		case xclRange:
			lo, c = rune8(c)
			hi, c = rune8(c)
		case xclProp, xclNotProp:
			if len(c) < 2 {
				panic(bad8{})
			}
			lo, hi, c = rune(c[0]), rune(c[1]), c[2:]
		default:
			panic(bad8{})
		}
		f(kind, lo, hi)
	}
	if len(c) == 0 {
		panic(bad8{})
	}
}

func rune8(c []byte) (rune, []byte) {
	r, n := utf8.DecodeRune(c)
	if n == 0 || r == utf8.RuneError && n == 1 {
		panic(bad8{})
	}
	return r, c[n:]
}

// Kinds of a property.
const (
	ptAny, ptLamp, ptGC, ptPC, ptSC, ptAlnum, ptSpace, ptPxSpace, ptWord, ptCList, ptUCNC = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
	ptPxGraph, ptPxPrint, ptPxPunct                                                       = 11, 12, 13
)

// property8 is a property outside a class.
func property8(not bool, kind, value int) string {
	s := classProperty8(not, kind, value)
	if s[0] == '\\' && s[1] != 'x' {
		return s
	}
	if kind == ptCList && not {
		return "[^" + s + "]"
	}
	return "[" + s + "]"
}

var plainProps8 = map[int]string{ptAny: "Any", ptLamp: "L&", ptAlnum: "Xan", ptSpace: "Xsp", ptPxSpace: "Xps", ptWord: "Xwd", ptUCNC: "Xuc"}

var posixProps8 = map[int]string{ptPxGraph: "graph", ptPxPrint: "print", ptPxPunct: "punct"}

// classProperty8 is a property as a class has it.
func classProperty8(not bool, kind, value int) string {
	name := plainProps8[kind]
	switch {
	case kind == ptGC && value < len(general8):
		name = general8[value]
	case kind == ptPC && value < len(particular8):
		name = particular8[value]
	case kind == ptSC && value < len(scripts8):
		name = scripts8[value]
	case posixProps8[kind] != "":
		if not {
			return "[:^" + posixProps8[kind] + ":]"
		}
		return "[:" + posixProps8[kind] + ":]"
	case kind == ptCList:
		var b strings.Builder
		for _, c := range caseless8[value] {
			range8(&b, c, c)
		}
		if b.Len() == 0 {
			panic(bad8{})
		}
		return b.String()
	}
	if name == "" {
		panic(bad8{})
	}
	if not {
		return fmt.Sprintf(`\P{%s}`, name)
	}
	return fmt.Sprintf(`\p{%s}`, name)
}
