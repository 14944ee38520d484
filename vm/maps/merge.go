package maps

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// merger merges two HAMTs node by node, sharing the subtrees that only one of
// them has. It recurses by levels, of which there are no more than hash
// collisions allow.
type merger struct {
	h    *heap.Heap
	both int // keys found in both
}

func (m *merger) heads(a, b term.Term) term.Term {
	t := m.nodes(a, b, 0)
	term.PutTerm(t.Addr(), 1, term.Small(int64(a.MapSize()+b.MapSize()-m.both)))
	return t
}

// nodes merges two heads (level 0) or two nodes of a level.
func (m *merger) nodes(a, b term.Term, level uint32) term.Term {
	ba, bb := uint16(a.Hdr()>>32), uint16(b.Hdr()>>32)
	sa, _, _ := children(a)
	sb, _, _ := children(b)
	var kids [16]term.Term
	n := 0
	for rest := ba | bb; rest != 0; rest &= rest - 1 {
		bit := rest & -rest
		switch {
		case ba&bb&bit != 0:
			kids[n] = m.subtrees(word(sa), word(sb), level+1)
			sa, sb = sa+8, sb+8
		case ba&bit != 0:
			kids[n] = word(sa)
			sa += 8
		default:
			kids[n] = word(sb)
			sb += 8
		}
		n++
	}
	t, at := newNode(m.h, ba|bb, level == 0, 0)
	for i := range n {
		term.PutTerm(at, i, kids[i])
	}
	return t
}

// subtrees merges what two maps have at one place: leaves or nodes of a level.
func (m *merger) subtrees(a, b term.Term, level uint32) term.Term {
	switch {
	case a == b:
		m.both += count(a)
		return b
	case a.IsList() && b.IsList():
		if term.Same(a.Head(), b.Head()) {
			m.both++
			return b
		}
		return fork(m.h, a, b, pathAt(b.Head(), level))
	case a.IsList():
		return m.insert(b, a, level, false)
	case b.IsList():
		return m.insert(a, b, level, true)
	}
	return m.nodes(a, b, level)
}

// insert puts a leaf into a node of a level; over tells whether it replaces
// one of the same key.
func (m *merger) insert(node, leaf term.Term, level uint32, over bool) term.Term {
	p := pathAt(leaf.Head(), level)
	var buf [10]step
	st := buf[:0]
	for {
		bitmap := uint16(node.Hdr() >> 32)
		bit, slot := p.slot(bitmap)
		src, n, _ := children(node)
		if bitmap&bit == 0 {
			t, a := newNode(m.h, bitmap|bit, false, 0)
			insertWord(a, src, n, slot, leaf)
			return copyUp(m.h, st, t, 0)
		}
		st = append(st, step{node, slot})
		c := word(src + uintptr(slot)*8)
		p.down()
		switch {
		case !c.IsList():
			node = c
			continue
		case !term.Same(c.Head(), leaf.Head()):
			return copyUp(m.h, st, fork(m.h, c, leaf, p), 0)
		}
		m.both++
		if !over || c.Tail() == leaf.Tail() {
			return st[0].node
		}
		return copyUp(m.h, st, leaf, 0)
	}
}

// count returns the number of leaves of a subtree.
func count(t term.Term) int {
	if t.IsList() {
		return 1
	}
	n := 0
	var it term.LeafIter
	it.Init(t)
	for it.Next() != term.None {
		n++
	}
	return n
}

// Cursor walks a HAMT from a path: the places to take from the head down, four
// bits each, lowest first, as erts_internal:map_next/3 has them.
type Cursor struct {
	st []cursorFrame
}

type cursorFrame struct {
	at      uintptr // children
	idx, sz int     // next child, and their number
}

// Start goes to the leaf a path leads to, taking first children beyond the
// path's end. ok is false if there is no such place.
func (c *Cursor) Start(m term.Term, digits []uint64) (leaf term.Term, ok bool) {
	for level := 0; ; level++ {
		var x int
		if d := level / 16; d < len(digits) {
			x = int(digits[d] >> (4 * (level % 16)) & 15)
		}
		at, n, _ := children(m)
		if x >= n {
			return term.None, false
		}
		c.st = append(c.st, cursorFrame{at, x + 1, n})
		if m = word(at + uintptr(x)*8); m.IsList() {
			return m, true
		}
	}
}

// Next returns the next leaf, or None at the end.
func (c *Cursor) Next() term.Term {
	for len(c.st) > 0 {
		f := &c.st[len(c.st)-1]
		if f.idx == f.sz {
			c.st = c.st[:len(c.st)-1]
			continue
		}
		t := word(f.at + uintptr(f.idx)*8)
		f.idx++
		if t.IsList() {
			return t
		}
		at, n, _ := children(t)
		c.st = append(c.st, cursorFrame{at, 0, n})
	}
	return term.None
}

// Path returns the path of the next leaf; more is false at the end.
func (c *Cursor) Path() (digits []uint64, more bool) {
	n := len(c.st)
	for n > 0 && c.st[n-1].idx == c.st[n-1].sz {
		n--
	}
	if n == 0 {
		return nil, false
	}
	digits = make([]uint64, (n+15)/16)
	for i, f := range c.st[:n] {
		x := f.idx - 1
		if i == n-1 {
			x = f.idx
		}
		digits[i/16] |= uint64(x) << (4 * (i % 16))
	}
	for len(digits) > 1 && digits[len(digits)-1] == 0 {
		digits = digits[:len(digits)-1]
	}
	return digits, true
}

// Shape tells how a HAMT looks.
type Shape struct {
	Depth, Nodes int
	Children     [16]int // heads and nodes by their number of children, less 1
	Leaves       [16]int // leaves by their depth, the deepest taken together
}

// ShapeOf returns the shape of a HAMT.
func ShapeOf(m term.Term) (s Shape) {
	type frame struct {
		t     term.Term
		depth int
	}
	st := []frame{{m, 0}}
	for len(st) > 0 {
		f := st[len(st)-1]
		st = st[:len(st)-1]
		s.Depth = max(s.Depth, f.depth)
		if f.t.IsList() {
			s.Leaves[min(f.depth, 15)]++
			continue
		}
		at, n, _ := children(f.t)
		s.Nodes++
		s.Children[n-1]++
		for i := range n {
			st = append(st, frame{word(at + uintptr(i)*8), f.depth + 1})
		}
	}
	return s
}
