package bif

import (
	"math"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/bits"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// What a walk over an iolist costs.
const (
	ioElemsPerRed = 16
	ioBytesPerRed = 1024
)

// maxBits is the largest size of a bitstring; what asks for more is refused
// with system_limit.
const maxBits = 1 << 43

// ioWalk is a position in an iolist: what is being walked and the tails to
// come back to. Depth costs memory of the stack, never recursion.
type ioWalk struct {
	cur   term.Term
	stack []term.Term
	steps int // left in this slice
}

// rest builds an iolist of what is still to be walked.
func (w *ioWalk) rest(h *heap.Heap) term.Term {
	l := term.Nil
	for _, t := range w.stack {
		l = h.Cons(t, l)
	}
	return h.Cons(w.cur, l)
}

// ioState says how a walk stopped.
type ioState int

const (
	ioDone ioState = iota
	ioMore         // out of steps
	ioBad          // not an iolist
	ioHuge         // larger than 64 bits can tell
)

// leaf finds the next piece: a bitstring, or a byte as a small. Empty lists
// are passed over.
func (w *ioWalk) leaf() (term.Term, ioState) {
	for {
		for w.cur.IsList() {
			if w.steps == 0 {
				return 0, ioMore
			}
			w.steps--
			hd, tl := w.cur.Head(), w.cur.Tail()
			switch {
			case hd.IsSmall():
				w.cur = tl
				if uint64(hd.Small()) > 255 {
					return 0, ioBad
				}
				return hd, ioDone
			case hd.IsList():
				switch {
				case tl.IsList() || tl.IsBitstring():
					w.stack = append(w.stack, tl)
				case !tl.IsNil():
					return 0, ioBad
				}
				w.cur = hd
			case hd.IsNil():
				w.cur = tl
			case hd.IsBitstring():
				w.cur = tl
				return hd, ioDone
			default:
				return 0, ioBad
			}
		}
		t := w.cur
		switch {
		case t == term.None:
			return term.None, ioDone
		case t.IsNil() || t.IsBitstring():
			w.cur = term.None
			if n := len(w.stack); n > 0 {
				w.cur = w.stack[n-1]
				w.stack = w.stack[:n-1]
			}
			if !t.IsNil() {
				return t, ioDone
			}
		default:
			return 0, ioBad
		}
	}
}

// sizeIO adds the size of what is left to n, in bits, or in bytes with a shift
// of 3; whole refuses what is not whole bytes.
func sizeIO(w *ioWalk, n *uint64, whole bool, shift int) ioState {
	for {
		t, st := w.leaf()
		b := uint64(8)
		switch {
		case st != ioDone:
			return st
		case t == term.None:
			return ioDone
		case !t.IsSmall():
			if b = t.BitSize(); whole && b&7 != 0 {
				return ioBad
			}
		}
		if *n += b >> shift; *n < b>>shift {
			return ioHuge
		}
	}
}

// copyIO writes what is left at a position, which it moves on.
func copyIO(w *ioWalk, base uintptr, off *uint64) ioState {
	for {
		t, st := w.leaf()
		switch {
		case st != ioDone:
			return st
		case t == term.None:
			return ioDone
		case t.IsSmall():
			if *off&7 == 0 {
				offheap.StoreByte(base+uintptr(*off>>3), byte(t.Small()))
			} else {
				bits.Poke(base, *off, 8, uint64(t.Small()))
			}
			*off += 8
		default:
			b, s, e := heap.Bits(t)
			bits.Copy(base, *off, b, s, e-s)
			*off += e - s
			w.steps -= min(w.steps, int((e-s)>>3)/(ioBytesPerRed/ioElemsPerRed))
		}
	}
}

// ioJob is the state of an iolist builtin between slices.
type ioJob struct {
	size uint64 // so far: in bits, or in bytes when that is all that is wanted
	off  uint64 // bits written so far
	fill bool   // the size is known, the binary made
}

// iolistJob is the body of the iolist builtins. It sizes the iolist in the
// first argument, then, when build is set, builds the bitstring of it. Between
// slices the saved terms are: what is left, the argument as given, and the
// binary. The result is a size in bytes or the bitstring; None has the
// exception or yield recorded.
func iolistJob(c *native.Call, build, whole bool) term.Term {
	var room [32]term.Term
	w := ioWalk{cur: c.Arg(0), stack: room[:0], steps: max(c.Left(), 32) * ioElemsPerRed}
	start := w.steps
	orig, bin := c.Arg(0), term.Nil
	job, again := savedState[ioJob](orig)
	if again {
		w.cur, orig, bin = savedTerm(orig, 0), savedTerm(orig, 2), savedTerm(orig, 1)
	}
	st := ioDone
	if !job.fill {
		shift := 3
		if build {
			shift = 0
		}
		st = sizeIO(&w, &job.size, whole, shift)
		switch {
		case st == ioHuge || st == ioDone && build && job.size > maxBits:
			c.SetArg(0, orig)
			return c.SystemLimit()
		case st == ioDone && !build:
			c.Bump((start - w.steps) / ioElemsPerRed)
			return c.P.Heap.Uint(job.size)
		case st == ioDone:
			job.fill = true
			bin = newZeroTail(&c.P.Heap, job.size)
			w.cur, w.stack = orig, w.stack[:0]
		}
	}
	if st == ioDone {
		base, _, _ := heap.Bits(bin)
		st = copyIO(&w, base, &job.off)
	}
	c.Bump((start - w.steps) / ioElemsPerRed)
	switch st {
	case ioMore:
		return c.YieldWith(saveState(c, job, w.rest(&c.P.Heap), bin, orig))
	case ioBad:
		c.SetArg(0, orig)
		return c.Badarg()
	}
	return bin
}

// newZeroTail builds a bitstring to be filled in, whose unused bits are zero.
func newZeroTail(h *heap.Heap, n uint64) term.Term {
	bin, d := h.NewBits(n)
	if n&7 != 0 {
		offheap.StoreByte(d+uintptr(n>>3), 0)
	}
	return bin
}

// alignedBytes views the bytes of a binary; see heap.AlignedBytes.
func alignedBytes(t term.Term) ([]byte, bool) { return heap.AlignedBytes(t) }

// iolistBytes returns the bytes of an iolist or binary in the Go heap.
func iolistBytes(t term.Term) (b []byte, ok bool) {
	w := ioWalk{cur: t, steps: math.MaxInt}
	for {
		l, st := w.leaf()
		switch {
		case st != ioDone:
			return nil, false
		case l == term.None:
			return b, true
		case l.IsSmall():
			b = append(b, byte(l.Small()))
		default:
			s, ok := alignedBytes(l)
			if !ok {
				return nil, false
			}
			b = append(b, s...)
		}
	}
}
