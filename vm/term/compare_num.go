package term

import (
	"math"
	"math/bits"
)

// cmpNumbers compares two different number terms. Integers and floats compare
// by exact value, or integers first when exact is set.
func cmpNumbers(a, b Term, exact bool) int {
	fa, fb := a.IsFloat(), b.IsFloat()
	switch {
	case fa && fb:
		return cmpFloats(a.Float(), b.Float(), exact)
	case fa:
		if exact {
			return 1
		}
		return -cmpIntFloat(b, a.Float())
	case fb:
		if exact {
			return -1
		}
		return cmpIntFloat(a, b.Float())
	}
	return cmpInts(a, b)
}

func cmpFloats(a, b float64, exact bool) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case exact && signedZero && a == 0:
		return cmpInt64(int64(math.Float64bits(a)), int64(math.Float64bits(b)))
	}
	return 0
}

func cmpInts(a, b Term) int {
	sa, sb := a.IsSmall(), b.IsSmall()
	switch {
	case sa && sb:
		return cmpInt64(int64(a), int64(b))
	case sa:
		if b.Kind() == KNegBig {
			return 1
		}
		return -1
	case sb:
		if a.Kind() == KNegBig {
			return -1
		}
		return 1
	}
	ka, kb := a.Kind(), b.Kind()
	if ka != kb {
		if ka == KNegBig {
			return -1
		}
		return 1
	}
	j := cmpLimbs(a, b)
	if ka == KNegBig {
		return -j
	}
	return j
}

func cmpLimbs(a, b Term) int {
	n := HeaderWords(a.Hdr())
	if m := HeaderWords(b.Hdr()); n != m {
		return n - m
	}
	for i := n; i > 0; i-- {
		if x, y := a.W(i), b.W(i); x != y {
			return cmpUint64(x, y)
		}
	}
	return 0
}

// cmpIntFloat compares an integer with a float by exact value.
func cmpIntFloat(t Term, f float64) int {
	if t.IsSmall() {
		v := t.Small()
		switch {
		case f >= 1<<60:
			return -1
		case f <= -(1 << 60):
			return 1
		}
		i := int64(f) // towards zero
		if v != i {
			return cmpInt64(v, i)
		}
		r := f - float64(i) // exact: |f| < 2^53, or r is 0
		return cmpFloats(0, r, false)
	}
	neg := t.Kind() == KNegBig
	if neg {
		f = -f
	}
	j := cmpMagFloat(t, f)
	if neg {
		return -j
	}
	return j
}

// cmpMagFloat compares the magnitude of a bignum with a float.
func cmpMagFloat(t Term, f float64) int {
	if f < 1<<53 { // bignums are at least 2^59
		return 1
	}
	n := HeaderWords(t.Hdr())
	top := t.W(n)
	size := (n-1)*64 + bits.Len64(top)
	if size > 1024 {
		return 1
	}
	u := math.Float64bits(f)
	exp := int(u>>52) - 1075 // f = mant * 2^exp, exp >= 1
	mant := u&(1<<52-1) | 1<<52
	if fs := exp + 53; size != fs {
		return size - fs
	}
	for i := n; i > 0; i-- {
		x, y := t.W(i), limbOf(mant, exp, i-1)
		if x != y {
			return cmpUint64(x, y)
		}
	}
	return 0
}

// limbOf returns limb i of mant * 2^exp.
func limbOf(mant uint64, exp, i int) uint64 {
	sh := exp - i*64
	switch {
	case sh >= 64 || sh <= -64:
		return 0
	case sh >= 0:
		return mant << uint(sh)
	}
	return mant >> uint(-sh)
}
