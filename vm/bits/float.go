package bits

import (
	"math"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/num"
	"github.com/beamrd/beamrd/vm/term"
)

// GetFloat reads a float of 16, 32 or 64 bits (0 bits read 0.0) at a position.
// None means another size, an infinity or not a number.
func GetFloat(h *heap.Heap, base uintptr, off, n uint64, flags uint64) term.Term {
	var v uint64
	if flags&(Little|Native) != 0 && n <= 64 {
		v = PeekLittle(base, off, n)
	} else if n <= 64 {
		v = Peek(base, off, n)
	}
	var f float64
	switch n {
	case 0:
		f = 0
	case 16:
		f = fromHalf(uint16(v))
	case 32:
		f = float64(math.Float32frombits(uint32(v)))
	case 64:
		f = math.Float64frombits(v)
	default:
		return term.None
	}
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return term.None
	}
	return h.Float(math.Float64bits(f))
}

func fromHalf(v uint16) float64 {
	exp, frac := int(v>>10&31), float64(v&1023)
	var f float64
	switch exp {
	case 0:
		f = math.Ldexp(frac, -24)
	case 31:
		if frac != 0 {
			return math.NaN()
		}
		f = math.Inf(1)
	default:
		f = math.Ldexp(1024+frac, exp-25)
	}
	if v>>15 != 0 {
		f = math.Copysign(f, -1)
	}
	return f
}

// toHalf rounds to the nearest half, ties to even; what is too large becomes
// an infinity.
func toHalf(f float64) uint16 {
	sign := uint16(math.Float64bits(f) >> 48 & 0x8000)
	f = math.Abs(f)
	switch {
	case f >= 65520:
		return sign | 31<<10
	case f < 1.0/(1<<14): // subnormal
		return sign | uint16(math.RoundToEven(math.Ldexp(f, 24)))
	}
	frac, exp := math.Frexp(f) // frac in [0.5, 1)
	m := uint16(math.RoundToEven(math.Ldexp(frac, 11)))
	return sign | (uint16(exp+13)<<10 + m)
}

// The outcomes of PutFloat.
const (
	FloatOK    = iota
	FloatType  // t is not a number
	FloatRange // an integer outside the doubles
	FloatSize  // not 16, 32 or 64 bits
)

// PutFloat writes a number as a float of 16, 32 or 64 bits at a position.
func PutFloat(base uintptr, off, n uint64, t term.Term, flags uint64) int {
	if n != 16 && n != 32 && n != 64 {
		return FloatSize
	}
	if !t.IsNumber() {
		return FloatType
	}
	f, ok := num.ToFloat(t)
	if !ok {
		return FloatRange
	}
	var v uint64
	switch n {
	case 16:
		v = uint64(toHalf(f))
	case 32:
		v = uint64(math.Float32bits(float32(f)))
		if t.IsSmall() {
			v = uint64(math.Float32bits(float32(t.Small())))
		}
	case 64:
		v = math.Float64bits(f)
	}
	if flags&(Little|Native) != 0 {
		putLittle(base, off, n, func(uint64) uint64 { return v })
	} else {
		Poke(base, off, n, v)
	}
	return FloatOK
}
