package ets

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// relocate copies the terms of an object, n bytes at src, to dst in one pass:
// they lie in one piece, so every pointer into it moves by the same distance.
// What owns something outside is counted again and linked into off.
func relocate(dst, src, n uintptr, off *heap.OffHeap) {
	offheap.Copy(dst, src, n)
	delta := dst - src // wraps
	for p := dst; p < dst+n; {
		w := term.Term(offheap.Load(p))
		switch w & term.PrimMask {
		case term.PrimImmed:
			p += 8
		case term.PrimHeader:
			p += relocateObject(p, w, off)
		default:
			if w.Addr()-src < n {
				term.PutTerm(p, 0, w+term.Term(delta))
			}
			p += 8
		}
	}
}

// relocateObject handles the object whose header is at p. It returns the bytes
// that hold no terms; what follows them is seen to by relocate.
func relocateObject(p uintptr, hdr term.Term, off *heap.OffHeap) uintptr {
	switch term.HeaderKind(uint64(hdr)) {
	case term.KTuple, term.KRecord, term.KMap:
		return 8
	case term.KFun:
		return 16
	case term.KSubBits:
		// The bin ref it refers to is a term; base, start and end are not. A
		// heap binary is never referred to by sub bits of an object.
		return 32
	case term.KBinRef:
		heap.BinOf(term.Box(p)).Ref()
		term.Put(p, 1, uint64(off.First))
		off.First = p
		off.Words += uint64(heap.BinOf(term.Box(p)).Size) / 8
	case term.KRef:
		if uint64(hdr) == term.Header(term.MagicRefWords, term.KRef) {
			heap.MagicBin(term.Box(p)).Ref()
			term.Put(p, 4, uint64(off.First))
			off.First = p
		}
	}
	return uintptr(hdr>>6)*8 + 8
}
