package loader

import (
	"github.com/beamrd/beamrd/loader/spec"
	"github.com/beamrd/beamrd/vm/op"
)

// modernise replaces what compilers up to OTP 21 wrote by what later ones
// write: put_tuple with a put for each element becomes put_tuple2, put_literal
// a move.
func modernise(funcs []spec.Func) {
	for i := range funcs {
		is := funcs[i].Instrs
		out := is[:0]
		for len(is) > 0 {
			in, n := is[0], 1
			switch in.Op {
			case op.GPutTuple:
				in, n = putTuple(is)
			case op.GPutLiteral:
				if in.Args[0].Kind == op.ArgTerm {
					in.Op = op.GMove
				}
			}
			out = append(out, in)
			is = is[n:]
		}
		funcs[i].Instrs = out
	}
}

// putTuple returns the put_tuple2 for a put_tuple, and how many instructions
// it stands for. A put_tuple without its elements stays as it is.
func putTuple(is []op.Instr) (op.Instr, int) {
	in := is[0]
	size := in.Args[0]
	if size.Kind != op.ArgU || size.Val >= int64(len(is)) {
		return in, 1
	}
	n := int(size.Val)
	els := make([]op.Arg, n)
	for i, p := range is[1 : 1+n] {
		if p.Op != op.GPut {
			return in, 1
		}
		els[i] = p.Args[0]
	}
	in.Op = op.GPutTuple2
	in.Args = []op.Arg{in.Args[1], {Kind: op.ArgList, Val: int64(n), List: els}}
	return in, 1 + n
}
