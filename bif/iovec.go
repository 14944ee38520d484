package bif

import (
	"github.com/beamrd/beamrd/vm/bits"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// Pieces below smallPiece are gathered into larger ones; the sizes are those
// of ERTS, since programs see how an iolist was cut.
const (
	smallPiece  = 256
	gatherLimit = smallPiece * 32
)

// iovecJob is an iolist_to_iovec between slices: the bytes being gathered and
// the room that ERTS would have made for them. The list so far, last piece
// first, is a saved term.
type iovecJob struct {
	acc   []byte
	cap   int
	ahead int // bytes of the run at hand that there is room for, still to come
}

func erlangIolistToIovec(c *native.Call) term.Term {
	h := &c.P.Heap
	orig, out := c.Arg(0), term.Nil
	if orig.IsBitstring() {
		switch n := orig.BitSize(); {
		case n&7 != 0:
			return c.Badarg()
		case n == 0:
			return term.Nil
		}
		return h.Cons(orig, term.Nil)
	}
	var room [32]term.Term
	w := ioWalk{cur: orig, stack: room[:0], steps: max(c.Left(), 32) * ioElemsPerRed}
	start := w.steps
	job, again := savedState[*iovecJob](orig)
	if again {
		w.cur, out, orig = savedTerm(orig, 0), savedTerm(orig, 1), savedTerm(orig, 2)
	} else {
		job = &iovecJob{}
	}
	for {
		t, st := w.leaf()
		switch {
		case st == ioMore:
			c.Bump(start / ioElemsPerRed)
			return c.YieldWith(saveState(c, job, w.rest(h), out, orig))
		case st == ioBad || t.IsBitstring() && t.BitSize()&7 != 0:
			c.SetArg(0, orig)
			return c.Badarg()
		case t == term.None:
			c.Bump((start - w.steps) / ioElemsPerRed)
			return reverse(h, job.flush(h, out))
		case t.IsSmall():
			if job.ahead == 0 {
				job.ahead = 1 + w.bytesAhead()
				out = job.room(h, job.ahead, out)
			}
			n := len(job.acc)
			job.acc = append(job.acc, byte(t.Small()))
			job.acc = w.takeBytes(job.acc)
			job.ahead -= len(job.acc) - n
		default:
			w.steps -= min(w.steps, int(t.BitSize()>>3)/(ioBytesPerRed/ioElemsPerRed))
			out = job.add(h, t, out)
		}
	}
}

// bytesAhead counts the small integers that come next in the list at hand: a
// run of them is kept in one piece, whatever slices it takes to copy it.
func (w *ioWalk) bytesAhead() (n int) {
	for l := w.cur; l.IsList() && l.Head().IsSmall() && uint64(l.Head().Small()) <= 255; l = l.Tail() {
		n++
	}
	return n
}

// takeBytes takes the bytes that come next in the list at hand.
func (w *ioWalk) takeBytes(b []byte) []byte {
	for w.cur.IsList() && w.steps > 0 {
		hd := w.cur.Head()
		if !hd.IsSmall() || uint64(hd.Small()) > 255 {
			break
		}
		b = append(b, byte(hd.Small()))
		w.cur = w.cur.Tail()
		w.steps--
	}
	return b
}

// flush moves what was gathered to the list.
func (j *iovecJob) flush(h *heap.Heap, out term.Term) term.Term {
	if len(j.acc) == 0 {
		return out
	}
	b := h.Binary(j.acc)
	j.acc, j.cap = j.acc[:0], 0
	return h.Cons(b, out)
}

// room makes room for n bytes.
func (j *iovecJob) room(h *heap.Heap, n int, out term.Term) term.Term {
	need := len(j.acc) + n
	switch {
	case j.cap == 0:
		j.cap = max(need, smallPiece)
	case need > j.cap && j.cap >= gatherLimit:
		out = j.flush(h, out)
		j.cap = max(n, smallPiece)
	case need > j.cap:
		j.cap = max(need, 2*j.cap)
	}
	return out
}

func (j *iovecJob) copy(t term.Term, n int) {
	base, s, _ := heap.Bits(t)
	k := len(j.acc)
	j.acc = append(j.acc, make([]byte, n)...)
	heap.CopyBits(j.acc[k:], base, s, uint64(n)*8)
}

// add takes a binary as it is, gathers it, or cuts it so that what was
// gathered becomes large enough.
func (j *iovecJob) add(h *heap.Heap, t, out term.Term) term.Term {
	n, k := int(t.BitSize()>>3), len(j.acc)
	switch {
	case n == 0:
		return out
	case n >= smallPiece && (k == 0 || k >= smallPiece):
		return h.Cons(t, j.flush(h, out))
	case n < smallPiece || n+k < 2*smallPiece:
		out = j.room(h, n, out)
		j.copy(t, n)
		return out
	}
	cut := smallPiece - k
	out = j.room(h, cut, out)
	j.copy(t, cut)
	rest := bits.Sub(h, t, uint64(cut)*8, uint64(n-cut)*8)
	return h.Cons(rest, j.flush(h, out))
}

// reverse builds a list in reverse.
func reverse(h *heap.Heap, l term.Term) term.Term {
	r := term.Nil
	for ; l.IsList(); l = l.Tail() {
		r = h.Cons(l.Head(), r)
	}
	return r
}
