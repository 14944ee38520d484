package gc_test

import (
	"testing"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/gc"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

func benchCollect(b *testing.B, build func(h *heap.Heap) term.Term) {
	h := offheap.New[heap.Heap](offheap.Proc)
	h.Init(0)
	slot := offheap.AllocZero(8, offheap.Misc)
	offheap.Store(slot, uint64(build(h)))
	roots := []gc.Roots{{Addr: slot, N: 1}}
	gc.Collect(h, roots, 0, true)
	b.SetBytes(int64(h.YoungWords()) * 8)
	for b.Loop() {
		gc.Collect(h, roots, 0, true)
	}
	h.Release()
}

func BenchmarkIntList(b *testing.B) {
	benchCollect(b, func(h *heap.Heap) term.Term {
		l := term.Nil
		for i := range 1 << 20 {
			l = h.Cons(term.Small(int64(i)), l)
		}
		return l
	})
}

func BenchmarkTupleList(b *testing.B) {
	benchCollect(b, func(h *heap.Heap) term.Term {
		l := term.Nil
		for i := range 1 << 18 {
			l = h.Cons(h.Tuple(term.Small(int64(i)), term.AmOk, h.Tuple(term.AmError), term.Nil), l)
		}
		return l
	})
}

func BenchmarkBigTuple(b *testing.B) {
	benchCollect(b, func(h *heap.Heap) term.Term {
		els := make([]term.Term, 1<<20)
		for i := range els {
			els[i] = term.Small(int64(i))
		}
		return h.Tuple(els...)
	})
}

// BenchmarkChurn allocates mostly garbage, with a live part that is promoted.
func BenchmarkChurn(b *testing.B) {
	h := offheap.New[heap.Heap](offheap.Proc)
	h.MaxGenGCs = 65535
	h.Init(0)
	slots := offheap.AllocZero(16, offheap.Misc)
	roots := []gc.Roots{{Addr: slots, N: 2}}
	l := term.Nil
	for i := range 1 << 16 {
		l = h.Cons(term.Small(int64(i)), l)
	}
	offheap.Store(slots, uint64(l))
	n := 0
	for b.Loop() {
		if h.E-h.HP < 48 {
			gc.Collect(h, roots, 6, false)
		}
		t := h.Tuple(term.Small(int64(n)), term.AmOk, term.Nil)
		tail := term.Term(offheap.Load(slots + 8)) // None at first: replaced below
		if n++; n%1000 == 1 {
			tail = term.Nil
		}
		offheap.Store(slots+8, uint64(h.Cons(t, tail)))
	}
	h.Release()
}
