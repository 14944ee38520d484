package ets

import (
	"testing"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/internal/termgen"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/term"
)

// TestObjects stores random terms and takes them out again, plain and
// compressed; nothing may differ, and nothing may be left behind.
func TestObjects(t *testing.T) {
	for _, o := range []Options{{Kind: Set, KeyPos: 1}, {Kind: OrderedSet, KeyPos: 1, Compressed: true}, {Kind: Set, KeyPos: 1, Compressed: true}} {
		before, _ := offheap.Usage(offheap.Binary)
		tab := New(nil, term.Intern("objects"), term.Pid(77), &o)
		g := termgen.New(7)
		h := g.H
		g.Map = func(h *heap.Heap, kvs []term.Term) term.Term { m, _ := maps.FromPairs(h, kvs); return m }
		for i := range 3000 {
			key := term.Small(int64(i % 50))
			v := h.Tuple(key, g.Term(40), g.Term(3))
			tab.Insert(v, false)
			var out heap.Heap
			l, _ := tab.Lookup(&out, key)
			if !l.IsList() || !term.Same(l.Head(), v) {
				t.Fatalf("%d: got %v, want %v", i, l, v)
			}
			el, _ := tab.Element(&out, key, 2)
			if !term.Same(el, v.El(2)) {
				t.Fatalf("%d: element %v, want %v", i, el, v.El(2))
			}
			freeTemp(&out)
		}
		tab.Delete()
		tab.FreeAll()
		freeTemp(h)
		if after, _ := offheap.Usage(offheap.Binary); after != before {
			t.Errorf("%+v: %d bytes of binaries before, %d after", o, before, after)
		}
	}
}
