package spec

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/op"
)

var dataEmitters = map[op.Generic]emitter{
	op.GMove: func(a *asm, g []op.Arg) { a.must(op.BMove, a.arg(g[0]), a.arg(g[1]).out()) },
	op.GSwap: func(a *asm, g []op.Arg) {
		x, y := a.arg(g[0]), a.arg(g[1])
		if x.kind == 'y' && y.kind == 'x' {
			x, y = y, x
		}
		if x != y {
			a.form(exact(op.BSwap, string([]byte{x.kind, y.kind})), []operand{x, y})
		}
	},
	op.GGetList: func(a *asm, g []op.Arg) {
		a.must(op.BGetList, a.arg(g[0]), a.arg(g[1]).out(), a.arg(g[2]).out())
	},
	op.GGetHd:   func(a *asm, g []op.Arg) { a.must(op.BGetHd, a.arg(g[0]), a.arg(g[1]).out()) },
	op.GGetTl:   func(a *asm, g []op.Arg) { a.must(op.BGetTl, a.arg(g[0]), a.arg(g[1]).out()) },
	op.GPutList: func(a *asm, g []op.Arg) { a.must(op.BPutList, a.arg(g[0]), a.arg(g[1]), a.arg(g[2]).out()) },
	op.GGetTupleElement: func(a *asm, g []op.Arg) {
		n := int(g[1].Val)*8 + 8
		if n > 0xffff {
			a.cold(op.GetElement, g[0], op.Arg{Kind: op.ArgU, Val: g[1].Val + 1}, g[2])
			return
		}
		a.must(op.BGetTupleElement, a.arg(g[0]), num(n), a.arg(g[2]).out())
	},
	op.GSetTupleElement: func(a *asm, g []op.Arg) {
		n := int(g[2].Val)*8 + 8
		if n > 0xffff {
			a.cold(op.PutElement, g[0], g[1], op.Arg{Kind: op.ArgU, Val: g[2].Val + 1})
			return
		}
		a.must(op.BSetTupleElement, a.arg(g[0]), a.arg(g[1]), num(n))
	},
	op.GPutTuple2:      func(a *asm, g []op.Arg) { a.tuple(a.arg(g[0]), g[1].List) },
	op.GMakeFun2:       func(a *asm, g []op.Arg) { a.makeFun2(int(g[0].Val)) },
	op.GMakeFun3:       func(a *asm, g []op.Arg) { a.makeFun(int(g[0].Val), g[1], g[2].List) },
	op.GGetMapElements: func(a *asm, g []op.Arg) { a.getMapElements(g) },
	op.GUpdateRecord: func(a *asm, g []op.Arg) {
		a.cold(op.UpdateRecord, g[1], g[2], g[3], g[4])
	},

	op.GFmove: func(a *asm, g []op.Arg) {
		if g[1].Kind == op.ArgFR {
			a.must(op.BFload, a.arg(g[0]), a.arg(g[1]))
		} else {
			a.must(op.BFstore, a.arg(g[0]), a.arg(g[1]).out())
		}
	},
	op.GFconv: func(a *asm, g []op.Arg) { a.must(op.BFconv, a.arg(g[0]), a.arg(g[1])) },
	op.GFadd:  float(op.BFadd),
	op.GFsub:  float(op.BFsub),
	op.GFmul:  float(op.BFmul),
	op.GFdiv:  float(op.BFdiv),
	op.GFnegate: func(a *asm, g []op.Arg) {
		a.must(op.BFnegate, a.arg(g[1]), a.arg(g[2]))
	},
}

func float(b op.Base) emitter {
	return func(a *asm, g []op.Arg) { a.must(b, a.arg(g[1]), a.arg(g[2]), a.arg(g[3])) }
}

// exact returns the form of an operation with these kinds, which must exist.
func exact(b op.Base, kinds string) op.Form {
	for _, f := range op.Forms[b] {
		if f.Kinds == kinds {
			return f
		}
	}
	panic("spec: no form " + kinds)
}

// getMapElements reads one key after the other when all are immediate and the
// map is not overwritten before the last; like ERTS, it leaves what was read
// before a key that is missing.
func (a *asm) getMapElements(g []op.Arg) {
	l := g[2].List
	for i := 0; i+1 < len(l); i += 2 {
		if !immediate(a.arg(l[i])) || same(l[i+1], g[1]) && i+2 < len(l) {
			a.cold(op.GetMapElements, g...)
			return
		}
	}
	for i := 0; i+1 < len(l); i += 2 {
		a.must(op.BGetMapElement, a.arg(g[1]), a.arg(l[i]), a.arg(l[i+1]).out(), a.arg(g[0]))
	}
}

// tuple builds a tuple of sources.
func (a *asm) tuple(dst operand, els []op.Arg) {
	if len(els) > 0xffff {
		a.fail("put_tuple2 of %d elements", len(els))
		return
	}
	dst.dst = true
	a.form(exact(op.BPutTuple, string([]byte{dst.kind, 't'})), []operand{dst, num(len(els))})
	for _, e := range els {
		a.word(a.source(a.arg(e)))
	}
}

func (a *asm) fun(i int) *code.FunEntry {
	if i < 0 || i >= len(a.in.Funs) {
		a.fail("fun %d of %d", i, len(a.in.Funs))
		return nil
	}
	return a.in.Funs[i]
}

func (a *asm) makeFun(i int, dst op.Arg, free []op.Arg) {
	f := a.fun(i)
	if f == nil {
		return
	}
	a.cold(op.MakeFun, op.Arg{Kind: op.ArgU, Val: int64(offheap.Addr(f))}, dst, op.Arg{Kind: op.ArgList, List: free})
}

// makeFun2 is the old form: free variables in X0 and up, the fun to X0.
func (a *asm) makeFun2(i int) {
	f := a.fun(i)
	if f == nil {
		return
	}
	var free []op.Arg
	for n := range int64(f.NumFree) {
		free = append(free, op.Arg{Kind: op.ArgX, Val: n})
	}
	a.makeFun(i, op.Arg{Kind: op.ArgX}, free)
}
