package bits

import (
	"github.com/beamrd/beamrd/vm/term"
)

// GetUTF8 reads a character at a position with left bits to the end. n is the
// number of bits it takes; 0 means that there is no valid one.
func GetUTF8(base uintptr, off, left uint64) (c rune, n uint64) {
	if left < 8 {
		return 0, 0
	}
	a := Peek(base, off, 8)
	switch {
	case a < 0x80:
		return rune(a), 8
	case a < 0xC2 || a > 0xF4:
		return 0, 0
	case a < 0xE0:
		n = 16
	case a < 0xF0:
		n = 24
	default:
		n = 32
	}
	if left < n {
		return 0, 0
	}
	v := Peek(base, off, n)
	switch n {
	case 16:
		if v&0xC0 != 0x80 {
			return 0, 0
		}
		return rune(v>>8&0x1F<<6 | v&0x3F), n
	case 24:
		c = rune(v>>16&0xF<<12 | v>>8&0x3F<<6 | v&0x3F)
		if v&0xC0C0 != 0x8080 || c < 0x800 || c >= 0xD800 && c <= 0xDFFF {
			return 0, 0
		}
		return c, n
	}
	c = rune(v>>24&7<<18 | v>>16&0x3F<<12 | v>>8&0x3F<<6 | v&0x3F)
	if v&0xC0C0C0 != 0x808080 || c < 0x10000 || c > 0x10FFFF {
		return 0, 0
	}
	return c, n
}

func peek16(base uintptr, off, flags uint64) uint64 {
	if flags&(Little|Native) != 0 {
		return PeekLittle(base, off, 16)
	}
	return Peek(base, off, 16)
}

// GetUTF16 is GetUTF8 for UTF-16.
func GetUTF16(base uintptr, off, left, flags uint64) (c rune, n uint64) {
	if left < 16 {
		return 0, 0
	}
	a := peek16(base, off, flags)
	if a < 0xD800 || a > 0xDFFF {
		return rune(a), 16
	}
	if a > 0xDBFF || left < 32 {
		return 0, 0
	}
	b := peek16(base, off+16, flags)
	if b < 0xDC00 || b > 0xDFFF {
		return 0, 0
	}
	return rune(a&0x3FF<<10|b&0x3FF) + 0x10000, 32
}

// GetUTF32 is GetUTF8 for UTF-32.
func GetUTF32(base uintptr, off, left, flags uint64) (c rune, n uint64) {
	if left < 32 {
		return 0, 0
	}
	var v uint64
	if flags&(Little|Native) != 0 {
		v = PeekLittle(base, off, 32)
	} else {
		v = Peek(base, off, 32)
	}
	if v > 0x10FFFF || v >= 0xD800 && v <= 0xDFFF {
		return 0, 0
	}
	return rune(v), 32
}

// ValidChar tells whether t is a character that UTF-8, 16 and 32 can encode.
func ValidChar(t term.Term) bool {
	if !t.IsSmall() {
		return false
	}
	c := t.Small()
	return c >= 0 && c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF)
}

// UTF8Bits returns the bits that a character takes in UTF-8 (any number of
// them for what is no character: putting it will fail).
func UTF8Bits(t term.Term) uint64 {
	switch {
	case t < term.Small(0x80):
		return 8
	case t < term.Small(0x800):
		return 16
	case t < term.Small(0x10000):
		return 24
	}
	return 32
}

// UTF16Bits is UTF8Bits for UTF-16.
func UTF16Bits(t term.Term) uint64 {
	if t >= term.Small(0x10000) {
		return 32
	}
	return 16
}

// PutUTF8 writes a character and returns the bits written; 0 means that t is
// no character.
func PutUTF8(base uintptr, off uint64, t term.Term) uint64 {
	if !ValidChar(t) {
		return 0
	}
	c := uint64(t.Small())
	switch {
	case c < 0x80:
		Poke(base, off, 8, c)
		return 8
	case c < 0x800:
		Poke(base, off, 16, 0xC080|c>>6<<8|c&0x3F)
		return 16
	case c < 0x10000:
		Poke(base, off, 24, 0xE08080|c>>12<<16|c>>6&0x3F<<8|c&0x3F)
		return 24
	}
	Poke(base, off, 32, 0xF0808080|c>>18<<24|c>>12&0x3F<<16|c>>6&0x3F<<8|c&0x3F)
	return 32
}

// PutUTF16 is PutUTF8 for UTF-16.
func PutUTF16(base uintptr, off uint64, t term.Term, flags uint64) uint64 {
	if !ValidChar(t) {
		return 0
	}
	put := func(off, v uint64) {
		if flags&(Little|Native) != 0 {
			v = v>>8 | v&0xFF<<8
		}
		Poke(base, off, 16, v)
	}
	c := uint64(t.Small())
	if c < 0x10000 {
		put(off, c)
		return 16
	}
	c -= 0x10000
	put(off, 0xD800|c>>10)
	put(off+16, 0xDC00|c&0x3FF)
	return 32
}
