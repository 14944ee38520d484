package bif

import (
	"github.com/beamrd/beamrd/loader"
	"github.com/beamrd/beamrd/vm/bits"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var codeFileRows = []native.Row{
	{Module: "erts_internal", Name: "beamfile_chunk", Arity: 2, Fn: codeBeamfileChunk},
	{Module: "erts_internal", Name: "beamfile_module_md5", Arity: 1, Fn: codeBeamfileMd5, Flags: native.DirtyCPU},
}

// codeBeamfileChunk is erts_internal:beamfile_chunk(Binary, "Name"): the chunk
// as a part of the binary, or undefined.
func codeBeamfileChunk(c *native.Call) term.Term {
	var id []byte
	l := c.Arg(1)
	for ; l.IsList() && len(id) < 4; l = l.Tail() {
		e := l.Head()
		if !e.IsSmall() || e.Small() < 0 || e.Small() > 255 {
			return c.Badarg()
		}
		id = append(id, byte(e.Small()))
	}
	b, ok := heap.AlignedBytes(c.Arg(0))
	if !l.IsNil() || len(id) != 4 || !ok {
		return c.Badarg()
	}
	off, data, ok := loader.FindChunk(b, string(id))
	if !ok || len(data) == 0 {
		return term.AmUndefined
	}
	return bits.Sub(&c.P.Heap, c.Arg(0), uint64(off)*8, uint64(len(data))*8)
}

// codeBeamfileMd5 is the MD5 of a module in a binary, or undefined.
func codeBeamfileMd5(c *native.Call) term.Term {
	b, ok := heap.AlignedBytes(c.Arg(0))
	if !ok {
		return c.Badarg()
	}
	f, err := loader.Parse(b)
	if err != nil {
		return term.AmUndefined
	}
	defer f.Free()
	return c.P.Heap.Binary(f.MD5[:])
}
