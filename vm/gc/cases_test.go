package gc_test

import (
	"testing"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/internal/termgen"
	"github.com/beamrd/beamrd/vm/gc"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

func newHeap() *heap.Heap {
	h := offheap.New[heap.Heap](offheap.Proc)
	h.MaxGenGCs = heap.DefaultMaxGenGCs
	h.Init(0)
	return h
}

func push(h *heap.Heap, w uint64) {
	h.E -= 8
	offheap.Store(h.E, w)
}

// slot returns n root slots.
func slots(n int) (uintptr, []gc.Roots) {
	a := offheap.AllocZero(uintptr(n)*8, offheap.Misc)
	return a, []gc.Roots{{Addr: a, N: n}}
}

func TestStack(t *testing.T) {
	h := newHeap()
	const cp = 0x1000
	push(h, cp)
	x := h.Tuple(term.AmOk, h.Float(0x3ff8000000000000))
	push(h, uint64(x))
	push(h, 7<<6|term.TagCatch)
	push(h, uint64(h.List(x, x)))
	push(h, cp+8)
	for range 5 {
		gc.Collect(h, nil, 1000, false)
		if h.StackWords() != 5 || offheap.Load(h.E) != cp+8 || offheap.Load(h.End-8) != cp || offheap.Load(h.E+16) != 7<<6|term.TagCatch {
			t.Fatal("continuation pointers or catches changed")
		}
		l := term.Term(offheap.Load(h.E + 8))
		if l.String() != "[{ok,1.500000e+00},{ok,1.500000e+00}]" || l.Head() != l.Tail().Head() || uint64(l.Head()) != offheap.Load(h.E+24) {
			t.Fatal("stack terms changed or lost their sharing")
		}
	}
	h.Release()
}

func TestGenerations(t *testing.T) {
	h := newHeap()
	a, roots := slots(2)
	offheap.Store(a, uint64(h.List(term.Small(1), term.Small(2))))
	gc.Collect(h, roots, 0, false)
	if h.MajorGCs != 1 || h.OldStart != 0 {
		t.Fatalf("the first collection: %d major ones", h.MajorGCs)
	}
	offheap.Store(a+8, uint64(h.Tuple(term.Term(offheap.Load(a)))))
	gc.Collect(h, roots, 0, false)
	if h.MinorGCs != 1 || h.OldUsed() != 4 || h.YoungWords() != 2 {
		t.Fatalf("%d minor ones, %d words old, %d young", h.MinorGCs, h.OldUsed(), h.YoungWords())
	}
	if l := term.Term(offheap.Load(a)); l.Addr() < h.OldStart || l.Addr() >= h.OldHP {
		t.Error("mature term is not in the old heap")
	}
	h.Flags |= heap.NeedFullsweep
	gc.Collect(h, roots, 0, false)
	if h.MajorGCs != 2 || h.OldStart != 0 || h.YoungWords() != 6 || h.GenGCs != 0 {
		t.Errorf("after a full sweep: %d words old, %d young", h.OldUsed(), h.YoungWords())
	}
	h.Release()
}

func TestGrowsAndShrinks(t *testing.T) {
	h := newHeap()
	a, roots := slots(1)
	if gc.Collect(h, roots, 100000, false); (h.E-h.HP)/8 < 100000 {
		t.Fatal("need is not there")
	}
	if n := h.BlockWords(); n != uint64(heap.NextSize(100000)) {
		t.Errorf("block of %d words", n)
	}
	for range 4 {
		gc.Collect(h, roots, 0, true)
	}
	if n := h.BlockWords(); n != heap.DefaultSize {
		t.Errorf("block of %d words after the need is over", n)
	}
	l := term.Nil
	for i := range 2000 {
		l = h.Cons(term.Small(int64(i)), l) // most of it in fragments
	}
	offheap.Store(a, uint64(l))
	gc.Hibernate(h, roots, 3)
	if h.BlockWords() != 4003 || h.Frags != nil || h.OldStart != 0 {
		t.Errorf("hibernates in %d words", h.BlockWords())
	}
	h.Release()
}

func TestForeignMessage(t *testing.T) {
	for seed := range uint64(300) {
		g := termgen.New(seed)
		h := newHeap()
		g.H = h
		a, roots := slots(4)
		// A message that the heap does not own yet.
		msg := new(heap.Heap)
		f := heap.NewFragment(4000)
		msg.Frags = f
		mg := termgen.New(seed + 1000)
		mg.H = msg
		m := mg.H.Tuple(mg.Term(20), mg.H.Binary(make([]byte, 100)), mg.Bits(), mg.Term(5))
		if msg.Frags != f {
			t.Fatal("the message does not fit")
		}
		want := m.String()
		h.ForeignLo, h.ForeignHi = f.Base(), f.End
		offheap.Store(a, uint64(m))
		g.Shared = []term.Term{m, m.El(1), m.El(3)}
		offheap.Store(a+8, uint64(g.Slice(m.El(2), 16, 700)))
		for range 4 {
			x := h.Cons(g.Term(30), m.El(1))
			text := x.String()
			offheap.Store(a+16, uint64(x))
			gc.Collect(h, roots, g.R.IntN(400), g.R.IntN(3) == 0)
			if term.Term(offheap.Load(a)) != m || m.String() != want || term.Term(offheap.Load(a+16)).String() != text {
				t.Fatal("message changed")
			}
		}
		// It is received.
		h.ForeignHi, g.Shared = h.ForeignLo, nil
		frags, off := msg.Detach()
		h.Attach(frags, &off)
		for range 4 {
			x := g.Term(30)
			offheap.Store(a+24, uint64(x))
			text := x.String()
			gc.Collect(h, roots, g.R.IntN(400), g.R.IntN(3) == 0)
			if term.Term(offheap.Load(a)).String() != want || term.Term(offheap.Load(a+24)).String() != text {
				t.Fatal("received message changed")
			}
		}
		h.Release()
	}
}

func TestMaxSize(t *testing.T) {
	h := newHeap()
	a, roots := slots(1)
	h.MaxSize, h.MaxSizeOpts = 5000, heap.MaxSizeKill
	if !gc.Collect(h, roots, 10, false) {
		t.Fatal("a small heap is too large")
	}
	var els []term.Term
	for i := range 3000 {
		els = append(els, term.Small(int64(i)))
	}
	x := h.Tuple(els...)
	offheap.Store(a, uint64(x))
	if gc.Collect(h, roots, 10, false) {
		t.Error("not over the limit")
	}
	if term.Term(offheap.Load(a)) != x || x.Arity() != 3000 {
		t.Error("heap moved")
	}
	h.MaxSizeOpts = 0
	if !gc.Collect(h, roots, 10, false) {
		t.Error("killed without the option")
	}
	var total uint64
	gc.OnMaxHeap = func(_ *heap.Heap, n uint64) bool { total = n; return true }
	defer func() { gc.OnMaxHeap = nil }()
	if gc.Collect(h, roots, 10, true) || total < 6000 {
		t.Errorf("hook saw %d words", total)
	}
	h.Release()
}

func TestVirtualHeap(t *testing.T) {
	h := newHeap()
	a, roots := slots(1)
	l := term.Nil
	for range 10 {
		x, _ := h.NewBinary(80000)
		l = h.Cons(x, l)
	}
	if h.Off.Words != 100000 || h.Off.Words < h.VHeap {
		t.Fatalf("%d words of %d", h.Off.Words, h.VHeap)
	}
	offheap.Store(a, uint64(l))
	gc.Collect(h, roots, 0, false)
	if h.VHeap <= 100000 || h.Off.Words != 100000 {
		t.Errorf("limit %d for %d words", h.VHeap, h.Off.Words)
	}
	gc.Collect(h, roots, 0, false)
	if h.OldOff.Words != 100000 || h.Off.Words != 0 {
		t.Errorf("%d words old, %d young", h.OldOff.Words, h.Off.Words)
	}
	full := h.MajorGCs
	for range 10 {
		x, _ := h.NewBinary(80000)
		l = h.Cons(x, term.Term(offheap.Load(a)))
		offheap.Store(a, uint64(l))
	}
	gc.Collect(h, roots, 0, false)
	gc.Collect(h, roots, 0, false)
	if h.MajorGCs != full || h.OldOff.Words != 200000 {
		t.Errorf("%d words old", h.OldOff.Words)
	}
	offheap.Store(a, uint64(term.Nil))
	gc.Collect(h, roots, 0, false) // old binaries over their limit: a full one
	if h.MajorGCs != full+1 || h.OldOff.Words+h.Off.Words != 0 {
		t.Errorf("%d words left", h.OldOff.Words+h.Off.Words)
	}
	h.Release()
}

func TestMatchContext(t *testing.T) {
	h := newHeap()
	a, roots := slots(2)
	bin := h.Binary([]byte("hello, world"))
	m := h.Alloc(7)
	base, s, e := heap.Bits(bin)
	term.Put(m, 0, term.Header(6, term.KMatch))
	term.Put(m, 1, uint64(base))
	term.Put(m, 2, s+8)
	term.Put(m, 3, e)
	term.PutTerm(m, 4, bin)
	term.Put(m, 5, 0x1234560) // save slots look like anything
	term.Put(m, 6, uint64(m)|term.PrimBoxed)
	offheap.Store(a, uint64(term.Box(m)))
	for range 3 {
		gc.Collect(h, roots, 3, false)
		x := term.Term(offheap.Load(a))
		base, s, _ := heap.Bits(x)
		if offheap.LoadByte(base+uintptr(s/8)) != 'e' || x.W(5) != 0x1234560 || x.W(6) != uint64(m)|term.PrimBoxed {
			t.Fatal("match context changed")
		}
	}
	h.Release()
}
