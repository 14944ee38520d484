package bif

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// A resource of a NIF is a Go value behind a magic reference.

// newResource builds a reference to v; bin has the count that the reference
// holds.
func newResource(c *native.Call, v any) (ref term.Term, bin *heap.Bin) {
	bin = heap.NewMagic(v)
	return magicRef(&c.P.Heap, c.Ctx, bin), bin
}

func magicRef(h *heap.Heap, ctx *proc.Ctx, bin *heap.Bin) term.Term {
	k := proc.NewRefKey(ctx)
	return h.Off.PutMagicRef(h.Alloc(1+term.MagicRefWords), k.A, k.B, bin)
}

// resourceValue returns the Go value of a reference to a resource, or nil.
func resourceValue(t term.Term) any {
	if !t.IsMagicRef() {
		return nil
	}
	return heap.MagicValue(heap.MagicBin(t))
}

// sendResourceMessage sends {Tag, Ref} with a new reference to a resource.
func sendResourceMessage(to, tag term.Term, bin *heap.Bin) {
	bin.Ref()
	var h heap.Heap
	ref := magicRef(&h, nil, bin)
	proc.SendBuilt(term.None, to, h.Tuple(tag, ref), &h)
}
