package bif

import (
	"cmp"
	"math"
	"slices"

	"github.com/beamrd/beamrd/ets"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var etsInfoRows = []native.Row{
	{Module: "ets", Name: "info", Arity: 1, Fn: etsInfo1},
	{Module: "ets", Name: "info", Arity: 2, Fn: etsInfo2},
	{Module: "ets", Name: "internal_request_all", Arity: 0, Fn: etsRequestAll},
	{Module: "erts_internal", Name: "ets_lookup_binary_info", Arity: 2, Fn: etsBinaryInfo},
}

// etsItem answers one item of ets:info, or None.
type etsItem func(c *native.Call, t *ets.Table) term.Term

// etsItems are the items of info/1 in its order, then those only info/2 knows.
var etsItems = []struct {
	name  term.Term
	all   bool
	value etsItem
}{
	{amEtsID, true, func(c *native.Call, t *ets.Table) term.Term { return t.Ref(&c.P.Heap) }},
	{amEtsDecentralized, true, func(_ *native.Call, t *ets.Table) term.Term { return term.Bool(t.Decentralized) }},
	{amEtsReadConc, true, func(_ *native.Call, t *ets.Table) term.Term { return term.Bool(t.ReadConc) }},
	{amEtsWriteConc, true, etsWriteConcInfo},
	{amEtsCompressed, true, func(_ *native.Call, t *ets.Table) term.Term { return term.Bool(t.Compressed) }},
	{term.AmMemory, true, func(c *native.Call, t *ets.Table) term.Term { return c.P.Heap.Int(t.Words()) }},
	{amEtsOwner, true, func(_ *native.Call, t *ets.Table) term.Term { return t.Owner() }},
	{amEtsHeir, true, func(_ *native.Call, t *ets.Table) term.Term {
		if h := t.Heir(); h != term.None {
			return h
		}
		return amEtsNone
	}},
	{term.AmName, true, func(_ *native.Call, t *ets.Table) term.Term { return t.Name() }},
	{term.AmSize, true, func(c *native.Call, t *ets.Table) term.Term { return c.P.Heap.Int(t.Items()) }},
	{term.AmNode, true, func(*native.Call, *ets.Table) term.Term { return term.Atom(term.ThisNode().Name) }},
	{amEtsNamedTable, true, func(_ *native.Call, t *ets.Table) term.Term { return term.Bool(t.Named) }},
	{amEtsType, true, func(_ *native.Call, t *ets.Table) term.Term {
		return [...]term.Term{amEtsSet, amEtsBag, amEtsDuplicateBag, amEtsOrderedSet}[t.Kind]
	}},
	{amEtsKeypos, true, func(_ *native.Call, t *ets.Table) term.Term { return term.Small(int64(t.KeyPos)) }},
	{amEtsProtection, true, func(_ *native.Call, t *ets.Table) term.Term {
		return [...]term.Term{amEtsPrivate, amEtsProtected, amEtsPublic}[t.Access()]
	}},
	{term.Intern("fixed"), false, func(_ *native.Call, t *ets.Table) term.Term { return term.Bool(t.Fixed()) }},
	{term.Intern("safe_fixed"), false, etsSafeFixed(false)},
	{term.Intern("safe_fixed_monotonic_time"), false, etsSafeFixed(true)},
	{term.Intern("stats"), false, etsStats},
}

func etsWriteConcInfo(c *native.Call, t *ets.Table) term.Term {
	switch {
	case t.FixedLocks:
		return c.P.Heap.Tuple(amEtsFixedLocks, term.Small(int64(t.Locks())))
	case t.WriteAuto:
		return amEtsAuto
	}
	return term.Bool(t.WriteConc)
}

// etsSafeFixed answers {Time, [{Pid, Count}]}, Time being an erlang:timestamp
// or a monotonic time, or false.
func etsSafeFixed(monotonic bool) etsItem {
	return func(c *native.Call, t *ets.Table) term.Term {
		by, mono, sys, fixed := t.Fixers()
		if !fixed {
			return term.False
		}
		slices.SortFunc(by, func(a, b ets.Fixer) int { return cmp.Compare(b.Pid, a.Pid) })
		h := &c.P.Heap
		l := term.Nil
		for i := len(by) - 1; i >= 0; i-- {
			l = h.Cons(h.Tuple(by[i].Pid, term.Small(int64(by[i].Count))), l)
		}
		if monotonic {
			return h.Tuple(h.Int(mono), l)
		}
		us := sys / 1000
		return h.Tuple(h.Tuple(term.Small(us/1e12), term.Small(us/1e6%1e6), term.Small(us%1e6)), l)
	}
}

func etsStats(c *native.Call, t *ets.Table) term.Term {
	h := &c.P.Heap
	if t.Kind == ets.OrderedSet { // ERTS counts the parts of its split trees; ours are whole
		return term.False
	}
	s := t.Stats()
	f := func(v float32) term.Term { return h.Float(math.Float64bits(float64(v))) }
	return h.Tuple(term.Small(int64(s.Buckets)), f(s.Mean), f(s.Deviation), f(s.Expected),
		term.Small(int64(s.Min)), term.Small(int64(s.Max)), term.Small(int64(s.Kept)), term.Small(int64(t.Locks())))
}

// etsInfoTable returns the table of argument 0. It is nil with the result
// undefined when there is none, with None after raising badarg.
func etsInfoTable(c *native.Call) (t *ets.Table, r term.Term) {
	t, valid := ets.Lookup(c.Arg(0))
	if !valid {
		return nil, etsFail(c, amEtsType)
	}
	return t, term.AmUndefined
}

func etsInfo1(c *native.Call) term.Term {
	t, r := etsInfoTable(c)
	if t == nil {
		return r
	}
	h := &c.P.Heap
	l := term.Nil
	for i := len(etsItems) - 1; i >= 0; i-- {
		if it := etsItems[i]; it.all {
			l = h.Cons(h.Tuple(it.name, it.value(c, t)), l)
		}
	}
	return l
}

func etsInfo2(c *native.Call) term.Term {
	if c.Arg(1) == term.AmBinary {
		return c.Trap(code.GetExport(term.Intern("erts_internal"), term.Intern("ets_info_binary"), 1), c.Arg(0))
	}
	t, r := etsInfoTable(c)
	if t == nil {
		return r
	}
	for i := range etsItems {
		if etsItems[i].name == c.Arg(1) {
			return etsItems[i].value(c, t)
		}
	}
	return etsFail(c, term.None)
}

// etsRequestAll is ets:internal_request_all/0: a reference, under which a
// message {Ref, Tables} comes from each scheduler. All tables are in the first.
func etsRequestAll(c *native.Call) term.Term {
	k := proc.NewRefKey(c.Ctx)
	for i := range max(1, proc.Schedulers()) {
		var h heap.Heap
		l := term.Nil
		if i == 0 {
			all := ets.All()
			for j := len(all) - 1; j >= 0; j-- {
				l = h.Cons(all[j].Tid(&h), l)
			}
		}
		msg := h.Tuple(proc.PutRef(h.Alloc(1+term.RefWords), k), l)
		proc.SendBuilt(c.P.ID, c.P.ID, msg, &h)
	}
	return proc.PutRef(c.Alloc(1+term.RefWords), k)
}

// etsBinaryInfo is erts_internal:ets_lookup_binary_info/2: the reference
// counted binaries of the objects of a key, as {Id, Size, Refs}.
func etsBinaryInfo(c *native.Call) term.Term {
	t := etsTable(c, etsRead)
	if t == nil {
		return term.None
	}
	h := &c.P.Heap
	l := term.Nil
	o := t.Binaries(c.Arg(1), func(b *heap.Bin) {
		l = h.Cons(h.Tuple(h.Uint(uint64(b.Data)), h.Uint(uint64(b.Size)), h.Int(b.Refs())), l)
	})
	if o != ets.OK {
		return etsOutcome(c, o)
	}
	return l
}

// etsTableWords is what get_internal_state('DbTable_words') answers: the words
// of an empty table and of a table of segments, as info(memory) counts them.
func etsTableWords(c *native.Call, _ term.Term) term.Term {
	return c.P.Heap.Tuple(term.Small(49), term.Small(6))
}

// setEtsSplit takes {Table, Boolean} for an ordered set with write_concurrency:
// ERTS would split its tree; ours has one part.
func setEtsSplit(c *native.Call, v term.Term) term.Term {
	if !v.IsTuple() || v.Arity() != 2 || !v.El(2).IsBool() {
		return c.Badarg()
	}
	t, _ := ets.Lookup(v.El(1))
	if t == nil || t.Kind != ets.OrderedSet || !t.WriteConc {
		return c.Badarg()
	}
	return term.AmOk
}

// setCollidingNames takes {Name, N} and returns N other names. Names do not
// collide here: each has a place of its own.
func setCollidingNames(c *native.Call, v term.Term) term.Term {
	if !v.IsTuple() || v.Arity() != 2 || !v.El(1).IsAtom() || !v.El(2).IsSmall() {
		return c.Badarg()
	}
	l := term.Nil
	for i := range v.El(2).Small() {
		l = c.P.Heap.Cons(term.Intern("am"+hex(int(v.El(1).Atom())+int(i)+1)), l)
	}
	return l
}
