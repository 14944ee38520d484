package ets

import (
	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/etf"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Objects of tables with the option `compressed`: elements other than the key
// and immediates are kept in the external term format behind the tuple. Such
// an element's word in the tuple is the offset of its bytes from the tuple,
// shifted by 6 (so it looks like a header, never like a value). Elements that
// own something (large binaries, magic references) or that the format does not
// carry faithfully (funs, references) stay terms.

func (t *Table) newPacked(tuple term.Term) object {
	n := tuple.Arity()
	pack := make([]bool, n+1)
	any, words := false, 1+n
	var bytes []byte
	for i := 1; i <= n; i++ {
		el := tuple.El(i)
		switch {
		case el.IsImmed():
		case i != t.KeyPos && packable(el):
			pack[i], any = true, true
		default:
			words += heap.Size(el, true)
		}
	}
	if !any {
		return newPlain(tuple, t.header)
	}
	var offs = make([]uint64, n+1)
	for i := 1; i <= n; i++ {
		if pack[i] {
			offs[i] = uint64(words*8 + len(bytes))
			bytes = etf.Append(bytes, tuple.El(i))
		}
	}
	words += (len(bytes) + 7) / 8
	o := offheap.Alloc(t.header+uintptr(words)*8, offheap.Ets)
	dst := o + t.header
	hp := dst + uintptr(n+1)*8
	var off heap.OffHeap
	term.Put(dst, 0, term.Header(n, term.KTuple))
	for i := 1; i <= n; i++ {
		el := tuple.El(i)
		switch {
		case pack[i]:
			term.Put(dst, i, offs[i]<<6)
			continue
		case !el.IsImmed():
			el = heap.Copy(el, &hp, &off, true)
		}
		term.PutTerm(dst, i, el)
	}
	copy(offheap.Bytes(hp, uintptr(len(bytes))), bytes)
	setWord(o, 3, uint64(off.First))
	setWord(o, 2, uint64(words)|flagPacked)
	return o
}

// packable tells whether a term comes back from the external format as it was.
func packable(t term.Term) bool {
	stack := []term.Term{t}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case t.IsImmed():
		case t.IsList():
			stack = append(stack, t.Head(), t.Tail())
		default:
			switch t.Kind() {
			case term.KTuple:
				for i := range t.Arity() {
					stack = append(stack, t.El(i+1))
				}
			case term.KPosBig, term.KNegBig, term.KFloat, term.KHeapBits:
			default:
				return false
			}
		}
	}
	return true
}

func (t *Table) unpackElement(h *heap.Heap, o object, i int) term.Term {
	tuple := t.rawTuple(o)
	el := tuple.El(i)
	if !el.IsHeader() {
		return copyTerm(h, el)
	}
	start := tuple.Addr() + uintptr(el>>6)
	end := o + t.header + uintptr(objWords(o))*8
	r, _, err := etf.Decode(h, offheap.Bytes(start, end-start), false)
	if err != nil {
		invariants.Failf("ets: a compressed element of table %v does not decode: %v", t.Name(), err)
	}
	return r
}

func (t *Table) unpack(h *heap.Heap, o object) term.Term {
	n := t.rawTuple(o).Arity()
	els := make([]term.Term, n)
	for i := range els {
		els[i] = t.unpackElement(h, o, i+1)
	}
	return h.Tuple(els...)
}
