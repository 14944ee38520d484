package bif

import (
	"github.com/beamrd/beamrd/ets"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/num"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var etsUpdateRows = []native.Row{
	{Module: "ets", Name: "update_counter", Arity: 3, Fn: etsUpdateCounter3},
	{Module: "ets", Name: "update_counter", Arity: 4, Fn: etsUpdateCounter4},
	{Module: "ets", Name: "update_element", Arity: 3, Fn: etsUpdateElement},
	{Module: "erts_internal", Name: "ets_super_user", Arity: 1, Fn: etsSuperUser},
}

func etsUpdateCounter3(c *native.Call) term.Term {
	t := etsTable(c, etsWrite)
	if t == nil {
		return term.None
	}
	return etsUpdateCounter(c, t, term.None)
}

func etsUpdateCounter4(c *native.Call) term.Term {
	t := etsTable(c, etsWrite)
	if t == nil {
		return term.None
	}
	if !c.Arg(3).IsTuple() {
		return etsFail(c, term.None)
	}
	return etsUpdateCounter(c, t, c.Arg(3))
}

// counterOp is one {Pos, Incr} or {Pos, Incr, Threshold, SetValue}; plain Incr
// counts the element after the key.
type counterOp struct {
	pos                  int
	incr, threshold, set term.Term // threshold None: none
}

// counterOps decodes the operations. list tells that they came in a list (the
// result is a list then). What is wrong with them is only told when the object
// exists, so it comes back as a function of the object's size.
func counterOps(t *ets.Table, arg term.Term) (ops []counterOp, list, ok bool, err func(arity int) ets.Outcome) {
	bad := func(o ets.Outcome) func(int) ets.Outcome { return func(int) ets.Outcome { return o } }
	one := func(op counterOp) {
		ops = append(ops, op)
	}
	switch {
	case arg.IsInteger():
		one(counterOp{pos: t.KeyPos + 1, incr: arg})
		return ops, false, true, nil
	case arg.IsTuple():
		op, o := counterOpOf(t, arg)
		if o != ets.OK {
			return nil, false, false, bad(o)
		}
		one(op)
		return ops, false, true, nil
	}
	for ; arg.IsList(); arg = arg.Tail() {
		op, o := counterOpOf(t, arg.Head())
		if o != ets.OK {
			return ops, true, false, bad(o)
		}
		one(op)
	}
	if !arg.IsNil() {
		return ops, true, false, bad(ets.BadItem)
	}
	return ops, true, true, nil
}

func counterOpOf(t *ets.Table, arg term.Term) (op counterOp, o ets.Outcome) {
	if !arg.IsTuple() || arg.Arity() != 2 && arg.Arity() != 4 {
		return op, ets.BadItem
	}
	if arg.Arity() == 4 {
		op.threshold, op.set = arg.El(3), arg.El(4)
		if !op.threshold.IsInteger() || !op.set.IsInteger() {
			return op, ets.BadItem
		}
	}
	pos := arg.El(1)
	op.incr = arg.El(2)
	if !pos.IsSmall() || !op.incr.IsInteger() {
		return op, ets.BadItem
	}
	if pos.Small() == int64(t.KeyPos) {
		return op, ets.KeyPos
	}
	if pos.Small() < 1 {
		return op, ets.Position
	}
	op.pos = int(min(pos.Small(), term.MaxTupleArity+1))
	return op, ets.OK
}

func etsUpdateCounter(c *native.Call, t *ets.Table, def term.Term) term.Term {
	if t.Kind != ets.Set && t.Kind != ets.OrderedSet {
		return etsFail(c, amEtsTableType)
	}
	ops, list, ok, err := counterOps(t, c.Arg(2))
	var results []term.Term
	o := t.Update(c.Arg(1), def, func(u *ets.Updater) ets.Outcome {
		// Everything is checked before anything changes, in order.
		for _, op := range ops {
			if op.pos > u.Arity() {
				return ets.Position
			}
			if !u.Value(op.pos).IsInteger() {
				return ets.BadItem
			}
		}
		if !ok {
			return err(u.Arity())
		}
		for _, op := range ops {
			v := num.Add(&c.P.Heap, u.Value(op.pos), op.incr)
			if v == term.None {
				return ets.Limit
			}
			if op.threshold != term.None {
				below := term.Compare(op.incr, term.Small(0)) < 0
				if d := term.Compare(v, op.threshold); below && d < 0 || !below && d > 0 {
					v = op.set
				}
			}
			u.Set(op.pos, v)
			results = append(results, v)
		}
		return ets.OK
	})
	switch {
	case o == ets.OK && list:
		return c.P.Heap.List(results...)
	case o == ets.OK:
		return results[0]
	}
	return etsOutcome(c, o)
}

// etsUpdateElement is update_element/3 with {Pos, Value} or a list of them.
func etsUpdateElement(c *native.Call) term.Term {
	t := etsTable(c, etsWrite)
	if t == nil {
		return term.None
	}
	if t.Kind != ets.Set && t.Kind != ets.OrderedSet {
		return etsFail(c, term.None)
	}
	list := c.Arg(2)
	if list.IsTuple() {
		list = c.P.Heap.Cons(list, term.Nil)
	}
	o := t.Update(c.Arg(1), term.None, func(u *ets.Updater) ets.Outcome {
		l := list
		for ; l.IsList(); l = l.Tail() {
			p := l.Head()
			if !p.IsTuple() || p.Arity() != 2 || !p.El(1).IsSmall() {
				return ets.BadItem
			}
			pos := p.El(1).Small()
			if pos == int64(t.KeyPos) {
				return ets.KeyPos
			}
			if pos < 1 || pos > int64(u.Arity()) {
				return ets.BadItem
			}
			u.Set(int(pos), p.El(2))
		}
		if !l.IsNil() {
			return ets.BadItem
		}
		return ets.OK
	})
	switch o {
	case ets.OK:
		return term.True
	case ets.NoKey:
		return term.False
	}
	return etsOutcome(c, o)
}

func etsSuperUser(c *native.Call) term.Term {
	switch c.Arg(0) {
	case term.True:
		c.P.Flags |= proc.FlagEtsSuperUser
	case term.False:
		c.P.Flags &^= proc.FlagEtsSuperUser
	default:
		return c.Badarg()
	}
	return term.True
}
