package bif

import (
	"math"

	"github.com/beamrd/beamrd/internal/libm"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/num"
	"github.com/beamrd/beamrd/vm/term"
)

var mathRows = []native.Row{
	{Module: "math", Name: "acos", Arity: 1, Fn: math1(libm.Acos)},
	{Module: "math", Name: "acosh", Arity: 1, Fn: math1(libm.Acosh)},
	{Module: "math", Name: "asin", Arity: 1, Fn: math1(libm.Asin)},
	{Module: "math", Name: "asinh", Arity: 1, Fn: math1(libm.Asinh)},
	{Module: "math", Name: "atan", Arity: 1, Fn: math1(libm.Atan)},
	{Module: "math", Name: "atan2", Arity: 2, Fn: math2(libm.Atan2)},
	{Module: "math", Name: "atanh", Arity: 1, Fn: math1(libm.Atanh)},
	{Module: "math", Name: "ceil", Arity: 1, Fn: math1(math.Ceil)},
	{Module: "math", Name: "cos", Arity: 1, Fn: math1(libm.Cos)},
	{Module: "math", Name: "cosh", Arity: 1, Fn: math1(libm.Cosh)},
	{Module: "math", Name: "erf", Arity: 1, Fn: math1(libm.Erf)},
	{Module: "math", Name: "erfc", Arity: 1, Fn: math1(libm.Erfc)},
	{Module: "math", Name: "exp", Arity: 1, Fn: math1(libm.Exp)},
	{Module: "math", Name: "floor", Arity: 1, Fn: math1(math.Floor)},
	{Module: "math", Name: "fmod", Arity: 2, Fn: math2(math.Mod)},
	{Module: "math", Name: "log", Arity: 1, Fn: math1(libm.Log)},
	{Module: "math", Name: "log10", Arity: 1, Fn: math1(libm.Log10)},
	{Module: "math", Name: "log2", Arity: 1, Fn: math1(libm.Log2)},
	{Module: "math", Name: "pow", Arity: 2, Fn: math2(libm.Pow)},
	{Module: "math", Name: "sin", Arity: 1, Fn: math1(libm.Sin)},
	{Module: "math", Name: "sinh", Arity: 1, Fn: math1(libm.Sinh)},
	{Module: "math", Name: "sqrt", Arity: 1, Fn: math1(math.Sqrt)},
	{Module: "math", Name: "tan", Arity: 1, Fn: math1(libm.Tan)},
	{Module: "math", Name: "tanh", Arity: 1, Fn: math1(libm.Tanh)},
}

// mathArg returns a number as a float. What is no number raises badarg, what
// does not fit a double badarith; ok is false then.
func mathArg(c *native.Call, i int) (f float64, ok bool) {
	a := c.Arg(i)
	if f, ok = num.ToFloat(a); ok {
		return f, true
	}
	if a.IsNumber() {
		c.Badarith()
	} else {
		c.Badarg()
	}
	return 0, false
}

// mathResult builds a result; badarith outside the function's domain or the
// range of floats.
func mathResult(c *native.Call, f float64) term.Term {
	if r := num.Float(&c.P.Heap, f); r != term.None {
		return r
	}
	return c.Badarith()
}

func math1(f func(float64) float64) func(*native.Call) term.Term {
	return func(c *native.Call) term.Term {
		x, ok := mathArg(c, 0)
		if !ok {
			return term.None
		}
		return mathResult(c, f(x))
	}
}

func math2(f func(x, y float64) float64) func(*native.Call) term.Term {
	return func(c *native.Call) term.Term {
		x, ok := mathArg(c, 0)
		if !ok {
			return term.None
		}
		y, ok := mathArg(c, 1)
		if !ok {
			return term.None
		}
		return mathResult(c, f(x, y))
	}
}
