package term

import "math/bits"

// Two large maps of one size are ordered by the smallest key that only one of
// them has, or, when the keys are the same, by the values of the smallest key
// that has different ones. Both iterate in hash order, so no sorting is needed:
// while the keys agree (phase 1) the result of the smallest key with differing
// values is kept; at the first difference (phase 2) values cease to count and
// the iterator that lags in hash order is moved.

type mapCmp struct {
	ai, bi   LeafIter
	ap, bp   Term // leaf (a cons) at the iterator, None at the end
	minKey   Term
	res      int
	wasExact bool
	rollback int
}

func (c *comparer) cmpMaps(a, b Term) (j int, na, nb Term) {
	n, m := a.MapSize(), b.MapSize()
	if n != m {
		return n - m, None, None
	}
	if n == 0 {
		return 0, None, None
	}
	if a.MapKind() == MapFlat {
		if c.exact {
			return c.array(a.Addr()+8, b.Addr()+8, n+1)
		}
		c.push(cmpFrame{uint64(a.Addr() + 16), uint64(b.Addr() + 16), n, opArray})
		c.push(cmpFrame{op: opExactOff})
		c.exact = true
		if ka, kb := Term(a.W(1)), Term(b.W(1)); ka != kb {
			return 0, ka, kb
		}
		return 0, None, None
	}
	s := &mapCmp{wasExact: c.exact}
	s.ai.Init(a)
	s.bi.Init(b)
	s.ap, s.bp = s.ai.Next(), s.bi.Next()
	c.maps = append(c.maps, s)
	return c.keys(s, opMapKeys)
}

func (c *comparer) wait(s *mapCmp, op int, a, b Term) (int, Term, Term) {
	c.push(cmpFrame{op: op})
	s.rollback = c.n
	return 0, a, b
}

func (c *comparer) keys(s *mapCmp, op int) (int, Term, Term) {
	c.exact = true
	return c.wait(s, op, s.ap.Head(), s.bp.Head())
}

func (c *comparer) values(s *mapCmp) (int, Term, Term) {
	c.exact = s.wasExact
	return c.wait(s, opMapVals, s.ap.Tail(), s.bp.Tail())
}

func (c *comparer) mapDone(s *mapCmp) (int, Term, Term) {
	c.exact = s.wasExact
	c.maps = c.maps[:len(c.maps)-1]
	return s.res, None, None
}

// mapStep goes on after the comparison that op waited for, with result j.
func (c *comparer) mapStep(op, j int) (int, Term, Term) {
	s := c.maps[len(c.maps)-1]
	switch op {
	case opMapKeys:
		switch {
		case j != 0:
			if hashBefore(s.ap, s.bp) {
				s.minKey, s.res, s.ap = s.ap.Head(), -1, s.ai.Next()
			} else {
				s.minKey, s.res, s.bp = s.bp.Head(), 1, s.bi.Next()
			}
			return c.phase2(s)
		case s.res != 0:
			c.exact = true
			return c.wait(s, opMapMin, s.ap.Head(), s.minKey)
		}
		return c.values(s)
	case opMapMin:
		if j < 0 {
			return c.values(s)
		}
		return c.phase1(s)
	case opMapVals:
		if j != 0 {
			s.res, s.minKey = j, s.ap.Head()
		}
		return c.phase1(s)
	case opMapDiff:
		if j == 0 {
			s.ap, s.bp = s.ai.Next(), s.bi.Next()
			return c.phase2(s)
		}
		return c.advance(s)
	case opMapMinA:
		if j < 0 {
			s.minKey, s.res = s.ap.Head(), -1
		}
		s.ap = s.ai.Next()
	case opMapMinB:
		if j < 0 {
			s.minKey, s.res = s.bp.Head(), 1
		}
		s.bp = s.bi.Next()
	}
	return c.phase2(s)
}

func (c *comparer) phase1(s *mapCmp) (int, Term, Term) {
	s.ap, s.bp = s.ai.Next(), s.bi.Next()
	if s.ap == None {
		return c.mapDone(s)
	}
	return c.keys(s, opMapKeys)
}

func (c *comparer) phase2(s *mapCmp) (int, Term, Term) {
	if s.ap != None && s.bp != None {
		return c.keys(s, opMapDiff)
	}
	return c.advance(s)
}

func (c *comparer) advance(s *mapCmp) (int, Term, Term) {
	c.exact = true
	switch {
	case s.ap == None && s.bp == None:
		return c.mapDone(s)
	case s.bp == None || s.ap != None && hashBefore(s.ap, s.bp):
		return c.wait(s, opMapMinA, s.ap.Head(), s.minKey)
	}
	return c.wait(s, opMapMinB, s.bp.Head(), s.minKey)
}

// hashBefore tells whether leaf a comes before leaf b, whose key differs, in
// hash order.
func hashBefore(a, b Term) bool {
	for depth := uint32(0); ; depth++ {
		x, y := MapHash(a.Head(), depth), MapHash(b.Head(), depth)
		if x != y {
			sh := uint(bits.TrailingZeros32(x^y)) &^ 3
			return x>>sh&15 < y>>sh&15
		}
	}
}

// LeafIter walks the leaves of a HAMT in hash order.
type LeafIter struct {
	n    int
	buf  [9]leafFrame
	more []leafFrame // below buf's
}

type leafFrame struct {
	at uintptr // next child
	n  int     // children left
}

// Init starts at the first leaf of a HAMT: its head or any node.
func (it *LeafIter) Init(m Term) {
	it.n, it.more = 1, nil
	it.buf[0] = childrenOf(m)
}

// childrenOf returns where the children of a HAMT head or node are.
func childrenOf(m Term) leafFrame {
	h := m.Hdr()
	a, n := m.Addr()+8, HeaderWords(h)
	if h>>6&3 == MapHead {
		a, n = a+8, n-1
	}
	return leafFrame{a, n}
}

// Next returns the next leaf, a cons of key and value, or None at the end.
func (it *LeafIter) Next() Term {
	for it.n > 0 {
		f := &it.buf[it.n-1]
		if f.n == 0 {
			it.up()
			continue
		}
		t := Term(Get(f.at, 0))
		f.at += 8
		f.n--
		if t.IsList() {
			return t
		}
		it.down(t)
	}
	return None
}

func (it *LeafIter) down(t Term) {
	if it.n == len(it.buf) { // hashes collide: make room for the last
		it.more = append(it.more, it.buf[0])
		copy(it.buf[:], it.buf[1:])
		it.n--
	}
	it.buf[it.n] = childrenOf(t)
	it.n++
}

func (it *LeafIter) up() {
	if it.n--; it.n == 0 && len(it.more) > 0 {
		it.buf[0] = it.more[len(it.more)-1]
		it.more = it.more[:len(it.more)-1]
		it.n = 1
	}
}
