package bif

import (
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var mapsRows = []native.Row{
	{Module: "erlang", Name: "map_size", Arity: 1, Fn: erlangMapSize, Flags: native.Guard},
	{Module: "erlang", Name: "is_map_key", Arity: 2, Fn: erlangIsMapKey, Flags: native.Guard},
	{Module: "erlang", Name: "map_get", Arity: 2, Fn: mapsGet, Flags: native.Guard},
	{Module: "maps", Name: "find", Arity: 2, Fn: mapsFind},
	{Module: "maps", Name: "from_keys", Arity: 2, Fn: mapsFromKeys},
	{Module: "maps", Name: "from_list", Arity: 1, Fn: mapsFromList},
	{Module: "maps", Name: "get", Arity: 2, Fn: mapsGet},
	{Module: "maps", Name: "is_key", Arity: 2, Fn: erlangIsMapKey},
	{Module: "maps", Name: "keys", Arity: 1, Fn: mapsKeys},
	{Module: "maps", Name: "merge", Arity: 2, Fn: mapsMerge},
	{Module: "maps", Name: "put", Arity: 3, Fn: mapsPut},
	{Module: "maps", Name: "remove", Arity: 2, Fn: mapsRemove},
	{Module: "maps", Name: "take", Arity: 2, Fn: mapsTake},
	{Module: "maps", Name: "update", Arity: 3, Fn: mapsUpdate},
	{Module: "maps", Name: "values", Arity: 1, Fn: mapsValues},
	{Module: "erts_internal", Name: "map_next", Arity: 3, Fn: ertsMapNext},
	{Module: "erts_internal", Name: "map_hashmap_children", Arity: 1, Fn: ertsHashmapChildren},
	{Module: "erts_internal", Name: "map_to_tuple_keys", Arity: 1, Fn: ertsMapToTupleKeys},
}

// badmap raises {badmap, m}.
func badmap(c *native.Call, m term.Term) term.Term {
	return c.Error(c.P.Heap.Tuple(term.AmBadmap, m))
}

// badkey raises {badkey, k}.
func badkey(c *native.Call, k term.Term) term.Term {
	return c.Error(c.P.Heap.Tuple(term.AmBadkey, k))
}

func erlangMapSize(c *native.Call) term.Term {
	m := c.Arg(0)
	if !m.IsMap() {
		return badmap(c, m)
	}
	return term.Small(int64(m.MapSize()))
}

func erlangIsMapKey(c *native.Call) term.Term {
	m := c.Arg(1)
	if !m.IsMap() {
		return badmap(c, m)
	}
	_, has := maps.Get(m, c.Arg(0))
	return term.Bool(has)
}

func mapsGet(c *native.Call) term.Term {
	m := c.Arg(1)
	if !m.IsMap() {
		return badmap(c, m)
	}
	v, ok := maps.Get(m, c.Arg(0))
	if !ok {
		return badkey(c, c.Arg(0))
	}
	return v
}

func mapsFind(c *native.Call) term.Term {
	m := c.Arg(1)
	if !m.IsMap() {
		return badmap(c, m)
	}
	v, ok := maps.Get(m, c.Arg(0))
	if !ok {
		return term.AmError
	}
	return c.Ok(v)
}

func mapsPut(c *native.Call) term.Term {
	m := c.Arg(2)
	if !m.IsMap() {
		return badmap(c, m)
	}
	return maps.Put(&c.P.Heap, m, c.Arg(0), c.Arg(1))
}

func mapsUpdate(c *native.Call) term.Term {
	m := c.Arg(2)
	if !m.IsMap() {
		return badmap(c, m)
	}
	r, ok := maps.Update(&c.P.Heap, m, c.Arg(0), c.Arg(1))
	if !ok {
		return badkey(c, c.Arg(0))
	}
	return r
}

func mapsRemove(c *native.Call) term.Term {
	m := c.Arg(1)
	if !m.IsMap() {
		return badmap(c, m)
	}
	r, _ := maps.Remove(&c.P.Heap, m, c.Arg(0))
	return r
}

func mapsTake(c *native.Call) term.Term {
	m := c.Arg(1)
	if !m.IsMap() {
		return badmap(c, m)
	}
	r, v, had := maps.Take(&c.P.Heap, m, c.Arg(0))
	if !had {
		return term.AmError
	}
	return c.P.Heap.Tuple(v, r)
}

// ertsMapNext is erts_internal:map_next/3: some pairs of a map from a path on,
// as {K1, V1, {K2, V2, Rest}} with Rest none or [Path|Map], or pushed on a list
// ([Path, Map | List] if there are more).
func ertsMapNext(c *native.Call) term.Term {
	path, m, acc := c.Arg(0), c.Arg(1), c.Arg(2)
	iter := acc == amIterator
	if !m.IsMap() || !iter && acc != term.Nil && !acc.IsList() {
		return c.Badarg()
	}
	if m.MapKind() == term.MapFlat {
		if !path.IsSmall() || path.Small() < 0 || path.Small() > int64(m.MapSize()) {
			return c.Badarg()
		}
		return flatNext(c, m, acc, iter)
	}
	max := min(max(c.Left()/4, 1), m.MapSize())
	var digits []uint64
	switch {
	case path.IsSmall() && path.Small() >= 0:
		digits = []uint64{uint64(path.Small())}
		if path.Small() == 0 {
			max = min(max, term.FlatMapLimit)
		}
	case path.IsBig() && path.Kind() == term.KPosBig:
		for i := range term.HeaderWords(path.Hdr()) {
			digits = append(digits, path.W(i+1))
		}
	default:
		return c.Badarg()
	}
	var cur maps.Cursor
	leaf, ok := cur.Start(m, digits)
	if !ok {
		return c.Badarg()
	}
	pairs := make([]term.Term, 0, max)
	for leaf != term.None {
		pairs = append(pairs, leaf)
		if len(pairs) == max {
			break
		}
		leaf = cur.Next()
	}
	c.Bump(4 * len(pairs))
	digits, more := cur.Path()
	next := term.None
	if more {
		next = pathTerm(c, digits)
	}
	if iter {
		return iterChain(c, m, pairs, next)
	}
	h := &c.P.Heap
	for _, p := range pairs {
		acc = h.Cons(h.Tuple(p.Head(), p.Tail()), acc)
	}
	if more {
		acc = h.ListTail(acc, next, m)
	}
	return acc
}

var (
	amIterator = term.Intern("iterator")
	amNone     = term.Intern("none")
)

func flatNext(c *native.Call, m, acc term.Term, iter bool) term.Term {
	h := &c.P.Heap
	keys := term.Term(m.W(1))
	r := acc
	if iter {
		r = amNone
	}
	for i := m.MapSize(); i > 0; i-- {
		k, v := keys.El(i), term.Term(m.W(1+i))
		if iter {
			r = h.Tuple(k, v, r)
		} else {
			r = h.Cons(h.Tuple(k, v), r)
		}
	}
	return r
}

func iterChain(c *native.Call, m term.Term, pairs []term.Term, next term.Term) term.Term {
	h := &c.P.Heap
	r := amNone
	if next != term.None {
		r = h.Cons(next, m)
	}
	for i := len(pairs) - 1; i >= 0; i-- {
		r = h.Tuple(pairs[i].Head(), pairs[i].Tail(), r)
	}
	return r
}

func pathTerm(c *native.Call, digits []uint64) term.Term {
	if len(digits) == 1 {
		return c.P.Heap.Uint(digits[0])
	}
	n := len(digits) // the last is not 0
	a := c.Alloc(1 + n)
	term.Put(a, 0, term.Header(n, term.KPosBig))
	for i, d := range digits {
		term.Put(a, 1+i, d)
	}
	return term.Box(a)
}

func ertsHashmapChildren(c *native.Call) term.Term {
	m := c.Arg(0)
	if !m.IsMap() {
		return badmap(c, m)
	}
	if m.MapKind() == term.MapFlat {
		return c.Badarg()
	}
	first := 1
	if m.MapKind() == term.MapHead {
		first = 2
	}
	r := term.Nil
	for i := first; i <= term.HeaderWords(m.Hdr()); i++ {
		r = c.P.Heap.Cons(term.Term(m.W(i)), r)
	}
	return r
}

func ertsMapToTupleKeys(c *native.Call) term.Term {
	m := c.Arg(0)
	if !m.IsMap() {
		return badmap(c, m)
	}
	if m.MapKind() != term.MapFlat {
		return c.Badarg()
	}
	return term.Term(m.W(1))
}
