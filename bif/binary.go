package bif

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/bits"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var binaryRows = []native.Row{
	{Module: "binary", Name: "first", Arity: 1, Fn: binaryFirst},
	{Module: "binary", Name: "last", Arity: 1, Fn: binaryLast},
	{Module: "binary", Name: "at", Arity: 2, Fn: binaryAt},
	{Module: "binary", Name: "part", Arity: 2, Fn: binaryPart2},
	{Module: "binary", Name: "part", Arity: 3, Fn: binaryPart3},
	{Module: "binary", Name: "copy", Arity: 1, Fn: binaryCopy1},
	{Module: "binary", Name: "copy", Arity: 2, Fn: binaryCopy2},
	{Module: "binary", Name: "list_to_bin", Arity: 1, Fn: erlangListToBinary},
	{Module: "binary", Name: "longest_common_prefix", Arity: 1, Fn: binaryCommonPrefix},
	{Module: "binary", Name: "longest_common_suffix", Arity: 1, Fn: binaryCommonSuffix},
	{Module: "binary", Name: "referenced_byte_size", Arity: 1, Fn: binaryReferencedByteSize},
	{Module: "binary", Name: "encode_unsigned", Arity: 1, Fn: binaryEncodeUnsigned1},
	{Module: "binary", Name: "encode_unsigned", Arity: 2, Fn: binaryEncodeUnsigned2},
	{Module: "binary", Name: "decode_unsigned", Arity: 1, Fn: binaryDecodeUnsigned1},
	{Module: "binary", Name: "decode_unsigned", Arity: 2, Fn: binaryDecodeUnsigned2},
	{Module: "binary", Name: "compile_pattern", Arity: 1, Fn: binaryCompilePattern},
	{Module: "binary", Name: "match", Arity: 2, Fn: binaryMatch},
	{Module: "binary", Name: "match", Arity: 3, Fn: binaryMatch},
	{Module: "binary", Name: "matches", Arity: 2, Fn: binaryMatches},
	{Module: "binary", Name: "matches", Arity: 3, Fn: binaryMatches},
	{Module: "binary", Name: "split", Arity: 2, Fn: binarySplit},
	{Module: "binary", Name: "split", Arity: 3, Fn: binarySplit},
}

var amBigEnd, amLittleEnd = term.Intern("big"), term.Intern("little")

// byteAt returns byte i of a binary.
func byteAt(t term.Term, i uint64) term.Term {
	base, s, _ := heap.Bits(t)
	return term.Small(int64(bits.Peek(base, s+i*8, 8)))
}

func binaryFirst(c *native.Call) term.Term {
	if t := c.Arg(0); t.IsBinary() && t.BitSize() > 0 {
		return byteAt(t, 0)
	}
	return c.Badarg()
}

func binaryLast(c *native.Call) term.Term {
	if t := c.Arg(0); t.IsBinary() && t.BitSize() > 0 {
		return byteAt(t, t.BitSize()/8-1)
	}
	return c.Badarg()
}

func binaryAt(c *native.Call) term.Term {
	t, i := c.Arg(0), c.Arg(1)
	if !t.IsBinary() || !i.IsSmall() || uint64(i.Small()) >= t.BitSize()/8 {
		return c.Badarg()
	}
	return byteAt(t, uint64(i.Small()))
}

func binaryCopy1(c *native.Call) term.Term { return binaryCopy(c, 1) }

func binaryCopy2(c *native.Call) term.Term {
	if j, ok := savedState[copyJob](c.Arg(0)); ok {
		return j.run(c, savedTerm(c.Arg(0), 0), savedTerm(c.Arg(0), 1))
	}
	n, ok := uint64Of(c.Arg(1))
	if !ok {
		return c.Badarg()
	}
	return binaryCopy(c, n)
}

// copyJob is a long copy in progress: bytes made so far of those wanted.
type copyJob struct{ made, want uint64 }

func binaryCopy(c *native.Call, n uint64) term.Term {
	if j, ok := savedState[copyJob](c.Arg(0)); ok {
		return j.run(c, savedTerm(c.Arg(0), 0), savedTerm(c.Arg(0), 1))
	}
	t := c.Arg(0)
	if !t.IsBinary() {
		return c.Badarg()
	}
	size := t.BitSize() / 8
	if size > 0 && n > maxBits/8/size {
		return c.SystemLimit()
	}
	r, _ := c.P.Heap.NewBinary(uintptr(size * n))
	return copyJob{0, size * n}.run(c, t, r)
}

// copySlice is how many bytes are copied in a slice.
const copySlice = 1 << 20

func (j copyJob) run(c *native.Call, t, r term.Term) term.Term {
	src, s, e := heap.Bits(t)
	dst, _, _ := heap.Bits(r)
	size := (e - s) / 8
	end := min(j.want, j.made+uint64(loopSteps(copySlice, &binaryLoopLimit)))
	for j.made < end {
		at := j.made % size
		k := min(size-at, end-j.made)
		bits.Copy(dst, j.made*8, src, s+at*8, k*8)
		j.made += k
		if size < 4096 && j.made == size { // then double what is there
			for j.made < end {
				k := min(j.made, end-j.made)
				offheap.Copy(dst+uintptr(j.made), dst, uintptr(k))
				j.made += k
			}
		}
	}
	c.Bump(int(min(j.want, copySlice)) / ioBytesPerRed)
	if j.made < j.want {
		args := []term.Term{saveState(c, j, t, r), term.Nil}
		return c.YieldWith(args[:c.N]...)
	}
	return r
}

// binaryList returns the binaries of a non-empty list of them.
func binaryList(l term.Term) (bs [][]byte, ok bool) {
	for ; l.IsList(); l = l.Tail() {
		b, ok := alignedBytes(l.Head())
		if !ok {
			return nil, false
		}
		bs = append(bs, b)
	}
	return bs, len(bs) > 0 && l.IsNil()
}

func binaryCommonPrefix(c *native.Call) term.Term {
	bs, ok := binaryList(c.Arg(0))
	if !ok {
		return c.Badarg()
	}
	n := len(bs[0])
	for _, b := range bs[1:] {
		i := 0
		for n = min(n, len(b)); i < n && b[i] == bs[0][i]; i++ {
		}
		n = i
	}
	c.Bump(n * len(bs) / ioBytesPerRed)
	return term.Small(int64(n))
}

func binaryCommonSuffix(c *native.Call) term.Term {
	bs, ok := binaryList(c.Arg(0))
	if !ok {
		return c.Badarg()
	}
	a := bs[0]
	n := len(a)
	for _, b := range bs[1:] {
		i := 0
		for n = min(n, len(b)); i < n && b[len(b)-1-i] == a[len(a)-1-i]; i++ {
		}
		n = i
	}
	c.Bump(n * len(bs) / ioBytesPerRed)
	return term.Small(int64(n))
}

func binaryReferencedByteSize(c *native.Call) term.Term {
	t := c.Arg(0)
	if !t.IsBitstring() {
		return c.Badarg()
	}
	if t.Kind() == term.KSubBits {
		if o := term.Term(t.W(4)); o.Kind() == term.KBinRef {
			b := heap.BinOf(o)
			if b.Flags&heap.BinWritable != 0 {
				return c.P.Heap.Uint(uint64(b.Cap))
			}
			return c.P.Heap.Uint(uint64(b.Size))
		}
		t = term.Term(t.W(4))
	}
	return term.Small(int64(bits.Bytes(t.BitSize())))
}

func endFlag(t term.Term) (flags uint64, ok bool) {
	if t == amLittleEnd {
		return bits.Little, true
	}
	return 0, t == amBigEnd
}

func binaryEncodeUnsigned1(c *native.Call) term.Term { return binaryEncodeUnsigned(c, amBigEnd) }
func binaryEncodeUnsigned2(c *native.Call) term.Term { return binaryEncodeUnsigned(c, c.Arg(1)) }

func binaryEncodeUnsigned(c *native.Call, end term.Term) term.Term {
	v := c.Arg(0)
	flags, ok := endFlag(end)
	var n, top uint64
	switch {
	case !ok:
		return c.Badarg()
	case v.IsSmall() && v.Small() >= 0:
		top = uint64(v.Small())
	case v.IsBig() && v.Kind() == term.KPosBig:
		k := term.HeaderWords(v.Hdr())
		n, top = uint64(k-1)*8, v.W(k)
	default:
		return c.Badarg()
	}
	for n++; top > 255; top >>= 8 {
		n++
	}
	t, d := c.P.Heap.NewBinary(uintptr(n))
	bits.PutInt(d, 0, n*8, v, flags)
	c.Bump(int(n) / ioBytesPerRed)
	return t
}

func binaryDecodeUnsigned1(c *native.Call) term.Term { return binaryDecodeUnsigned(c, amBigEnd) }
func binaryDecodeUnsigned2(c *native.Call) term.Term { return binaryDecodeUnsigned(c, c.Arg(1)) }

func binaryDecodeUnsigned(c *native.Call, end term.Term) term.Term {
	t := c.Arg(0)
	flags, ok := endFlag(end)
	if !ok || !t.IsBinary() {
		return c.Badarg()
	}
	base, s, e := heap.Bits(t)
	r := bits.GetInt(&c.P.Heap, base, s, e-s, flags)
	if r == term.None {
		return c.SystemLimit()
	}
	c.Bump(int(e-s) / 8 / ioBytesPerRed)
	return r
}
