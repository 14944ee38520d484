package bif

import (
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangListRows = []native.Row{
	{Module: "erlang", Name: "hd", Arity: 1, Fn: erlangHd, Flags: native.Guard},
	{Module: "erlang", Name: "tl", Arity: 1, Fn: erlangTl, Flags: native.Guard},
	{Module: "erlang", Name: "length", Arity: 1, Fn: erlangLength, Flags: native.Guard},
	{Module: "erlang", Name: "length_trap", Arity: 3, Fn: lengthTrap, Flags: native.Hidden},
	{Module: "erlang", Name: "++", Arity: 2, Fn: erlangAppend},
	{Module: "erlang", Name: "append", Arity: 2, Fn: erlangAppend},
	{Module: "erlang", Name: "append_trap", Arity: 3, Fn: appendTrap, Flags: native.Hidden},
	{Module: "erlang", Name: "--", Arity: 2, Fn: erlangSubtract},
	{Module: "erlang", Name: "subtract", Arity: 2, Fn: erlangSubtract},
	{Module: "erts_internal", Name: "subtract_dirty", Arity: 2, Fn: subtractDirty, Flags: native.Hidden | native.DirtyCPU},
	{Module: "erlang", Name: "list_to_tuple", Arity: 1, Fn: erlangListToTuple},
	{Module: "erlang", Name: "tuple_to_list", Arity: 1, Fn: erlangTupleToList},
}

var amReverse = term.Intern("reverse")

func erlangHd(c *native.Call) term.Term {
	if l := c.Arg(0); l.IsList() {
		return l.Head()
	}
	return c.Badarg()
}

func erlangTl(c *native.Call) term.Term {
	if l := c.Arg(0); l.IsList() {
		return l.Tail()
	}
	return c.Badarg()
}

// listLength returns the number of elements of a proper list, -1 for others.
func listLength(l term.Term) int {
	n := 0
	for l.IsList() {
		l = l.Tail()
		n++
	}
	if !l.IsNil() {
		return -1
	}
	return n
}

// erlangLength is length/1. Instructions count long lists in slices of their
// own (vm/interp); the rest that come from guards only pay.
func erlangLength(c *native.Call) term.Term {
	if c.InGuard {
		n := listLength(c.Arg(0))
		if n < 0 {
			return c.Badarg()
		}
		c.Bump(n / scanPerRed)
		return term.Small(int64(n))
	}
	return countOn(c, c.Arg(0), 0, c.Arg(0))
}

// lengthTrap goes on with a long length/1: the rest of the list, its length so
// far, and all of it.
func lengthTrap(c *native.Call) term.Term {
	if !c.Arg(1).IsSmall() {
		return c.Badarg()
	}
	return countOn(c, c.Arg(0), int(c.Arg(1).Small()), c.Arg(2))
}

func countOn(c *native.Call, l term.Term, n int, list term.Term) term.Term {
	k, budget := 0, scanBudget(c, scanPerRed)
	for ; k < budget && l.IsList(); k++ {
		l = l.Tail()
	}
	c.Bump(k / scanPerRed)
	switch {
	case l.IsList():
		return c.Trap(code.GetExport(term.AmErlang, amLengthTrap, 3), l, term.Small(int64(n+k)), list)
	case !l.IsNil():
		c.FailAs(term.AmErlang, amLength, list)
		return c.Badarg()
	}
	return term.Small(int64(n + k))
}

var amLength, amLengthTrap = term.Intern("length"), term.Intern("length_trap")

// erlangAppend is ++: the right side is not looked at, so [] ++ x is x.
func erlangAppend(c *native.Call) term.Term {
	l, r := c.Arg(0), c.Arg(1)
	if l.IsNil() {
		return r
	}
	budget := scanBudget(c, reversePerRed)
	n, t := 0, l
	for t.IsList() {
		t = t.Tail()
		n++
	}
	if !t.IsNil() {
		return c.Badarg()
	}
	if n > budget {
		return c.Trap(appendTrapExport(), l, r, term.Nil)
	}
	c.Bump(n / reversePerRed)
	return copyOnto(c, l, n, r)
}

// copyOnto copies the first n elements of l in front of tail.
func copyOnto(c *native.Call, l term.Term, n int, tail term.Term) term.Term {
	if n == 0 {
		return tail
	}
	a := c.Alloc(2 * n)
	first := term.Term(a | term.PrimList)
	for range n - 1 {
		term.MakeCons(a, l.Head(), term.Term(a+16|term.PrimList))
		l = l.Tail()
		a += 16
	}
	term.MakeCons(a, l.Head(), tail)
	return first
}

func appendTrapExport() *code.Export {
	return code.GetExport(term.AmErlang, term.Intern("append_trap"), 3)
}

// appendTrap goes on with a long ++ whose left side is known to be proper: it
// reverses it in slices, then has lists:reverse/2 put it on the right side.
func appendTrap(c *native.Call) term.Term {
	l, r, acc := c.Arg(0), c.Arg(1), c.Arg(2)
	n, budget := 0, scanBudget(c, reversePerRed)
	for l.IsList() {
		if n == budget {
			c.Bump(n / reversePerRed)
			return c.YieldWith(l, r, acc)
		}
		n++
		acc = c.P.Heap.Cons(l.Head(), acc)
		l = l.Tail()
	}
	c.Bump(n / reversePerRed)
	return c.Trap(code.GetExport(term.Intern("lists"), amReverse, 2), acc, r)
}

func erlangListToTuple(c *native.Call) term.Term {
	l := c.Arg(0)
	n := listLength(l)
	if n < 0 || n > term.MaxTupleArity {
		return c.Badarg()
	}
	a := c.Alloc(n + 1)
	term.Put(a, 0, term.Header(n, term.KTuple))
	for i := 1; i <= n; i++ {
		term.PutTerm(a, i, l.Head())
		l = l.Tail()
	}
	c.Bump(n / scanPerRed)
	return term.Box(a)
}

func erlangTupleToList(c *native.Call) term.Term {
	t := c.Arg(0)
	if !t.IsTuple() {
		return c.Badarg()
	}
	n := t.Arity()
	if n == 0 {
		return term.Nil
	}
	a, l := c.Alloc(2*n), term.Nil
	for i := n; i >= 1; i-- {
		l = term.MakeCons(a+uintptr(i-1)*16, t.El(i), l)
	}
	c.Bump(n / scanPerRed)
	return l
}
