package bits

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Appending. `<<B/binary, …>>` in a loop would copy B every time. So the first
// append builds a writable binary: a reference counted one with room behind
// its bytes. Its newest sub-bits, and only that, may grow in place: it is a
// new sub-bits over the same bytes with a later end. The bytes may move when
// room runs out, which is why sub-bits of a writable binary have a base of 0
// and ask the binary. What freezes it (a match, a copy to another process)
// ends all that, and the next append copies once more.

const (
	minWritable = 256
	doubleLimit = 1 << 24 // above, grow by a fifth
)

func grown(n uintptr) uintptr {
	if n > doubleLimit {
		return n + n/5
	}
	return 2 * n
}

// writable returns the binary that t may append to in place, or nil.
func writable(t term.Term) *heap.Bin {
	if t.Kind() != term.KSubBits || t.W(1) != 0 || t.W(2) != 0 {
		return nil
	}
	b := heap.BinOf(term.Term(t.W(4)))
	if b.Flags&heap.BinWritable == 0 || b.End != t.W(3) {
		return nil
	}
	return b
}

// AppendNeed is the most words that Append allocates.
const AppendNeed = heap.BinRefWords + heap.SubBitsWords

// Append builds t, a bitstring, with room for n more bits; where they go is at
// base, bit off. What t holds stays as it is.
func Append(h *heap.Heap, t term.Term, n uint64) (r term.Term, base uintptr, off uint64) {
	off = t.BitSize()
	b := writable(t)
	if b == nil {
		return appendCopy(h, t, n)
	}
	extend(h, b, off+n)
	r = heap.PutSubBits(h.Alloc(heap.SubBitsWords), 0, 0, off+n, term.Term(t.W(4)))
	return r, b.Data, off
}

// extend makes room in a writable binary up to a number of bits.
func extend(h *heap.Heap, b *heap.Bin, end uint64) {
	size := Bytes(end)
	if size > b.Cap {
		b.Resize(grown(size))
	}
	h.Off.Words += uint64(size-b.Size) / 8
	b.Size = size
	b.End = end
}

func appendCopy(h *heap.Heap, t term.Term, n uint64) (r term.Term, base uintptr, off uint64) {
	src, s, e := heap.Bits(t)
	off = e - s
	size := Bytes(off + n)
	b := heap.NewBin(max(grown(size), minWritable))
	b.Size, b.End, b.Flags = size, off+n, heap.BinWritable
	copyTo(b.Data, src, s, off)
	return h.WrapBin(b, 0, off+n), b.Data, off
}

// PrivateAppend is Append for a t that nobody else refers to: its end moves.
// Where t is not writable (any more) it is as Append.
func PrivateAppend(h *heap.Heap, t term.Term, n uint64) (r term.Term, base uintptr, off uint64) {
	b := writable(t)
	if b == nil {
		return appendCopy(h, t, n)
	}
	off = t.W(3)
	extend(h, b, off+n)
	t.SetW(3, off+n)
	return t, b.Data, off
}

// NewWritable builds an empty writable binary with room for n bytes.
func NewWritable(h *heap.Heap, n uintptr) term.Term {
	b := heap.NewBin(n)
	b.Size, b.Flags = 0, heap.BinWritable
	return h.WrapBin(b, 0, 0)
}
