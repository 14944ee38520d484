package bif

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var ertsDebugRows = []native.Row{
	{Module: "erts_debug", Name: "flat_size", Arity: 1, Fn: ertsFlatSize},
	{Module: "erts_debug", Name: "size_shared", Arity: 1, Fn: ertsSizeShared},
	{Module: "erts_debug", Name: "copy_shared", Arity: 2, Fn: ertsCopyShared},
	{Module: "erts_debug", Name: "same", Arity: 2, Fn: ertsSame},
	{Module: "erts_debug", Name: "map_info", Arity: 1, Fn: ertsMapInfo},
	{Module: "erts_debug", Name: "get_internal_state", Arity: 1, Fn: ertsGetInternalState},
	{Module: "erts_debug", Name: "set_internal_state", Arity: 2, Fn: ertsSetInternalState},
}

// walkSize adds up the words that the release's ERTS would need for a term.
// Where its layouts differ from ours, its are counted. seen, when it is not
// nil, holds the addresses met: each counts once, and literals, which are shared
// with all, count nothing.
func walkSize(t term.Term, seen map[uintptr]bool) (words int) {
	st := []term.Term{t}
	for len(st) > 0 {
		t = st[len(st)-1]
		st = st[:len(st)-1]
		for !t.IsImmed() {
			if seen != nil {
				if seen[t.Addr()] || offheap.IsLiteral(t.Addr()) {
					break
				}
				seen[t.Addr()] = true
			}
			if t.IsList() {
				words += 2
				st = append(st, t.Head())
				t = t.Tail()
				continue
			}
			var n int
			n, st = boxedSize(t, st)
			words += n
			break
		}
	}
	return words
}

// boxedSize returns the words of one object of OTP 25, and pushes its parts.
func boxedSize(t term.Term, st []term.Term) (int, []term.Term) {
	n := term.HeaderWords(t.Hdr())
	switch t.Kind() {
	case term.KTuple, term.KRecord:
		if n == 0 {
			return 0, st // one literal serves all
		}
		return n + 1, pushParts(st, t, 1, n)
	case term.KMap:
		if t.MapKind() == term.MapFlat {
			return n + 2, pushParts(st, t, 1, n)
		}
		return n + 1, pushParts(st, t, 1, n)
	case term.KFun: // header, next, entry, arity and free, creator
		return n + 3, pushParts(st, t, 2, n)
	case term.KExport:
		return 5, st
	case term.KHeapBits, term.KSubBits:
		return bitsSize(t), st
	case term.KRef:
		if n == term.PidRefWords {
			return 4, st
		}
		return 3, st
	case term.KExtPid, term.KExtPort:
		return 4, st
	case term.KExtRef:
		return 3 + (int(t.W(2))+2)/2, st
	}
	return n + 1, st
}

func pushParts(st []term.Term, t term.Term, lo, hi int) []term.Term {
	for i := hi; i >= lo; i-- {
		if e := term.Term(t.W(i)); !e.IsImmed() {
			st = append(st, e)
		}
	}
	return st
}

// bitsSize counts a bitstring as OTP 25 lays it out: a heap binary, a handle
// of a reference counted one, or a sub binary of either.
func bitsSize(t term.Term) int {
	const procBin, subBin = 6, 5
	_, start, end := heap.Bits(t)
	size, over := (end-start)/8, (end-start)&7+start&7
	heapBin := func(bytes uint64) int { return 2 + int(bytes+7)/8 }
	extra := (over + 7) / 8
	counted := t.Kind() == term.KSubBits && term.Term(t.W(4)).Kind() == term.KBinRef
	switch {
	case over == 0 && (!counted || size <= heap.HeapBitsMax):
		return heapBin(size)
	case over == 0:
		return procBin
	case counted:
		return subBin + procBin
	}
	return subBin + heapBin(size+extra)
}

func ertsFlatSize(c *native.Call) term.Term {
	n := walkSize(c.Arg(0), nil)
	c.Bump(n / 32)
	return term.Small(int64(n))
}

func ertsSizeShared(c *native.Call) term.Term {
	n := walkSize(c.Arg(0), map[uintptr]bool{})
	c.Bump(n / 16)
	return term.Small(int64(n))
}

// ertsCopyShared is erts_debug:copy_shared/2: a copy that shares what the term
// shares. The second argument tells whether literals are copied too.
func ertsCopyShared(c *native.Call) term.Term {
	lits := c.Arg(1) == term.True
	if !lits && c.Arg(1) != term.False {
		return c.Badarg()
	}
	s := sharedCopy{h: &c.P.Heap, lits: lits, done: map[uintptr]term.Term{}}
	r := s.move(c.Arg(0))
	s.run()
	c.Bump(len(s.done) / 4)
	return r
}

// sharedCopy copies objects one by one; done maps an address to the copy.
type sharedCopy struct {
	h    *heap.Heap
	lits bool
	done map[uintptr]term.Term
	todo []uintptr // words of copies that still refer to the original
}

func (s *sharedCopy) move(t term.Term) term.Term {
	if t.IsImmed() || !s.lits && offheap.IsLiteral(t.Addr()) {
		return t
	}
	if r, ok := s.done[t.Addr()]; ok {
		return r
	}
	if t.IsList() {
		a := s.h.Alloc(2)
		r := term.MakeCons(a, t.Head(), t.Tail())
		s.done[t.Addr()] = r
		s.todo = append(s.todo, a, a+8)
		return r
	}
	n, lo := term.HeaderWords(t.Hdr()), 1
	switch t.Kind() {
	case term.KTuple, term.KRecord, term.KMap:
	case term.KFun:
		lo = 2
	default: // no parts, or not parts of their own
		a := s.h.Alloc(heap.Size(t, s.lits))
		r := heap.Copy(t, &a, &s.h.Off, s.lits)
		s.done[t.Addr()] = r
		return r
	}
	a := s.h.Alloc(n + 1)
	offheap.Copy(a, t.Addr(), uintptr(n+1)*8)
	r := term.Box(a)
	s.done[t.Addr()] = r
	for i := lo; i <= n; i++ {
		s.todo = append(s.todo, a+uintptr(i)*8)
	}
	return r
}

func (s *sharedCopy) run() {
	for len(s.todo) > 0 {
		a := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		offheap.Store(a, uint64(s.move(term.Term(offheap.Load(a)))))
	}
}

func ertsSame(c *native.Call) term.Term { return term.Bool(c.Arg(0) == c.Arg(1)) }

// ertsMapInfo is erts_debug:map_info/1: how the tree of a large map looks.
func ertsMapInfo(c *native.Call) term.Term {
	m := c.Arg(0)
	if !m.IsMap() {
		return badmap(c, m)
	}
	if m.MapKind() == term.MapFlat {
		return c.Badarg()
	}
	s := maps.ShapeOf(m)
	h := &c.P.Heap
	ints := func(a []int) term.Term {
		els := make([]term.Term, len(a))
		for i, n := range a {
			els[i] = term.Small(int64(n))
		}
		return h.Tuple(els...)
	}
	arrays := 0 // heads with 16 children, which ERTS tells apart
	if term.HeaderWords(m.Hdr()) == 17 {
		arrays = 1
		s.Children[15]--
	}
	return h.List(
		h.Tuple(term.Intern("depth"), term.Small(int64(s.Depth))),
		h.Tuple(term.Intern("arrays"), term.Small(int64(arrays)), term.Nil),
		h.Tuple(term.Intern("bitmaps"), term.Small(int64(s.Nodes-arrays)), ints(s.Children[:])),
		h.Tuple(term.Intern("leafs"), term.Small(int64(m.MapSize())), ints(s.Leaves[:])),
	)
}
