package ets

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// model is what a table should hold: objects in order of insertion per key.
type model struct {
	t    *Table
	objs []term.Term
}

func (m *model) sameKey(a, b term.Term) bool {
	if m.t.Kind == OrderedSet {
		return term.Compare(a, b) == 0
	}
	return term.Same(a, b)
}

func (m *model) lookup(key term.Term) (l []term.Term) {
	for _, o := range m.objs {
		if m.sameKey(o.El(m.t.KeyPos), key) {
			l = append(l, o)
		}
	}
	return l
}

func (m *model) drop(f func(o term.Term) bool) (n int) {
	kept := m.objs[:0]
	for _, o := range m.objs {
		if f(o) {
			n++
		} else {
			kept = append(kept, o)
		}
	}
	m.objs = kept
	return n
}

func (m *model) insert(o term.Term, unique bool) bool {
	key := o.El(m.t.KeyPos)
	old := m.lookup(key)
	if unique && len(old) > 0 {
		return false
	}
	switch m.t.Kind {
	case Set, OrderedSet:
		m.drop(func(x term.Term) bool { return m.sameKey(x.El(m.t.KeyPos), key) })
	case Bag:
		for _, x := range old {
			if term.Same(x, o) {
				return true
			}
		}
	}
	m.objs = append(m.objs, o)
	return true
}

// universe makes terms of many kinds, few enough to collide.
func universe(h *heap.Heap) (keys []term.Term) {
	for i := range 12 {
		keys = append(keys, term.Small(int64(i)), h.Float(math.Float64bits(float64(i))),
			term.Intern(fmt.Sprint("atom", i)), h.Tuple(term.Small(int64(i)), h.Str("x")),
			h.Binary([]byte(fmt.Sprint("binary", i))), h.Str(fmt.Sprint(i)))
	}
	keys = append(keys, term.Nil, h.Tuple(), h.Binary(make([]byte, 100)), h.Int(math.MaxInt64), h.Int(math.MinInt64))
	return keys
}

func list(l term.Term) (els []term.Term) {
	for ; l.IsList(); l = l.Tail() {
		els = append(els, l.Head())
	}
	return els
}

func checkModel(t *testing.T, m *model, h *heap.Heap, keys []term.Term) {
	t.Helper()
	if got := m.t.Items(); got != int64(len(m.objs)) {
		t.Fatalf("items %d, want %d", got, len(m.objs))
	}
	for _, k := range keys {
		l, _ := m.t.Lookup(h, k)
		got, want := list(l), m.lookup(k)
		if len(got) != len(want) {
			t.Fatalf("key %v: %d objects, want %d", k, len(got), len(want))
		}
		for i := range got {
			if !term.Same(got[i], want[i]) {
				t.Fatalf("key %v: object %d differs", k, i)
			}
		}
	}
	n := 0
	k, _ := m.t.Edge(h, false, false)
	for k != term.None {
		n += len(m.lookup(k))
		var prev = k
		k, _ = m.t.Beside(h, k, false, false)
		if m.t.Kind == OrderedSet && k != term.None && term.Compare(prev, k) >= 0 {
			t.Fatal("keys out of order")
		}
	}
	if n != len(m.objs) {
		t.Fatalf("walk met %d objects, want %d", n, len(m.objs))
	}
	if m.t.Kind == OrderedSet {
		checkTree(t, m.t.tree.top())
	}
}

func checkTree(t *testing.T, o object) uint64 {
	if o == 0 {
		return 0
	}
	l, r := checkTree(t, left(o)), checkTree(t, right(o))
	if nodes(o) != l+r+1 {
		t.Fatalf("node counts %d, has %d+%d", nodes(o), l, r)
	}
	if l+1 > delta*(r+1) || r+1 > delta*(l+1) {
		t.Fatalf("unbalanced: %d and %d", l, r)
	}
	return l + r + 1
}

func TestModel(t *testing.T) {
	for _, o := range []Options{
		{Kind: Set}, {Kind: Bag}, {Kind: DuplicateBag}, {Kind: OrderedSet},
		{Kind: Set, WriteConc: true, Access: Public}, {Kind: Bag, WriteConc: true, Access: Public, Decentralized: true},
		{Kind: Set, Compressed: true}, {Kind: Bag, Compressed: true}, {Kind: OrderedSet, Compressed: true},
		{Kind: Set, KeyPos: 2}, {Kind: OrderedSet, KeyPos: 2},
	} {
		if o.KeyPos == 0 {
			o.KeyPos = 1
		}
		t.Run(fmt.Sprintf("%+v", o), func(t *testing.T) { runModel(t, o) })
	}
}

func runModel(t *testing.T, o Options) {
	rnd := rand.New(rand.NewPCG(1, uint64(o.Kind)))
	var h, tmp heap.Heap
	defer freeTemp(&h)
	m := &model{t: New(nil, term.Intern("model"), term.Pid(77), &o)}
	keys := universe(&h)
	pick := func() term.Term { return keys[rnd.IntN(len(keys))] }
	obj := func() term.Term {
		if o.KeyPos == 2 {
			return h.Tuple(pick(), pick())
		}
		return h.Tuple(pick(), pick(), h.Tuple(pick()))
	}
	fixed := false
	for i := range 4000 {
		switch rnd.IntN(12) {
		case 0, 1, 2, 3, 4:
			x := obj()
			unique := rnd.IntN(4) == 0
			done, _ := m.t.Insert(x, unique)
			if want := m.insert(x, unique); done != want {
				t.Fatalf("insert: %v, want %v", done, want)
			}
		case 5:
			l := term.Nil
			var xs []term.Term
			for range rnd.IntN(6) {
				x := obj()
				xs = append(xs, x)
			}
			for j := len(xs) - 1; j >= 0; j-- {
				l = h.Cons(xs[j], l)
			}
			m.t.InsertAll(l, false)
			if o.Kind == Bag {
				slices.Reverse(xs)
			}
			for _, x := range xs {
				m.insert(x, false)
			}
		case 6:
			k := pick()
			m.t.Erase(k)
			m.drop(func(x term.Term) bool { return m.sameKey(x.El(o.KeyPos), k) })
		case 7:
			if len(m.objs) == 0 {
				continue
			}
			x := m.objs[rnd.IntN(len(m.objs))]
			m.t.EraseObject(x)
			m.drop(func(y term.Term) bool { return term.Same(x, y) })
		case 8:
			k := pick()
			l, _ := m.t.Take(&tmp, k)
			if n := m.drop(func(x term.Term) bool { return m.sameKey(x.El(o.KeyPos), k) }); n != len(list(l)) {
				t.Fatalf("take: %d, want %d", len(list(l)), n)
			}
		case 9:
			if fixed = !fixed; fixed {
				m.t.Fix(term.Pid(1))
			} else {
				m.t.Unfix(term.Pid(1))
			}
		case 10:
			if o.Kind != Set && o.Kind != OrderedSet {
				continue
			}
			k, v := pick(), pick()
			pos := 3 - o.KeyPos
			r := m.t.Update(k, term.None, func(u *Updater) Outcome { u.Set(pos, v); return OK })
			for j, x := range m.objs {
				if m.sameKey(x.El(o.KeyPos), k) {
					m.objs[j] = withElement(&h, x, pos, v)
					if r != OK {
						t.Fatal("update: no such key")
					}
				}
			}
		case 11:
			if i%7 == 0 {
				checkModel(t, m, &tmp, keys)
				freeTemp(&tmp)
			}
		}
	}
	checkModel(t, m, &tmp, keys)
	freeTemp(&tmp)
	base := int64(0)
	for _, x := range m.objs {
		m.t.EraseObject(x)
	}
	m.t.Unfix(term.Pid(1))
	if m.t.Kind != OrderedSet {
		base = (int64(m.t.hash.slots) + segTable(len(*m.t.hash.segs.Load()))) * 8
	}
	if got, want := m.t.mem.Load(), base+m.t.baseWords()*8; got != want {
		t.Fatalf("memory of the empty table: %d, want %d", got, want)
	}
	m.t.Delete()
	m.t.FreeAll()
}

func TestGrowAndShrink(t *testing.T) {
	for _, o := range []Options{{Kind: Set, KeyPos: 1}, {Kind: OrderedSet, KeyPos: 1}, {Kind: Set, KeyPos: 1, WriteConc: true, Access: Public}} {
		tab := New(nil, term.Intern("grow"), term.Pid(77), &o)
		var h heap.Heap
		const n = 20000
		for i := range n {
			tab.Insert(h.Tuple(term.Small(int64(i))), false)
		}
		for i := range n {
			if is, _ := tab.Member(term.Small(int64(i))); !is {
				t.Fatalf("%d is missing", i)
			}
		}
		if o.Kind == Set && tab.hash.active.Load() < n {
			t.Fatalf("%d buckets for %d objects", tab.hash.active.Load(), n)
		}
		for i := range n {
			tab.Erase(term.Small(int64(i)))
			if i%1000 == 0 {
				k, seen := term.None, 0
				for k, _ = tab.Edge(&h, false, false); k != term.None; k, _ = tab.Beside(&h, k, false, false) {
					seen++
				}
				if seen != n-i-1 {
					t.Fatalf("walk met %d, want %d", seen, n-i-1)
				}
			}
		}
		freeTemp(&h)
		if o.Kind == Set && tab.hash.active.Load() > 5000 {
			t.Fatalf("%d buckets left", tab.hash.active.Load())
		}
		tab.Delete()
		tab.FreeAll()
	}
}
