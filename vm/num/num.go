// Package num is integer and float arithmetic on terms.
//
// Operations build their result in a heap and return it, normalised: what fits
// a small is a small. A result of term.None means that the operation failed
// with badarith, or with system_limit where Limit says so; the operands tell
// which. Nothing here recurses or collects.
//
// A bignum is sign and magnitude (see vm/term). The loops that dominate real
// programs (add, subtract, compare, multiply by few limbs) run on the limbs
// where they lie; everything else views the limbs as a big.Int and computes
// into memory of the destination heap where the size of the result allows it.
package num

import (
	"math"
	"math/big"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Operators as Limit names them.
const (
	OpAdd    = '+'
	OpSub    = '-'
	OpMul    = '*'
	OpDivide = '/'
	OpDiv    = 'd'
	OpRem    = 'r'
	OpBand   = '&'
	OpBor    = '|'
	OpBxor   = '^'
	OpBnot   = '~'
	OpNeg    = 'n'
	OpBsl    = '<'
	OpBsr    = '>'
)

// MaxLimbs is the largest number of 64-bit limbs of an integer: 2^19-1 in OTP
// 25, 2^16-1 in later releases. Set it before the node starts.
var MaxLimbs = 1<<19 - 1

// Limit tells whether the None of an operation on these operands (b is None
// for the unary ones) is system_limit rather than badarith.
func Limit(op byte, a, b term.Term) bool {
	switch op {
	case OpDivide, OpDiv, OpRem:
		return false
	}
	return a.IsInteger() && (b == term.None || b.IsInteger())
}

// Add is a + b.
func Add(h *heap.Heap, a, b term.Term) term.Term {
	if a.IsSmall() && b.IsSmall() {
		return h.Int(a.Small() + b.Small())
	}
	if a.IsInteger() && b.IsInteger() {
		return addInts(h, a, b, false)
	}
	x, y, ok := floats(a, b)
	if !ok {
		return term.None
	}
	return Float(h, x+y)
}

// Sub is a - b.
func Sub(h *heap.Heap, a, b term.Term) term.Term {
	if a.IsSmall() && b.IsSmall() {
		return h.Int(a.Small() - b.Small())
	}
	if a.IsInteger() && b.IsInteger() {
		return addInts(h, a, b, true)
	}
	x, y, ok := floats(a, b)
	if !ok {
		return term.None
	}
	return Float(h, x-y)
}

// Mul is a * b.
func Mul(h *heap.Heap, a, b term.Term) term.Term {
	if a.IsInteger() && b.IsInteger() {
		return mulInts(h, a, b)
	}
	x, y, ok := floats(a, b)
	if !ok {
		return term.None
	}
	return Float(h, x*y)
}

// Divide is a / b.
func Divide(h *heap.Heap, a, b term.Term) term.Term {
	x, ok := ToFloat(a)
	if !ok {
		return term.None
	}
	y, ok := ToFloat(b)
	if !ok || y == 0 {
		return term.None
	}
	return Float(h, x/y)
}

// Neg is -a.
func Neg(h *heap.Heap, a term.Term) term.Term {
	switch {
	case a.IsSmall():
		return h.Int(-a.Small())
	case a.IsBig():
		w := limbsOf(a)
		return FromLimbs(h, w, a.Kind() == term.KPosBig)
	case a.IsFloat():
		return h.Float(math.Float64bits(-a.Float()))
	}
	return term.None
}

// Abs is the magnitude of a number, as erlang:abs/1; None when a is no number.
func Abs(h *heap.Heap, a term.Term) term.Term {
	switch {
	case a.IsSmall() && a.Small() < 0, a.IsBig() && a.Kind() == term.KNegBig:
		return Neg(h, a)
	case a.IsFloat() && a.Float() < 0: // -0.0 stays
		return Neg(h, a)
	case a.IsNumber():
		return a
	}
	return term.None
}

// Float builds a float; None unless it is finite.
func Float(h *heap.Heap, f float64) term.Term {
	bits := math.Float64bits(f)
	if bits>>52&0x7FF == 0x7FF {
		return term.None
	}
	return h.Float(bits)
}

// ToFloat converts a number; ok is false when t is none, or is an integer that
// does not fit a double. Each limb is rounded as it is added, as in ERTS.
func ToFloat(t term.Term) (f float64, ok bool) {
	switch {
	case t.IsSmall():
		return float64(t.Small()), true
	case t.IsFloat():
		return t.Float(), true
	case t.IsBig():
		return bigToFloat(limbsOf(t), t.Kind() == term.KNegBig)
	}
	return 0, false
}

func bigToFloat(w []uint64, neg bool) (f float64, ok bool) {
	if len(w) > 17 {
		return 0, false
	}
	for i := len(w) - 1; i >= 0; i-- {
		// The conversion keeps the compiler from fusing the two steps.
		f = float64(f*(1<<64)) + float64(w[i])
	}
	if math.IsInf(f, 0) {
		return 0, false
	}
	if neg {
		f = -f
	}
	return f, true
}

func floats(a, b term.Term) (x, y float64, ok bool) {
	if x, ok = ToFloat(a); !ok {
		return 0, 0, false
	}
	y, ok = ToFloat(b)
	return x, y, ok
}

// FromFloat builds the integer part of a (finite) float.
func FromFloat(h *heap.Heap, f float64) term.Term {
	if f > -(1<<62) && f < 1<<62 {
		return h.Int(int64(f))
	}
	v, _ := new(big.Float).SetFloat64(f).Int(nil)
	return FromBig(h, v)
}

// FromBig builds an integer; None when it passes the release's limit.
func FromBig(h *heap.Heap, v *big.Int) term.Term {
	return FromLimbs(h, words64(v.Bits()), v.Sign() < 0)
}

// ToBig returns an integer term's value, as a copy.
func ToBig(t term.Term) *big.Int {
	var s scratch
	return new(big.Int).Set(s.view(t))
}

// Sign returns -1, 0 or 1 for a number.
func Sign(t term.Term) int {
	switch {
	case t.IsSmall():
		return cmpInt(t.Small(), 0)
	case t.IsBig():
		if t.Kind() == term.KNegBig {
			return -1
		}
		return 1
	case t.IsFloat():
		f := t.Float()
		if f < 0 {
			return -1
		} else if f > 0 {
			return 1
		}
	}
	return 0
}

func cmpInt(a, b int64) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}
