// Package libm computes the elementary functions as the C library does that
// Erlang programs are used to: the results of glibc are within 0.55 units of
// the last place, so they are nearly always the correctly rounded ones. Go's
// own functions differ from those in a quarter of all cases, and some by many
// units. Here exp, log, pow and the trigonometric functions are computed with
// about 100 bits, as unevaluated sums of two doubles, and rounded once; the
// hyperbolic functions follow fdlibm on top of them, as glibc's do.
//
// The constants were computed with 600 bits.
package libm

import "math"

// dd is the unevaluated sum h + l, |l| at most half a unit of h.
type dd struct{ h, l float64 }

func (a dd) round() float64 { return a.h + a.l }

// fast2 is a + b exactly, for |a| >= |b|.
func fast2(a, b float64) dd {
	s := a + b
	return dd{s, b - (s - a)}
}

// two is a + b exactly.
func two(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

// prod is a * b exactly.
func prod(a, b float64) dd {
	p := a * b
	return dd{p, math.FMA(a, b, -p)}
}

func (a dd) add(b dd) dd {
	s := two(a.h, b.h)
	t := two(a.l, b.l)
	s = fast2(s.h, s.l+t.h)
	return fast2(s.h, s.l+t.l)
}

func (a dd) addf(b float64) dd {
	s := two(a.h, b)
	return fast2(s.h, s.l+a.l)
}

func (a dd) mul(b dd) dd {
	p := a.h * b.h
	e := math.FMA(a.h, b.h, -p)
	e = math.FMA(a.h, b.l, math.FMA(a.l, b.h, e))
	return fast2(p, e)
}

func (a dd) mulf(b float64) dd {
	p := a.h * b
	e := math.FMA(a.h, b, -p)
	return fast2(p, math.FMA(a.l, b, e))
}

func (a dd) neg() dd { return dd{-a.h, -a.l} }

func (a dd) scale(f float64) dd { return dd{a.h * f, a.l * f} } // f a power of two

func (a dd) div(b dd) dd {
	q := a.h / b.h
	r := a.add(b.mulf(q).neg())
	q2 := r.h / b.h
	r = r.add(b.mulf(q2).neg())
	return fast2(q, q2).addf(r.h / b.h)
}

func (a dd) sqrt() dd {
	if a.h == 0 {
		return a
	}
	s := math.Sqrt(a.h)
	r := a.add(prod(s, s).neg())
	return fast2(s, r.h/(2*s))
}

// invFact holds 1/n!.
var invFact = [...]dd{
	{0x1p+00, 0x0p+00},
	{0x1p+00, 0x0p+00},
	{0x1p-01, 0x0p+00},
	{0x1.5555555555555p-03, 0x1.5555555555555p-57},
	{0x1.5555555555555p-05, 0x1.5555555555555p-59},
	{0x1.1111111111111p-07, 0x1.1111111111111p-63},
	{0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},
	{0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73},
	{0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76},
	{0x1.71de3a556c734p-19, -0x1.c154f8ddc6cp-73},
	{0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76},
	{0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80},
	{0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83},
	{0x1.6124613a86d09p-33, 0x1.f28e0cc748ebep-87},
	{0x1.93974a8c07c9dp-37, 0x1.05d6f8a2efd1fp-92},
	{0x1.ae7f3e733b81fp-41, 0x1.1d8656b0ee8cbp-97},
	{0x1.ae7f3e733b81fp-45, 0x1.1d8656b0ee8cbp-101},
	{0x1.952c77030ad4ap-49, 0x1.ac981465ddc6cp-103},
	{0x1.6827863b97d97p-53, 0x1.eec01221a8b0bp-107},
	{0x1.2f49b46814157p-57, 0x1.2650f61dbdcb4p-112},
	{0x1.e542ba4020225p-62, 0x1.ea72b4afe3c2fp-120},
	{0x1.71b8ef6dcf572p-66, -0x1.d043ae40c4647p-120},
	{0x1.0ce396db7f853p-70, -0x1.aebcdbd20331cp-124},
	{0x1.761b41316381ap-75, -0x1.3423c7d91404fp-130},
	{0x1.f2cf01972f578p-80, -0x1.9ada5fcc1ab14p-135},
	{0x1.3f3ccdd165fa9p-84, -0x1.58ddadf344487p-139},
	{0x1.88e85fc6a4e5ap-89, -0x1.71c37ebd1654p-143},
	{0x1.d1ab1c2dccea3p-94, 0x1.054d0c78aea14p-149},
	{0x1.0a18a2635085dp-98, 0x1.b9e2e28e1aa54p-153},
}
