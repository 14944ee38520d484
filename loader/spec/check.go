package spec

import "github.com/beamrd/beamrd/vm/op"

// check emits what the verifier could not prove of an instruction's source, as
// an instruction that raises badarg. Instructions that check for themselves
// (the bit syntax, maps' tests) need nothing. Rules do not take unproven
// instructions.
func (a *asm) check(in *op.Instr) {
	g := in.Args
	switch in.Op {
	case op.GGetList, op.GGetHd, op.GGetTl:
		a.must(op.BCheckCons, a.arg(g[0]))
	case op.GGetTupleElement:
		a.checkTuple(g[0], uint64(g[1].Val)+1)
	case op.GSetTupleElement:
		a.checkTuple(g[1], uint64(g[2].Val)+1)
	case op.GTestArity, op.GIsTaggedTuple:
		a.checkTuple(g[1], 0)
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
