package ets

import (
	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// An object is a block off the Go heap: a header, then the tuple, then the
// terms below it. Word by word:
//
//	0  next object of the bucket     | left child
//	1  hash value                    | right child
//	2  words of the term, and flags
//	3  first entry of the list of what the terms own outside the block
//	4  the tuple (hash tables)       | number of nodes of this subtree
//	5                                | the tuple (ordered sets)
//
// No term in an object points out of it, but for what is reference counted.
type object = uintptr

const (
	hashHeader = 4 * 8
	treeHeader = 5 * 8

	wordsMask   = 1<<40 - 1
	flagDeleted = 1 << 62 // deleted while the table was fixed
	flagFlat    = 1 << 61 // every element is an immediate
	flagPacked  = 1 << 60 // has elements in compressed form
)

func word(o object, i int) uint64       { return term.Get(o, i) }
func setWord(o object, i int, w uint64) { term.Put(o, i, w) }

func objNext(o object) object { return uintptr(word(o, 0)) }
func objHash(o object) uint32 { return uint32(word(o, 1)) }
func objWords(o object) int   { return int(word(o, 2) & wordsMask) }
func isDeleted(o object) bool { return word(o, 2)&flagDeleted != 0 }
func isFlat(o object) bool    { return word(o, 2)&flagFlat != 0 }
func isPacked(o object) bool  { return word(o, 2)&flagPacked != 0 }

func setDeleted(o object, del bool) {
	if del {
		setWord(o, 2, word(o, 2)|flagDeleted)
	} else {
		setWord(o, 2, word(o, 2)&^flagDeleted)
	}
}

// rawTuple is the object's tuple as it lies in the block. When the object is
// packed only the key and the immediates among its elements are terms.
func (t *Table) rawTuple(o object) term.Term { return term.Box(o + t.header) }

// key returns the key of an object; it is valid while the object is.
func (t *Table) key(o object) term.Term { return t.rawTuple(o).El(t.KeyPos) }

// newObject copies a tuple into a new object and accounts for its memory.
func (t *Table) newObject(tuple term.Term) object {
	var o object
	if t.Compressed {
		o = t.newPacked(tuple)
	} else {
		o = newPlain(tuple, t.header)
	}
	t.mem.Add(t.accounted(o))
	return o
}

// accounted is the bytes an object counts for in info(memory). Our reference to
// a large binary is two words longer than ERTS 25's.
func (t *Table) accounted(o object) int64 {
	n := int64(objWords(o))*8 + int64(t.header)
	for a := uintptr(word(o, 3)); a != 0; {
		ref := term.Box(a)
		if ref.Kind() == term.KBinRef {
			n -= 16
			a = uintptr(ref.W(1))
		} else {
			a = uintptr(ref.W(4))
		}
	}
	return n
}

func newPlain(tuple term.Term, header uintptr) object {
	n := tuple.Arity()
	words, flags := 1+n, uint64(flagFlat)
	for i := 1; i <= n; i++ {
		if el := tuple.El(i); !el.IsImmed() {
			words += heap.Size(el, true)
			flags = 0
		}
	}
	o := offheap.Alloc(header+uintptr(words)*8, offheap.Ets)
	dst := o + header
	if flags != 0 {
		offheap.Copy(dst, tuple.Addr(), uintptr(words)*8)
	} else {
		end := copyTuple(o, dst, tuple, n)
		if invariants.Enabled && end != dst+uintptr(words)*8 {
			invariants.Failf("ets: an object of %d words took %d", words, (end-dst)/8)
		}
	}
	if flags != 0 {
		setWord(o, 3, 0)
	}
	setWord(o, 2, uint64(words)|flags)
	return o
}

// copyTuple copies the tuple to dst and its elements' terms behind it.
func copyTuple(o object, dst uintptr, tuple term.Term, n int) (end uintptr) {
	var off heap.OffHeap
	hp := dst + uintptr(n+1)*8
	term.Put(dst, 0, term.Header(n, term.KTuple))
	for i := 1; i <= n; i++ {
		el := tuple.El(i)
		if !el.IsImmed() {
			el = heap.Copy(el, &hp, &off, true)
		}
		term.PutTerm(dst, i, el)
	}
	setWord(o, 3, uint64(off.First))
	return hp
}

// freeObject releases an object and what it owns.
func (t *Table) freeObject(o object) {
	t.mem.Add(-t.accounted(o))
	freePlain(o, t.header)
}

func freePlain(o object, header uintptr) {
	if first := uintptr(word(o, 3)); first != 0 {
		off := heap.OffHeap{First: first}
		heap.ReleaseOffHeap(&off)
	}
	offheap.Free(o, header+uintptr(objWords(o))*8, offheap.Ets)
}

// copyOut builds the object's tuple on a heap.
func (t *Table) copyOut(h *heap.Heap, o object) term.Term {
	tuple := t.rawTuple(o)
	if isFlat(o) {
		words := objWords(o)
		a := h.Alloc(words)
		offheap.Copy(a, tuple.Addr(), uintptr(words)*8)
		return term.Box(a)
	}
	if isPacked(o) {
		return t.unpack(h, o)
	}
	words := objWords(o)
	a := h.Alloc(words)
	relocate(a, tuple.Addr(), uintptr(words)*8, &h.Off)
	return term.Box(a)
}

// copyTerm copies a term of an object to a heap.
func copyTerm(h *heap.Heap, t term.Term) term.Term {
	if t.IsImmed() {
		return t
	}
	a := h.Alloc(heap.Size(t, true))
	return heap.Copy(t, &a, &h.Off, true)
}

// element copies element i of an object to a heap.
func (t *Table) element(h *heap.Heap, o object, i int) term.Term {
	if isPacked(o) && i != t.KeyPos {
		return t.unpackElement(h, o, i)
	}
	return copyTerm(h, t.rawTuple(o).El(i))
}

// sameObject tells whether an object's tuple is exactly equal to a tuple.
func (t *Table) sameObject(o object, tuple term.Term) bool {
	if !isPacked(o) {
		return term.Same(t.rawTuple(o), tuple)
	}
	var tmp heap.Heap
	defer freeTemp(&tmp)
	return term.Same(t.unpack(&tmp, o), tuple)
}

// freeTemp gives back a heap that had no block of its own.
func freeTemp(h *heap.Heap) {
	heap.ReleaseOffHeap(&h.Off)
	for f := h.Frags; f != nil; {
		next := f.Next
		f.Free()
		f = next
	}
	*h = heap.Heap{}
}

func loadWord(a uintptr) uint64 { return offheap.Load(a) }
