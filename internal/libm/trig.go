package libm

import (
	"math"
	"math/big"
	"sync"
)

// Pi/2 in four doubles.
const (
	pio2a = 0x1.921fb54442d18p+00
	pio2b = 0x1.1a62633145c07p-54
	pio2c = -0x1.f1976b7ed8fbcp-110
	pio2d = 0x1.4cf98e804177dp-164
)

// reduce takes multiples of pi/2 from a finite x: what is left is within pi/4
// (a little more is harmless), and q says how many there were, modulo 4.
func reduce(x float64) (r dd, q int) {
	if math.Abs(x) <= math.Pi/4 {
		return dd{x, 0}, 0
	}
	if math.Abs(x) > 1<<30 {
		return reduceBig(x)
	}
	n := math.RoundToEven(x * (2 / math.Pi))
	p := prod(-n, pio2a)
	r = two(x, p.h)
	r = r.addf(p.l)
	r = r.add(prod(-n, pio2b)).add(prod(-n, pio2c)).addf(-n * pio2d)
	return r, int(int64(n) & 3)
}

// halfPi is pi/2 to more bits than any double's reduction needs.
var halfPi = sync.OnceValue(func() *big.Float {
	const prec = 1300
	arctan := func(n int64) *big.Float { // of 1/n
		sum, t := new(big.Float).SetPrec(prec), new(big.Float).SetPrec(prec)
		t.Quo(big.NewFloat(1), new(big.Float).SetPrec(prec).SetInt64(n))
		for i := int64(1); t.MantExp(nil) > -prec; i += 2 {
			q := new(big.Float).SetPrec(prec).Quo(t, new(big.Float).SetInt64(i))
			if i%4 == 1 {
				sum.Add(sum, q)
			} else {
				sum.Sub(sum, q)
			}
			t.Quo(t, new(big.Float).SetInt64(n*n))
		}
		return sum
	}
	a, b := arctan(5), arctan(239)
	a.Mul(a, big.NewFloat(8))
	b.Mul(b, big.NewFloat(2))
	return a.Sub(a, b)
})

func reduceBig(x float64) (r dd, q int) {
	h := halfPi()
	v := new(big.Float).SetPrec(h.Prec()).SetFloat64(x)
	quo := new(big.Float).SetPrec(h.Prec()).Quo(v, h)
	half := 0.5
	if x < 0 {
		half = -0.5
	}
	n, _ := quo.Add(quo, big.NewFloat(half)).Int(nil)
	v.Sub(v, new(big.Float).SetPrec(h.Prec()).Mul(h, new(big.Float).SetPrec(h.Prec()).SetInt(n)))
	r.h, _ = v.Float64()
	r.l, _ = v.Sub(v, big.NewFloat(r.h)).Float64()
	return r, int(new(big.Int).And(n, big.NewInt(3)).Int64())
}

// sin and cos are the series, for arguments within pi/4.
func (r dd) sin() dd { return r.series(1).mul(r) }

func (r dd) cos() dd { return r.series(0) }

// series is the sum of (-1)^i r^(2i) / (2i+first)!, the later terms of which
// need no more than a double.
func (r dd) series(first int) dd {
	z := r.mul(r)
	const last, exact = 13, 7
	t := invFact[2*last+first].h
	for i := last - 1; i >= exact; i-- {
		t = math.FMA(-t, z.h, invFact[2*i+first].h)
	}
	s := dd{t, 0}
	for i := exact - 1; i >= 0; i-- {
		s = invFact[2*i+first].add(s.mul(z).neg())
	}
	return s
}

// sincos is both, for any finite x.
func sincos(x float64) (s, c dd) {
	r, q := reduce(x)
	s, c = r.sin(), r.cos()
	switch q {
	case 1:
		return c, s.neg()
	case 2:
		return s.neg(), c.neg()
	case 3:
		return c.neg(), s
	}
	return s, c
}

func notFinite(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// Sin is the sine of x radians.
func Sin(x float64) float64 {
	if notFinite(x) {
		return math.NaN()
	}
	if x == 0 {
		return x
	}
	if math.Abs(x) < 0x1p-27 {
		return x - x*x*x/6
	}
	r, q := reduce(x)
	if q&1 == 0 {
		r = r.sin()
	} else {
		r = r.cos()
	}
	if q&2 != 0 {
		r = r.neg()
	}
	return r.round()
}

// Cos is the cosine of x radians.
func Cos(x float64) float64 {
	if notFinite(x) {
		return math.NaN()
	}
	r, q := reduce(x)
	if q&1 == 0 {
		r = r.cos()
	} else {
		r = r.sin()
	}
	if q == 1 || q == 2 {
		r = r.neg()
	}
	return r.round()
}

// Tan is the tangent of x radians.
func Tan(x float64) float64 {
	if notFinite(x) {
		return math.NaN()
	}
	if math.Abs(x) < 0x1p-27 {
		return x + x*x*x/3
	}
	s, c := sincos(x)
	return s.div(c).round()
}

// arctan is the angle of the point (x, y), neither of which is zero, infinite
// or far smaller than the other: one Newton step from the double nearby.
func arctan(y, x dd) dd {
	a := math.Atan2(y.h, x.h)
	s, c := sincos(a)
	t := y.mul(c).add(x.mul(s).neg()).div(x.mul(c).add(y.mul(s)))
	return dd{a, 0}.add(t)
}

// Atan is the angle whose tangent is x.
func Atan(x float64) float64 {
	switch {
	case notFinite(x) || x == 0:
		return math.Atan(x)
	case math.Abs(x) < 0x1p-27:
		return x - x*x*x/3
	}
	return Atan2(x, 1)
}

// Atan2 is the angle of the point (x, y).
func Atan2(y, x float64) float64 {
	if x == 0 || y == 0 || notFinite(x) || notFinite(y) {
		return math.Atan2(y, x)
	}
	_, ey := math.Frexp(y)
	_, ex := math.Frexp(x)
	switch d := ey - ex; {
	case d < -64 && x > 0:
		return y / x
	case d < -64:
		return math.Copysign(math.Pi, y)
	case d > 64:
		return math.Copysign(math.Pi/2, y)
	}
	y, x = math.Ldexp(y, -ex), math.Ldexp(x, -ex)
	return arctan(dd{y, 0}, dd{x, 0}).round()
}

// Asin is the angle whose sine is x.
func Asin(x float64) float64 {
	if math.Abs(x) < 0x1p-27 {
		return x + x*x*x/6
	}
	if !(math.Abs(x) < 1) {
		return math.Asin(x)
	}
	return arctan(dd{x, 0}, other(x)).round()
}

// Acos is the angle whose cosine is x.
func Acos(x float64) float64 {
	if !(math.Abs(x) < 1) || x == 0 {
		return math.Acos(x)
	}
	if math.Abs(x) < 0x1p-60 {
		return math.Pi / 2
	}
	return arctan(other(x), dd{x, 0}).round()
}

// other is the square root of 1 - x^2.
func other(x float64) dd { return two(1, -x).mul(two(1, x)).sqrt() }
