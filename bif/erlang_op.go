package bif

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// relation makes the row body of a comparison.
func relation(f func(a, b term.Term) bool) func(*native.Call) term.Term {
	return func(c *native.Call) term.Term { return term.Bool(f(c.Arg(0), c.Arg(1))) }
}

var erlangOpRows = []native.Row{
	{Module: "erlang", Name: "==", Arity: 2, Fn: relation(term.Equal), Flags: native.Guard},
	{Module: "erlang", Name: "/=", Arity: 2, Fn: relation(func(a, b term.Term) bool { return !term.Equal(a, b) }), Flags: native.Guard},
	{Module: "erlang", Name: "=:=", Arity: 2, Fn: relation(term.Same), Flags: native.Guard},
	{Module: "erlang", Name: "=/=", Arity: 2, Fn: relation(func(a, b term.Term) bool { return !term.Same(a, b) }), Flags: native.Guard},
	{Module: "erlang", Name: "<", Arity: 2, Fn: relation(func(a, b term.Term) bool { return term.Compare(a, b) < 0 }), Flags: native.Guard},
	{Module: "erlang", Name: "=<", Arity: 2, Fn: relation(func(a, b term.Term) bool { return term.Compare(a, b) <= 0 }), Flags: native.Guard},
	{Module: "erlang", Name: ">", Arity: 2, Fn: relation(func(a, b term.Term) bool { return term.Compare(a, b) > 0 }), Flags: native.Guard},
	{Module: "erlang", Name: ">=", Arity: 2, Fn: relation(func(a, b term.Term) bool { return term.Compare(a, b) >= 0 }), Flags: native.Guard},
	{Module: "erlang", Name: "not", Arity: 1, Fn: erlangNot, Flags: native.Guard},
	{Module: "erlang", Name: "and", Arity: 2, Fn: boolOp(func(a, b bool) bool { return a && b }), Flags: native.Guard},
	{Module: "erlang", Name: "or", Arity: 2, Fn: boolOp(func(a, b bool) bool { return a || b }), Flags: native.Guard},
	{Module: "erlang", Name: "xor", Arity: 2, Fn: boolOp(func(a, b bool) bool { return a != b }), Flags: native.Guard},
	{Module: "erts_internal", Name: "cmp_term", Arity: 2, Fn: ertsCmpTerm},
}

func erlangNot(c *native.Call) term.Term {
	switch c.Arg(0) {
	case term.True:
		return term.False
	case term.False:
		return term.True
	}
	return c.Badarg()
}

func boolOp(f func(a, b bool) bool) func(*native.Call) term.Term {
	return func(c *native.Call) term.Term {
		a, b := c.Arg(0), c.Arg(1)
		if !a.IsBool() || !b.IsBool() {
			return c.Badarg()
		}
		return term.Bool(f(a == term.True, b == term.True))
	}
}

// ertsCmpTerm is erts_internal:cmp_term/2: -1, 0 or 1 in the order of map keys,
// where integers come before floats.
func ertsCmpTerm(c *native.Call) term.Term {
	r := term.CompareExact(c.Arg(0), c.Arg(1))
	return term.Small(int64(min(1, max(-1, r))))
}

// isWholeBinary tells whether sub bits cover all of a reference counted binary.
func isWholeBinary(t term.Term) bool {
	orig := term.Term(t.W(4))
	return orig.Kind() == term.KBinRef && t.W(2) == 0 && t.W(3) == uint64(heap.BinOf(orig).Size)*8
}
