// Package floattext writes floating-point numbers as Erlang does.
package floattext

import (
	"math"
	"strconv"
)

// AppendShort writes the shortest digits that read back as f, in whichever of
// the two forms is shorter, as float_to_list(F, [short]).
func AppendShort(b []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) { // no float of Erlang
		return strconv.AppendFloat(b, f, 'g', -1, 64)
	}
	if f == 0 {
		if math.Signbit(f) {
			b = append(b, '-')
		}
		return append(b, "0.0"...)
	}
	if f < 0 {
		b = append(b, '-')
		f = -f
	}
	var tmp [32]byte
	s := strconv.AppendFloat(tmp[:0], f, 'e', -1, 64)
	// s is d[.ddd]e±xx
	digits := []byte{s[0]}
	i := 1
	if s[i] == '.' {
		for i++; s[i] != 'e'; i++ {
			digits = append(digits, s[i])
		}
	}
	sci, _ := strconv.Atoi(string(s[i+1:]))
	exp := sci - (len(digits) - 1)
	if fixedIsShort(digits, exp, sci) {
		return appendPlain(b, digits, exp)
	}
	b = append(b, digits[0], '.')
	if len(digits) == 1 {
		b = append(b, '0')
	}
	b = append(append(b, digits[1:]...), 'e')
	return strconv.AppendInt(b, int64(sci), 10)
}

// fixedIsShort tells whether digits * 10^exp is printed without an exponent.
// Integers of 2^53 and more are not: not every one of them is a double.
func fixedIsShort(digits []byte, exp, sci int) bool {
	lower, upper := -(len(digits) + 2), 1
	switch {
	case len(digits) == 1:
		lower, upper = -4, 2
	case sci >= 10:
		upper = 2
	}
	if exp < lower || exp > upper {
		return false
	}
	m, _ := strconv.ParseUint(string(digits), 10, 64)
	return !(m >= 1<<53 && exp == 0 || m > (1<<52)/5 && exp == 1 || m > (1<<51)/25 && exp == 2)
}

func appendPlain(b, digits []byte, exp int) []byte {
	whole := len(digits) + exp
	switch {
	case exp >= 0:
		b = append(b, digits...)
		for range exp {
			b = append(b, '0')
		}
		return append(b, ".0"...)
	case whole > 0:
		b = append(b, digits[:whole]...)
		return append(append(b, '.'), digits[whole:]...)
	}
	b = append(b, "0."...)
	for range -whole {
		b = append(b, '0')
	}
	return append(b, digits...)
}
