package maps

import (
	"math/bits"
	"slices"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// step is a node passed on the way down, and the place of the child taken.
type step struct {
	node term.Term
	slot int
}

// children returns where a head's or node's children are, and the words of the
// object before them.
func children(t term.Term) (a uintptr, n, lead int) {
	h := t.Hdr()
	lead = 1
	if h>>6&3 == term.MapHead {
		lead = 2
	}
	return t.Addr() + uintptr(lead)*8, term.HeaderWords(h) + 1 - lead, lead
}

// newNode allocates a node, or a head of a size, of the children that a bitmap
// has.
func newNode(h *heap.Heap, bitmap uint16, head bool, size int) (t term.Term, a uintptr) {
	n := bits.OnesCount16(bitmap)
	if head {
		a = h.Alloc(2 + n)
		term.Put(a, 0, term.MapHeader(1+n, term.MapHead, bitmap))
		term.PutTerm(a, 1, term.Small(int64(size)))
		return term.Box(a), a + 16
	}
	a = h.Alloc(1 + n)
	term.Put(a, 0, term.MapHeader(n, term.MapNode, bitmap))
	return term.Box(a), a + 8
}

// copyUp rebuilds the nodes of st, from the last to the first, around a new
// child. size is that of the new map.
func copyUp(h *heap.Heap, st []step, child term.Term, size int) term.Term {
	for i := len(st) - 1; i >= 0; i-- {
		s := st[i]
		src, n, lead := children(s.node)
		t, a := newNode(h, uint16(s.node.Hdr()>>32), lead == 2, size)
		copyWords(a, src, n)
		term.PutTerm(a, s.slot, child)
		child = t
	}
	return child
}

func hamtPut(h *heap.Heap, m, key, v term.Term) term.Term {
	var buf [10]step
	st := buf[:0]
	p := pathOf(key)
	size := m.MapSize()
	node := m
	for {
		bitmap := uint16(node.Hdr() >> 32)
		bit, slot := p.slot(bitmap)
		src, n, lead := children(node)
		if bitmap&bit == 0 {
			leaf := h.Cons(key, v)
			t, a := newNode(h, bitmap|bit, lead == 2, size+1)
			insertWord(a, src, n, slot, leaf)
			return copyUp(h, st, t, size+1)
		}
		st = append(st, step{node, slot})
		c := word(src + uintptr(slot)*8)
		if !c.IsList() {
			node = c
			p.down()
			continue
		}
		if !term.Same(c.Head(), key) {
			p.down()
			return copyUp(h, st, fork(h, c, h.Cons(key, v), p), size+1)
		}
		if c.Tail() == v {
			return m
		}
		return copyUp(h, st, h.Cons(key, v), size)
	}
}

// fork builds the nodes from the level of p down to where the paths of two
// leaves part; p is that of the leaf new.
func fork(h *heap.Heap, old, leaf term.Term, p path) term.Term {
	q := pathAt(old.Head(), p.level)
	var buf [10]uint16
	single := buf[:0]
	for p.index() == q.index() {
		single = append(single, 1<<p.index())
		p.down()
		q.down()
	}
	t, a := newNode(h, 1<<p.index()|1<<q.index(), false, 0)
	if p.index() > q.index() {
		old, leaf = leaf, old
	}
	term.PutTerm(a, 0, leaf)
	term.PutTerm(a, 1, old)
	for i := len(single) - 1; i >= 0; i-- {
		n, a := newNode(h, single[i], false, 0)
		term.PutTerm(a, 0, t)
		t = n
	}
	return t
}

func hamtTake(h *heap.Heap, m, key term.Term) (r, v term.Term, had bool) {
	var buf [10]step
	st := buf[:0]
	p := pathOf(key)
	node := m
	var leaf term.Term
	for {
		bitmap := uint16(node.Hdr() >> 32)
		bit, slot := p.slot(bitmap)
		if bitmap&bit == 0 {
			return m, term.None, false
		}
		st = append(st, step{node, slot})
		src, _, _ := children(node)
		if leaf = word(src + uintptr(slot)*8); leaf.IsList() {
			break
		}
		node = leaf
		p.down()
	}
	if !term.Same(leaf.Head(), key) {
		return m, term.None, false
	}
	v = leaf.Tail()
	if m.MapSize()-1 <= term.FlatMapLimit {
		return shrink(h, m, leaf), v, true
	}
	return cut(h, st, m.MapSize()-1), v, true
}

// cut removes the leaf that the last step leads to. A node left with one leaf
// is replaced by the leaf, all the way up.
func cut(h *heap.Heap, st []step, size int) term.Term {
	i := len(st) - 1
	for ; ; i-- {
		s := st[i]
		src, n, lead := children(s.node)
		if lead == 1 && n == 1 {
			continue
		}
		if lead == 1 && n == 2 {
			if other := word(src + uintptr(1-s.slot)*8); other.IsList() {
				// Nodes with this one child only vanish too.
				for i--; ; i-- {
					if _, n, lead := children(st[i].node); lead == 2 || n > 1 {
						return copyUp(h, st[:i+1], other, size)
					}
				}
			}
		}
		bitmap := uint16(s.node.Hdr() >> 32)
		t, a := newNode(h, bitmap&^nthBit(bitmap, s.slot), lead == 2, size)
		removeWord(a, src, n, s.slot)
		return copyUp(h, st[:i], t, size)
	}
}

// nthBit returns bit number n, counted from 0, of those set in a bitmap.
func nthBit(bitmap uint16, n int) uint16 {
	for range n {
		bitmap &= bitmap - 1
	}
	return bitmap & -bitmap
}

// shrink builds the flat map of m without a leaf.
func shrink(h *heap.Heap, m, leaf term.Term) term.Term {
	kvs := make([]term.Term, 0, 2*m.MapSize())
	var it term.LeafIter
	it.Init(m)
	for c := it.Next(); c != term.None; c = it.Next() {
		if c != leaf {
			kvs = append(kvs, c.Head(), c.Tail())
		}
	}
	r, _ := flatFromPairs(h, kvs)
	return r
}

// hamtGrow turns a full flat map and one more pair into a HAMT.
func hamtGrow(h *heap.Heap, m, key, v term.Term) term.Term {
	kvs := make([]term.Term, 0, 2*term.FlatMapLimit+2)
	Each(m, func(k, v term.Term) bool {
		kvs = append(kvs, k, v)
		return true
	})
	r, _ := FromPairs(h, append(kvs, key, v))
	return r
}

// flatFromPairs builds a flat map of pairs with at most 32 different keys; of
// equal keys the last counts.
func flatFromPairs(h *heap.Heap, kvs []term.Term) (m term.Term, dup bool) {
	var order [term.FlatMapLimit]int32 // indexes of the keys, in their order
	n := 0
	for i := 0; i < len(kvs); i += 2 {
		k := kvs[i]
		lo, hi := 0, n
		if n > 0 && compareKeys(kvs[order[n-1]], k) < 0 {
			lo = n // often they come in order
		}
		for lo < hi {
			mid := (lo + hi) / 2
			j := compareKeys(kvs[order[mid]], k)
			if j == 0 {
				order[mid] = int32(i)
				dup = true
				break
			}
			if j < 0 {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		if lo < hi {
			continue
		}
		copy(order[lo+1:n+1], order[lo:n])
		order[lo] = int32(i)
		n++
	}
	if n == 0 {
		return Empty, false
	}
	keys, nk := newKeys(h, n)
	m, nv := newFlat(h, keys, n)
	for i, o := range order[:n] {
		term.PutTerm(nk, i, kvs[o])
		term.PutTerm(nv, i, kvs[o+1])
	}
	return m, dup
}

// FromPairs builds a map of k1, v1, k2, v2, …; of equal keys the last counts.
// dup tells whether there were any.
func FromPairs(h *heap.Heap, kvs []term.Term) (m term.Term, dup bool) {
	if len(kvs) <= 2*term.FlatMapLimit {
		return flatFromPairs(h, kvs)
	}
	b := builder{h: h, kvs: append([]term.Term(nil), kvs...)} // a copy, lest kvs escape
	b.sort()
	n := len(b.order)
	if dup = n != len(kvs)/2; n <= term.FlatMapLimit {
		few := make([]term.Term, 0, 2*n)
		for _, o := range b.order {
			i := int(uint32(o))
			few = append(few, kvs[2*i], kvs[2*i+1])
		}
		m, _ = flatFromPairs(h, few)
		return m, dup
	}
	b.leaves()
	return b.build(0, n, 0), dup
}

// builder builds a HAMT from the bottom up. order holds for each pair its
// place in hash order (the hash with its nibbles reversed) and, in the low
// half, its index, so that sorting is of plain numbers and stable.
type builder struct {
	h     *heap.Heap
	kvs   []term.Term
	order []uint64
	leaf  uintptr // the leaves, in the order of order
}

func reverseNibbles(x uint32) uint32 {
	x = bits.ReverseBytes32(x)
	return x>>4&0x0F0F0F0F | x&0x0F0F0F0F<<4
}

func (b *builder) key(o uint64) term.Term { return b.kvs[2*uint32(o)] }

// sort puts the pairs in hash order and drops all but the last of equal keys.
func (b *builder) sort() {
	n := len(b.kvs) / 2
	b.order = make([]uint64, n)
	for i := range n {
		b.order[i] = uint64(reverseNibbles(term.MapHash(b.kvs[2*i], 0)))<<32 | uint64(i)
	}
	slices.Sort(b.order)
	b.dedupe()
}

// dedupe drops all but the last of equal keys from order, which is sorted.
func (b *builder) dedupe() {
	n := len(b.order)
	out := b.order[:0]
	for i := 0; i < n; {
		j := i + 1
		for j < n && b.order[i]>>32 == b.order[j]>>32 {
			j++
		}
		if j == i+1 {
			out = append(out, b.order[i])
		} else {
			out = append(out, b.distinct(b.order[i:j])...)
		}
		i = j
	}
	b.order = out
}

// distinct drops equal keys from a run of one hash, and orders what is left by
// the hashes of the levels further down.
func (b *builder) distinct(run []uint64) []uint64 {
	kept := make([]uint64, 0, len(run))
	for i, o := range run {
		again := false
		for _, p := range run[i+1:] {
			if again = term.Same(b.key(o), b.key(p)); again {
				break
			}
		}
		if !again {
			kept = append(kept, o)
		}
	}
	slices.SortFunc(kept, func(x, y uint64) int {
		for depth := uint32(1); ; depth++ {
			hx, hy := term.MapHash(b.key(x), depth), term.MapHash(b.key(y), depth)
			if hx != hy {
				if reverseNibbles(hx) < reverseNibbles(hy) {
					return -1
				}
				return 1
			}
			if x == y {
				return 0
			}
		}
	})
	return kept
}

func (b *builder) leaves() {
	b.leaf = b.h.Alloc(2 * len(b.order))
	for i, o := range b.order {
		term.MakeCons(b.leaf+uintptr(i)*16, b.kvs[2*uint32(o)], b.kvs[2*uint32(o)+1])
	}
}

// index returns the branch that pair i takes at a level.
func (b *builder) index(i int, level uint32) uint {
	if level < 8 {
		return uint(b.order[i] >> (60 - 4*level) & 15)
	}
	p := pathAt(b.key(b.order[i]), level)
	return p.index()
}

// build returns the subtree of the pairs lo to hi, which agree above level. It
// recurses by levels, of which there are no more than hash collisions allow.
func (b *builder) build(lo, hi int, level uint32) term.Term {
	if hi-lo == 1 && level > 0 {
		return term.Term((b.leaf + uintptr(lo)*16) | term.PrimList)
	}
	var bitmap uint16
	var kids [16]term.Term
	n := 0
	for i := lo; i < hi; {
		x := b.index(i, level)
		j := i + 1
		for j < hi && b.index(j, level) == x {
			j++
		}
		bitmap |= 1 << x
		kids[n] = b.build(i, j, level+1)
		n++
		i = j
	}
	t, a := newNode(b.h, bitmap, level == 0, hi-lo)
	for i := range n {
		offheap.Store(a+uintptr(i)*8, uint64(kids[i]))
	}
	return t
}
