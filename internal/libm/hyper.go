package libm

import "math"

const (
	overSinh = 7.10475860073943863426e+02 // above, sinh and cosh overflow
	logMax   = 7.09782712893383973096e+02
)

// Sinh is the hyperbolic sine.
func Sinh(x float64) float64 {
	h, a := math.Copysign(0.5, x), math.Abs(x)
	switch {
	case notFinite(x) || a < 0x1p-28:
		return x
	case a < 22:
		t := Expm1(a)
		if a < 1 {
			return h * (2*t - t*t/(t+1))
		}
		return h * (t + t/(t+1))
	case a < logMax:
		return h * Exp(a)
	case a <= overSinh:
		w := Exp(0.5 * a)
		return h * w * w
	}
	return math.Copysign(math.Inf(1), x)
}

// Cosh is the hyperbolic cosine.
func Cosh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case notFinite(x):
		return a
	case a < 0.5*math.Ln2:
		t := Expm1(a)
		w := 1 + t
		if a < 0x1p-55 {
			return w
		}
		return 1 + t*t/(w+w)
	case a < 22:
		t := Exp(a)
		return 0.5*t + 0.5/t
	case a < logMax:
		return 0.5 * Exp(a)
	case a <= overSinh:
		w := Exp(0.5 * a)
		return 0.5 * w * w
	}
	return math.Inf(1)
}

// Tanh is the hyperbolic tangent.
func Tanh(x float64) float64 {
	a := math.Abs(x)
	var z float64
	switch {
	case math.IsNaN(x):
		return x
	case a < 0x1p-55:
		return x * (1 + x)
	case a >= 22:
		z = 1
	case a >= 1:
		z = 1 - 2/(Expm1(2*a)+2)
	default:
		t := Expm1(-2 * a)
		z = -t / (t + 2)
	}
	return math.Copysign(z, x)
}

// Asinh is the inverse hyperbolic sine.
func Asinh(x float64) float64 {
	a := math.Abs(x)
	var w float64
	switch {
	case notFinite(x) || a < 0x1p-28:
		return x
	case a > 0x1p28:
		w = Log(a) + math.Ln2
	case a > 2:
		w = Log(2*a + 1/(math.Sqrt(x*x+1)+a))
	default:
		t := x * x
		w = math.Log1p(a + t/(1+math.Sqrt(1+t)))
	}
	return math.Copysign(w, x)
}

// Acosh is the inverse hyperbolic cosine.
func Acosh(x float64) float64 {
	switch {
	case !(x >= 1):
		return math.NaN()
	case x > 0x1p28:
		return Log(x) + math.Ln2
	case x > 2:
		return Log(2*x - 1/(x+math.Sqrt(x*x-1)))
	}
	t := x - 1
	return math.Log1p(t + math.Sqrt(2*t+t*t))
}

// Atanh is the inverse hyperbolic tangent.
func Atanh(x float64) float64 { return math.Atanh(x) }

// Expm1 is e^x - 1.
func Expm1(x float64) float64 { return math.Expm1(x) }
