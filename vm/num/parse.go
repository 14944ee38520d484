package num

import (
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

// ParseFloat reads the text of a float: sign, digits, '.', digits, and an
// exponent if any. ok is false for anything else and for what overflows; what
// underflows is zero.
func ParseFloat(s []byte) (f float64, ok bool) {
	i := digits(s, sign(s, 0))
	if i < 0 || i == len(s) || s[i] != '.' {
		return 0, false
	}
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
	f, err := strconv.ParseFloat(string(s), 64)
	return f, err == nil
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
		return fromLimbs(h, w[:], neg)
	}
	r := newResult(h, n)
	clear(r.w)
	for i, c := range s {
		r.w[i/8] |= uint64(c) << (8 * (i % 8))
	}
	return r.done(n, neg)
}
