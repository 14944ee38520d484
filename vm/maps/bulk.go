package maps

import (
	"slices"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Bulk builds a map of many pairs in steps, between which the caller may
// yield: it holds no terms, only the hashes of the keys by their numbers. The
// keys fall into 256 buckets by the first two levels of their paths; the
// subtree of each is built in one step.
//
// The order of use: Add every key; then, for each bucket that Next finds,
// Subtree with the bucket's pairs; at last Finish.
type Bulk struct {
	h       []uint64 // of the current bucket: hash order<<32 | number
	buckets [256][]uint64
	n       uint32
	at      int
	keys    int
	filled  []uint8
}

// Add takes the next key, and numbers it from 0.
func (b *Bulk) Add(key term.Term) {
	r := reverseNibbles(term.MapHash(key, 0))
	b.buckets[r>>24] = append(b.buckets[r>>24], uint64(r)<<32|uint64(b.n))
	b.n++
}

// Next goes to the next bucket that is not empty and returns the number of its
// keys; 0 means that there are no more.
func (b *Bulk) Next() int {
	for ; b.at < len(b.buckets); b.at++ {
		if b.h = b.buckets[b.at]; len(b.h) > 0 {
			b.buckets[b.at] = nil
			return len(b.h)
		}
	}
	return 0
}

// Key returns the number of key i of the bucket.
func (b *Bulk) Key(i int) int { return int(uint32(b.h[i])) }

// Subtree builds the subtree of the bucket, whose keys and values are given in
// the order of Key. The caller keeps it for Finish.
func (b *Bulk) Subtree(h *heap.Heap, kvs []term.Term) term.Term {
	s := builder{h: h, kvs: kvs, order: b.h}
	for i := range s.order {
		s.order[i] = s.order[i]&^0xFFFFFFFF | uint64(i)
	}
	slices.Sort(s.order)
	s.dedupe()
	s.leaves()
	b.keys += len(s.order)
	b.filled = append(b.filled, uint8(b.at))
	b.at++
	b.h = nil
	return s.build(0, len(s.order), 2)
}

// Finish builds the map of all subtrees.
func (b *Bulk) Finish(h *heap.Heap, subs []term.Term) term.Term {
	if b.keys <= term.FlatMapLimit {
		kvs := make([]term.Term, 0, 2*b.keys)
		for _, s := range subs {
			kvs = appendPairs(kvs, s)
		}
		r, _ := flatFromPairs(h, kvs)
		return r
	}
	return assemble(h, b.filled, subs, b.keys)
}

func appendPairs(kvs []term.Term, s term.Term) []term.Term {
	if s.IsList() {
		return append(kvs, s.Head(), s.Tail())
	}
	var it term.LeafIter
	it.Init(s)
	for c := it.Next(); c != term.None; c = it.Next() {
		kvs = append(kvs, c.Head(), c.Tail())
	}
	return kvs
}

// assemble builds the upper two levels over subtrees: at tells the places of
// each, the root's in the high nibble.
func assemble(h *heap.Heap, at []uint8, subs []term.Term, size int) term.Term {
	var root [16]term.Term
	var bitmap uint16
	n := 0
	for i := 0; i < len(at); {
		j := i
		var inner uint16
		for ; j < len(at) && at[j]>>4 == at[i]>>4; j++ {
			inner |= 1 << (at[j] & 15)
		}
		if j == i+1 && subs[i].IsList() {
			root[n] = subs[i] // a leaf alone moves up
		} else {
			t, a := newNode(h, inner, false, 0)
			for k := i; k < j; k++ {
				term.PutTerm(a, k-i, subs[k])
			}
			root[n] = t
		}
		bitmap |= 1 << (at[i] >> 4)
		n++
		i = j
	}
	t, a := newNode(h, bitmap, true, size)
	for i := range n {
		term.PutTerm(a, i, root[i])
	}
	return t
}

// BulkMerge merges two HAMTs in steps: one for each place of the upper two
// levels. It holds no terms.
type BulkMerge struct {
	next int // place to go on with, 0 to 255
	both int
	at   []uint8
}

// Next merges what lies at the next place that is taken. done means that there
// are no more.
func (b *BulkMerge) Next(h *heap.Heap, x, y term.Term) (sub term.Term, done bool) {
	for ; b.next < 256; b.next++ {
		i, j := uint(b.next>>4), uint(b.next&15)
		s, okx := place(x, i, j)
		t, oky := place(y, i, j)
		switch {
		case okx && oky:
			m := merger{h: h}
			s = m.subtrees(s, t, 2)
			b.both += m.both
		case oky:
			s = t
		case !okx:
			continue
		}
		b.at = append(b.at, uint8(b.next))
		b.next++
		return s, false
	}
	return term.None, true
}

// Finish builds the map of all that Next returned.
func (b *BulkMerge) Finish(h *heap.Heap, x, y term.Term, subs []term.Term) term.Term {
	return assemble(h, b.at, subs, x.MapSize()+y.MapSize()-b.both)
}

// place returns the leaf or node at the place i of a head and j below it. A
// leaf of the upper level counts as being where its path leads.
func place(m term.Term, i, j uint) (t term.Term, ok bool) {
	t, ok = child(m, i)
	if !ok || !t.IsList() {
		if ok {
			return child(t, j)
		}
		return t, false
	}
	p := pathAt(t.Head(), 1)
	return t, p.index() == j
}

func child(m term.Term, i uint) (t term.Term, ok bool) {
	p := path{hash: uint32(i)}
	bitmap := uint16(m.Hdr() >> 32)
	bit, slot := p.slot(bitmap)
	if bitmap&bit == 0 {
		return term.None, false
	}
	a, _, _ := children(m)
	return word(a + uintptr(slot)*8), true
}
