package spec

import (
	"github.com/beamrd/beamrd/vm/op"
)

var bifEmitters = map[op.Generic]emitter{
	op.GBif0: func(a *asm, g []op.Arg) { a.bif(0, -1, g[0], g[1], nil) },
	op.GBif1: func(a *asm, g []op.Arg) { a.bif(g[0].Val, -1, g[1], g[3], g[2:3]) },
	op.GBif2: func(a *asm, g []op.Arg) { a.bif(g[0].Val, -1, g[1], g[4], g[2:4]) },
	op.GBif3: func(a *asm, g []op.Arg) { a.bif(g[0].Val, -1, g[1], g[5], g[2:5]) },
	op.GGcBif1: func(a *asm, g []op.Arg) {
		if a.length(g) {
			return
		}
		a.bif(g[0].Val, int(g[1].Val), g[2], g[4], g[3:4])
	},
	op.GGcBif2: func(a *asm, g []op.Arg) {
		a.bif(g[0].Val, int(g[1].Val), g[2], g[5], g[3:5])
	},
	op.GGcBif3: func(a *asm, g []op.Arg) {
		a.bif(g[0].Val, int(g[1].Val), g[2], g[6], g[3:6])
	},
}

// Builtins that the loop does itself when the operands are ordinary.
var inlineBif1 = map[mfa]op.Base{
	{"erlang", "hd", 1}:         op.BHd,
	{"erlang", "tl", 1}:         op.BTl,
	{"erlang", "tuple_size", 1}: op.BTupleSize,
}

var inlineBif2 = map[mfa]op.Base{
	{"erlang", "element", 2}: op.BElement,
	{"erlang", "=:=", 2}:     op.BEqExact,
	{"erlang", "=/=", 2}:     op.BNeExact,
}

var inlineArith = map[mfa]op.Base{
	{"erlang", "+", 2}: op.BAdd, {"erlang", "-", 2}: op.BSub, {"erlang", "*", 2}: op.BMul,
	{"erlang", "/", 2}:   op.BDivide,
	{"erlang", "div", 2}: op.BIntDiv, {"erlang", "rem", 2}: op.BIntRem,
	{"erlang", "band", 2}: op.BBand, {"erlang", "bor", 2}: op.BBor, {"erlang", "bxor", 2}: op.BBxor,
	{"erlang", "bsl", 2}: op.BBsl, {"erlang", "bsr", 2}: op.BBsr,
}

// commutes tells which operators may have their operands exchanged. A failure
// shows the arguments in order, so the exchange is only for a constant first.
func commutes(b op.Base) bool { return b == op.BEqExact || b == op.BNeExact }

// bif emits a call of a guard builtin. live is -1 when nothing may be
// collected.
func (a *asm) bif(fail int64, live int, imp, dst op.Arg, srcs []op.Arg) {
	i := int(imp.Val)
	if i < 0 || i >= len(a.in.Imports) {
		a.fail("import %d of %d", i, len(a.in.Imports))
		return
	}
	e := a.in.Imports[i]
	key := name(e)
	if key == (mfa{"erlang", "self", 0}) {
		a.must(op.BSelf, a.arg(dst).out())
		return
	}
	var ops []operand
	for _, s := range srcs {
		ops = append(ops, a.arg(s))
	}
	ops = append(ops, a.arg(dst).out())
	base, known := op.BBif0, true
	switch len(srcs) {
	case 0:
		a.must(op.BBif0, ops[0], exp(e))
		return
	case 1:
		if base, known = inlineBif1[key]; !known {
			if base = op.BBif1; live >= 0 {
				base = op.BGcBif1
			}
		}
	case 2:
		if live >= 0 {
			if base, known = inlineArith[key]; !known {
				base = op.BGcBif2
			}
		} else if base, known = inlineBif2[key]; !known {
			base = op.BBif2
		}
		if commutes(base) && ops[0].kind == 'c' {
			ops[0], ops[1] = ops[1], ops[0]
		}
	default:
		known = false
		base = 0
	}
	if len(srcs) < 3 {
		if live >= 0 && base != op.BHd && base != op.BTl && base != op.BTupleSize {
			ops = append(ops, num(live))
		}
		ops = append(ops, label(int(fail)), exp(e))
		if _, ok := a.emit(base, ops...); ok {
			return
		}
	}
	u := func(v int64) op.Arg { return op.Arg{Kind: op.ArgU, Val: v} }
	a.cold(op.GcBif, u(int64(live)), op.Arg{Kind: op.ArgF, Val: fail}, u(int64(exp(e).v)), dst,
		op.Arg{Kind: op.ArgList, List: srcs})
}

// length emits gc_bif1 of length/1, which may end the slice, unless that is not
// allowed where it stands.
func (a *asm) length(g []op.Arg) bool {
	i := int(g[2].Val)
	if i < 0 || i >= len(a.in.Imports) || name(a.in.Imports[i]) != (mfa{"erlang", "length", 1}) ||
		a.cur.Unproven || g[1].Val+lengthState > op.FloatOff/8 {
		return false
	}
	u := func(v int64) op.Arg { return op.Arg{Kind: op.ArgU, Val: v} }
	live, fail, e, dst := g[1], g[0], u(int64(exp(a.in.Imports[i]).v)), g[4]
	a.cold(op.Length, live, fail, e, dst, g[3], u(lengthWords+lengthMoreWords))
	a.cold(op.LengthMore, live, fail, e, dst)
	return true
}

const (
	lengthState     = 3 // X registers
	lengthWords     = 7
	lengthMoreWords = 5
)
