package gc

import (
	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Verify walks a heap after a collection and fails unless every object is well
// formed and refers only to its own heap or to literals. The old heap is
// walked now and then only.
func Verify(h *heap.Heap, roots []Roots) {
	if h.Frags != nil {
		return // only a freshly collected heap is contiguous
	}
	v := verifier{h: h}
	v.walk(h.Start, h.HP, false)
	if h.OldHP-h.OldStart < 1<<16 || h.MinorGCs&15 == 0 {
		v.walk(h.OldStart, h.OldHP, true)
	}
	for a := h.E; a < h.End; a += 8 {
		v.slot(a, "stack")
	}
	for _, r := range roots {
		for i := range r.N {
			v.slot(r.Addr+uintptr(i)*8, "roots")
		}
	}
	v.list(&h.Off, h.Start, h.HP, "young")
	v.list(&h.OldOff, h.OldStart, h.OldHP, "old")
}

type verifier struct {
	h *heap.Heap
}

func (v *verifier) fail(a uintptr, what string) {
	h := v.h
	invariants.Failf("gc: %s at %#x: word %#x (block %#x-%#x, old %#x-%#x)", what, a,
		offheap.Load(a), h.Start, h.HP, h.OldStart, h.OldHP)
}

func (v *verifier) slot(a uintptr, where string) {
	t := term.Term(offheap.Load(a))
	if t.IsList() || t.IsBoxed() {
		v.pointer(a, t, false, where)
	}
}

// pointer checks the word t at a.
func (v *verifier) pointer(a uintptr, t term.Term, old bool, where string) {
	p := t.Addr()
	h := v.h
	switch {
	case offheap.IsLiteral(p):
		return
	case p >= h.OldStart && p < h.OldHP:
	case p-h.ForeignLo < h.ForeignHi-h.ForeignLo && !old:
	case p >= h.Start && p < h.HP:
		if old {
			v.fail(a, where+": old term refers to a young one")
		}
	default:
		v.fail(a, where+": pointer to memory that is not the heap's")
	}
	if p&7 != 0 {
		v.fail(a, where+": pointer not aligned")
	}
	if hdr := offheap.Load(p); t.IsBoxed() && hdr&3 != term.PrimHeader {
		v.fail(a, where+": boxed pointer to no header")
	} else if t.IsList() && hdr&3 == term.PrimHeader {
		v.fail(a, where+": cons pointer to a header")
	}
}

// walk checks the objects from a to end, which are contiguous: words without a
// header belong to conses.
func (v *verifier) walk(a, end uintptr, old bool) {
	for a < end {
		w := offheap.Load(a)
		if w&3 != term.PrimHeader {
			v.word(a, old)
			a += 8
			continue
		}
		n := uintptr(term.HeaderWords(w))
		if a+(n+1)*8 > end {
			v.fail(a, "header")
		}
		lo := uintptr(1)
		switch term.HeaderKind(w) {
		case term.KTuple, term.KRecord, term.KMap:
		case term.KFun:
			lo = 2
		case term.KSubBits, term.KMatch:
			v.bits(a, old)
			lo = n + 1
		default:
			lo = n + 1
		}
		for i := lo; i <= n; i++ {
			v.word(a+i*8, old)
		}
		a += (n + 1) * 8
	}
	if a != end {
		v.fail(a, "last object passes the end")
	}
}

func (v *verifier) word(a uintptr, old bool) {
	t := term.Term(offheap.Load(a))
	switch {
	case t.IsHeader():
		v.fail(a, "header where a term should be")
	case !t.IsImmed():
		v.pointer(a, t, old, "heap")
	}
}

func (v *verifier) bits(a uintptr, old bool) {
	orig := term.Term(term.Get(a, 4))
	if !orig.IsBoxed() {
		v.fail(a, "sub bits without an original")
	}
	v.pointer(a, orig, old, "sub bits")
	base := uintptr(term.Get(a, 1))
	switch orig.Kind() {
	case term.KHeapBits:
		if base != 0 && base != orig.Addr()+16 {
			v.fail(a, "sub bits with a wrong base")
		}
	case term.KBinRef:
		if base != 0 && base != heap.BinOf(orig).Data {
			v.fail(a, "sub bits with a wrong base")
		}
	default:
		v.fail(a, "sub bits of something else")
	}
	if term.Get(a, 2) > term.Get(a, 3) {
		v.fail(a, "sub bits that start after their end")
	}
}

func (v *verifier) list(o *heap.OffHeap, lo, hi uintptr, name string) {
	for a := o.First; a != 0; {
		if a < lo || a >= hi {
			invariants.Failf("gc: %s off-heap list leaves its heap at %#x", name, a)
		}
		t := term.Box(a)
		if t.Kind() != term.KBinRef && !t.IsMagicRef() {
			v.fail(a, name+" off-heap list: neither bin ref nor magic ref")
		}
		if heap.OwnedBin(t).Refs() <= 0 {
			v.fail(a, name+" off-heap list: released binary")
		}
		a = heap.NextOff(t)
	}
}
