package bif

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/bits"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangBinaryRows = []native.Row{
	{Module: "erlang", Name: "byte_size", Arity: 1, Fn: erlangByteSize, Flags: native.Guard},
	{Module: "erlang", Name: "bit_size", Arity: 1, Fn: erlangBitSize, Flags: native.Guard},
	{Module: "erlang", Name: "split_binary", Arity: 2, Fn: erlangSplitBinary},
	{Module: "erlang", Name: "binary_part", Arity: 2, Fn: binaryPart2, Flags: native.Guard},
	{Module: "erlang", Name: "binary_part", Arity: 3, Fn: binaryPart3, Flags: native.Guard},
	{Module: "erlang", Name: "binary_to_list", Arity: 1, Fn: erlangBinaryToList},
	{Module: "erlang", Name: "binary_to_list", Arity: 3, Fn: erlangBinaryToList3},
	{Module: "erlang", Name: "bitstring_to_list", Arity: 1, Fn: erlangBitstringToList},
	{Module: "erlang", Name: "list_to_binary", Arity: 1, Fn: erlangListToBinary},
	{Module: "erlang", Name: "iolist_to_binary", Arity: 1, Fn: erlangIolistToBinary},
	{Module: "erlang", Name: "iolist_size", Arity: 1, Fn: erlangIolistSize},
	{Module: "erlang", Name: "list_to_bitstring", Arity: 1, Fn: erlangListToBitstring},
	{Module: "erlang", Name: "iolist_to_iovec", Arity: 1, Fn: erlangIolistToIovec},
}

// matchable tells whether t is a bitstring or, as compilers of OTP 26 and later
// have it, a match context: its size is that of what is left.
func matchable(t term.Term) bool { return t.IsBitstring() || t.Is(term.KMatch) }

func erlangByteSize(c *native.Call) term.Term {
	if t := c.Arg(0); matchable(t) {
		return term.Small(int64(bits.Bytes(t.BitSize())))
	}
	return c.Badarg()
}

func erlangBitSize(c *native.Call) term.Term {
	if t := c.Arg(0); matchable(t) {
		return term.Small(int64(t.BitSize()))
	}
	return c.Badarg()
}

func erlangSplitBinary(c *native.Call) term.Term {
	t, p := c.Arg(0), c.Arg(1)
	if !t.IsBitstring() || !p.IsSmall() || p.Small() < 0 || uint64(p.Small()) > t.BitSize()/8 {
		return c.Badarg()
	}
	h, n := &c.P.Heap, uint64(p.Small())*8
	a := bits.Sub(h, t, 0, n)
	b := bits.Sub(h, t, n, t.BitSize()-n)
	return h.Tuple(a, b)
}

// partOf decodes the position and length of a part of a run of size bytes. A
// negative length means the bytes before the position.
func partOf(pos, length term.Term, size uint64) (start, n uint64, ok bool) {
	if !pos.IsSmall() || !length.IsSmall() {
		return 0, 0, false
	}
	p, l := pos.Small(), length.Small()
	if p < 0 || uint64(p) > size {
		return 0, 0, false
	}
	if l < 0 {
		p, l = p+l, -l
	}
	if p < 0 || uint64(p)+uint64(l) > size {
		return 0, 0, false
	}
	return uint64(p), uint64(l), true
}

// partPair is partOf for a {Pos, Length} tuple.
func partPair(t term.Term, size uint64) (start, n uint64, ok bool) {
	if !t.IsTuple() || t.Arity() != 2 {
		return 0, 0, false
	}
	return partOf(t.El(1), t.El(2), size)
}

func binaryPart2(c *native.Call) term.Term {
	t, p := c.Arg(0), c.Arg(1)
	if !p.IsTuple() || p.Arity() != 2 {
		return c.Badarg()
	}
	return binaryPart(c, t, p.El(1), p.El(2))
}

func binaryPart3(c *native.Call) term.Term {
	return binaryPart(c, c.Arg(0), c.Arg(1), c.Arg(2))
}

func binaryPart(c *native.Call, t, pos, length term.Term) term.Term {
	if !t.IsBitstring() {
		return c.Badarg()
	}
	p, n, ok := partOf(pos, length, t.BitSize()/8)
	if !ok {
		return c.Badarg()
	}
	return bits.Sub(&c.P.Heap, t, p*8, n*8)
}

// bytesPerRed is how many bytes become list cells for one reduction.
const bytesPerRed = 32

// consBytes puts n bytes at a bit position in front of a list.
func consBytes(h *heap.Heap, base uintptr, off, n uint64, tail term.Term) term.Term {
	if n == 0 {
		return tail
	}
	a := h.Alloc(int(2 * n))
	for i := n; i > 0; i-- {
		var b byte
		if o := off + (i-1)*8; o&7 == 0 {
			b = offheap.LoadByte(base + uintptr(o>>3))
		} else {
			b = byte(bits.Peek(base, o, 8))
		}
		tail = term.MakeCons(a+uintptr(i-1)*16, term.Small(int64(b)), tail)
	}
	return tail
}

// listJob is what is left of a long conversion to a list: bytes still to be
// put in front of the list made so far.
type listJob struct{ start, left uint64 }

// bytesToList builds the list of n bytes of arg 0, a bitstring, from bit start
// on, before tail. A long one is built from its end in slices.
func bytesToList(c *native.Call, start, n uint64, tail term.Term) term.Term {
	return listSlice(c, c.Arg(0), listJob{start, n}, tail)
}

func listSlice(c *native.Call, t term.Term, job listJob, tail term.Term) term.Term {
	k := min(job.left, uint64(max(c.Left(), 32)*bytesPerRed))
	base, s, _ := heap.Bits(t)
	job.left -= k
	tail = consBytes(&c.P.Heap, base, s+job.start+job.left*8, k, tail)
	c.Bump(int(k / bytesPerRed))
	if job.left == 0 {
		return tail
	}
	args := []term.Term{saveState(c, job, t, tail), term.Nil, term.Nil}
	return c.YieldWith(args[:c.N]...)
}

// resumeList goes on with a conversion that yielded.
func resumeList(c *native.Call) (r term.Term, ok bool) {
	job, ok := savedState[listJob](c.Arg(0))
	if !ok {
		return 0, false
	}
	return listSlice(c, savedTerm(c.Arg(0), 0), job, savedTerm(c.Arg(0), 1)), true
}

func erlangBinaryToList(c *native.Call) term.Term {
	t := c.Arg(0)
	if !t.IsBinary() {
		if r, ok := resumeList(c); ok {
			return r
		}
		return c.Badarg()
	}
	return bytesToList(c, 0, t.BitSize()/8, term.Nil)
}

func erlangBinaryToList3(c *native.Call) term.Term {
	t, from, to := c.Arg(0), c.Arg(1), c.Arg(2)
	if !t.IsBitstring() {
		if r, ok := resumeList(c); ok {
			return r
		}
		return c.Badarg()
	}
	if !from.IsSmall() || !to.IsSmall() {
		return c.Badarg()
	}
	f, e := from.Small(), to.Small()
	if f < 1 || f > e || uint64(e) > t.BitSize()/8 {
		return c.Badarg()
	}
	return bytesToList(c, uint64(f-1)*8, uint64(e-f+1), term.Nil)
}

func erlangBitstringToList(c *native.Call) term.Term {
	t := c.Arg(0)
	if !t.IsBitstring() {
		if r, ok := resumeList(c); ok {
			return r
		}
		return c.Badarg()
	}
	size, tail := t.BitSize(), term.Nil
	if r := size & 7; r != 0 {
		h := &c.P.Heap
		tail = h.Cons(bits.Sub(h, t, size-r, r), term.Nil)
	}
	return bytesToList(c, 0, size/8, tail)
}

// isListArg tells whether arg 0 is a list, or the saved state of a job that
// began with one.
func isListArg(c *native.Call) bool {
	t := c.Arg(0)
	return t.IsList() || t.IsTuple()
}

func erlangListToBinary(c *native.Call) term.Term {
	if c.Arg(0).IsNil() {
		return c.P.Heap.Binary(nil)
	}
	if !isListArg(c) {
		return c.Badarg()
	}
	return iolistJob(c, true, true)
}

func erlangIolistToBinary(c *native.Call) term.Term {
	if c.Arg(0).IsBinary() {
		return c.Arg(0)
	}
	return iolistJob(c, true, true)
}

func erlangIolistSize(c *native.Call) term.Term { return iolistJob(c, false, true) }

func erlangListToBitstring(c *native.Call) term.Term {
	if c.Arg(0).IsNil() {
		return c.P.Heap.Binary(nil)
	}
	if !isListArg(c) {
		return c.Badarg()
	}
	return iolistJob(c, true, false)
}
