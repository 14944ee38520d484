package bif

import (
	"crypto/md5"
	"encoding"
	"encoding/binary"

	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var md5Rows = []native.Row{
	{Module: "erlang", Name: "md5", Arity: 1, Fn: erlangMD5},
	{Module: "erlang", Name: "md5_init", Arity: 0, Fn: erlangMD5Init},
	{Module: "erlang", Name: "md5_update", Arity: 2, Fn: erlangMD5Update},
	{Module: "erlang", Name: "md5_final", Arity: 1, Fn: erlangMD5Final},
	{Module: "erlang", Name: "md5_trap", Arity: 2, Fn: erlangMD5Trap, Flags: native.Hidden},
}

// md5BytesPerRed is the bytes that a reduction pays for.
const md5BytesPerRed = 128

// md5CtxSize is the size of a context in a binary: four words of state and two
// of the count of bits, low word first, little endian; and a block of 64 bytes.
const md5CtxSize = 88

// Go's saved state of a digest: magic, four big-endian words of state, the
// block, and the count of bytes.
const (
	md5Magic   = "md5\x01"
	md5GoSize  = len(md5Magic) + 16 + 64 + 8
	md5GoBlock = len(md5Magic) + 16
)

// md5Digest is what Go's md5 hash can do beside hashing.
type md5Digest interface {
	Write([]byte) (int, error)
	Sum([]byte) []byte
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

func newMD5() md5Digest { return md5.New().(md5Digest) }

// md5Of restores the digest of a context.
func md5Of(ctx []byte) md5Digest {
	var s [md5GoSize]byte
	copy(s[:], md5Magic)
	for i := range 4 {
		binary.BigEndian.PutUint32(s[len(md5Magic)+4*i:], binary.LittleEndian.Uint32(ctx[4*i:]))
	}
	copy(s[md5GoBlock:], ctx[24:])
	bits := uint64(binary.LittleEndian.Uint32(ctx[16:])) | uint64(binary.LittleEndian.Uint32(ctx[20:]))<<32
	binary.BigEndian.PutUint64(s[md5GoBlock+64:], bits/8)
	d := newMD5()
	// It fails on a wrong magic or length only.
	if err := d.UnmarshalBinary(s[:]); err != nil {
		panic(err)
	}
	return d
}

// md5Ctx makes the context of a digest.
func md5Ctx(h *heap.Heap, d md5Digest) term.Term {
	s, err := d.MarshalBinary()
	if err != nil {
		panic(err)
	}
	var ctx [md5CtxSize]byte
	for i := range 4 {
		binary.LittleEndian.PutUint32(ctx[4*i:], binary.BigEndian.Uint32(s[len(md5Magic)+4*i:]))
	}
	bits := 8 * binary.BigEndian.Uint64(s[md5GoBlock+64:])
	binary.LittleEndian.PutUint64(ctx[16:], bits)
	copy(ctx[24:], s[md5GoBlock:md5GoBlock+64])
	return h.Binary(ctx[:])
}

// md5CtxArg returns the digest of argument 0.
func md5CtxArg(c *native.Call) (d md5Digest, ok bool) {
	s, ok := heap.AlignedBytes(c.Arg(0))
	if !ok || len(s) != md5CtxSize {
		return nil, false
	}
	return md5Of(s), true
}

func erlangMD5Init(c *native.Call) term.Term { return md5Ctx(&c.P.Heap, newMD5()) }

func erlangMD5Final(c *native.Call) term.Term {
	d, ok := md5CtxArg(c)
	if !ok {
		return c.Badarg()
	}
	return c.P.Heap.Binary(d.Sum(nil))
}

// md5Feed hashes iodata; after ioMore, rest is what is left.
func md5Feed(c *native.Call, d md5Digest, data term.Term) (st ioState, rest term.Term) {
	if !data.IsList() && !data.IsNil() && !data.IsBitstring() {
		return ioBad, term.None
	}
	budget := max(c.Left(), 100) * md5BytesPerRed
	w := newSumWalk(data, budget)
	st = w.run(&c.P.Heap, func(s []byte) { _, _ = d.Write(s) })
	c.Bump((budget - w.bytes) / md5BytesPerRed)
	if st == ioMore {
		rest = w.rest(&c.P.Heap)
	}
	return st, rest
}

func erlangMD5(c *native.Call) term.Term { return md5All(c, newMD5(), c.Arg(0)) }

func erlangMD5Trap(c *native.Call) term.Term {
	d, ok := md5CtxArg(c)
	if !ok {
		return c.Badarg()
	}
	return md5All(c, d, c.Arg(1))
}

func md5All(c *native.Call, d md5Digest, data term.Term) term.Term {
	st, rest := md5Feed(c, d, data)
	switch st {
	case ioBad:
		return c.Badarg()
	case ioMore:
		to := code.GetExport(term.AmErlang, term.Intern("md5_trap"), 2)
		return c.Trap(to, md5Ctx(&c.P.Heap, d), rest)
	}
	return c.P.Heap.Binary(d.Sum(nil))
}

func erlangMD5Update(c *native.Call) term.Term {
	d, ok := md5CtxArg(c)
	if !ok {
		return c.Badarg()
	}
	st, rest := md5Feed(c, d, c.Arg(1))
	switch st {
	case ioBad:
		return c.Badarg()
	case ioMore:
		return c.YieldWith(md5Ctx(&c.P.Heap, d), rest)
	}
	return md5Ctx(&c.P.Heap, d)
}
