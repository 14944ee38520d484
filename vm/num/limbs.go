package num

import (
	"math/big"
	"math/bits"
	"sync"
	"unsafe"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// limbsOf views the limbs of a bignum, least first.
func limbsOf(t term.Term) []uint64 {
	return offheap.Words(t.Addr()+8, uintptr(t.Hdr()>>6))
}

// intOf views any integer as magnitude and sign; buf holds a small's.
func intOf(t term.Term, buf *[1]uint64) (w []uint64, neg bool) {
	if t.IsSmall() {
		v := t.Small()
		if v == 0 {
			return nil, false
		}
		if v < 0 {
			buf[0] = uint64(-v)
			return buf[:], true
		}
		buf[0] = uint64(v)
		return buf[:], false
	}
	return limbsOf(t), t.Kind() == term.KNegBig
}

func words64(w []big.Word) []uint64 {
	if len(w) == 0 {
		return nil
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&w[0])), len(w))
}

func bigWords(w []uint64) []big.Word {
	if len(w) == 0 {
		return nil
	}
	return unsafe.Slice((*big.Word)(unsafe.Pointer(&w[0])), len(w))
}

// scratch lends a big.Int that views a term's limbs in place: for reading only.
type scratch struct {
	buf [1]uint64
	v   big.Int
}

func (s *scratch) view(t term.Term) *big.Int {
	w, neg := intOf(t, &s.buf)
	s.v.SetBits(bigWords(w))
	if neg {
		s.v.Neg(&s.v)
	}
	return &s.v
}

// trim drops zero limbs at the top.
func trim(w []uint64) []uint64 {
	for len(w) > 0 && w[len(w)-1] == 0 {
		w = w[:len(w)-1]
	}
	return w
}

// smallOf returns the small of a trimmed magnitude, or None.
func smallOf(w []uint64, neg bool) term.Term {
	switch {
	case len(w) == 0:
		return term.Small(0)
	case len(w) > 1:
		return term.None
	case !neg && w[0] <= term.MaxSmall:
		return term.Small(int64(w[0]))
	case neg && w[0] <= -term.MinSmall:
		return term.Small(-int64(w[0]))
	}
	return term.None
}

// FromLimbs builds the integer of a magnitude, limbs of 64 bits, least first; None
// beyond MaxLimbs.
func FromLimbs(h *heap.Heap, w []uint64, neg bool) term.Term {
	w = trim(w)
	if t := smallOf(w, neg); t != term.None {
		return t
	}
	if len(w) > MaxLimbs {
		return term.None
	}
	r := newResult(h, len(w))
	copy(r.w, w)
	return r.done(len(w), neg)
}

// result is a bignum under construction: room for the limbs on the heap, of
// which what is not used is given back.
type result struct {
	h *heap.Heap
	a uintptr
	w []uint64
}

func newResult(h *heap.Heap, limbs int) result {
	a := h.Alloc(1 + limbs)
	return result{h, a, offheap.Words(a+8, uintptr(limbs))}
}

// done finishes a bignum of at most n limbs.
func (r *result) done(n int, neg bool) term.Term {
	w := trim(r.w[:n])
	t := smallOf(w, neg)
	switch {
	case t != term.None:
		r.giveBack(0)
		return t
	case len(w) > MaxLimbs:
		r.giveBack(0)
		return term.None
	}
	r.giveBack(1 + len(w))
	k := term.KPosBig
	if neg {
		k = term.KNegBig
	}
	term.Put(r.a, 0, term.Header(len(w), k))
	return term.Box(r.a)
}

// giveBack keeps the first words of the allocation, if it was the last one.
func (r *result) giveBack(keep int) {
	size := 1 + len(r.w)
	if keep == size {
		return
	}
	end := r.a + uintptr(size)*8
	if end == r.h.HP {
		r.h.HP = r.a + uintptr(keep)*8
	} else if f := r.h.Frags; f != nil && f.HP == end {
		f.HP = r.a + uintptr(keep)*8
		r.h.FragWords -= uint64(size - keep)
	}
}

// cmpMag compares trimmed magnitudes.
func cmpMag(x, y []uint64) int {
	if len(x) != len(y) {
		return cmpInt(int64(len(x)), int64(len(y)))
	}
	for i := len(x) - 1; i >= 0; i-- {
		if x[i] != y[i] {
			if x[i] < y[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// addMag sets z to x + y, len(x) >= len(y), len(z) > len(x); it returns the
// limbs used.
func addMag(z, x, y []uint64) int {
	var c uint64
	n := len(y)
	z = z[:len(x)+1]
	for i := 0; i < n; i++ {
		z[i], c = bits.Add64(x[i], y[i], c)
	}
	for i := n; i < len(x); i++ {
		z[i], c = bits.Add64(x[i], 0, c)
	}
	z[len(x)] = c
	return len(x) + 1
}

// subMag sets z to x - y, x >= y, len(z) >= len(x).
func subMag(z, x, y []uint64) int {
	var c uint64
	n := len(y)
	z = z[:len(x)]
	for i := 0; i < n; i++ {
		z[i], c = bits.Sub64(x[i], y[i], c)
	}
	for i := n; i < len(x); i++ {
		z[i], c = bits.Sub64(x[i], 0, c)
	}
	return len(x)
}

// mulWord sets z to x * y, len(z) > len(x).
func mulWord(z, x []uint64, y uint64) int {
	var carry uint64
	z = z[:len(x)+1]
	for i, v := range x {
		hi, lo := bits.Mul64(v, y)
		var c uint64
		lo, c = bits.Add64(lo, carry, 0)
		z[i], carry = lo, hi+c
	}
	z[len(x)] = carry
	return len(x) + 1
}

// addInts is a + b, or a - b.
func addInts(h *heap.Heap, a, b term.Term, sub bool) term.Term {
	var xb, yb [1]uint64
	x, xneg := intOf(a, &xb)
	y, yneg := intOf(b, &yb)
	if sub {
		yneg = !yneg
	}
	if len(x) < len(y) {
		x, y, xneg, yneg = y, x, yneg, xneg
	}
	if len(y) == 0 {
		return FromLimbs(h, x, xneg)
	}
	if xneg == yneg {
		r := newResult(h, len(x)+1)
		return r.done(addMag(r.w, x, y), xneg)
	}
	switch c := cmpMag(x, y); {
	case c == 0:
		return term.Small(0)
	case c < 0:
		x, y, xneg = y, x, yneg
	}
	r := newResult(h, len(x))
	return r.done(subMag(r.w, x, y), xneg)
}

// basicMul is the length of the shorter operand up to which the schoolbook
// loop here beats math/big, whose call costs some 100 ns.
const basicMul = 12

// mulInts is a * b.
func mulInts(h *heap.Heap, a, b term.Term) term.Term {
	switch {
	case a.IsSmall() && b.IsSmall():
		return mulSmalls(h, a.Small(), b.Small())
	case a.IsSmall():
		return mulBigSmall(h, b, a.Small())
	case b.IsSmall():
		return mulBigSmall(h, a, b.Small())
	}
	x, y := limbsOf(a), limbsOf(b)
	neg := a.Kind() != b.Kind()
	if len(x) < len(y) {
		x, y = y, x
	}
	// The product has len(x)+len(y) limbs, or one less.
	if len(x)+len(y)-1 > MaxLimbs {
		return term.None
	}
	r := newResult(h, len(x)+len(y))
	switch {
	case len(y) == 1:
		return r.done(mulWord(r.w, x, y[0]), neg)
	case len(y) <= basicMul:
		return r.done(mulBasic(r.w, x, y), neg)
	}
	return r.done(mulMag(r.w, x, y), neg)
}

func mulBigSmall(h *heap.Heap, a term.Term, v int64) term.Term {
	if v == 0 {
		return term.Small(0)
	}
	x := limbsOf(a)
	r := newResult(h, len(x)+1)
	return r.done(mulWord(r.w, x, absU(v)), (v < 0) != (a.Kind() == term.KNegBig))
}

// mulBasic sets z to x * y, len(z) = len(x)+len(y).
func mulBasic(z, x, y []uint64) int {
	mulWord(z, x, y[0])
	for j := 1; j < len(y); j++ {
		v := y[j]
		zj := z[j : j+len(x)+1]
		var carry uint64
		for i, u := range x {
			hi, lo := bits.Mul64(u, v)
			var c uint64
			lo, c = bits.Add64(lo, carry, 0)
			hi += c
			zj[i], c = bits.Add64(zj[i], lo, 0)
			carry = hi + c
		}
		zj[len(x)] = carry
	}
	return len(x) + len(y)
}

// operands are big.Ints lent to one operation, so that none is allocated.
type operands struct{ x, y, q, r big.Int }

var scratches = sync.Pool{New: func() any { return new(operands) }}

// drop forgets the limbs that were only borrowed.
func (o *operands) drop() {
	o.x.SetBits(nil)
	o.y.SetBits(nil)
	scratches.Put(o)
}

// mulMag sets z to x * y, len(z) = len(x)+len(y), through math/big, which has a
// faster way to square.
func mulMag(z, x, y []uint64) int {
	o := scratches.Get().(*operands)
	var zi big.Int
	zi.SetBits(bigWords(z)[:0])
	o.x.SetBits(bigWords(x))
	if &x[0] == &y[0] {
		zi.Mul(&o.x, &o.x)
	} else {
		o.y.SetBits(bigWords(y))
		zi.Mul(&o.x, &o.y)
	}
	o.drop()
	p := words64(zi.Bits())
	if len(p) > 0 && &p[0] != &z[0] {
		copy(z, p)
	}
	return len(p)
}

func mulSmalls(h *heap.Heap, x, y int64) term.Term {
	hi, lo := bits.Mul64(absU(x), absU(y))
	neg := (x < 0) != (y < 0)
	w := [2]uint64{lo, hi}
	if hi == 0 {
		return FromLimbs(h, w[:1], neg)
	}
	return FromLimbs(h, w[:], neg)
}

func absU(v int64) uint64 {
	if v < 0 {
		return uint64(-v)
	}
	return uint64(v)
}
