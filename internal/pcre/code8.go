package pcre

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// errCode8 is the only thing said of a compiled pattern that is not in order.
var errCode8 = errors.New("not a compiled pattern of PCRE 8.44")

// Layout of a compiled pattern of PCRE 8 (8-bit library, 64-bit little endian,
// links of two bytes), from pcre_internal.h of OTP 25: a header, the table of
// names, the code.
const (
	magic8    = 0x50435245
	header8   = 64
	noLimit8  = 0xffffffff
	link8     = 2
	maxNames8 = 10000
)

// flags8 gives the option of ours for an option bit of PCRE 8. What acts on
// the compilation alone (caseless, extended …) is in the code already.
var flags8 = []struct{ old, now uint32 }{
	{0x10, Anchored}, {0x20, DollarEndonly}, {0x800, UTF}, {0x40000, Firstline}, {0x80000, Dupnames},
	{0x4000000, NoStartOptimize}, {0x20000000, UCP},
}

var newlines8 = []uint32{0, NewlineCR, NewlineLF, NewlineCRLF, NewlineAny, NewlineAnyCRLF, 0, 0}

// pattern8 is a compiled pattern of PCRE 8 that is being read.
type pattern8 struct {
	code  []byte
	utf   bool
	names map[int]string // by group
	index []string       // by row of the table
	at    map[int]int    // the group that begins at an offset of code
}

// Decompile returns a pattern and options that mean what a compiled pattern of
// PCRE 8.44 does, as re:compile of OTP 25 makes them and as they stand as
// literals in modules compiled there. No byte sequence is ever run as code: it
// is read, written as text, and compiled anew.
func Decompile(b []byte) (text []byte, o Options, err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(bad8); !ok {
				panic(r)
			}
			text, err = nil, errCode8
		}
	}()
	if len(b) < header8 || binary.LittleEndian.Uint32(b) != magic8 || int(binary.LittleEndian.Uint32(b[4:])) != len(b) {
		return nil, o, errCode8
	}
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	u16 := func(at int) int { return int(binary.LittleEndian.Uint16(b[at:])) }
	old := u32(8)
	for _, f := range flags8 {
		if old&f.old != 0 {
			o.Flags |= f.now
		}
	}
	o.Newline = newlines8[old>>20&7]
	switch {
	case old&0x800000 != 0:
		o.BSR = BSRAnyCRLF
	case old&0x1000000 != 0:
		o.BSR = BSRUnicode
	}
	p := &pattern8{utf: old&0x800 != 0, names: map[int]string{}}
	offset, size, count := u16(34), u16(36), u16(38)
	if count > maxNames8 || offset < header8 || offset+size*count >= len(b) || count > 0 && size < 4 {
		return nil, o, errCode8
	}
	for i := range count {
		e := b[offset+i*size:][:size]
		end := slices.Index(e[2:], 0)
		if end <= 0 {
			return nil, o, errCode8
		}
		name := string(e[2 : 2+end])
		if slices.Contains(p.index, name) && o.Flags&Dupnames == 0 && text == nil {
			text = []byte("(?J)")
		}
		p.index = append(p.index, name)
		p.names[int(binary.BigEndian.Uint16(e))] = name
	}
	p.code = b[offset+size*count:]
	p.findGroups()
	for i, limit := range []uint32{u32(16), u32(20)} {
		if limit != noLimit8 {
			text = append(fmt.Appendf(nil, "(*LIMIT_%s=%d)", []string{"MATCH", "RECURSION"}[i], limit), text...)
		}
	}
	body, err := number8(p.whole(), u16(30))
	return append(text, body...), o, err
}

// bad8 is the panic of a reader that met what no compiler writes.
type bad8 struct{}

func (p *pattern8) byte(at int) int {
	if at < 0 || at >= len(p.code) {
		panic(bad8{})
	}
	return int(p.code[at])
}

// two reads a link or a number, most significant byte first.
func (p *pattern8) two(at int) int { return p.byte(at)<<8 | p.byte(at+1) }

func (p *pattern8) bytes(at, n int) []byte {
	if at < 0 || n < 0 || at+n > len(p.code) {
		panic(bad8{})
	}
	return p.code[at : at+n]
}

// findGroups notes where capturing groups begin, for recursions to them. Its
// walk is by the lengths of instructions.
func (p *pattern8) findGroups() {
	p.at = map[int]int{0: 0}
	for at := 0; p.byte(at) != op8End; {
		op := p.byte(at)
		if op == op8CBra || op == op8CBraPos || op == op8SCBra || op == op8SCBraPos {
			if _, dup := p.at[at]; !dup {
				p.at[at] = p.two(at + 1 + link8)
			}
		}
		at += p.length(at)
	}
}

// number8 takes the marks of group numbers (see open) out of a text, after it
// made sure that the text numbers its groups just so.
func number8(s string, top int) ([]byte, error) {
	type level struct {
		reset       bool // (?|…
		first, most int
	}
	var out []byte
	var stack []level
	next := 1
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case markGroup:
			n := int(s[i+1])<<16 | int(s[i+2])<<8 | int(s[i+3])
			if n != next {
				return nil, errCode8
			}
			next++
			i += 3
			continue
		case '(':
			stack = append(stack, level{first: next, reset: strings.HasPrefix(s[i:], "(?|")})
		case '|':
			if n := len(stack); n > 0 && stack[n-1].reset && s[i-2:i] != "(?" {
				l := &stack[n-1]
				l.most, next = max(l.most, next), l.first
			}
		case ')':
			if n := len(stack); n > 0 {
				next = max(next, stack[n-1].most)
				stack = stack[:n-1]
			}
		}
		out = append(out, s[i])
	}
	if next != top+1 {
		return nil, errCode8
	}
	return out, nil
}
