package num

import (
	"math"
	"strconv"

	"github.com/beamrd/beamrd/internal/floattext"
	"github.com/beamrd/beamrd/vm/term"
)

// AppendFloat writes a float in scientific form with n digits after the point
// and at least two in the exponent, as C's %.*e.
func AppendFloat(b []byte, f float64, n int) []byte { return strconv.AppendFloat(b, f, 'e', n, 64) }

// MaxDecimals is where AppendFixed leaves ERTS's own rounding for C's.
const MaxDecimals = 19

var pow10 = [MaxDecimals]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

// AppendFixed writes a float with n decimals, without trailing zeros (but for
// the first decimal) when compact is set. Up to 18 decimals and 2^53 the
// fraction is scaled and rounded as a double, as ERTS does; the digits are not
// always those of exact rounding.
func AppendFixed(b []byte, f float64, n int, compact bool) []byte {
	at := len(b)
	af := math.Abs(f)
	switch {
	case af > 1<<53 || n >= MaxDecimals:
		b = strconv.AppendFloat(b, f, 'f', n, 64)
	default:
		if math.Signbit(f) {
			b = append(b, '-')
		}
		b = appendScaled(b, af, n)
		compact = compact && n > 0
	}
	if !compact {
		return b
	}
	for len(b) > at+1 && b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	if b[len(b)-1] == '.' {
		b = append(b, '0')
	}
	return b
}

func appendScaled(b []byte, af float64, n int) []byte {
	if n == 0 {
		return strconv.AppendUint(b, uint64(math.Round(af)), 10)
	}
	whole := math.Floor(af)
	frac := math.Round(float64((af - whole) * pow10[n]))
	if frac >= pow10[n] {
		whole, frac = whole+1, 0
	}
	b = strconv.AppendUint(b, uint64(whole), 10)
	var tmp [20]byte
	d := strconv.AppendUint(tmp[:0], uint64(frac), 10)
	b = append(b, '.')
	for range n - len(d) {
		b = append(b, '0')
	}
	return append(b, d...)
}

// AppendShort writes a float as float_to_list(F, [short]).
func AppendShort(b []byte, f float64) []byte { return floattext.AppendShort(b, f) }

// AppendInt writes an integer term in a base from 2 to 36, in capitals.
func AppendInt(b []byte, t term.Term, base int) []byte {
	at := len(b)
	if t.IsSmall() {
		b = strconv.AppendInt(b, t.Small(), base)
	} else {
		var s scratch
		b = s.view(t).Append(b, base)
	}
	if base > 10 {
		for i := at; i < len(b); i++ {
			if b[i] >= 'a' {
				b[i] -= 'a' - 'A'
			}
		}
	}
	return b
}

// Limbs returns the number of 64-bit limbs of an integer.
func Limbs(t term.Term) int {
	if t.IsSmall() {
		return 1
	}
	return len(limbsOf(t))
}
