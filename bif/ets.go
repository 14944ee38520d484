package bif

import (
	"github.com/beamrd/beamrd/ets"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var etsRows = []native.Row{
	{Module: "ets", Name: "new", Arity: 2, Fn: etsNew},
	{Module: "ets", Name: "delete", Arity: 1, Fn: etsDelete1},
	{Module: "ets", Name: "delete", Arity: 2, Fn: etsDelete2},
	{Module: "ets", Name: "delete_object", Arity: 2, Fn: etsDeleteObject},
	{Module: "ets", Name: "delete_trap", Arity: 1, Fn: etsDeleteTrap, Flags: native.Hidden},
	{Module: "ets", Name: "first", Arity: 1, Fn: func(c *native.Call) term.Term { return etsEdge(c, false) }},
	{Module: "ets", Name: "last", Arity: 1, Fn: func(c *native.Call) term.Term { return etsEdge(c, true) }},
	{Module: "ets", Name: "next", Arity: 2, Fn: func(c *native.Call) term.Term { return etsBeside(c, false) }},
	{Module: "ets", Name: "prev", Arity: 2, Fn: func(c *native.Call) term.Term { return etsBeside(c, true) }},
	{Module: "ets", Name: "lookup", Arity: 2, Fn: etsLookup},
	{Module: "ets", Name: "lookup_element", Arity: 3, Fn: etsLookupElement},
	{Module: "ets", Name: "member", Arity: 2, Fn: etsMember},
	{Module: "ets", Name: "insert", Arity: 2, Fn: func(c *native.Call) term.Term { return etsInsert(c, false) }},
	{Module: "ets", Name: "insert_new", Arity: 2, Fn: func(c *native.Call) term.Term { return etsInsert(c, true) }},
	{Module: "erts_internal", Name: "ets_insert_dirty", Arity: 3, Fn: etsInsertDirty, Flags: native.Hidden | native.DirtyCPU},
	{Module: "ets", Name: "take", Arity: 2, Fn: etsTake},
	{Module: "ets", Name: "slot", Arity: 2, Fn: etsSlot},
	{Module: "ets", Name: "rename", Arity: 2, Fn: etsRename},
	{Module: "ets", Name: "give_away", Arity: 3, Fn: etsGiveAway},
	{Module: "ets", Name: "setopts", Arity: 2, Fn: etsSetopts},
	{Module: "ets", Name: "safe_fixtable", Arity: 2, Fn: etsSafeFixtable},
	{Module: "ets", Name: "whereis", Arity: 1, Fn: etsWhereis},
	{Module: "erts_internal", Name: "ets_raw_first", Arity: 1, Fn: etsRawFirst},
	{Module: "erts_internal", Name: "ets_raw_next", Arity: 2, Fn: etsRawNext},
}

var (
	amEtsStdlibErrors = term.Intern("erl_stdlib_errors")
	amType            = term.Intern("type")
	amEtsType         = term.Intern("type")
	amEtsID           = term.Intern("id")
	amEtsAccess       = term.Intern("access")
	amEtsTableType    = term.Intern("table_type")
	amEtsKeypos       = term.Intern("keypos")
	amEtsPosition     = term.Intern("position")
	amEtsOwner        = term.Intern("owner")
	amEtsNotOwner     = term.Intern("not_owner")
	amEtsAlready      = term.Intern("already_exists")
	amEtsEOT          = term.Intern("$end_of_table")
)

// etsFail raises badarg with a cause (None: none) for erl_stdlib_errors.
func etsFail(c *native.Call, cause term.Term) term.Term {
	c.ErrMod = amEtsStdlibErrors
	return c.BadargCause(cause)
}

// What a builtin does with a table.
const (
	etsRead  = ets.Protected // needs protected or public, or to be the owner
	etsWrite = ets.Public
	etsInfo  = ets.Private
)

// etsTable returns the table of argument 0; nil after raising badarg.
func etsTable(c *native.Call, need ets.Access) *ets.Table { return etsTableOf(c, c.Arg(0), need) }

func etsTableOf(c *native.Call, id term.Term, need ets.Access) *ets.Table {
	t, valid := ets.Lookup(id)
	switch {
	case !valid:
		etsFail(c, amEtsType)
		return nil
	case t == nil:
		etsFail(c, amEtsID)
		return nil
	case t.Access() < need && t.Owner() != c.P.ID && c.P.Flags&proc.FlagEtsSuperUser == 0:
		etsFail(c, amEtsAccess)
		return nil
	}
	return t
}

// etsOutcome turns an outcome that is not OK into an exception.
func etsOutcome(c *native.Call, o ets.Outcome) term.Term {
	switch o {
	case ets.Gone:
		return etsFail(c, amEtsID)
	case ets.NoKey:
		return etsFail(c, term.AmBadkey)
	case ets.KeyPos:
		return etsFail(c, amEtsKeypos)
	case ets.Position:
		return etsFail(c, amEtsPosition)
	case ets.Limit:
		c.ErrMod = amEtsStdlibErrors
		return c.SystemLimit()
	}
	return etsFail(c, term.None)
}

func etsTrue(c *native.Call, o ets.Outcome) term.Term {
	if o != ets.OK {
		return etsOutcome(c, o)
	}
	return term.True
}

func etsDelete2(c *native.Call) term.Term {
	t := etsTable(c, etsWrite)
	if t == nil {
		return term.None
	}
	return etsTrue(c, t.Erase(c.Arg(1)))
}

// etsTuple tells whether a term can be an object of the table.
func etsTuple(t *ets.Table, obj term.Term) bool {
	return obj.IsTuple() && obj.Arity() >= t.KeyPos
}

func etsDeleteObject(c *native.Call) term.Term {
	t := etsTable(c, etsWrite)
	if t == nil {
		return term.None
	}
	if !etsTuple(t, c.Arg(1)) {
		return etsFail(c, term.None)
	}
	return etsTrue(c, t.EraseObject(c.Arg(1)))
}

func etsKeyOrEnd(c *native.Call, key term.Term, o ets.Outcome) term.Term {
	switch {
	case o == ets.NoKey:
		return etsFail(c, term.None)
	case o != ets.OK:
		return etsOutcome(c, o)
	case key == term.None:
		return amEtsEOT
	}
	return key
}

func etsEdge(c *native.Call, last bool) term.Term {
	t := etsTable(c, etsRead)
	if t == nil {
		return term.None
	}
	key, o := t.Edge(&c.P.Heap, last, false)
	return etsKeyOrEnd(c, key, o)
}

func etsBeside(c *native.Call, back bool) term.Term {
	t := etsTable(c, etsRead)
	if t == nil {
		return term.None
	}
	key, o := t.Beside(&c.P.Heap, c.Arg(1), back, false)
	return etsKeyOrEnd(c, key, o)
}

func etsRawFirst(c *native.Call) term.Term {
	t := etsTable(c, etsRead)
	if t == nil {
		return term.None
	}
	key, o := t.Edge(&c.P.Heap, false, true)
	return etsKeyOrEnd(c, key, o)
}

func etsRawNext(c *native.Call) term.Term {
	t := etsTable(c, etsRead)
	if t == nil {
		return term.None
	}
	key, o := t.Beside(&c.P.Heap, c.Arg(1), false, true)
	return etsKeyOrEnd(c, key, o)
}

func etsLookup(c *native.Call) term.Term {
	t := etsTable(c, etsRead)
	if t == nil {
		return term.None
	}
	l, o := t.Lookup(&c.P.Heap, c.Arg(1))
	if o != ets.OK {
		return etsOutcome(c, o)
	}
	return l
}

func etsLookupElement(c *native.Call) term.Term {
	t := etsTable(c, etsRead)
	if t == nil {
		return term.None
	}
	pos := c.Arg(2)
	if !pos.IsSmall() || pos.Small() < 1 {
		return etsFail(c, term.None)
	}
	el, o := t.Element(&c.P.Heap, c.Arg(1), int(pos.Small()))
	if o != ets.OK {
		return etsOutcome(c, o)
	}
	return el
}

func etsMember(c *native.Call) term.Term {
	t := etsTable(c, etsRead)
	if t == nil {
		return term.None
	}
	is, o := t.Member(c.Arg(1))
	if o != ets.OK {
		return etsOutcome(c, o)
	}
	return term.Bool(is)
}

// etsInsert is insert/2 and insert_new/2. A list is inserted at one moment,
// and only if all of it can be.
func etsInsert(c *native.Call, unique bool) term.Term {
	t := etsTable(c, etsWrite)
	if t == nil {
		return term.None
	}
	arg := c.Arg(1)
	if arg.IsNil() {
		return term.True
	}
	if arg.IsList() && arg.Tail().IsNil() {
		arg = arg.Head()
	}
	var done bool
	var o ets.Outcome
	if arg.IsList() {
		n, l := 0, arg
		for ; l.IsList(); l = l.Tail() {
			if !etsTuple(t, l.Head()) {
				return etsFail(c, term.None)
			}
			n++
		}
		if !l.IsNil() {
			return etsFail(c, term.None)
		}
		if n > etsDirtyInsert {
			return dirtyTrap(c, "ets_insert_dirty", c.Arg(0), arg, term.Bool(unique))
		}
		done, o = t.InsertAll(arg, unique)
		c.Bump(n)
	} else {
		if !etsTuple(t, arg) {
			return etsFail(c, term.None)
		}
		done, o = t.Insert(arg, unique)
	}
	if o != ets.OK {
		return etsOutcome(c, o)
	}
	return term.Bool(done || !unique)
}

// etsDirtyInsert is the length of a list from which it is inserted on a dirty
// thread.
const etsDirtyInsert = 5000

// etsInsertDirty goes on with the insertion of a list of objects.
func etsInsertDirty(c *native.Call) term.Term {
	r := etsInsertLong(c)
	if r == term.None {
		name := term.Intern("insert")
		if c.Arg(2) == term.True {
			name = term.Intern("insert_new")
		}
		c.FailAs(term.Intern("ets"), name, c.Arg(0), c.Arg(1))
	}
	return r
}

func etsInsertLong(c *native.Call) term.Term {
	t := etsTable(c, etsWrite)
	if t == nil {
		return term.None
	}
	for l := c.Arg(1); l.IsList(); l = l.Tail() { // the name may be another table's now
		if !etsTuple(t, l.Head()) {
			return etsFail(c, term.None)
		}
	}
	unique := c.Arg(2) == term.True
	done, o := t.InsertAll(c.Arg(1), unique)
	if o != ets.OK {
		return etsOutcome(c, o)
	}
	return term.Bool(done || !unique)
}

func etsTake(c *native.Call) term.Term {
	t := etsTable(c, etsWrite)
	if t == nil {
		return term.None
	}
	l, o := t.Take(&c.P.Heap, c.Arg(1))
	if o != ets.OK {
		return etsOutcome(c, o)
	}
	return l
}

func etsSlot(c *native.Call) term.Term {
	t := etsTable(c, etsRead)
	if t == nil {
		return term.None
	}
	i := c.Arg(1)
	if !i.IsSmall() || i.Small() < 0 {
		return etsFail(c, term.None)
	}
	l, end, o := t.Slot(&c.P.Heap, i.Small())
	switch {
	case o != ets.OK:
		return etsOutcome(c, o)
	case end:
		return amEtsEOT
	}
	return l
}

func etsWhereis(c *native.Call) term.Term {
	if !c.Arg(0).IsAtom() {
		return etsFail(c, term.None)
	}
	t, _ := ets.Lookup(c.Arg(0))
	if t == nil {
		return term.AmUndefined
	}
	return t.Ref(&c.P.Heap)
}
