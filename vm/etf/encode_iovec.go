package etf

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// isRefc tells whether a bitstring lies in a reference counted binary.
func isRefc(t term.Term) bool {
	return t.Kind() == term.KSubBits && term.Term(t.W(4)).Kind() == term.KBinRef
}

// leaveOut notes a large binary whose bytes start at an address. The bits of a
// last byte that is not whole are written here.
func (e *Encoder) leaveOut(t term.Term, data uintptr, size uint64) {
	n := int(size / 8)
	e.pieces = append(e.pieces, piece{t, len(e.buf)})
	e.extra += n
	if r := size & 7; r != 0 {
		e.u8(int(offheap.LoadByte(data+uintptr(n)) &^ (0xFF >> r)))
	}
}

// Pieces makes a list of binaries of what is written and of what was left out.
func (e *Encoder) Pieces(h *heap.Heap) term.Term {
	l, end := term.Nil, len(e.buf)
	for i := len(e.pieces) - 1; i >= 0; i-- {
		p := e.pieces[i]
		if p.pos < end {
			l = h.Cons(h.Binary(e.buf[p.pos:end]), l)
		}
		l, end = h.Cons(wholeBytes(h, p.t), l), p.pos
	}
	if end > 0 {
		l = h.Cons(h.Binary(e.buf[:end]), l)
	}
	return l
}

// wholeBytes builds the binary of the whole bytes of a bitstring in a
// reference counted binary.
func wholeBytes(h *heap.Heap, t term.Term) term.Term {
	orig := term.Term(t.W(4))
	b := heap.BinOf(orig)
	b.Freeze()
	start, end := t.W(2), t.W(3)
	end -= (end - start) & 7
	if end == t.W(3) {
		return t
	}
	return heap.PutSubBits(h.Alloc(heap.SubBitsWords), b.Data, start, end, orig)
}

// Part is a piece of what an encoder wrote. bin, if any, is what its bytes lie
// in, with a count for the part.
type Part struct {
	Bytes []byte
	Bin   *heap.Bin
}

// Parts appends what is written and what was left out, in order, and gives the
// buffer up. The parts outlive the term.
func (e *Encoder) Parts(ps []Part) []Part {
	at := 0
	own := func(end int) {
		if at == end {
			return
		}
		if e.bin != nil {
			e.bin.Ref()
		}
		ps = append(ps, Part{e.buf[at:end:end], e.bin})
		at = end
	}
	for _, p := range e.pieces {
		own(p.pos)
		b := heap.BinOf(term.Term(p.t.W(4)))
		b.Freeze()
		b.Ref()
		start, n := p.t.W(2)>>3, (p.t.W(3)-p.t.W(2))>>3
		ps = append(ps, Part{offheap.Bytes(b.Data+uintptr(start), uintptr(n)), b})
	}
	own(len(e.buf))
	e.Close()
	e.buf = nil
	return ps
}
