package spec

import "github.com/beamrd/beamrd/vm/op"

// check emits what the verifier could not prove of an instruction's source, as
// an instruction that raises badarg. Instructions that check for themselves
// (the bit syntax, maps' tests, is_tagged_tuple) need nothing, and test_arity
// has another form. Rules do not take unproven
// instructions.
func (a *asm) check(in *op.Instr) {
	g := in.Args
	switch in.Op {
	case op.GGetList, op.GGetHd, op.GGetTl:
		a.must(op.BCheckCons, a.arg(g[0]))
	case op.GGetTupleElement:
		a.checkTuple(g[0], uint64(in.Check))
	case op.GSetTupleElement:
		a.checkTuple(g[1], uint64(g[2].Val)+1)
	case op.GUpdateRecord:
		a.checkTuple(g[2], uint64(g[1].Val))
	case op.GFmove:
		if g[0].Kind != op.ArgFR {
			a.must(op.BCheckFloat, a.arg(g[0]))
		}
	}
}

func (a *asm) checkTuple(src op.Arg, n uint64) {
	a.must(op.BCheckTuple, a.arg(src), operand{kind: 'u', v: n})
}

// mergeChecks makes one check of those for reads of the same tuple that follow
// each other, so that the reads can be fused.
func mergeChecks(ins []op.Instr) {
	for i := range ins {
		in := &ins[i]
		if in.Op != op.GGetTupleElement || !in.Unproven {
			continue
		}
		src, top := in.Args[0], in.Args[1].Val
		for j := i; j+1 < len(ins) && !same(ins[j].Args[2], src); j++ {
			n := &ins[j+1]
			if n.Op != op.GGetTupleElement || !same(n.Args[0], src) {
				break
			}
			top = max(top, n.Args[1].Val)
			n.Unproven = false
		}
		in.Check = top + 1
	}
}
