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
	{[]op.Generic{op.GCallFun, op.GDeallocate, op.GReturn}, callFunLast},
	{[]op.Generic{op.GCallFun2, op.GDeallocate, op.GReturn}, callFun2Last},
	{[]op.Generic{op.GDeallocate, op.GReturn}, deallocateReturn},
	{[]op.Generic{op.GPutTuple}, putTuple},
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

// putTuple is the old form: put_tuple, then a put for each element.
func putTuple(a *asm, in []op.Instr) int {
	n := int(in[0].Args[0].Val)
	var els []op.Arg
	took := 1
	for ; len(els) < n && took < len(in); took++ {
		switch in[took].Op {
		case op.GPut:
			els = append(els, in[took].Args[0])
		case op.GLine:
		default:
			a.fail("put_tuple without its put instructions")
			return took
		}
	}
	if len(els) < n {
		a.fail("put_tuple without its put instructions")
	}
	a.tuple(a.arg(in[0].Args[1]), els)
	return took
}
