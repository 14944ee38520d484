package num

import (
	"bytes"
	"math/big"
	"strconv"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

func isDigit(c byte) bool { return c-'0' < 10 }

// digits returns the index after a run of at least one digit, or -1.
func digits(s []byte, i int) int {
	n := i
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if n == i {
		return -1
	}
	return n
}

func sign(s []byte, i int) int {
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	return i
}

// ParseFloat reads the text of a float: sign, digits, a point or comma,
// digits, and an exponent if any; a zero byte ends the text, as in C. ok is
// false for anything else and for what overflows; what underflows is zero.
func ParseFloat(s []byte) (f float64, ok bool) {
	if i := bytes.IndexByte(s, 0); i >= 0 {
		s = s[:i]
	}
	i := digits(s, sign(s, 0))
	if i < 0 || i == len(s) || s[i] != '.' && s[i] != ',' {
		return 0, false
	}
	point := i
	if i = digits(s, i+1); i < 0 {
		return 0, false
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		if i = digits(s, sign(s, i+1)); i < 0 {
			return 0, false
		}
	}
	if i != len(s) {
		return 0, false
	}
	text := string(s)
	if s[point] == ',' {
		text = text[:point] + "." + text[point+1:]
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil
}

// DigitValue returns the value of a digit or letter, 99 for other bytes.
func DigitValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return int(c|0x20-'a') + 10
	}
	return 99
}

// ParseInt builds the integer that a text stands for: sign, and digits of a
// base from 2 to 36. ok is false for any other text; the term is None when the
// number passes the release's limit.
func ParseInt(h *heap.Heap, s []byte, base int) (t term.Term, ok bool) {
	neg := false
	if i := sign(s, 0); i > 0 {
		neg = s[0] == '-'
		s = s[i:]
	}
	if len(s) == 0 {
		return term.None, false
	}
	var v uint64
	small := len(s) <= 11 // 36^11 < 2^59
	for _, c := range s {
		d := DigitValue(c)
		if d >= base {
			return term.None, false
		}
		if small {
			v = v*uint64(base) + uint64(d)
		}
	}
	if !small && base == 10 && len(s) <= 19 {
		v, _ = strconv.ParseUint(string(s), 10, 64) // below 10^19 < 2^64
		small = true
	}
	if small {
		w := [1]uint64{v}
		return FromLimbs(h, w[:], neg), true
	}
	for len(s) > 1 && s[0] == '0' {
		s = s[1:]
	}
	if minBits(base)*(len(s)-1) > MaxLimbs*64 {
		return term.None, true
	}
	n, ok := new(big.Int).SetString(string(s), base)
	if !ok {
		return term.None, false
	}
	return FromLimbs(h, words64(n.Bits()), neg), true
}

// minBits is the whole bits that a digit of a base stands for at least.
func minBits(base int) int {
	n := 0
	for 2<<n <= base {
		n++
	}
	return n
}

// FromLittle builds the integer of a magnitude in bytes, least first. None
// beyond the release's limit.
func FromLittle(h *heap.Heap, s []byte, neg bool) term.Term {
	for len(s) > 0 && s[len(s)-1] == 0 {
		s = s[:len(s)-1]
	}
	n := (len(s) + 7) / 8
	if n > MaxLimbs {
		return term.None
	}
	if n <= 1 {
		var w [1]uint64
		for i, c := range s {
			w[0] |= uint64(c) << (8 * i)
		}
		return FromLimbs(h, w[:], neg)
	}
	r := newResult(h, n)
	clear(r.w)
	for i, c := range s {
		r.w[i/8] |= uint64(c) << (8 * (i % 8))
	}
	return r.done(n, neg)
}
