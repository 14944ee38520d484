package spec

import "github.com/beamrd/beamrd/vm/op"

// rule replaces a sequence of generic instructions. try emits code for the
// sequence and returns how many instructions it took, 0 when the operands do
// not allow it.
type rule struct {
	ops []op.Generic
	try func(a *asm, in []op.Instr) int
}

// rules by the first instruction, the most specific first.
var rules [op.MaxGeneric + 1][]rule

var _ = fillRules()

func fillRules() bool {
	for _, r := range ruleList {
		rules[r.ops[0]] = append(rules[r.ops[0]], r)
	}
	return true
}

var ruleList = []rule{
	{[]op.Generic{op.GIsTuple, op.GTestArity}, tupleOfArity},
	{[]op.Generic{op.GIsNonemptyList, op.GGetList}, nextList},
	{[]op.Generic{op.GIsNonemptyList, op.GGetTl}, nextPart(op.BNextTl)},
	{[]op.Generic{op.GIsNonemptyList, op.GGetHd}, nextPart(op.BNextHd)},
	{[]op.Generic{op.GGetTupleElement, op.GGetTupleElement}, twoElements},
	{[]op.Generic{op.GAllocate, op.GMove}, allocateMove},

	{[]op.Generic{op.GMove, op.GCall}, moveAnd(op.BMoveCall, func(a *asm, g []op.Arg) []operand {
		return []operand{a.arg(g[1])}
	})},
	{[]op.Generic{op.GMove, op.GCallOnly}, moveAnd(op.BMoveCallOnly, func(a *asm, g []op.Arg) []operand {
		return []operand{a.arg(g[1])}
	})},
	{[]op.Generic{op.GMove, op.GCallLast}, moveAnd(op.BMoveCallLast, func(a *asm, g []op.Arg) []operand {
		return []operand{frame(g[2]), a.arg(g[1])}
	})},
	{[]op.Generic{op.GMove, op.GCallExt}, moveAnd(op.BMoveCallExt, func(a *asm, g []op.Arg) []operand {
		return a.plainExport(g)
	})},
	{[]op.Generic{op.GMove, op.GCallExtOnly}, moveAnd(op.BMoveCallExtOnly, func(a *asm, g []op.Arg) []operand {
		return a.plainExport(g)
	})},
	{[]op.Generic{op.GMove, op.GCallExtLast}, moveAnd(op.BMoveCallExtLast, func(a *asm, g []op.Arg) []operand {
		if e := a.plainExport(g); e != nil {
			return []operand{frame(g[2]), e[0]}
		}
		return nil
	})},
	{[]op.Generic{op.GMove, op.GDeallocate, op.GReturn}, moveDeallocateReturn},
	{[]op.Generic{op.GMove, op.GReturn}, moveReturn},
	{[]op.Generic{op.GMove, op.GMove}, twoMoves},

	{[]op.Generic{op.GCallFun, op.GDeallocate, op.GReturn}, callFunLast},
	{[]op.Generic{op.GCallFun2, op.GDeallocate, op.GReturn}, callFun2Last},
	{[]op.Generic{op.GDeallocate, op.GReturn}, deallocateReturn},
}

// fits emits an operation if a form takes the operands as they are.
func (a *asm) fits(b op.Base, ops ...operand) bool {
	for _, f := range op.Forms[b] {
		if cost(f.Kinds, ops) == 0 {
			a.form(f, ops)
			return true
		}
	}
	return false
}

func taken(n int, ok bool) int {
	if ok {
		return n
	}
	return 0
}

// moveAnd fuses a move with the call that follows; rest gives the call's
// operands, or nil when it is not an ordinary call.
func moveAnd(b op.Base, rest func(a *asm, g []op.Arg) []operand) func(*asm, []op.Instr) int {
	return func(a *asm, in []op.Instr) int {
		r := rest(a, in[1].Args)
		if r == nil {
			return 0
		}
		m := in[0].Args
		return taken(2, a.fits(b, append([]operand{a.arg(m[0]), a.arg(m[1])}, r...)...))
	}
}

// plainExport returns the export of a call that is no builtin's.
func (a *asm) plainExport(g []op.Arg) []operand {
	i := int(g[1].Val)
	if i < 0 || i >= len(a.in.Imports) {
		return nil
	}
	e := a.in.Imports[i]
	if _, ok := inline[name(e)]; ok || e.Native >= 0 {
		return nil
	}
	return []operand{exp(e)}
}

func isX0(g op.Arg) bool { return g.Kind == op.ArgX && g.Val == 0 }

func moveReturn(a *asm, in []op.Instr) int {
	if m := in[0].Args; isX0(m[1]) {
		return taken(2, a.fits(op.BMoveReturn, a.arg(m[0])))
	}
	return 0
}

func moveDeallocateReturn(a *asm, in []op.Instr) int {
	if m := in[0].Args; isX0(m[1]) {
		return taken(3, a.fits(op.BMoveDeallocateReturn, a.arg(m[0]), frame(in[1].Args[0])))
	}
	return 0
}

func twoMoves(a *asm, in []op.Instr) int {
	m, n := in[0].Args, in[1].Args
	s1, d1, s2, d2 := a.arg(m[0]), a.arg(m[1]), a.arg(n[0]), a.arg(n[1])
	if a.fits(op.BMove2, s1, d1, s2, d2) {
		return 2
	}
	// The other way round, if neither depends on the other.
	if s2 == d1 || s1 == d2 || d1 == d2 {
		return 0
	}
	return taken(2, a.fits(op.BMove2, s2, d2, s1, d1))
}

func allocateMove(a *asm, in []op.Instr) int {
	g, m := in[0].Args, in[1].Args
	return taken(2, a.fits(op.BAllocateMove, frame(g[0]), a.arg(g[1]), a.arg(m[0]), a.arg(m[1])))
}

func nextList(a *asm, in []op.Instr) int {
	t, g := in[0].Args, in[1].Args
	if !same(t[1], g[0]) {
		return 0
	}
	return taken(2, a.fits(op.BNextList, a.arg(g[0]), a.arg(g[1]), a.arg(g[2]), a.arg(t[0])))
}

func nextPart(b op.Base) func(*asm, []op.Instr) int {
	return func(a *asm, in []op.Instr) int {
		t, g := in[0].Args, in[1].Args
		if !same(t[1], g[0]) {
			return 0
		}
		return taken(2, a.fits(b, a.arg(g[0]), a.arg(g[1]), a.arg(t[0])))
	}
}

// twoElements fuses reads of elements that follow each other, unless the
// first read overwrites the tuple.
func twoElements(a *asm, in []op.Instr) int {
	g, h := in[0].Args, in[1].Args
	if !same(g[0], h[0]) || h[1].Val != g[1].Val+1 || same(g[2], g[0]) {
		return 0
	}
	return taken(2, a.fits(op.BGetTupleElement2, a.arg(g[0]), num(int(g[1].Val)*8+8), a.arg(g[2]), a.arg(h[2])))
}

// hoistLines moves positions before the moves that precede them, which cannot
// fail, so that rules see moves next to what they prepare.
func hoistLines(ins []op.Instr) []op.Instr {
	for i := 1; i < len(ins); i++ {
		if ins[i].Op != op.GLine {
			continue
		}
		l := ins[i]
		j := i
		for ; j > 0 && ins[j-1].Op == op.GMove; j-- {
			ins[j] = ins[j-1]
		}
		ins[j] = l
	}
	return ins
}

func same(x, y op.Arg) bool { return x.Kind == y.Kind && x.Val == y.Val }

func tupleOfArity(a *asm, in []op.Instr) int {
	t, r := in[0].Args, in[1].Args
	if !same(t[0], r[0]) || !same(t[1], r[1]) {
		return 0
	}
	a.must(op.BIsTupleOfArity, a.arg(t[1]), header(r[2]), a.arg(t[0]))
	return 2
}

func deallocateReturn(a *asm, in []op.Instr) int {
	a.must(op.BDeallocateReturn, frame(in[0].Args[0]))
	return 2
}

func callFunLast(a *asm, in []op.Instr) int {
	a.must(op.BCallFunLast, frame(in[1].Args[0]), a.arg(in[0].Args[0]))
	return 3
}

func callFun2Last(a *asm, in []op.Instr) int {
	a.funToX(in[0].Args)
	a.must(op.BCallFunLast, frame(in[1].Args[0]), a.arg(in[0].Args[1]))
	return 3
}
