package ets

import (
	"testing"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/matchspec"
	"github.com/beamrd/beamrd/vm/term"
)

func benchTable(b *testing.B, k Kind, n int) *Table {
	tab := New(nil, term.Intern("bench"), term.Pid(77), &Options{Kind: k, KeyPos: 1})
	var h heap.Heap
	for i := range n {
		tab.Insert(h.Tuple(term.Small(int64(i*7919%n)), term.Small(1)), false)
	}
	freeTemp(&h)
	b.Cleanup(func() { tab.Delete(); tab.FreeAll() })
	b.ResetTimer()
	return tab
}

func BenchmarkInsert(b *testing.B) {
	for name, k := range map[string]Kind{"set": Set, "ordered": OrderedSet} {
		b.Run(name, func(b *testing.B) {
			tab := benchTable(b, k, 100000)
			var h heap.Heap
			defer freeTemp(&h)
			tuple := h.Tuple(term.Small(0), term.Small(1))
			for i := range b.N {
				tuple.SetW(1, uint64(term.Small(int64(i%100000))))
				tab.Insert(tuple, false)
			}
		})
	}
}

func BenchmarkLookup(b *testing.B) {
	for name, k := range map[string]Kind{"set": Set, "ordered": OrderedSet} {
		b.Run(name, func(b *testing.B) {
			tab := benchTable(b, k, 100000)
			var h heap.Heap
			defer freeTemp(&h)
			for i := range b.N {
				tab.Lookup(&h, term.Small(int64(i%100000)))
				if i%1000 == 0 {
					freeTemp(&h)
				}
			}
		})
	}
}

func BenchmarkCounter(b *testing.B) {
	tab := benchTable(b, Set, 1000)
	for i := range b.N {
		tab.Update(term.Small(int64(i%1000)), term.None, func(u *Updater) Outcome {
			u.Set(2, term.Small(u.Value(2).Small()+1))
			return OK
		})
	}
}

func BenchmarkSelect(b *testing.B) {
	for name, k := range map[string]Kind{"set": Set, "ordered": OrderedSet} {
		b.Run(name, func(b *testing.B) {
			tab := benchTable(b, k, 100000)
			var h heap.Heap
			v, w := term.Intern("$1"), term.Intern("$2")
			spec := h.List(h.Tuple(h.Tuple(v, w), h.List(h.Tuple(term.Intern("<"), v, term.Small(50000))), h.List(h.Tuple(h.Tuple(v, w)))))
			prog, _ := matchspec.Compile(spec, matchspec.Options{})
			var m matchspec.Machine
			var out heap.Heap
			for range b.N {
				wk := Walk{T: tab, Prog: prog, Start: term.Nil, End: term.Nil, Acc: term.Nil}
				wk.Begin(&m, &out)
				for done := false; !done; {
					wk.Seen = 0
					done, _ = wk.Step(1000, nil)
				}
				freeTemp(&out)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100000, "ns/object")
			m.Close()
			prog.Free()
			freeTemp(&h)
		})
	}
}
