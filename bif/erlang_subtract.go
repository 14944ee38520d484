package bif

import (
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// naiveSubtract is the length up to which a side is searched linearly.
const naiveSubtract = 16

// erlangSubtract is --: for each element of the right side the first equal
// (=:=) one of the left goes. Both sides must be proper lists.
func erlangSubtract(c *native.Call) term.Term {
	l, r := c.Arg(0), c.Arg(1)
	ln, rn := listLength(l), listLength(r)
	if ln < 0 || rn < 0 {
		return c.Badarg()
	}
	c.Bump((ln + rn) / scanPerRed)
	switch {
	case ln == 0 || rn == 0:
		return l
	case ln <= naiveSubtract:
		return subtractSmallLeft(c, l, r)
	case rn <= naiveSubtract:
		return subtractSmallRight(c, l, r)
	}
	if ln+rn > dirtySubtract {
		return dirtyTrap(c, "subtract_dirty", l, r)
	}
	c.Bump((ln + rn) / 4)
	return subtractHashed(c, l, r, rn)
}

// dirtySubtract is the length of both sides together from which -- is done on a
// dirty thread: some five milliseconds' work.
const dirtySubtract = 30000

// subtractDirty goes on with -- for two proper lists.
func subtractDirty(c *native.Call) term.Term {
	return subtractHashed(c, c.Arg(0), c.Arg(1), listLength(c.Arg(1)))
}

func subtractSmallLeft(c *native.Call, l, r term.Term) term.Term {
	var buf [naiveSubtract]term.Term
	els := buf[:0]
	for ; l.IsList(); l = l.Tail() {
		els = append(els, l.Head())
	}
	for ; r.IsList() && len(els) > 0; r = r.Tail() {
		if i := indexSame(els, r.Head()); i >= 0 {
			els = append(els[:i], els[i+1:]...)
		}
	}
	return c.P.Heap.List(els...)
}

func subtractSmallRight(c *native.Call, l, r term.Term) term.Term {
	var buf [naiveSubtract]term.Term
	els := buf[:0]
	for ; r.IsList(); r = r.Tail() {
		els = append(els, r.Head())
	}
	var out listBuilder
	for ; l.IsList() && len(els) > 0; l = l.Tail() {
		if i := indexSame(els, l.Head()); i >= 0 {
			els[i] = els[len(els)-1]
			els = els[:len(els)-1]
			continue
		}
		out.add(c, l.Head())
	}
	return out.finish(l)
}

func indexSame(els []term.Term, t term.Term) int {
	for i, e := range els {
		if e == t || term.Same(e, t) {
			return i
		}
	}
	return -1
}

// counted is an element of the right side and how often it is still to go.
type counted struct {
	el   term.Term
	left int
	next int32 // index+1 of the next element with the same hash
}

func subtractHashed(c *native.Call, l, r term.Term, rn int) term.Term {
	index := make(map[uint64]int32, rn)
	set := make([]counted, 0, rn)
	find := func(t term.Term, h uint64) *counted {
		for i := index[h]; i != 0; i = set[i-1].next {
			if e := &set[i-1]; e.el == t || term.Same(e.el, t) {
				return e
			}
		}
		return nil
	}
	for ; r.IsList(); r = r.Tail() {
		t := r.Head()
		h := subtractHash(t)
		if e := find(t, h); e != nil {
			e.left++
			continue
		}
		set = append(set, counted{t, 1, index[h]})
		index[h] = int32(len(set))
	}
	var out listBuilder
	for ; l.IsList() && rn > 0; l = l.Tail() {
		t := l.Head()
		if e := find(t, subtractHash(t)); e != nil && e.left > 0 {
			e.left--
			rn--
			continue
		}
		out.add(c, t)
	}
	return out.finish(l)
}

func subtractHash(t term.Term) uint64 {
	if t.IsImmed() {
		return uint64(t)
	}
	return term.InternalHash(t)
}

// listBuilder makes a list front to back. It writes the tails of cells made in
// this call of the builtin, which nothing else has seen.
type listBuilder struct {
	first term.Term
	last  uintptr
}

func (b *listBuilder) add(c *native.Call, t term.Term) {
	a := c.Alloc(2)
	cell := term.MakeCons(a, t, term.Nil)
	if b.last == 0 {
		b.first = cell
	} else {
		term.PutTerm(b.last, 1, cell)
	}
	b.last = a
}

func (b *listBuilder) finish(tail term.Term) term.Term {
	if b.last == 0 {
		return tail
	}
	term.PutTerm(b.last, 1, tail)
	return b.first
}
