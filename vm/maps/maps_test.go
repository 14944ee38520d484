package maps_test

import (
	"math/rand/v2"
	"testing"

	"github.com/beamrd/beamrd/internal/termgen"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/term"
)

func fromPairs(h *heap.Heap, kvs []term.Term) term.Term {
	m, _ := maps.FromPairs(h, kvs)
	return m
}

// check compares a map with the pairs it should have, and its shape with that
// of one built from them at once.
func check(t *testing.T, h *heap.Heap, m term.Term, keys, vals []term.Term) {
	t.Helper()
	n := 0
	var kvs []term.Term
	for i, k := range keys {
		v, ok := maps.Get(m, k)
		if ok != (vals[i] != term.None) {
			t.Fatalf("Get(%v) says %v", k, ok)
		}
		if !ok {
			continue
		}
		if v != vals[i] {
			t.Fatalf("Get(%v) = %v, not %v", k, v, vals[i])
		}
		n++
		kvs = append(kvs, k, v)
	}
	if m.MapSize() != n {
		t.Fatalf("size %d, not %d", m.MapSize(), n)
	}
	if flat := m.MapKind() == term.MapFlat; flat != (n <= term.FlatMapLimit) {
		t.Fatalf("a map of %d keys has kind %d", n, m.MapKind())
	}
	rand.Shuffle(n, func(i, j int) {
		kvs[2*i], kvs[2*i+1], kvs[2*j], kvs[2*j+1] = kvs[2*j], kvs[2*j+1], kvs[2*i], kvs[2*i+1]
	})
	if r := fromPairs(h, kvs); !term.Same(m, r) || term.Compare(m, r) != 0 || term.MapHash(m, 0) != term.MapHash(r, 0) ||
		m.String() != r.String() {
		t.Fatalf("shape differs\n%v\n%v", m, r)
	}
	seen := 0
	maps.Each(m, func(k, v term.Term) bool {
		if w, _ := maps.Get(m, k); w != v {
			t.Fatalf("Each gives %v => %v", k, v)
		}
		seen++
		return true
	})
	if seen != n {
		t.Fatalf("Each gives %d pairs of %d", seen, n)
	}
}

func TestRandomUpdates(t *testing.T) {
	for seed := range uint64(22) {
		g := termgen.New(seed)
		g.Map = fromPairs
		max := 10 + int(seed)*int(seed)
		var keys, vals []term.Term
		for len(keys) < max {
			k := g.Term(1 + g.R.IntN(4))
			dup := false
			for _, o := range keys {
				dup = dup || term.Same(o, k)
			}
			if !dup {
				keys = append(keys, k)
			}
		}
		vals = make([]term.Term, max)
		m := maps.Empty
		for i := range 6 * max {
			j := g.R.IntN(max)
			k := heap.CopyTo(g.H, keys[j])
			up := i < 3*max
			switch x := g.R.IntN(4); {
			case x == 0 && up || x != 0 && !up:
				r, v, had := maps.Take(g.H, m, k)
				if had != (vals[j] != term.None) || had && v != vals[j] {
					t.Fatalf("Take(%v) gives %v, %v", k, v, had)
				}
				m, vals[j] = r, term.None
			case x == 1:
				v := term.Small(int64(i))
				r, ok := maps.Update(g.H, m, k, v)
				if ok != (vals[j] != term.None) {
					t.Fatalf("Update(%v) says %v", k, ok)
				}
				if ok {
					m, vals[j] = r, v
				}
			default:
				v := term.Small(int64(i))
				m, vals[j] = maps.Put(g.H, m, k, v), v
			}
			if i%(1+max/8) == 0 {
				check(t, g.H, m, keys, vals)
			}
		}
		check(t, g.H, m, keys, vals)
		g.H.Release()
	}
}

func TestPutAll(t *testing.T) {
	for seed := range uint64(300) {
		g := termgen.New(seed)
		var kvs []term.Term
		for range g.R.IntN(50) {
			kvs = append(kvs, term.Small(g.R.Int64N(60)), g.Leaf())
		}
		m := fromPairs(g.H, kvs)
		var more []term.Term
		for range g.R.IntN(20) {
			more = append(more, term.Small(g.R.Int64N(60)), g.Leaf())
		}
		want, exact := m, true
		for i := 0; i < len(more); i += 2 {
			_, had := maps.Get(want, more[i])
			exact = exact && had
			want = maps.Put(g.H, want, more[i], more[i+1])
		}
		if got := maps.PutAll(g.H, m, more); !term.Same(got, want) {
			t.Fatalf("PutAll gives %v, not %v", got, want)
		}
		got, bad := maps.UpdateAll(g.H, m, more)
		if exact && !term.Same(got, want) {
			t.Fatalf("UpdateAll gives %v, not %v", got, want)
		} else if !exact {
			if _, had := maps.Get(m, more[bad]); had {
				t.Fatalf("UpdateAll blames %v", more[bad])
			}
		}
		g.H.Release()
	}
}

func TestKeysInOrder(t *testing.T) {
	h := new(heap.Heap)
	m := fromPairs(h, []term.Term{h.Float(0x3ff0000000000000), term.Nil, term.Small(2), term.Nil, term.Small(1), term.Nil,
		term.AmOk, term.Nil, term.AmError, term.Nil})
	if s := maps.Keys(h, m).String(); s != "[1,2,1.000000e+00,error,ok]" {
		t.Error(s)
	}
}

func FuzzShape(f *testing.F) {
	f.Add([]byte("abcabd"))
	f.Fuzz(func(t *testing.T, ops []byte) {
		h := new(heap.Heap)
		defer h.Release()
		var keys, vals []term.Term
		for i := range 128 {
			keys = append(keys, term.Small(int64(i)))
		}
		vals = make([]term.Term, 128)
		m := maps.Empty
		for i, b := range ops {
			k := int(b & 127)
			if b < 128 {
				vals[k] = term.Small(int64(i))
				m = maps.Put(h, m, keys[k], vals[k])
			} else {
				vals[k] = term.None
				m, _ = maps.Remove(h, m, keys[k])
			}
		}
		check(t, h, m, keys, vals)
	})
}

func BenchmarkPutLarge(b *testing.B) {
	h := new(heap.Heap)
	for range b.N {
		m := maps.Empty
		for i := range 10000 {
			m = maps.Put(h, m, term.Small(int64(i)), term.Nil)
		}
		h.Release()
	}
}

func BenchmarkGetLarge(b *testing.B) {
	h := new(heap.Heap)
	var kvs []term.Term
	for i := range 10000 {
		kvs = append(kvs, term.Small(int64(i)), term.Nil)
	}
	m := fromPairs(h, kvs)
	for i := range b.N {
		maps.Get(m, term.Small(int64(i%10000)))
	}
}

func BenchmarkFromPairs(b *testing.B) {
	h := new(heap.Heap)
	var kvs []term.Term
	for i := range 10000 {
		kvs = append(kvs, term.Small(int64(i)), term.Nil)
	}
	for range b.N {
		fromPairs(h, kvs)
		h.Release()
	}
}

func TestMerge(t *testing.T) {
	for seed := range uint64(200) {
		g := termgen.New(seed)
		g.Map = fromPairs
		span := 1 + g.R.Int64N(2000)
		random := func() (kvs []term.Term) {
			for range g.R.IntN(10 << g.R.IntN(8)) {
				kvs = append(kvs, term.Small(g.R.Int64N(span)), g.Int())
			}
			return kvs
		}
		x, y := random(), random()
		a, b := fromPairs(g.H, x), fromPairs(g.H, y)
		if g.R.IntN(3) == 0 {
			b = maps.PutAll(g.H, a, y)
		}
		want := a
		maps.Each(b, func(k, v term.Term) bool {
			want = maps.Put(g.H, want, k, v)
			return true
		})
		if got := maps.Merge(g.H, a, b); !term.Same(got, want) || got.MapSize() != want.MapSize() {
			t.Fatalf("seed %d: Merge(%v, %v) = %v", seed, a, b, got)
		}
		g.H.Release()
	}
}

func TestCursor(t *testing.T) {
	h := new(heap.Heap)
	var kvs []term.Term
	for i := range 3000 {
		kvs = append(kvs, term.Small(int64(i)), term.Nil)
	}
	m := fromPairs(h, kvs)
	var want, got []term.Term
	maps.Each(m, func(k, _ term.Term) bool {
		want = append(want, k)
		return true
	})
	var digits []uint64
	for more := true; more; {
		var c maps.Cursor
		leaf, ok := c.Start(m, digits)
		for n := 0; ok && leaf != term.None; n++ {
			got = append(got, leaf.Head())
			if n == 7 {
				break
			}
			leaf = c.Next()
		}
		digits, more = c.Path()
	}
	if len(got) != len(want) {
		t.Fatalf("%d leaves of %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("leaf %d: %v, not %v", i, got[i], want[i])
		}
	}
}

func TestBulk(t *testing.T) {
	for seed := range uint64(60) {
		g := termgen.New(seed)
		g.Map = fromPairs
		var kvs []term.Term
		span := 1 + g.R.Int64N(1<<g.R.IntN(16))
		for range g.R.IntN(8 << g.R.IntN(9)) {
			k := term.Small(g.R.Int64N(span))
			if g.R.IntN(3) == 0 {
				k = g.Leaf()
			}
			kvs = append(kvs, k, g.Int())
		}
		var b maps.Bulk
		for i := 0; i < len(kvs); i += 2 {
			b.Add(kvs[i])
		}
		var subs []term.Term
		for n := b.Next(); n > 0; n = b.Next() {
			var part []term.Term
			for i := range n {
				part = append(part, kvs[2*b.Key(i)], kvs[2*b.Key(i)+1])
			}
			subs = append(subs, b.Subtree(g.H, part))
		}
		want := fromPairs(g.H, kvs)
		if got := b.Finish(g.H, subs); !term.Same(got, want) || got.MapSize() != want.MapSize() {
			t.Fatalf("seed %d: %v, not %v", seed, got, want)
		}
		g.H.Release()
	}
}

func TestBulkMerge(t *testing.T) {
	for seed := range uint64(100) {
		g := termgen.New(seed)
		span := 1 + g.R.Int64N(1<<g.R.IntN(16))
		random := func() term.Term {
			m := maps.Empty
			for n := 33 + g.R.IntN(8<<g.R.IntN(9)); m.MapSize() < n; span++ {
				m = maps.Put(g.H, m, term.Small(g.R.Int64N(span)), g.Int())
			}
			return m
		}
		x, y := random(), random()
		var b maps.BulkMerge
		var subs []term.Term
		for s, done := b.Next(g.H, x, y); !done; s, done = b.Next(g.H, x, y) {
			subs = append(subs, s)
		}
		want := maps.Merge(g.H, x, y)
		if got := b.Finish(g.H, x, y, subs); !term.Same(got, want) || got.MapSize() != want.MapSize() {
			t.Fatalf("seed %d: %v, not %v", seed, got, want)
		}
		g.H.Release()
	}
}
