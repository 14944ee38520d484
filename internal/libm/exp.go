package libm

import "math"

const (
	ln2a  = 0x1.62e42fefa2p-01 // 40 bits: times an exponent it is exact
	ln2b  = 0x1.9ef35793c7673p-41
	ln2c  = 0x1.f97b57a079a19p-103
	log2e = 0x1.71547652b82fep+00

	maxExp = 0x1.62e42fefa39efp+9  // above, exp overflows
	minExp = -0x1.74910d52d3051p+9 // below, exp is zero
)

var invLn2 = dd{0x1.71547652b82fep+00, 0x1.777d0ffda0d24p-56}

// expm1 is exp(r) - 1 for |r| < 0.36, to about 100 bits of its own size. The
// series is that of r/16, whose tail needs no more than a double; squaring
// four times does the rest.
func (r dd) expm1() dd {
	r = r.scale(1.0 / 16)
	x := r.h
	t := invFact[14].h
	for n := 13; n >= 7; n-- {
		t = math.FMA(t, x, invFact[n].h)
	}
	s := invFact[6].add(prod(t, x))
	for n := 5; n >= 1; n-- {
		s = invFact[n].add(s.mul(r))
	}
	s = s.mul(r)
	for range 4 {
		s = s.scale(2).add(s.mul(s))
	}
	return s
}

// timesLn2 is k ln 2.
func timesLn2(k float64) dd {
	return dd{k * ln2a, 0}.add(prod(k, ln2b)).addf(k * ln2c)
}

// exp returns m and k such that exp(a) = m 2^k.
func (a dd) exp() (m dd, k int) {
	n := math.RoundToEven(a.h * log2e)
	r := a.add(timesLn2(-n))
	return r.expm1().addf(1), int(n)
}

// ldexp rounds a 2^k once, also when the result is subnormal.
func (a dd) ldexp(k int) float64 {
	if k > -1000 {
		return math.Ldexp(a.round(), k)
	}
	// The last place of the result is 2^-1074: add what cuts there.
	cut := math.Ldexp(1.5, -1022-k) // 2^52 units of 2^(-1074-k), and a half more
	s := two(cut, a.h)
	return math.Ldexp((s.h+(s.l+a.l))-cut, k)
}

// Exp is e^x.
func Exp(x float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x > maxExp:
		return math.Inf(1)
	case x < minExp:
		return 0
	case x > -0x1p-54 && x < 0x1p-54:
		return 1 + x
	}
	if m, k := (dd{x, 0}).expFast(); k > -1000 {
		if r, ok := m.roundTo(m.h * 0x1p-64); ok {
			return math.Ldexp(r, k)
		}
	}
	m, k := dd{x, 0}.exp()
	return m.ldexp(k)
}

// log is the natural logarithm of a positive finite x: one Newton step from
// the double nearby.
func log(x float64) dd {
	m, e := math.Frexp(x) // m in [1/2, 1)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	y := math.Log(m)
	d := m - 1 // exact
	em := dd{-y, 0}.expm1()
	t := dd{d, 0}.add(em).add(em.mulf(d)) // m e^-y - 1
	r := dd{y, 0}.add(t).addf(-t.h * t.h / 2)
	if e == 0 {
		return r
	}
	return timesLn2(float64(e)).add(r)
}

func logSpecial(x float64) (r float64, special bool) {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x, true
	case x < 0:
		return math.NaN(), true
	case x == 0:
		return math.Inf(-1), true
	case x == 1:
		return 0, true
	}
	return 0, false
}

// Log is the natural logarithm.
func Log(x float64) float64 {
	if r, ok := logSpecial(x); ok {
		return r
	}
	if x >= 0x1p-1022 {
		a := logFast(x)
		if r, ok := a.roundTo(a.h * 0x1p-64); ok {
			return r
		}
	}
	return log(x).round()
}

// Log2 is the logarithm to base 2.
func Log2(x float64) float64 {
	if r, ok := logSpecial(x); ok {
		return r
	}
	if m, e := math.Frexp(x); m == 0.5 {
		return float64(e - 1)
	}
	return log(x).mul(invLn2).round()
}

// Log10 is the logarithm to base 10, by fdlibm's formula.
func Log10(x float64) float64 {
	if r, ok := logSpecial(x); ok {
		return r
	}
	const (
		ivLn10   = 4.34294481903251816668e-01
		log10of2 = 3.01029995663611771306e-01 // 33 bits
		log10lo  = 3.69423907715893078616e-13
	)
	m, e := math.Frexp(x)
	m, e = 2*m, e-1 // 1 <= m < 2
	y := float64(e)
	if e < 0 {
		m, y = m/2, y+1
	}
	z := float64(y*log10lo) + float64(ivLn10*Log(m))
	return z + float64(y*log10of2)
}

// Pow is x^y, with the special cases of C.
func Pow(x, y float64) float64 {
	switch {
	case y == 0 || x == 1:
		return 1
	case x == 0 || math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsNaN(x) || math.IsNaN(y):
		return math.Pow(x, y)
	case y == 1:
		return x
	}
	sign := 1.0
	if x < 0 {
		if y != math.Floor(y) {
			return math.NaN()
		}
		if math.Abs(y) < 1<<53 && math.Mod(y, 2) != 0 {
			sign = -1
		}
		x = -x
		if x == 1 {
			return sign
		}
	}
	if x >= 0x1p-1022 {
		l := logFast(x).mulf(y)
		if a := math.Abs(l.h); a < 700 {
			m, k := l.expFast()
			if r, ok := m.roundTo(m.h * (0x1p-64 + a*0x1p-65)); ok {
				return sign * math.Ldexp(r, k)
			}
		}
	}
	l := log(x)
	switch p := l.h * y; {
	case p > maxExp+1:
		return sign * math.Inf(1)
	case p < minExp-1:
		return sign * 0
	}
	m, k := l.mulf(y).exp()
	return sign * m.ldexp(k)
}
