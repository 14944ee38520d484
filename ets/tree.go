package ets

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/term"
)

// tree is a weight-balanced binary search tree over objects, ordered by
// term.Compare of the keys (so 1 and 1.0 are one key). Every node knows the
// number of nodes below it, which makes slot/2 and sizes cheap. One lock guards
// it all.
type tree struct {
	root uintptr // address of the word that holds the root
}

// Balance parameters of Hirai and Yamamoto: neither side weighs (size + 1) more
// than delta times the other; below gamma a single rotation does.
const (
	delta = 3
	gamma = 2
)

func (r *tree) create()          { r.root = offheap.AllocZero(16, offheap.Ets) }
func left(o object) object       { return uintptr(word(o, 0)) }
func right(o object) object      { return uintptr(word(o, 1)) }
func rightLink(o object) uintptr { return o + 8 }
func (r *tree) top() object      { return uintptr(offheap.Load(r.root)) }

func nodes(o object) uint64 {
	if o == 0 {
		return 0
	}
	return word(o, 4)
}

func fixNodes(o object) { setWord(o, 4, nodes(left(o))+nodes(right(o))+1) }

func compareKeys(a, b term.Term) int {
	if a == b {
		return 0
	}
	return term.Compare(a, b)
}

// find returns the object of a key, or 0.
func (r *tree) find(t *Table, key term.Term) object {
	for o := r.top(); o != 0; {
		switch c := compareKeys(key, t.key(o)); {
		case c == 0:
			return o
		case c < 0:
			o = left(o)
		default:
			o = right(o)
		}
	}
	return 0
}

// path is the links from the root to a place in the tree.
type path struct {
	links [96]uintptr // a tree of height 96 has more nodes than there is memory
	n     int
}

func (p *path) push(link uintptr) {
	p.links[p.n] = link
	p.n++
}

// last is the link to the place itself.
func (p *path) last() uintptr { return p.links[p.n-1] }

// descend collects the links to a key: the last one holds its object, or 0
// where it would go.
func (r *tree) descend(t *Table, key term.Term, p *path) object {
	p.n = 0
	p.push(r.root)
	for {
		o := uintptr(offheap.Load(p.last()))
		if o == 0 {
			return 0
		}
		switch c := compareKeys(key, t.key(o)); {
		case c == 0:
			return o
		case c < 0:
			p.push(o)
		default:
			p.push(rightLink(o))
		}
	}
}

// put inserts or replaces; with unique set it refuses (false) when the key is
// there.
func (r *tree) put(t *Table, tuple, key term.Term, unique bool) bool {
	var p path
	old := r.descend(t, key, &p)
	if old != 0 && unique {
		return false
	}
	n := t.newObject(tuple)
	if old != 0 {
		r.replace(p.last(), old, n)
		t.freeObject(old)
		return true
	}
	setWord(n, 0, 0)
	setWord(n, 1, 0)
	setWord(n, 4, 1)
	offheap.Store(p.last(), uint64(n))
	rebalance(&p, p.n-1)
	t.items.Add(1)
	return true
}

// replace puts n in the place of old at a link.
func (r *tree) replace(link uintptr, old, n object) {
	setWord(n, 0, word(old, 0))
	setWord(n, 1, word(old, 1))
	setWord(n, 4, word(old, 4))
	offheap.Store(link, uint64(n))
}

// unlink takes the object of a key out of the tree and returns it, or 0. With
// ok set it is asked first.
func (r *tree) unlink(t *Table, key term.Term, ok func(o object) bool) object {
	var p path
	o := r.descend(t, key, &p)
	if o == 0 || ok != nil && !ok(o) {
		return 0
	}
	at := p.n - 1
	link := p.links[at]
	switch {
	case left(o) == 0:
		offheap.Store(link, word(o, 1))
		rebalance(&p, at)
	case right(o) == 0:
		offheap.Store(link, word(o, 0))
		rebalance(&p, at)
	default:
		r.unlinkInner(o, &p)
	}
	t.items.Add(-1)
	return o
}

// unlinkInner takes out a node with two children: the greatest node of its left
// side takes its place.
func (r *tree) unlinkInner(o object, p *path) {
	at := p.n - 1
	p.push(o) // link to the left child
	m := left(o)
	for right(m) != 0 {
		p.push(rightLink(m))
		m = right(m)
	}
	offheap.Store(p.last(), word(m, 0))
	r.replace(p.links[at], o, m)
	p.links[at+1] = m
	rebalance(p, p.n-1)
}

// rebalance walks the first n links from the deepest to the root, putting counts
// and weights in order. The node at a link may have become empty.
func rebalance(p *path, n int) {
	for i := n - 1; i >= 0; i-- {
		o := uintptr(offheap.Load(p.links[i]))
		if o == 0 {
			continue
		}
		l, r := nodes(left(o))+1, nodes(right(o))+1
		switch {
		case r > delta*l:
			o = rotateLeft(o)
		case l > delta*r:
			o = rotateRight(o)
		default:
			fixNodes(o)
			continue
		}
		offheap.Store(p.links[i], uint64(o))
	}
}

// rotateLeft lifts the right child, after lifting its left one when that is
// what weighs.
func rotateLeft(o object) object {
	c := right(o)
	if nodes(left(c))+1 >= gamma*(nodes(right(c))+1) {
		c = liftLeft(c)
	}
	setWord(o, 1, word(c, 0))
	setWord(c, 0, uint64(o))
	fixNodes(o)
	fixNodes(c)
	return c
}

func rotateRight(o object) object {
	c := left(o)
	if nodes(right(c))+1 >= gamma*(nodes(left(c))+1) {
		c = liftRight(c)
	}
	setWord(o, 0, word(c, 1))
	setWord(c, 1, uint64(o))
	fixNodes(o)
	fixNodes(c)
	return c
}

func liftLeft(o object) object {
	c := left(o)
	setWord(o, 0, word(c, 1))
	setWord(c, 1, uint64(o))
	fixNodes(o)
	fixNodes(c)
	return c
}

func liftRight(o object) object {
	c := right(o)
	setWord(o, 1, word(c, 0))
	setWord(c, 0, uint64(o))
	fixNodes(o)
	fixNodes(c)
	return c
}

// edge returns the least (or greatest) object, or 0.
func (r *tree) edge(greatest bool) object {
	o := r.top()
	if o == 0 {
		return 0
	}
	for {
		n := left(o)
		if greatest {
			n = right(o)
		}
		if n == 0 {
			return o
		}
		o = n
	}
}

// beside returns the object nearest to key on one side of it (after it, or
// before it when back is set), or 0. cmp orders a search key against an
// object's key; it may call more than one key equal, which are then skipped.
func (r *tree) beside(t *Table, back bool, cmp func(key term.Term) int) object {
	var best object
	for o := r.top(); o != 0; {
		c := cmp(t.key(o)) // search key against this one
		if back {
			c = -c
		}
		if c < 0 {
			best = o
			if back {
				o = right(o)
			} else {
				o = left(o)
			}
		} else if back {
			o = left(o)
		} else {
			o = right(o)
		}
	}
	return best
}

// next returns the object after key, or before it.
func (r *tree) next(t *Table, key term.Term, back bool) object {
	return r.beside(t, back, func(k term.Term) int { return compareKeys(key, k) })
}

// at returns the object with n smaller ones, or 0.
func (r *tree) at(n uint64) object {
	o := r.top()
	for o != 0 {
		l := nodes(left(o))
		switch {
		case n < l:
			o = left(o)
		case n == l:
			return o
		default:
			n -= l + 1
			o = right(o)
		}
	}
	return 0
}

// freeSome frees up to limit objects, leaving a smaller tree.
func (r *tree) freeSome(t *Table, limit int) (n int, done bool) {
	for n < limit {
		o := r.top()
		if o == 0 {
			return n, true
		}
		if l := left(o); l != 0 { // turn until the root has no left child
			setWord(o, 0, word(l, 1))
			setWord(l, 1, uint64(o))
			offheap.Store(r.root, uint64(l))
			continue
		}
		offheap.Store(r.root, word(o, 1))
		t.freeObject(o)
		n++
	}
	return n, r.top() == 0
}

func (r *tree) destroy() {
	offheap.Free(r.root, 16, offheap.Ets)
	r.root = 0
}
