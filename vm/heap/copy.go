package heap

import "github.com/beamrd/beamrd/vm/term"

// Size returns the words that a copy of t needs. Literals count only when
// withLiterals is set (they are shared by messages, copied by ETS).
func Size(t term.Term, withLiterals bool) int { panic("heap.Size") }

// Copy copies t to *hp (room for Size words), advancing it, linking what owns
// something outside the heap into o. The copy shares reference counted
// binaries. Literals are shared unless withLiterals is set.
func Copy(t term.Term, hp *uintptr, o *OffHeap, withLiterals bool) term.Term { panic("heap.Copy") }

// CopyTo copies t into h, sharing literals.
func CopyTo(h *Heap, t term.Term) term.Term {
	if t.IsImmed() {
		return t
	}
	a := h.Alloc(Size(t, false))
	return Copy(t, &a, &h.Off, false)
}

// ReleaseOffHeap drops what a list of off-heap objects owns.
func ReleaseOffHeap(o *OffHeap) { panic("heap.ReleaseOffHeap") }
