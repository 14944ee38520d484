package bif

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// A builtin that yields in the middle of its work is called again with one of
// its arguments replaced by a saved state: a tuple that no program can make,
// for its first element is a bare bin ref to a Go value. The other elements are
// terms that the work needs; they are kept current by the collector.

// saveState builds a saved state. Yield with it in place of an argument.
func saveState(c *native.Call, v any, terms ...term.Term) term.Term {
	a := c.Alloc(heap.BinRefWords + 2 + len(terms))
	ref := c.P.Off.PutBinRef(a, heap.NewMagic(v))
	a += heap.BinRefWords * 8
	term.Put(a, 0, term.Header(1+len(terms), term.KTuple))
	term.PutTerm(a, 1, ref)
	for i, t := range terms {
		term.PutTerm(a, i+2, t)
	}
	return term.Box(a)
}

// savedState returns the Go value of an argument that is a saved state; ok is
// false for every other argument.
func savedState[T any](t term.Term) (v T, ok bool) {
	if !t.IsTuple() || t.Arity() == 0 || !t.El(1).Is(term.KBinRef) {
		return v, false
	}
	b := heap.BinOf(t.El(1))
	if b.Flags&heap.BinMagic == 0 {
		return v, false
	}
	v, ok = heap.MagicValue(b).(T)
	return v, ok
}

// savedTerm returns term i, counted from 0, of a saved state.
func savedTerm(t term.Term, i int) term.Term { return t.El(i + 2) }
