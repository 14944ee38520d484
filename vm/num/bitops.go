package num

import (
	"math/bits"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// The bit operations see integers as infinite two's complement numbers. A
// twos yields the limbs of one, least first, sign-extended for ever.
type twos struct {
	w     []uint64
	neg   bool
	carry uint64 // of the negation
}

func (t *twos) limb(i int) uint64 {
	var v uint64
	if i < len(t.w) {
		v = t.w[i]
	}
	if !t.neg {
		return v
	}
	v, t.carry = bits.Add64(^v, 0, t.carry)
	return v
}

func twosOf(a term.Term, buf *[1]uint64) twos {
	w, neg := intOf(a, buf)
	return twos{w: w, neg: neg, carry: 1}
}

// bitop applies an operation limb by limb.
func bitop(h *heap.Heap, a, b term.Term, op byte) term.Term {
	if !a.IsInteger() || !b.IsInteger() {
		return term.None
	}
	var xb, yb [1]uint64
	x, y := twosOf(a, &xb), twosOf(b, &yb)
	n := max(len(x.w), len(y.w))
	var neg bool
	switch op {
	case OpBand:
		neg = x.neg && y.neg
	case OpBor:
		neg = x.neg || y.neg
	case OpBxor:
		neg = x.neg != y.neg
	}
	r := newResult(h, n+1)
	carry := uint64(1)
	for i := range r.w {
		var v uint64
		switch p, q := x.limb(i), y.limb(i); op {
		case OpBand:
			v = p & q
		case OpBor:
			v = p | q
		case OpBxor:
			v = p ^ q
		}
		if neg {
			v, carry = bits.Add64(^v, 0, carry)
		}
		r.w[i] = v
	}
	return r.done(n+1, neg)
}

// Band is a band b.
func Band(h *heap.Heap, a, b term.Term) term.Term {
	if a.IsSmall() && b.IsSmall() {
		return a & b
	}
	return bitop(h, a, b, OpBand)
}

// Bor is a bor b.
func Bor(h *heap.Heap, a, b term.Term) term.Term {
	if a.IsSmall() && b.IsSmall() {
		return a | b
	}
	return bitop(h, a, b, OpBor)
}

// Bxor is a bxor b.
func Bxor(h *heap.Heap, a, b term.Term) term.Term {
	if a.IsSmall() && b.IsSmall() {
		return a ^ b | term.TagSmall
	}
	return bitop(h, a, b, OpBxor)
}

// Bnot is bnot a.
func Bnot(h *heap.Heap, a term.Term) term.Term {
	if a.IsSmall() {
		return term.Small(^a.Small())
	}
	if !a.IsBig() {
		return term.None
	}
	return addInts(h, Neg(h, a), term.Small(1), true)
}

// Bsl is a bsl b; a negative b shifts right.
func Bsl(h *heap.Heap, a, b term.Term) term.Term { return shift(h, a, b, false) }

// Bsr is a bsr b; a negative b shifts left.
func Bsr(h *heap.Heap, a, b term.Term) term.Term { return shift(h, a, b, true) }

func shift(h *heap.Heap, a, b term.Term, right bool) term.Term {
	if !a.IsInteger() || !b.IsInteger() {
		return term.None
	}
	if a == term.Small(0) || b == term.Small(0) {
		return a
	}
	if Sign(b) < 0 {
		right = !right
	}
	var n uint64 // bits; beyond any number's size when b is a bignum
	if b.IsSmall() {
		n = absU(b.Small())
	} else {
		n = 1 << 62
	}
	if right {
		return shiftRight(h, a, n)
	}
	return shiftLeft(h, a, n)
}

func shiftLeft(h *heap.Heap, a term.Term, n uint64) term.Term {
	if a.IsSmall() && n < 59 {
		if v := a.Small(); v<<n>>n == v && term.FitsSmall(v<<n) {
			return term.Small(v << n)
		}
	}
	var buf [1]uint64
	w, neg := intOf(a, &buf)
	k := n / 64
	if k >= uint64(MaxLimbs) || int(k)+len(w) > MaxLimbs {
		return term.None
	}
	s := uint(n % 64)
	r := newResult(h, len(w)+int(k)+1)
	clear(r.w[:k])
	var low uint64
	for i, v := range w {
		r.w[int(k)+i] = v<<s | low
		low = v >> (64 - s) // 0 when s is 0
	}
	r.w[int(k)+len(w)] = low
	return r.done(len(r.w), neg)
}

func shiftRight(h *heap.Heap, a term.Term, n uint64) term.Term {
	if a.IsSmall() {
		return term.Small(a.Small() >> min(n, 63))
	}
	w, neg := limbsOf(a), a.Kind() == term.KNegBig
	if n/64 >= uint64(len(w)) {
		if neg {
			return term.Small(-1)
		}
		return term.Small(0)
	}
	k, s := int(n/64), uint(n%64)
	lost := false
	for _, v := range w[:k] {
		lost = lost || v != 0
	}
	lost = lost || w[k]<<(64-s) != 0
	m := len(w) - k
	r := newResult(h, m+1)
	for i := range m {
		v := w[k+i] >> s
		if k+i+1 < len(w) {
			v |= w[k+i+1] << (64 - s)
		}
		r.w[i] = v
	}
	r.w[m] = 0
	if neg && lost { // floor, not truncation
		for i := range r.w {
			r.w[i]++
			if r.w[i] != 0 {
				break
			}
		}
	}
	return r.done(m+1, neg)
}
