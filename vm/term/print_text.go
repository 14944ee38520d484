package term

import (
	"fmt"
	"strconv"
)

// appendAtom appends an atom's name, quoted unless it begins with a lower-case
// letter and goes on with letters, digits and underscores, all of Latin-1.
func appendAtom(b []byte, s string) []byte {
	if s == "" {
		return append(b, "''"...)
	}
	quote := false
	for i, r := range s {
		if i == 0 && !isLower(r) || !isLower(r) && !isUpper(r) && (r < '0' || r > '9') && r != '_' {
			quote = true
			break
		}
	}
	if !quote {
		return append(b, s...)
	}
	b = append(b, '\'')
	for _, r := range s {
		switch {
		case r < ' ' || r >= 0x80 && r < 0xA0 || r == '\'' || r == '\\':
			b = appendEscape(b, r)
		default:
			b = append(b, string(r)...)
		}
	}
	return append(b, '\'')
}

func appendEscape(b []byte, r rune) []byte {
	switch r {
	case '\'', '\\':
		return append(b, '\\', byte(r))
	case '\n':
		return append(b, "\\n"...)
	case '\f':
		return append(b, "\\f"...)
	case '\t':
		return append(b, "\\t"...)
	case '\r':
		return append(b, "\\r"...)
	case '\b':
		return append(b, "\\b"...)
	case '\v':
		return append(b, "\\v"...)
	}
	return fmt.Appendf(b, "\\%03o", r)
}

func isLower(r rune) bool { return r >= 'a' && r <= 'z' || r >= 0xDF && r <= 0xFF && r != 0xF7 }
func isUpper(r rune) bool { return r >= 'A' && r <= 'Z' || r >= 0xC0 && r <= 0xDE && r != 0xD7 }

// printable tells whether a list is a string to be shown as one: non-empty,
// proper, of printable Latin-1 characters and white space.
func printable(t Term) (n int, ok bool) {
	for ; t.IsList(); t = t.Tail() {
		x := t.Head()
		if !x.IsSmall() || x > Small(255) {
			return 0, false
		}
		switch c := x.Small(); {
		case c == '\n', c == '\t', c == '\r':
		case c < ' ', c == 127, c >= 128 && c < 160:
			return 0, false
		}
		n++
	}
	return n, t == Nil
}

// appendString appends a printable list of n characters, in Latin-1 bytes as
// ERTS does.
func appendString(b []byte, t Term, n int) []byte {
	b = append(b, '"')
	for range n {
		switch c := byte(t.Head().Small()); c {
		case '\n':
			b = append(b, "\\n"...)
		case '"':
			b = append(b, '\\', '"')
		default:
			b = append(b, c)
		}
		t = t.Tail()
	}
	return append(b, '"')
}

// appendBits appends a bitstring: as text if it is a non-empty binary of
// printable ASCII, else as numbers.
func appendBits(b []byte, t Term) []byte {
	base, start, end := BitsOf(t)
	a, sh := base+uintptr(start>>3), start&7
	n, rest := uintptr((end-start)/8), (end-start)&7
	text := n > 0 && rest == 0
	for i := uintptr(0); text && i < n; i++ {
		c := bitsAt(a+i, sh, 8)
		text = c >= ' ' && c < 127
	}
	if text {
		b = append(b, `<<"`...)
		for i := range n {
			c := bitsAt(a+i, sh, 8)
			if c == '"' {
				b = append(b, '\\')
			}
			b = append(b, c)
		}
		return append(b, `">>`...)
	}
	b = append(b, "<<"...)
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, uint64(bitsAt(a+i, sh, 8)), 10)
	}
	if rest > 0 {
		if n > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, uint64(bitsAt(a+n, sh, rest)), 10)
		b = append(b, ':')
		b = strconv.AppendUint(b, rest, 10)
	}
	return append(b, ">>"...)
}
