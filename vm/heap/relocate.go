package heap

import (
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/term"
)

// An area of literals is released when nobody refers to it any more. Those who
// do get a copy of it as a fragment of their own, and their pointers are moved
// there: the next collection keeps what is really used.

// copyAll is set while a literal area is being released: copies of terms then
// share no literals at all. It changes only while no thread is between Size
// and Copy.
var copyAll atomic.Bool

// CopyLiterals makes Size and Copy take literals for other terms, or not any
// more. The caller has stopped all threads that might use them.
func CopyLiterals(on bool) { copyAll.Store(on) }

// Span is a range of addresses.
type Span struct{ Lo, Hi uintptr }

func (s Span) has(t term.Term) bool {
	return t&term.PrimMask != term.PrimHeader && t&term.PrimMask != term.PrimImmed && t.Addr()-s.Lo < s.Hi-s.Lo
}

// slotsOf calls f with every slot of the objects from a to end that may hold a
// pointer. orig tells that it is the original of the bitstring at obj.
func slotsOf(a, end uintptr, f func(slot uintptr, obj uintptr)) {
	for a < end {
		w := offheap.Load(a)
		if w&term.PrimMask != term.PrimHeader {
			f(a, 0)
			a += 8
			continue
		}
		n := uintptr(term.HeaderWords(w))
		lo := uintptr(1)
		switch term.HeaderKind(w) {
		case term.KTuple, term.KRecord, term.KMap:
		case term.KFun:
			lo = 2
		case term.KSubBits, term.KMatch:
			f(a+4*8, a)
			lo = n + 1
		default:
			lo = n + 1
		}
		for i := lo; i <= n; i++ {
			f(a+i*8, 0)
		}
		a += (n + 1) * 8
	}
}

// Refers tells whether the objects from a to end point into the span.
func Refers(a, end uintptr, s Span) (yes bool) {
	slotsOf(a, end, func(slot, _ uintptr) {
		yes = yes || s.has(term.Term(offheap.Load(slot)))
	})
	return yes
}

// SlotsRefer is Refers for n slots.
func SlotsRefer(a uintptr, n int, s Span) bool {
	for i := range n {
		if s.has(term.Term(term.Get(a, i))) {
			return true
		}
	}
	return false
}

// Relocate moves the pointers into the span of the objects from a to end.
func Relocate(a, end uintptr, s Span, to uintptr) {
	slotsOf(a, end, func(slot, obj uintptr) {
		t := term.Term(offheap.Load(slot))
		if !s.has(t) {
			return
		}
		offheap.Store(slot, uint64(t)-uint64(s.Lo)+uint64(to))
		if obj != 0 {
			// The bytes of a heap binary have moved with it.
			if b := uintptr(term.Get(obj, 1)); b-s.Lo < s.Hi-s.Lo {
				term.Put(obj, 1, uint64(b-s.Lo+to))
			}
		}
	})
}

// RelocateSlots is Relocate for n slots.
func RelocateSlots(a uintptr, n int, s Span, to uintptr) {
	for i := range n {
		if t := term.Term(term.Get(a, i)); s.has(t) {
			term.Put(a, i, uint64(t)-uint64(s.Lo)+uint64(to))
		}
	}
}

// CopySpan copies an area of literals to a fragment of its own and links what
// the copy owns into o.
func CopySpan(s Span, o *OffHeap) *Fragment {
	n := s.Hi - s.Lo
	f := NewFragment(int(n / 8))
	base := f.Base()
	offheap.Copy(base, s.Lo, n)
	f.HP = base + n
	Relocate(base, f.HP, s, base)
	for a := base; a < f.HP; {
		w := offheap.Load(a)
		if w&term.PrimMask != term.PrimHeader {
			a += 8
			continue
		}
		switch {
		case term.HeaderKind(w) == term.KBinRef:
			b := BinOf(term.Box(a))
			b.Ref()
			o.PutBinRef(a, b)
		case w == term.Header(term.MagicRefWords, term.KRef):
			b := MagicBin(term.Box(a))
			b.Ref()
			o.PutMagicRef(a, term.Get(a, 1), term.Get(a, 2), b)
		}
		a += uintptr(term.HeaderWords(w)+1) * 8
	}
	return f
}
