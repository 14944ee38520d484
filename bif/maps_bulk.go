package bif

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// The builtins whose work grows with a map: from_list, from_keys, keys, values
// and merge. Up to mapOnce pairs they work at once; above that they yield, and
// what they have built so far is kept in a saved state.

const mapOnce = 4000

// mapReds is what n pairs cost: a slice is about a millisecond.
func mapReds(c *native.Call, n int) { c.Bump(n / 8) }

// mapJob builds a map of a long list. The list is cut into chunks, tuples of
// its keys and values, so that pairs can be found by their number after a
// collection; then the map is built bucket by bucket.
type mapJob struct {
	bulk  maps.Bulk
	built bool // the list is at its end
	keys  bool // from_keys: elements are keys
}

const mapChunk = 2048 // elements

func mapsFromList(c *native.Call) term.Term { return mapFrom(c, false) }
func mapsFromKeys(c *native.Call) term.Term { return mapFrom(c, true) }

func mapFrom(c *native.Call, keys bool) term.Term {
	l := c.Arg(0)
	if j, ok := savedState[*mapJob](l); ok {
		return j.run(c, savedTerm(l, 0), savedTerm(l, 1), savedTerm(l, 2), savedTerm(l, 3))
	}
	kvs := make([]term.Term, 0, 64)
	for n := 0; l.IsList(); l = l.Tail() {
		if n++; n > mapOnce {
			j := &mapJob{keys: keys}
			return j.run(c, c.Arg(0), c.Arg(0), term.Nil, term.Nil)
		}
		k, v, ok := mapElement(c, l.Head(), keys)
		if !ok {
			return c.Badarg()
		}
		kvs = append(kvs, k, v)
	}
	if l != term.Nil {
		return c.Badarg()
	}
	mapReds(c, len(kvs)/2)
	m, _ := maps.FromPairs(&c.P.Heap, kvs)
	return m
}

// mapElement returns the pair of a list's element; ok is false if it is none.
func mapElement(c *native.Call, t term.Term, keys bool) (k, v term.Term, ok bool) {
	if keys {
		return t, c.Arg(1), true
	}
	if !t.IsTuple() || t.Arity() != 2 {
		return t, t, false
	}
	return t.El(1), t.El(2), true
}

// run goes on with the list from rest on. chunks and subs are lists, newest
// first.
func (j *mapJob) run(c *native.Call, list, rest, chunks, subs term.Term) term.Term {
	h := &c.P.Heap
	for !j.built {
		chunk, tail, ok := j.chunk(c, rest)
		if !ok {
			c.SetArg(0, list)
			return c.Badarg()
		}
		if chunk != term.None {
			chunks = h.Cons(chunk, chunks)
		}
		rest = tail
		if c.Left() <= 0 {
			return j.yield(c, list, rest, chunks, subs)
		}
	}
	at := listBackwards(chunks)
	for n := j.bulk.Next(); n > 0; n = j.bulk.Next() {
		kvs := make([]term.Term, 0, 2*n)
		for i := range n {
			x := j.bulk.Key(i)
			t := at[x/mapChunk]
			if x %= mapChunk; j.keys {
				kvs = append(kvs, t.El(x+1), c.Arg(1))
			} else {
				kvs = append(kvs, t.El(2*x+1), t.El(2*x+2))
			}
		}
		subs = h.Cons(j.bulk.Subtree(h, kvs), subs)
		if mapReds(c, n); c.Left() <= 0 {
			return j.yield(c, list, rest, chunks, subs)
		}
	}
	return j.bulk.Finish(h, listBackwards(subs))
}

func (j *mapJob) yield(c *native.Call, list, rest, chunks, subs term.Term) term.Term {
	st := saveState(c, j, list, rest, chunks, subs)
	if j.keys {
		return c.YieldWith(st, c.Arg(1))
	}
	return c.YieldWith(st)
}

// chunk copies the next elements of a list into a tuple; None at the end.
func (j *mapJob) chunk(c *native.Call, l term.Term) (t, rest term.Term, ok bool) {
	n := 0
	for r := l; r.IsList() && n < mapChunk; r = r.Tail() {
		n++
	}
	if n == 0 {
		j.built = true
		return term.None, l, l == term.Nil
	}
	words := n
	if !j.keys {
		words = 2 * n
	}
	a := c.Alloc(1 + words)
	for i := range n {
		k, v, ok := mapElement(c, l.Head(), j.keys)
		if !ok {
			term.Put(a, 0, term.Header(0, term.KTuple))
			return term.None, l, false
		}
		j.bulk.Add(k)
		if j.keys {
			term.PutTerm(a, 1+i, k)
		} else {
			term.PutTerm(a, 1+2*i, k)
			term.PutTerm(a, 2+2*i, v)
		}
		l = l.Tail()
	}
	term.Put(a, 0, term.Header(words, term.KTuple))
	mapReds(c, n)
	return term.Box(a), l, true
}

// listBackwards returns the elements of a list, last first.
func listBackwards(l term.Term) []term.Term {
	var els []term.Term
	for ; l.IsList(); l = l.Tail() {
		els = append(els, l.Head())
	}
	for i, j := 0, len(els)-1; i < j; i, j = i+1, j-1 {
		els[i], els[j] = els[j], els[i]
	}
	return els
}

// mapWalk is the state of keys and values of a large map: the path of the next
// pair.
type mapWalk struct{ path []uint64 }

func mapsKeys(c *native.Call) term.Term   { return mapCollect(c, maps.Keys, term.Term.Head) }
func mapsValues(c *native.Call) term.Term { return mapCollect(c, maps.Values, term.Term.Tail) }

func mapCollect(c *native.Call, all func(*heap.Heap, term.Term) term.Term, pick func(leaf term.Term) term.Term) term.Term {
	m, acc := c.Arg(0), term.Nil
	w, again := savedState[*mapWalk](m)
	switch {
	case again:
		m, acc = savedTerm(m, 0), savedTerm(m, 1)
	case !m.IsMap():
		return badmap(c, m)
	case m.MapSize() <= mapOnce:
		mapReds(c, m.MapSize())
		return all(&c.P.Heap, m)
	default:
		w = &mapWalk{}
	}
	h := &c.P.Heap
	var cur maps.Cursor
	leaf, _ := cur.Start(m, w.path)
	for leaf != term.None {
		n := 0
		for ; leaf != term.None && n < 1024; n++ {
			acc = h.Cons(pick(leaf), acc)
			if n < 1023 {
				leaf = cur.Next()
			}
		}
		if leaf == term.None {
			break
		}
		path, more := cur.Path()
		if !more {
			break
		}
		if c.Bump(n / 12); c.Left() <= 0 {
			return c.YieldWith(saveState(c, &mapWalk{path}, m, acc))
		}
		leaf = cur.Next()
	}
	return acc
}

// mapMerge is the state of a merge of two large maps.
type mapMerge struct{ bulk maps.BulkMerge }

func mapsMerge(c *native.Call) term.Term {
	a, b, subs := c.Arg(0), c.Arg(1), term.Nil
	j, again := savedState[*mapMerge](a)
	if again {
		a, subs = savedTerm(a, 0), savedTerm(a, 1)
	} else {
		for _, m := range []term.Term{a, b} {
			if !m.IsMap() {
				return badmap(c, m)
			}
		}
		n, k := a.MapSize(), b.MapSize()
		if min(n, k) <= mapOnce {
			mapReds(c, min(n, k))
			return maps.Merge(&c.P.Heap, a, b)
		}
		j = &mapMerge{}
	}
	h := &c.P.Heap
	each := min(a.MapSize(), b.MapSize()) / 128
	for {
		s, done := j.bulk.Next(h, a, b)
		if done {
			return j.bulk.Finish(h, a, b, listBackwards(subs))
		}
		subs = h.Cons(s, subs)
		if mapReds(c, each); c.Left() <= 0 {
			return c.YieldWith(saveState(c, j, a, subs), b)
		}
	}
}
