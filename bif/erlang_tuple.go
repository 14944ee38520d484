package bif

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangTupleRows = []native.Row{
	{Module: "erlang", Name: "element", Arity: 2, Fn: erlangElement, Flags: native.Guard},
	{Module: "erlang", Name: "setelement", Arity: 3, Fn: erlangSetelement},
	{Module: "erlang", Name: "tuple_size", Arity: 1, Fn: erlangTupleSize, Flags: native.Guard},
	{Module: "erlang", Name: "size", Arity: 1, Fn: erlangSize, Flags: native.Guard},
	{Module: "erlang", Name: "make_tuple", Arity: 2, Fn: erlangMakeTuple},
	{Module: "erlang", Name: "make_tuple", Arity: 3, Fn: erlangMakeTuple3},
	{Module: "erlang", Name: "append_element", Arity: 2, Fn: erlangAppendElement},
	{Module: "erlang", Name: "insert_element", Arity: 3, Fn: erlangInsertElement},
	{Module: "erlang", Name: "delete_element", Arity: 2, Fn: erlangDeleteElement},
}

// tupleIndex decodes a position within 1..limit.
func tupleIndex(pos term.Term, limit int) (int, bool) {
	if !pos.IsSmall() {
		return 0, false
	}
	i := pos.Small()
	return int(i), i >= 1 && i <= int64(limit)
}

// newTuple allocates a tuple whose elements the caller fills in.
func newTuple(c *native.Call, n int) uintptr {
	a := c.Alloc(n + 1)
	term.Put(a, 0, term.Header(n, term.KTuple))
	return a
}

// copyElements copies n elements of t, from element from on, to a's element to.
func copyElements(a uintptr, to int, t term.Term, from, n int) {
	offheap.Copy(a+uintptr(to)*8, t.Addr()+uintptr(from)*8, uintptr(n)*8)
}

func erlangElement(c *native.Call) term.Term {
	t := c.Arg(1)
	if !t.IsTuple() {
		return c.Badarg()
	}
	i, ok := tupleIndex(c.Arg(0), t.Arity())
	if !ok {
		return c.Badarg()
	}
	return t.El(i)
}

func erlangSetelement(c *native.Call) term.Term {
	t := c.Arg(1)
	if !t.IsTuple() {
		return c.Badarg()
	}
	n := t.Arity()
	i, ok := tupleIndex(c.Arg(0), n)
	if !ok {
		return c.Badarg()
	}
	a := newTuple(c, n)
	copyElements(a, 1, t, 1, n)
	term.PutTerm(a, i, c.Arg(2))
	return term.Box(a)
}

func erlangTupleSize(c *native.Call) term.Term {
	t := c.Arg(0)
	if !t.IsTuple() {
		return c.Badarg()
	}
	return term.Small(int64(t.Arity()))
}

// erlangSize is size/1: of a tuple its elements, of a bitstring its whole bytes.
func erlangSize(c *native.Call) term.Term {
	switch t := c.Arg(0); {
	case t.IsTuple():
		return term.Small(int64(t.Arity()))
	case t.IsBitstring():
		return term.Small(int64(t.BitSize() >> 3))
	}
	return c.Badarg()
}

func makeTuple(c *native.Call) (a uintptr, n int, ok bool) {
	if !c.Arg(0).IsSmall() {
		return 0, 0, false
	}
	v := c.Arg(0).Small()
	if v < 0 || v > term.MaxTupleArity {
		return 0, 0, false
	}
	n = int(v)
	a = newTuple(c, n)
	for i := 1; i <= n; i++ {
		term.PutTerm(a, i, c.Arg(1))
	}
	c.Bump(n / scanPerRed)
	return a, n, true
}

func erlangMakeTuple(c *native.Call) term.Term {
	a, _, ok := makeTuple(c)
	if !ok {
		return c.Badarg()
	}
	return term.Box(a)
}

// erlangMakeTuple3 is make_tuple(N, Default, [{Pos, Value}]); later pairs win.
func erlangMakeTuple3(c *native.Call) term.Term {
	a, n, ok := makeTuple(c)
	if !ok {
		return c.Badarg()
	}
	l, steps := c.Arg(2), 0
	for ; l.IsList(); l = l.Tail() {
		p := l.Head()
		if !p.IsTuple() || p.Arity() != 2 {
			return c.Badarg()
		}
		i, ok := tupleIndex(p.El(1), n)
		if !ok {
			return c.Badarg()
		}
		term.PutTerm(a, i, p.El(2))
		steps++
	}
	if !l.IsNil() {
		return c.Badarg()
	}
	c.Bump(steps / scanPerRed)
	return term.Box(a)
}

func erlangAppendElement(c *native.Call) term.Term {
	t := c.Arg(0)
	if !t.IsTuple() || t.Arity() == term.MaxTupleArity {
		return c.Badarg()
	}
	n := t.Arity()
	a := newTuple(c, n+1)
	copyElements(a, 1, t, 1, n)
	term.PutTerm(a, n+1, c.Arg(1))
	return term.Box(a)
}

func erlangInsertElement(c *native.Call) term.Term {
	t := c.Arg(1)
	if !t.IsTuple() || t.Arity() == term.MaxTupleArity {
		return c.Badarg()
	}
	n := t.Arity()
	i, ok := tupleIndex(c.Arg(0), n+1)
	if !ok {
		return c.Badarg()
	}
	a := newTuple(c, n+1)
	copyElements(a, 1, t, 1, i-1)
	term.PutTerm(a, i, c.Arg(2))
	copyElements(a, i+1, t, i, n-i+1)
	return term.Box(a)
}

func erlangDeleteElement(c *native.Call) term.Term {
	t := c.Arg(1)
	if !t.IsTuple() {
		return c.Badarg()
	}
	n := t.Arity()
	i, ok := tupleIndex(c.Arg(0), n)
	if !ok {
		return c.Badarg()
	}
	a := newTuple(c, n-1)
	copyElements(a, 1, t, 1, i-1)
	copyElements(a, i, t, i+1, n-i)
	return term.Box(a)
}
