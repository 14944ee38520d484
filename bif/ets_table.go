package bif

import (
	"github.com/beamrd/beamrd/ets"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Builtins about whole tables: making, deleting, renaming, owners, options.

var (
	amEtsSet           = term.AmSet
	amEtsBag           = term.Intern("bag")
	amEtsDuplicateBag  = term.Intern("duplicate_bag")
	amEtsOrderedSet    = term.Intern("ordered_set")
	amEtsPublic        = term.Intern("public")
	amEtsProtected     = term.Intern("protected")
	amEtsPrivate       = term.Intern("private")
	amEtsNamedTable    = term.Intern("named_table")
	amEtsCompressed    = term.Intern("compressed")
	amEtsWriteConc     = term.Intern("write_concurrency")
	amEtsReadConc      = term.Intern("read_concurrency")
	amEtsDecentralized = term.Intern("decentralized_counters")
	amEtsFixedLocks    = term.Intern("debug_hash_fixed_number_of_locks")
	amEtsAuto          = term.Intern("auto")
	amEtsHeir          = term.Intern("heir")
	amEtsNone          = term.Intern("none")
	amEtsProtection    = term.Intern("protection")
)

// etsOptions decodes the option list of ets:new/2.
func etsOptions(list term.Term) (o ets.Options, ok bool) {
	o = ets.Options{Kind: ets.Set, Access: ets.Protected, KeyPos: 1}
	asked := -1 // decentralized_counters as asked for
	for ; list.IsList(); list = list.Tail() {
		opt := list.Head()
		if opt.IsTuple() {
			if !etsTupleOption(&o, opt, &asked) {
				return o, false
			}
			continue
		}
		switch opt {
		case amEtsSet, amEtsProtected:
			// ERTS takes these for the defaults they are: they undo nothing.
		case amEtsBag:
			o.Kind = ets.Bag
		case amEtsDuplicateBag:
			o.Kind = ets.DuplicateBag
		case amEtsOrderedSet:
			o.Kind = ets.OrderedSet
			o.Decentralized = true
		case amEtsPublic:
			o.Access = ets.Public
		case amEtsPrivate:
			o.Access = ets.Private
		case amEtsNamedTable:
			o.Named = true
		case amEtsCompressed:
			o.Compressed = true
		default:
			return o, false
		}
	}
	if asked >= 0 {
		o.Decentralized = asked == 1
	}
	if o.Kind == ets.OrderedSet && o.Locks > 0 {
		return o, false
	}
	return o, list.IsNil()
}

func etsTupleOption(o *ets.Options, opt term.Term, asked *int) bool {
	if opt.Arity() == 3 && opt.El(1) == amEtsHeir && opt.El(2).IsInternalPid() {
		o.Heir, o.HeirData = opt.El(2), opt.El(3)
		return true
	}
	if opt.Arity() != 2 {
		return false
	}
	v := opt.El(2)
	switch opt.El(1) {
	case amEtsKeypos:
		if !v.IsSmall() || v.Small() < 1 {
			return false
		}
		o.KeyPos = int(v.Small())
	case amEtsWriteConc:
		return etsWriteConc(o, v)
	case amEtsReadConc:
		o.ReadConc = v == term.True
		return v.IsBool()
	case amEtsDecentralized:
		*asked = 0
		if v == term.True {
			*asked = 1
		}
		return v.IsBool()
	case amEtsHeir:
		o.Heir = term.None
		return v == amEtsNone
	default:
		return false
	}
	return true
}

// Bounds of debug_hash_fixed_number_of_locks.
const (
	etsMinLocks = 1
	etsMaxLocks = 32768
)

func etsWriteConc(o *ets.Options, v term.Term) bool {
	o.WriteConc, o.WriteAuto, o.Locks = v != term.False, false, 0
	switch {
	case v == amEtsAuto:
		o.WriteAuto, o.Decentralized = true, true
	case v == term.True:
		if o.Kind != ets.OrderedSet {
			o.Decentralized = false
		}
	case v == term.False:
	case v.IsTuple() && v.Arity() == 2 && v.El(1) == amEtsFixedLocks && v.El(2).IsSmall():
		n := v.El(2).Small()
		if n < etsMinLocks || n > etsMaxLocks {
			return false
		}
		o.Locks, o.Decentralized = int(n), true
	default:
		return false
	}
	return true
}

func etsNew(c *native.Call) term.Term {
	name := c.Arg(0)
	o, ok := etsOptions(c.Arg(1))
	if !ok || !name.IsAtom() {
		return etsFail(c, term.None)
	}
	t := ets.New(c.Ctx, name, c.P.ID, &o)
	if t == nil {
		return etsFail(c, amEtsAlready)
	}
	c.P.Flags |= proc.FlagUsingDB
	return t.Tid(&c.P.Heap)
}

// dyingTable is a deleted table on its way out; when its process dies before it is
// freed, dropping the magic reference frees it.
type dyingTable struct{ t *ets.Table }

// Drop implements heap.Dropper.
func (d *dyingTable) Drop() {
	if d.t != nil {
		d.t.FreeAll()
	}
}

const etsFreeSlice = 2000

func etsDelete1(c *native.Call) term.Term {
	t := etsTable(c, etsWrite)
	if t == nil {
		return term.None
	}
	if !t.Delete() {
		return etsFail(c, amEtsID)
	}
	c.Bump(int(t.Items()/20) + 20)
	if t.FreeSome(etsFreeSlice) {
		return term.True
	}
	k := proc.NewRefKey(c.Ctx)
	ref := c.P.Heap.Off.PutMagicRef(c.Alloc(1+term.MagicRefWords), k.A, k.B, heap.NewMagic(&dyingTable{t}))
	return c.Trap(code.GetExport(term.Intern("ets"), term.Intern("delete_trap"), 1), ref)
}

func etsDeleteTrap(c *native.Call) term.Term {
	if !c.Arg(0).IsMagicRef() {
		return c.Badarg()
	}
	d, ok := heap.MagicValue(heap.MagicBin(c.Arg(0))).(*dyingTable)
	if !ok || d.t == nil {
		return c.Badarg()
	}
	c.Bump(etsFreeSlice / 20)
	if !d.t.FreeSome(etsFreeSlice) {
		return c.YieldWith(c.Arg(0))
	}
	d.t = nil
	return term.True
}

func etsRename(c *native.Call) term.Term {
	t := etsTable(c, etsWrite)
	if t == nil {
		return term.None
	}
	if !c.Arg(1).IsAtom() || !t.Rename(c.Arg(1)) {
		return etsFail(c, term.None)
	}
	if t.Named {
		return c.Arg(1)
	}
	return c.Arg(0)
}

func etsGiveAway(c *native.Call) term.Term {
	t := etsTable(c, etsWrite)
	if t == nil {
		return term.None
	}
	to := c.Arg(1)
	q := proc.Lookup(to)
	switch {
	case q == nil || q.Exiting():
		return etsFail(c, term.None)
	case t.Owner() != c.P.ID:
		return etsFail(c, amEtsNotOwner)
	case to == c.P.ID:
		return etsFail(c, amEtsOwner)
	case !t.Transfer(c.P.ID, to, c.Arg(2)):
		return etsFail(c, amEtsID)
	}
	return term.True
}

// etsSetopts is setopts/2: {heir, none}, {heir, Pid, Data}, {protection, P},
// alone or in a list, each at most once.
func etsSetopts(c *native.Call) term.Term {
	t := etsTable(c, etsWrite)
	if t == nil {
		return term.None
	}
	list := c.Arg(1)
	if list.IsTuple() {
		list = c.P.Heap.Cons(list, term.Nil)
	}
	var heir, data, prot term.Term
	for ; list.IsList(); list = list.Tail() {
		o := list.Head()
		if !o.IsTuple() || o.Arity() < 2 {
			return etsFail(c, term.None)
		}
		v := o.El(2)
		switch {
		case o.El(1) == amEtsHeir && heir == term.None && o.Arity() == 2 && v == amEtsNone:
			heir, data = v, term.AmUndefined
		case o.El(1) == amEtsHeir && heir == term.None && o.Arity() == 3 && v.IsInternalPid():
			heir, data = v, o.El(3)
		case o.El(1) == amEtsProtection && prot == term.None && o.Arity() == 2 && (v == amEtsPublic || v == amEtsProtected || v == amEtsPrivate):
			prot = v
		default:
			return etsFail(c, term.None)
		}
	}
	if !list.IsNil() || t.Owner() != c.P.ID {
		return etsFail(c, term.None)
	}
	if heir == amEtsNone {
		t.SetHeir(term.None, term.Nil)
	} else if heir != term.None {
		t.SetHeir(heir, data)
	}
	switch prot {
	case amEtsPublic:
		t.SetAccess(ets.Public)
	case amEtsProtected:
		t.SetAccess(ets.Protected)
	case amEtsPrivate:
		t.SetAccess(ets.Private)
	}
	return term.True
}

func etsSafeFixtable(c *native.Call) term.Term {
	t := etsTable(c, etsRead)
	if t == nil {
		return term.None
	}
	switch c.Arg(1) {
	case term.True:
		t.Fix(c.P.ID)
		c.P.Flags |= proc.FlagUsingDB
	case term.False:
		t.Unfix(c.P.ID)
	default:
		return etsFail(c, term.None)
	}
	return term.True
}
