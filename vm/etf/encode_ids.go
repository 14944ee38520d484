package etf

import (
	"slices"
	"unicode/utf8"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/internal/wire"
	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/term"
)

func (e *Encoder) atom(a atom.Atom) {
	if e.Cache != nil {
		if i, ok := e.Cache(a); ok {
			e.tag8(wire.TagAtomCacheRef, int(i))
			return
		}
	}
	s := a.String()
	if e.UTF8Atoms || !a.IsLatin1() {
		if len(s) > 255 {
			e.grow(3)
			e.buf = append(e.buf, wire.TagAtomUTF8, byte(len(s)>>8), byte(len(s)))
		} else {
			e.tag8(wire.TagSmallAtomUTF8, len(s))
		}
		e.grow(len(s))
		e.buf = append(e.buf, s...)
		return
	}
	n := a.Chars()
	e.grow(3 + n)
	e.buf = append(e.buf, wire.TagAtom, byte(n>>8), byte(n))
	if n == len(s) {
		e.buf = append(e.buf, s...)
		return
	}
	for len(s) > 0 {
		r, w := utf8.DecodeRuneInString(s)
		e.buf = append(e.buf, byte(r))
		s = s[w:]
	}
}

func (e *Encoder) pid(node term.NodeRef, number, serial uint32) {
	e.u8(wire.TagNewPid)
	e.atom(node.Name)
	e.u32(int(number))
	e.u32(int(serial))
	e.u32(int(node.Creation))
}

func (e *Encoder) port(node term.NodeRef, number uint64) {
	if number>>28 != 0 {
		e.u8(wire.TagV4Port)
		e.atom(node.Name)
		e.u32(int(number >> 32))
	} else {
		e.u8(wire.TagNewPort)
		e.atom(node.Name)
	}
	e.u32(int(uint32(number)))
	e.u32(int(node.Creation))
}

func (e *Encoder) ref(node term.NodeRef, nums []uint32) {
	e.grow(3)
	e.buf = append(e.buf, wire.TagNewerReference, 0, byte(len(nums)))
	e.atom(node.Name)
	e.u32(int(node.Creation))
	for _, n := range nums {
		e.u32(int(n))
	}
}

// fun writes a local fun up to its creator and free variables, which follow
// as its parts.
func (e *Encoder) fun(t term.Term, words int) {
	f := offheap.At[code.FunEntry](uintptr(t.W(1)))
	e.tag32(wire.TagNewFun, 0)
	at := len(e.buf) - 4
	e.u8(int(f.Arity))
	e.bytes(f.Uniq[:])
	e.u32(int(f.Index))
	e.u32(words - 2)
	e.atom(f.Module.Atom())
	e.small(int64(f.OldIdx))
	e.small(int64(f.OldUniq))
	e.push(work{kind: wkFunLen, pos: at, n: e.extra, t: term.Nil})
	e.push(work{kind: wkRun, t: t, i: 2, n: 1 + words})
}

// sorted queues the pairs of a large map in the order of their keys.
func (e *Encoder) sorted(m term.Term, n int) {
	cells := leaves(m, n)
	slices.SortFunc(cells, func(a, b term.Term) int { return term.CompareExact(a.Head(), b.Head()) })
	for i := len(cells) - 1; i >= 0; i-- {
		e.push(work{kind: wkRun, t: cells[i], n: 2})
	}
}

// leaves collects the cons cells [Key|Value] of a HAMT of n pairs.
func leaves(m term.Term, n int) []term.Term {
	cells := make([]term.Term, 0, n)
	todo := []term.Term{m}
	for len(todo) > 0 {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		first := 1
		if t.MapKind() == term.MapHead {
			first = 2
		}
		for i := first; i <= term.HeaderWords(t.Hdr()); i++ {
			if c := term.Term(t.W(i)); c.IsList() {
				cells = append(cells, c)
			} else {
				todo = append(todo, c)
			}
		}
	}
	return cells
}
