package bif

import (
	"math"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/num"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangNumRows = []native.Row{
	{Module: "erlang", Name: "+", Arity: 2, Fn: arith(num.OpAdd, num.Add), Flags: native.Guard},
	{Module: "erlang", Name: "-", Arity: 2, Fn: arith(num.OpSub, num.Sub), Flags: native.Guard},
	{Module: "erlang", Name: "*", Arity: 2, Fn: arith(num.OpMul, num.Mul), Flags: native.Guard},
	{Module: "erlang", Name: "/", Arity: 2, Fn: arith(num.OpDivide, num.Divide), Flags: native.Guard},
	{Module: "erlang", Name: "div", Arity: 2, Fn: arith(num.OpDiv, num.Div), Flags: native.Guard},
	{Module: "erlang", Name: "rem", Arity: 2, Fn: arith(num.OpRem, num.Rem), Flags: native.Guard},
	{Module: "erlang", Name: "band", Arity: 2, Fn: arith(num.OpBand, num.Band), Flags: native.Guard},
	{Module: "erlang", Name: "bor", Arity: 2, Fn: arith(num.OpBor, num.Bor), Flags: native.Guard},
	{Module: "erlang", Name: "bxor", Arity: 2, Fn: arith(num.OpBxor, num.Bxor), Flags: native.Guard},
	{Module: "erlang", Name: "bsl", Arity: 2, Fn: arith(num.OpBsl, num.Bsl), Flags: native.Guard},
	{Module: "erlang", Name: "bsr", Arity: 2, Fn: arith(num.OpBsr, num.Bsr), Flags: native.Guard},
	{Module: "erlang", Name: "bnot", Arity: 1, Fn: arith1(num.OpBnot, num.Bnot), Flags: native.Guard},
	{Module: "erlang", Name: "-", Arity: 1, Fn: arith1(num.OpNeg, num.Neg), Flags: native.Guard},
	{Module: "erlang", Name: "+", Arity: 1, Fn: erlangPlus1, Flags: native.Guard},
	{Module: "erlang", Name: "abs", Arity: 1, Fn: erlangAbs, Flags: native.Guard},
	{Module: "erlang", Name: "float", Arity: 1, Fn: erlangFloat, Flags: native.Guard},
	{Module: "erlang", Name: "round", Arity: 1, Fn: toInteger(math.Round), Flags: native.Guard},
	{Module: "erlang", Name: "trunc", Arity: 1, Fn: toInteger(math.Trunc), Flags: native.Guard},
	{Module: "erlang", Name: "ceil", Arity: 1, Fn: toInteger(math.Ceil), Flags: native.Guard},
	{Module: "erlang", Name: "floor", Arity: 1, Fn: toInteger(math.Floor), Flags: native.Guard},
}

// arith makes the row body of an operator: badarith, or system_limit for
// integers that would be too large.
func arith(op byte, f func(h *heap.Heap, a, b term.Term) term.Term) func(*native.Call) term.Term {
	return func(c *native.Call) term.Term {
		a, b := c.Arg(0), c.Arg(1)
		r := f(&c.P.Heap, a, b)
		if r == term.None {
			return arithError(c, op, a, b)
		}
		if r.IsBoxed() && r.IsBig() {
			bumpBig(c, op, a, b)
		}
		return r
	}
}

func arith1(op byte, f func(h *heap.Heap, a term.Term) term.Term) func(*native.Call) term.Term {
	return func(c *native.Call) term.Term {
		a := c.Arg(0)
		if r := f(&c.P.Heap, a); r != term.None {
			return r
		}
		return arithError(c, op, a, term.None)
	}
}

func arithError(c *native.Call, op byte, a, b term.Term) term.Term {
	if num.Limit(op, a, b) {
		return c.SystemLimit()
	}
	return c.Badarith()
}

// limbsPerRed is the limb operations that a reduction pays for.
const limbsPerRed = 256

// bumpBig pays for an operation on large integers.
func bumpBig(c *native.Call, op byte, a, b term.Term) {
	if !a.IsInteger() || !b.IsInteger() {
		return
	}
	x, y := num.Limbs(a), num.Limbs(b)
	switch op {
	case num.OpMul, num.OpDiv, num.OpRem:
		c.Bump(x * min(y, 1024) / limbsPerRed)
	case num.OpBsl, num.OpBsr:
		c.Bump(x / limbsPerRed)
	default:
		c.Bump((x + y) / limbsPerRed)
	}
}

func erlangPlus1(c *native.Call) term.Term {
	if a := c.Arg(0); a.IsNumber() {
		return a
	}
	return c.Badarith()
}

func erlangAbs(c *native.Call) term.Term {
	if r := num.Abs(&c.P.Heap, c.Arg(0)); r != term.None {
		return r
	}
	return c.Badarg()
}

func erlangFloat(c *native.Call) term.Term {
	a := c.Arg(0)
	if a.IsFloat() {
		return a
	}
	f, ok := num.ToFloat(a)
	if !ok {
		return c.Badarg()
	}
	return num.Float(&c.P.Heap, f)
}

func toInteger(f func(float64) float64) func(*native.Call) term.Term {
	return func(c *native.Call) term.Term {
		a := c.Arg(0)
		switch {
		case a.IsInteger():
			return a
		case a.IsFloat():
			return num.FromFloat(&c.P.Heap, f(a.Float()))
		}
		return c.Badarg()
	}
}
