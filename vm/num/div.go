package num

import (
	"math/bits"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Div is a div b, truncating.
func Div(h *heap.Heap, a, b term.Term) term.Term {
	q, _ := divRem(h, a, b, true, false)
	return q
}

// Rem is a rem b, with the sign of a.
func Rem(h *heap.Heap, a, b term.Term) term.Term {
	_, r := divRem(h, a, b, false, true)
	return r
}

// DivRem is both at once.
func DivRem(h *heap.Heap, a, b term.Term) (q, r term.Term) { return divRem(h, a, b, true, true) }

func divRem(h *heap.Heap, a, b term.Term, wantQ, wantR bool) (q, r term.Term) {
	if !a.IsInteger() || !b.IsInteger() || b == term.Small(0) {
		return term.None, term.None
	}
	if a.IsSmall() && b.IsSmall() {
		return h.Int(a.Small() / b.Small()), term.Small(a.Small() % b.Small())
	}
	if a.IsSmall() {
		return divSmallBig(a, b)
	}
	x, xneg := limbsOf(a), a.Kind() == term.KNegBig
	if b.IsSmall() {
		v := b.Small()
		return divWord(h, x, absU(v), xneg != (v < 0), xneg, wantQ)
	}
	y, neg := limbsOf(b), a.Kind() != b.Kind()
	switch c := cmpMag(x, y); {
	case c < 0:
		return term.Small(0), a
	case c == 0:
		return unit(neg), term.Small(0)
	}
	if len(y) == 1 {
		return divWord(h, x, y[0], neg, xneg, wantQ)
	}
	o := scratches.Get().(*operands)
	o.x.SetBits(bigWords(x))
	o.y.SetBits(bigWords(y))
	o.q.QuoRem(&o.x, &o.y, &o.r)
	if wantQ {
		q = FromLimbs(h, words64(o.q.Bits()), neg)
	}
	if wantR {
		r = FromLimbs(h, words64(o.r.Bits()), xneg)
	}
	o.drop()
	return q, r
}

func unit(neg bool) term.Term {
	if neg {
		return term.Small(-1)
	}
	return term.Small(1)
}

// divSmallBig divides by a bignum, whose magnitude is larger but for that of
// the least small.
func divSmallBig(a, b term.Term) (q, r term.Term) {
	if y := limbsOf(b); len(y) == 1 && y[0] == absU(a.Small()) {
		return unit((a.Small() < 0) != (b.Kind() == term.KNegBig)), term.Small(0)
	}
	return term.Small(0), a
}

// divWord divides x by one limb.
func divWord(h *heap.Heap, x []uint64, y uint64, qneg, rneg, wantQ bool) (q, r term.Term) {
	var rem uint64
	if wantQ {
		res := newResult(h, len(x))
		for i := len(x) - 1; i >= 0; i-- {
			res.w[i], rem = bits.Div64(rem, x[i], y)
		}
		q = res.done(len(x), qneg)
	} else {
		for i := len(x) - 1; i >= 0; i-- {
			_, rem = bits.Div64(rem, x[i], y)
		}
	}
	w := [1]uint64{rem}
	return q, FromLimbs(h, w[:], rneg)
}
