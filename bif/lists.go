package bif

import (
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var listsRows = []native.Row{
	{Module: "lists", Name: "member", Arity: 2, Fn: listsMember},
	{Module: "lists", Name: "reverse", Arity: 2, Fn: listsReverse},
	{Module: "lists", Name: "keyfind", Arity: 3, Fn: listsKeyfind},
	{Module: "lists", Name: "keymember", Arity: 3, Fn: listsKeymember},
	{Module: "lists", Name: "keysearch", Arity: 3, Fn: listsKeysearch},
}

// Elements of a list looked at per reduction.
const (
	scanPerRed    = 16
	reversePerRed = 20
	keyPerRed     = 10
)

// scanBudget is the number of steps a walk may take before it yields; it is
// never so small that a list would be walked one element a slice.
func scanBudget(c *native.Call, perRed int) int { return max(c.Left(), 32) * perRed }

// listsMember is lists:member/2. A long list is walked in several slices, the
// rest of the list being the state.
func listsMember(c *native.Call) term.Term {
	key, list := c.Arg(0), c.Arg(1)
	budget := scanBudget(c, scanPerRed)
	n, immed := 0, key.IsImmed()
	for list.IsList() {
		if n == budget {
			c.Bump(n / scanPerRed)
			return c.YieldWith(key, list)
		}
		n++
		if el := list.Head(); el == key || !immed && term.Same(el, key) {
			c.Bump(n / scanPerRed)
			return term.True
		}
		list = list.Tail()
	}
	c.Bump(n / scanPerRed)
	if !list.IsNil() {
		return c.Badarg()
	}
	return term.False
}

// listsReverse is lists:reverse/2; a slice continues with what is left and what
// is done.
func listsReverse(c *native.Call) term.Term {
	list, acc := c.Arg(0), c.Arg(1)
	budget := scanBudget(c, reversePerRed)
	n, end := 0, list
	for end.IsList() && n < budget {
		end = end.Tail()
		n++
	}
	if !end.IsList() && !end.IsNil() {
		return c.Badarg()
	}
	if n > 0 {
		a := c.Alloc(2 * n)
		for range n {
			acc = term.MakeCons(a, list.Head(), acc)
			list = list.Tail()
			a += 16
		}
	}
	c.Bump(n / reversePerRed)
	if list.IsList() {
		return c.YieldWith(list, acc)
	}
	return acc
}

// keyfind walks a list for a tuple with an element that compares equal to the
// key. It returns the tuple, false, or None (badarg or yielded).
func keyfind(c *native.Call) term.Term {
	key, pos, list := c.Arg(0), c.Arg(1), c.Arg(2)
	if !pos.IsSmall() || pos.Small() < 1 {
		return c.Badarg()
	}
	ix := pos.Small()
	budget := scanBudget(c, keyPerRed)
	n := 0
	// Only numbers and what may hold numbers can be equal without being the
	// same word.
	plain := key.IsImmed() && !key.IsSmall()
	for list.IsList() {
		if n == budget {
			c.Bump(n / keyPerRed)
			return c.YieldWith(key, pos, list)
		}
		n++
		t := list.Head()
		list = list.Tail()
		if !t.IsTuple() || ix > int64(t.Arity()) {
			continue
		}
		el := t.El(int(ix))
		if el == key || !plain && !el.IsAtom() && term.Equal(key, el) {
			c.Bump(n / keyPerRed)
			return t
		}
	}
	c.Bump(n / keyPerRed)
	if !list.IsNil() {
		return c.Badarg()
	}
	return term.False
}

func listsKeyfind(c *native.Call) term.Term { return keyfind(c) }

func listsKeymember(c *native.Call) term.Term {
	t := keyfind(c)
	if t == term.None || t == term.False {
		return t
	}
	return term.True
}

func listsKeysearch(c *native.Call) term.Term {
	t := keyfind(c)
	if t == term.None || t == term.False {
		return t
	}
	return c.P.Heap.Tuple(term.AmValue, t)
}
