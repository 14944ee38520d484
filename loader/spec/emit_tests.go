package spec

import (
	"sort"

	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/term"
)

func test1(b op.Base) emitter {
	return func(a *asm, g []op.Arg) { a.must(b, a.arg(g[1]), a.arg(g[0])) }
}

func test2(b op.Base) emitter {
	return func(a *asm, g []op.Arg) { a.compare(b, a.arg(g[1]), a.arg(g[2]), a.arg(g[0])) }
}

var testEmitters = map[op.Generic]emitter{
	op.GIsInteger: test1(op.BIsInteger), op.GIsFloat: test1(op.BIsFloat),
	op.GIsNumber: test1(op.BIsNumber), op.GIsAtom: test1(op.BIsAtom),
	op.GIsPid: test1(op.BIsPid), op.GIsReference: test1(op.BIsReference),
	op.GIsPort: test1(op.BIsPort), op.GIsNil: test1(op.BIsNil),
	op.GIsBinary: test1(op.BIsBinary), op.GIsList: test1(op.BIsList),
	op.GIsNonemptyList: test1(op.BIsNonemptyList), op.GIsTuple: test1(op.BIsTuple),
	op.GIsFunction: test1(op.BIsFunction), op.GIsBoolean: test1(op.BIsBoolean),
	op.GIsBitstr: test1(op.BIsBitstr), op.GIsMap: test1(op.BIsMap),

	op.GIsLt: test2(op.BIsLt), op.GIsGe: test2(op.BIsGe),
	op.GIsEq: test2(op.BIsEq), op.GIsNe: test2(op.BIsNe),
	op.GIsEqExact: func(a *asm, g []op.Arg) { a.same(g, op.BIsEqImm, op.BIsEqExact) },
	op.GIsNeExact: func(a *asm, g []op.Arg) { a.same(g, op.BIsNeImm, op.BIsNeExact) },

	op.GTestArity: func(a *asm, g []op.Arg) {
		b := op.BTestArity
		if a.cur.Unproven {
			b = op.BIsTupleOfArity
		}
		a.must(b, a.arg(g[1]), header(g[2]), a.arg(g[0]))
	},
	op.GIsTaggedTuple: func(a *asm, g []op.Arg) {
		a.must(op.BIsTaggedTuple, a.arg(g[1]), header(g[2]), a.arg(g[3]), a.arg(g[0]))
	},
	op.GSelectVal:        func(a *asm, g []op.Arg) { a.selectVal(a.arg(g[0]), g) },
	op.GSelectTupleArity: func(a *asm, g []op.Arg) { a.selectArity(a.arg(g[0]), g) },
}

// header is the header word of a tuple as an operand.
func header(arity op.Arg) operand {
	return operand{kind: 'u', v: term.Header(int(arity.Val), term.KTuple)}
}

// compare emits a comparison. Constants of both sides are rare.
func (a *asm) compare(b op.Base, s1, s2, fail operand) { a.must(b, s1, s2, fail) }

func immediate(o operand) bool { return o.kind == 'c' && o.v&term.PrimMask == term.PrimImmed }

// same emits =:= or =/=, which are symmetric.
func (a *asm) same(g []op.Arg, imm, exact op.Base) {
	s1, s2, fail := a.arg(g[1]), a.arg(g[2]), a.arg(g[0])
	if s1.kind == 'c' || s1.kind == 'x' && s2.kind == 'y' {
		s1, s2 = s2, s1
	}
	if immediate(s2) {
		a.must(imm, s1, s2, fail)
		return
	}
	a.must(exact, s1, s2, fail)
}

// pair is a case of a select instruction.
type pair struct {
	val   uint64
	label int
}

func pairs(list []op.Arg) (ps []pair) {
	for i := 0; i+1 < len(list); i += 2 {
		ps = append(ps, pair{uint64(list[i].Val), int(list[i+1].Val)})
	}
	return ps
}

// tableFactor bounds the holes of a jump table.
const tableFactor = 4

func (a *asm) selectVal(s operand, g []op.Arg) {
	ps := pairs(g[2].List)
	small := len(ps) > 0
	lo, hi := int64(0), int64(0)
	for i, p := range ps {
		t := term.Term(p.val)
		if !t.IsImmed() {
			a.cold(op.SelectVal, g[0], g[1], g[2])
			return
		}
		if !t.IsSmall() {
			small = false
			continue
		}
		v := t.Small()
		if i == 0 || v < lo {
			lo = v
		}
		if i == 0 || v > hi {
			hi = v
		}
	}
	if small && len(ps) >= 3 && uint64(hi-lo) < uint64(len(ps)*tableFactor) {
		a.selectTable(s, ps, lo, int(hi-lo)+1, int(g[1].Val))
		return
	}
	sort.SliceStable(ps, func(i, j int) bool { return ps[i].val < ps[j].val })
	a.list(op.BSelectList, s, ps, a.arg(g[1]))
}

func (a *asm) selectTable(s operand, ps []pair, lo int64, n, other int) {
	at := a.must(op.BSelectTable, s, operand{kind: 'u', v: uint64(lo)}, num(n), label(other))
	to := make([]int, n)
	for i := range to {
		to[i] = other
	}
	for i := len(ps) - 1; i >= 0; i-- { // of equal values the first counts
		to[term.Term(ps[i].val).Small()-lo] = ps[i].label
	}
	for _, l := range to {
		a.labelWord(at, l)
	}
}

func (a *asm) list(b op.Base, s operand, ps []pair, other operand) {
	at := a.must(b, s, num(len(ps)), other)
	for _, p := range ps {
		a.word(p.val)
	}
	for _, p := range ps {
		a.labelWord(at, p.label)
	}
}

func (a *asm) selectArity(s operand, g []op.Arg) {
	ps := pairs(g[2].List)
	for i := range ps {
		ps[i].val = term.Header(int(ps[i].val), term.KTuple)
	}
	a.list(op.BSelectArity, s, ps, a.arg(g[1]))
}
