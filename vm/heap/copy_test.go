package heap_test

import (
	"bytes"
	"testing"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/internal/termgen"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/term"
)

func newGen(seed uint64) *termgen.Gen {
	g := termgen.New(seed)
	g.Map = func(h *heap.Heap, kvs []term.Term) term.Term {
		m, _ := maps.FromPairs(h, kvs)
		return m
	}
	return g
}

func usage() int64 {
	a, _ := offheap.Usage(offheap.Fragment)
	b, _ := offheap.Usage(offheap.Binary)
	c, _ := offheap.Usage(offheap.Heap)
	return a + b + c
}

func TestCopyIsEqualAndOfItsSize(t *testing.T) {
	maps.FromPairs(new(heap.Heap), nil)
	before := usage()
	for seed := range uint64(2000) {
		g := newGen(seed)
		x := g.Term(1 + g.R.IntN(80))
		lit, area := heap.MakeLiteral(x)
		g.Shared = []term.Term{lit, x}
		y := g.Term(1 + g.R.IntN(40))
		for _, withLits := range []bool{false, true} {
			var c heap.Heap
			n := heap.Size(y, withLits)
			hp := c.Alloc(n)
			start := hp
			r := heap.Copy(y, &hp, &c.Off, withLits)
			if got := int(hp-start) / 8; got != n {
				t.Fatalf("seed %d: copy of %d words took %d", seed, n, got)
			}
			if !term.Same(r, y) || r.String() != y.String() {
				t.Fatalf("seed %d: copy differs", seed)
			}
			if withLits {
				g.H.Release() // the copy must not need the original
				area.Free()
				if r.String() == "" {
					t.Fatal("no text")
				}
			}
			c.Release()
		}
	}
	if now := usage(); now != before {
		t.Errorf("%d bytes left", now-before)
	}
}

func TestCopyOfLiteralsIsShared(t *testing.T) {
	h := new(heap.Heap)
	lit, area := heap.MakeLiteral(h.Tuple(term.AmOk, h.List(term.Small(1), h.Float(0))))
	y := h.Cons(lit, lit)
	if n := heap.Size(y, false); n != 2 {
		t.Errorf("size %d, not 2", n)
	}
	if r := heap.CopyTo(h, y); r.Head() != lit || r.Tail() != lit {
		t.Error("literal was copied")
	}
	if area.Start == 0 || !offheap.IsLiteral(area.Start) || lit.Addr() < area.Start || lit.Addr() >= area.End {
		t.Error("literal outside its area")
	}
}

func TestCopyFreezesWritable(t *testing.T) {
	h, c := new(heap.Heap), new(heap.Heap)
	b := heap.NewBin(100)
	copy(b.Bytes(), bytes.Repeat([]byte("x"), 100))
	b.Resize(1000)
	b.Flags |= heap.BinWritable
	x := h.WrapBin(b, 0, 800)
	if x.W(1) != 0 {
		t.Fatal("sub bits of a writable binary keep its address")
	}
	y := heap.CopyTo(c, x)
	if b.Flags&heap.BinWritable != 0 || b.Cap >= 1000 || b.Refs() != 2 {
		t.Errorf("flags %d, capacity %d, count %d", b.Flags, b.Cap, b.Refs())
	}
	if !term.Same(x, y) || y.W(1) != uint64(b.Data) {
		t.Error("copy differs")
	}
	h.Release()
	if s, _ := heap.AlignedBytes(y); string(s) != string(bytes.Repeat([]byte("x"), 100)) || b.Refs() != 1 {
		t.Error("copy lost its bytes")
	}
	c.Release()
}

func TestDeepAndLong(t *testing.T) {
	h, c := new(heap.Heap), new(heap.Heap)
	deep, long := term.Nil, term.Nil
	for i := range 1 << 20 {
		deep = h.Tuple(deep)
		long = h.Cons(term.Small(int64(i)), long)
	}
	left := term.Nil
	for range 1 << 20 {
		left = h.Cons(left, term.Nil)
	}
	x := h.Tuple(deep, long, left)
	y := heap.CopyTo(c, x)
	if !term.Same(x, y) || term.Compare(x, y) != 0 || !term.Equal(x, y) {
		t.Error("copies differ")
	}
	if term.Phash2(x) != term.Phash2(y) || term.Phash(x) != term.Phash(y) || term.MapHash(x, 0) != term.MapHash(y, 0) {
		t.Error("hashes differ")
	}
	if len(x.String()) != len(y.String()) {
		t.Error("texts differ")
	}
	h.Release()
	c.Release()
}

func TestAttachAndDetach(t *testing.T) {
	h, m := new(heap.Heap), new(heap.Heap)
	h.Init(0)
	x := h.Binary(bytes.Repeat([]byte("y"), 99))
	msg := m.Tuple(m.Binary(bytes.Repeat([]byte("z"), 99)), m.Str("héllo"))
	want := msg.String()
	f, off := m.Detach()
	h.Attach(f, &off)
	if msg.String() != want || off.First != 0 || !h.Owns(msg.Addr()) || h.FragWords == 0 {
		t.Error("attached term changed")
	}
	n := 0
	for a := h.Off.First; a != 0; a = heap.NextOff(term.Box(a)) {
		n++
	}
	if n != 2 || h.Off.Words != 24 {
		t.Errorf("%d off-heap objects of %d words", n, h.Off.Words)
	}
	_ = x
	h.Release()
}

func TestSizes(t *testing.T) {
	for _, c := range []struct{ n, next, after uintptr }{{1, 12, 38}, {12, 12, 38}, {13, 38, 51}, {233, 233, 376}, {234, 376, 610},
		{318187, 318187, 514838}, {833026, 833026, 999631}} {
		if n := heap.NextSize(c.n); n != c.next {
			t.Errorf("NextSize(%d) = %d, not %d", c.n, n, c.next)
		}
		if n := heap.SizeAfter(c.n); n != c.after {
			t.Errorf("SizeAfter(%d) = %d, not %d", c.n, n, c.after)
		}
	}
}
