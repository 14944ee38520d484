package gc_test

import (
	"testing"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/internal/termgen"
	"github.com/beamrd/beamrd/vm/gc"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// mutator keeps terms in slots and on a stack, with a copy of each elsewhere
// to compare with.
type mutator struct {
	t      *testing.T
	g      *termgen.Gen
	h      *heap.Heap
	slots  uintptr
	n      int
	copies []*heap.Heap
	want   []term.Term
}

func newMutator(t *testing.T, seed uint64, n int) *mutator {
	m := &mutator{t: t, g: termgen.New(seed), h: offheap.New[heap.Heap](offheap.Proc), n: n}
	m.h.MaxGenGCs = uint32(seed%5) * 3
	m.h.Init(0)
	m.g.H = m.h
	m.slots = offheap.AllocZero(uintptr(n)*8, offheap.Misc)
	m.copies = make([]*heap.Heap, n)
	m.want = make([]term.Term, n)
	return m
}

func (m *mutator) roots() []gc.Roots {
	return []gc.Roots{{Addr: m.slots, N: m.n / 2}, {Addr: m.slots + uintptr(m.n/2)*8, N: m.n - m.n/2}}
}

func (m *mutator) slot(i int) term.Term { return term.Term(offheap.Load(m.slots + uintptr(i)*8)) }

func (m *mutator) drop(i int) {
	if c := m.copies[i]; c != nil {
		c.Release()
		m.copies[i] = nil
	}
	m.want[i] = term.None
	offheap.Store(m.slots+uintptr(i)*8, 0)
}

func (m *mutator) set(i int, v term.Term) {
	m.drop(i)
	c := new(heap.Heap)
	m.copies[i], m.want[i] = c, heap.CopyTo(c, v)
	offheap.Store(m.slots+uintptr(i)*8, uint64(v))
}

func (m *mutator) check() {
	for i := range m.n {
		if m.copies[i] != nil && !term.Same(m.slot(i), m.want[i]) {
			m.t.Fatalf("slot %d changed", i)
		}
	}
}

func (m *mutator) step() {
	r := m.g.R
	i := r.IntN(m.n)
	m.g.Shared = m.g.Shared[:0]
	for range 3 {
		if j := r.IntN(m.n); m.copies[j] != nil && heap.Size(m.slot(j), false) < 2000 {
			m.g.Shared = append(m.g.Shared, m.slot(j))
		}
	}
	switch r.IntN(5) {
	case 0:
		m.drop(i)
	default:
		m.set(i, m.g.Term(1+r.IntN(60)))
	}
	if need := r.IntN(300); m.h.E-m.h.HP < uintptr(need)*8 || r.IntN(10) == 0 || m.h.Frags != nil {
		if !gc.Collect(m.h, m.roots(), need, r.IntN(20) == 0) {
			m.t.Fatal("Collect says the heap is too large")
		}
		if m.h.E-m.h.HP < uintptr(need)*8 {
			m.t.Fatalf("%d words wanted, %d there", need, (m.h.E-m.h.HP)/8)
		}
		m.check()
	}
}

func (m *mutator) finish() {
	for i := range m.n {
		m.drop(i)
	}
	m.h.Release()
	offheap.Free(m.slots, uintptr(m.n)*8, offheap.Misc)
	offheap.Delete(m.h, offheap.Proc)
}

func TestRandomMutators(t *testing.T) {
	before, _ := offheap.Usage(offheap.Heap)
	fbefore, _ := offheap.Usage(offheap.Fragment)
	bbefore, _ := offheap.Usage(offheap.Binary)
	for seed := range uint64(20) {
		m := newMutator(t, seed, 40)
		for range 1000 {
			m.step()
		}
		gc.Hibernate(m.h, m.roots(), 0)
		m.check()
		m.finish()
	}
	if now, _ := offheap.Usage(offheap.Heap); now != before {
		t.Errorf("%d bytes of heap left", now-before)
	}
	if now, _ := offheap.Usage(offheap.Fragment); now != fbefore {
		t.Errorf("%d bytes of fragments left", now-fbefore)
	}
	if now, _ := offheap.Usage(offheap.Binary); now != bbefore {
		t.Errorf("%d bytes of binaries left", now-bbefore)
	}
}
