package bits

import (
	"math/bits"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/num"
	"github.com/beamrd/beamrd/vm/term"
)

// GetInt reads an integer of n bits at a position. None means that it passes
// the release's limit.
func GetInt(h *heap.Heap, base uintptr, off, n uint64, flags uint64) term.Term {
	if n > 64 {
		return getBig(h, base, off, n, flags)
	}
	if n == 0 {
		return term.Small(0)
	}
	var v uint64
	if flags&(Little|Native) != 0 {
		v = PeekLittle(base, off, n)
	} else {
		v = Peek(base, off, n)
	}
	if flags&Signed != 0 {
		return h.Int(int64(v<<(64-n)) >> (64 - n))
	}
	return h.Uint(v)
}

func getBig(h *heap.Heap, base uintptr, off, n uint64, flags uint64) term.Term {
	var room [32]uint64
	w := room[:]
	if k := int((n + 63) / 64); k <= len(room) {
		w = room[:k]
	} else {
		w = make([]uint64, k)
	}
	if flags&(Little|Native) != 0 {
		for i := range w {
			k := min(64, n-uint64(i)*64)
			w[i] = PeekLittle(base, off+uint64(i)*64, k)
		}
	} else {
		end := off + n
		for i := range w {
			k := min(64, n-uint64(i)*64)
			end -= k
			w[i] = Peek(base, end, k)
		}
	}
	neg := false
	if flags&Signed != 0 {
		top := &w[len(w)-1]
		sh := -n & 63
		if v := int64(*top << sh); v < 0 {
			neg = true
			*top = uint64(v >> sh)
			negate(w)
		}
	}
	return Big(h, w, neg)
}

// negate makes the two's complement of a number of limbs, the least first.
func negate(w []uint64) {
	c := uint64(1)
	for i := range w {
		w[i], c = bits.Add64(^w[i], 0, c)
	}
}

// Big builds an integer of a magnitude, the least limb first. None means that
// it passes the release's limit.
func Big(h *heap.Heap, w []uint64, neg bool) term.Term {
	for len(w) > 0 && w[len(w)-1] == 0 {
		w = w[:len(w)-1]
	}
	switch {
	case len(w) == 0:
		return term.Small(0)
	case len(w) == 1 && w[0] <= term.MaxSmall+1:
		v := int64(w[0])
		if neg {
			v = -v
		}
		return h.Int(v)
	case len(w) > num.MaxLimbs:
		return term.None
	}
	k := term.KPosBig
	if neg {
		k = term.KNegBig
	}
	a := h.Alloc(1 + len(w))
	term.Put(a, 0, term.Header(len(w), k))
	for i, x := range w {
		term.Put(a, i+1, x)
	}
	return term.Box(a)
}

// PutInt writes the low n bits of an integer at a position; false means that t
// is none.
func PutInt(base uintptr, off, n uint64, t term.Term, flags uint64) bool {
	var limb func(i uint64) uint64
	switch {
	case t.IsSmall():
		v := t.Small()
		if n <= 64 && flags&(Little|Native) == 0 {
			Poke(base, off, n, uint64(v))
			return true
		}
		limb = func(i uint64) uint64 {
			if i == 0 {
				return uint64(v)
			}
			return uint64(v >> 63)
		}
	case t.IsBig():
		limb = bigLimbs(t)
	default:
		return false
	}
	if flags&(Little|Native) != 0 {
		putLittle(base, off, n, limb)
		return true
	}
	end := off + n
	for i := uint64(0); end > off; i++ {
		k := min(64, end-off)
		end -= k
		Poke(base, end, k, limb(i))
	}
	return true
}

func putLittle(base uintptr, off, n uint64, limb func(uint64) uint64) {
	for i := uint64(0); n > 0; i++ {
		k := min(64, n)
		v := limb(i)
		full, r := k&^7, k&7
		if full > 0 {
			Poke(base, off, full, bits.ReverseBytes64(v)>>(64-full))
		}
		if r > 0 {
			Poke(base, off+full, r, v>>full)
		}
		off, n = off+k, n-k
	}
}

// bigLimbs returns a reader of a bignum's limbs in two's complement, to be
// asked for limb 0, 1, 2 … in turn.
func bigLimbs(t term.Term) func(uint64) uint64 {
	size := uint64(term.HeaderWords(t.Hdr()))
	if t.Kind() == term.KPosBig {
		return func(i uint64) uint64 {
			if i < size {
				return t.W(int(i) + 1)
			}
			return 0
		}
	}
	c := uint64(1)
	return func(i uint64) (v uint64) {
		if i < size {
			v = t.W(int(i) + 1)
		}
		v, c = bits.Add64(^v, 0, c)
		return v
	}
}
