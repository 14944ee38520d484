package libm

import "math"

// The error functions are fdlibm's: their intervals, coefficients and formulas
// come with this notice.
//
//	Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
//
//	Developed at SunPro, a Sun Microsystems, Inc. business.
//	Permission to use, copy, modify, and distribute this
//	software is freely granted, provided that this notice
//	is preserved.

// ratio is a quotient of polynomials, evaluated in pairs of terms as glibc
// does; lowest coefficients first.
type ratio struct{ num, den []float64 }

func (r *ratio) at(z float64) float64 { return poly(r.num, z) / poly(r.den, z) }

func poly(c []float64, z float64) float64 {
	s, p, z2 := 0.0, 1.0, z*z
	for i := 0; i < len(c); i += 2 {
		t := c[i]
		if i+1 < len(c) {
			t += float64(z * c[i+1])
		}
		s += float64(p * t)
		p *= z2
	}
	return s
}

const (
	erx  = 8.45062911510467529297e-01 // erf near 1, in single precision
	efx  = 1.28379167095512586316e-01
	efx8 = 1.02703333676410069053e+00
)

// erfNear is (erf x)/x - 1 as a function of x^2, below 0.84375.
var erfNear = ratio{
	num: []float64{
		1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02,
		-5.77027029648944159157e-03, -2.37630166566501626084e-05,
	},
	den: []float64{
		1, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03,
		1.32494738004321644526e-04, -3.96022827877536812320e-06,
	},
}

// erfOne is erf x - erx as a function of x - 1, below 1.25.
var erfOne = ratio{
	num: []float64{
		-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01,
		3.18346619901161753674e-01, -1.10894694282396677476e-01, 3.54783043256182359371e-02,
		-2.16637559486879084300e-03,
	},
	den: []float64{
		1, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02,
		1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02,
	},
}

// erfcMid and erfcFar are log(x erfc x) + x^2 + 0.5625 as functions of 1/x^2,
// below and above 1/0.35.
var erfcMid = ratio{
	num: []float64{
		-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01,
		-6.23753324503260060396e+01, -1.62396669462573470355e+02, -1.84605092906711035994e+02,
		-8.12874355063065934246e+01, -9.81432934416914548592e+00,
	},
	den: []float64{
		1, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02,
		6.45387271733267880336e+02, 4.29008140027567833386e+02, 1.08635005541779435134e+02,
		6.57024977031928170135e+00, -6.04244152148580987438e-02,
	},
}

var erfcFar = ratio{
	num: []float64{
		-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01,
		-1.60636384855821916062e+02, -6.37566443368389627722e+02, -1.02509513161107724954e+03,
		-4.83519191608651397019e+02,
	},
	den: []float64{
		1, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03,
		3.19985821950859553908e+03, 2.55305040643316442583e+03, 4.74528541206955367215e+02,
		-2.24409524465858183362e+01,
	},
}

// erfcTail is erfc x for 1.25 <= x < 28.
func erfcTail(x float64) float64 {
	s := 1 / (x * x)
	f := &erfcFar
	if x < 1/0.35 {
		f = &erfcMid
	}
	z := math.Float64frombits(math.Float64bits(x) &^ 0xFFFFFFFF)
	return Exp(-z*z-0.5625) * Exp((z-x)*(z+x)+f.at(s)) / x
}

// Erf is the error function.
func Erf(x float64) float64 {
	a := math.Abs(x)
	var r float64
	switch {
	case math.IsNaN(x):
		return x
	case a < 0x1p-1015:
		r = 0.125 * (8*a + efx8*a)
	case a < 0x1p-28:
		r = a + efx*a
	case a < 0.84375:
		r = a + a*erfNear.at(a*a)
	case a < 1.25:
		r = erx + erfOne.at(a-1)
	case a < 6:
		r = 1 - erfcTail(a)
	default:
		r = 1
	}
	return math.Copysign(r, x)
}

// Erfc is 1 - Erf(x), without loss for large x.
func Erfc(x float64) float64 {
	a := math.Abs(x)
	switch {
	case math.IsNaN(x):
		return x
	case a < 0x1p-56:
		return 1 - x
	case a < 0.84375:
		y := erfNear.at(x * x)
		if x < 0.25 {
			return 1 - (x + x*y)
		}
		return 0.5 - (x - 0.5 + x*y)
	case a < 1.25 && x > 0:
		return 1 - erx - erfOne.at(a-1)
	case a < 1.25:
		return 1 + (erx + erfOne.at(a-1))
	case x > 0 && x < 28:
		return erfcTail(x)
	case x > 0:
		return 0
	case x > -6:
		return 2 - erfcTail(a)
	}
	return 2
}
