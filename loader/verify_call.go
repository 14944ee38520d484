package loader

import (
	"slices"

	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/term"
)

// calls checks the instructions that call; false if it is another.
func (v *verifier) calls() bool {
	a := v.in.Args
	switch v.in.Op {
	case op.GCall:
		v.passLocal(a[0].Val, a[1].Val)
		v.called(a[0].Val)
	case op.GCallOnly:
		v.passLocal(a[0].Val, a[1].Val)
		v.tail(a[0].Val, -1)
	case op.GCallLast:
		v.passLocal(a[0].Val, a[1].Val)
		v.tail(a[0].Val, 2)
	case op.GCallExt:
		imp := v.imported(&a[1], a[0].Val)
		if imp != nil && noReturn(imp) {
			if v.st.frame == noFrame {
				v.in.Op = op.GCallExtOnly
			}
			v.liveX(a[0].Val)
			v.passX(a[0].Val)
			v.raise()
			v.end()
			return true
		}
		v.passX(a[0].Val)
		v.called(a[0].Val)
		if imp != nil && imp.Module == term.AmErlang && imp.Arity == 3 && imp.Function == amSetelement {
			v.st.x[0] = typeTuple | vFresh
		}
	case op.GCallExtOnly:
		if imp := v.imported(&a[1], a[0].Val); imp != nil && noReturn(imp) && v.st.frame != noFrame {
			v.in.Op = op.GCallExt
			v.liveX(a[0].Val)
			v.passX(a[0].Val)
			v.raise()
			v.end()
			return true
		}
		v.passX(a[0].Val)
		v.tail(a[0].Val, -1)
	case op.GCallExtLast:
		v.imported(&a[1], a[0].Val)
		v.passX(a[0].Val)
		v.tail(a[0].Val, 2)
	case op.GCallFun:
		v.passX(a[0].Val + 1)
		v.called(a[0].Val + 1)
	case op.GCallFun2:
		v.value(&a[2])
		v.passX(a[1].Val)
		v.called(a[1].Val)
	case op.GApply:
		v.passX(a[0].Val + 2)
		v.called(a[0].Val + 2)
	case op.GApplyLast:
		v.passX(a[0].Val + 2)
		v.tail(a[0].Val+2, 1)
	case op.GSend:
		v.passX(2)
		v.called(2)
	case op.GRawRaise:
		v.passX(3)
		v.called(3)
	case op.GBsInitWritable:
		v.passX(1)
		v.collect(1)
		v.st.x = append(v.st.x[:0], typeBits)
	case op.GBuildStacktrace:
		v.passX(1)
		v.collect(1)
		v.st.x = append(v.st.x[:0], vList)
	case op.GBif0, op.GBif1, op.GBif2, op.GBif3:
		v.bif()
	case op.GGcBif1, op.GGcBif2, op.GGcBif3:
		v.gcBif()
	default:
		return false
	}
	return true
}

var (
	amSetelement = term.Intern("setelement")
	amNifError   = term.Intern("nif_error")
)

// noReturn tells whether a function always raises.
func noReturn(i *Import) bool {
	if i.Module != term.AmErlang {
		return false
	}
	switch i.Function {
	case term.AmError:
		return i.Arity >= 1 && i.Arity <= 3
	case term.AmExit, term.AmThrow:
		return i.Arity == 1
	case amNifError:
		return i.Arity == 1 || i.Arity == 2
	}
	return false
}

// imported checks an import's index and arity.
func (v *verifier) imported(a *op.Arg, arity int64) *Import {
	if a.Val >= int64(len(v.f.Imports)) {
		v.fail("import %d of %d", a.Val, len(v.f.Imports))
		return nil
	}
	i := &v.f.Imports[a.Val]
	if int64(i.Arity) != arity {
		v.fail("calls %s:%s/%d with %d arguments", i.Module.Atom(), i.Function.Atom(), i.Arity, arity)
		return nil
	}
	return i
}

// called is a call that comes back: n arguments in X registers.
func (v *verifier) called(n int64) {
	v.needFrame()
	if n > maxArity+2 {
		v.fail("%d arguments", n)
	}
	v.fragile = 0
	v.collect(n)
	v.raise()
	v.st.x = append(v.st.x[:0], vAny)
}

// tail is a call in place of the function: operand d, if not negative, is the
// size of the frame to drop. The compiler leaves any number there when the
// call cannot return: it is set right.
func (v *verifier) tail(n int64, d int) {
	if n > maxArity+2 {
		v.fail("%d arguments", n)
	}
	v.liveX(n)
	v.ready()
	if d >= 0 {
		if v.st.frame == oneFrame {
			v.in.Args[d].Val = int64(len(v.st.y))
		} else {
			v.withoutFrame()
		}
		if v.st.tags > 0 {
			v.fail("a catch tag is left in the frame")
		}
	} else {
		v.noFrame()
	}
	v.end()
}

// withoutFrame turns a tail call into the form that drops no frame.
func (v *verifier) withoutFrame() {
	if v.st.frame != noFrame {
		v.needFrame()
		return
	}
	switch v.in.Op {
	case op.GCallLast:
		v.in.Op, v.in.Args = op.GCallOnly, v.in.Args[:2]
	case op.GCallExtLast:
		v.in.Op, v.in.Args = op.GCallExtOnly, v.in.Args[:2]
	default:
		v.needFrame()
	}
}

// bif checks a builtin called without a possible collection.
func (v *verifier) bif() {
	a := v.in.Args
	if v.in.Op == op.GBif0 {
		v.set(&a[1], v.guard(&a[0], 0).res)
		return
	}
	n := len(a) - 3
	t := v.guard(&a[1], n)
	v.sources(a[2 : 2+n])
	// What failed may have begun to build its reason.
	h := v.st.heap
	v.st.heap = 0
	v.orRaise(&a[0])
	if !t.alloc {
		v.st.heap = h
	}
	if src := &a[1+n]; t.arg != 0 {
		v.refine(src, meet(v.get(src), t.arg))
	}
	v.set(&a[2+n], t.res)
}

// looking tells whether a part of a message that is still in the queue may be
// among the sources or registers: then the slice must not end.
func (v *verifier) looking() bool {
	has := func(r []vtype) bool {
		return slices.ContainsFunc(r, func(t vtype) bool { return t&vFragile != 0 })
	}
	return v.fragile != 0 || has(v.st.x) || has(v.st.y)
}

// gcBif checks a builtin that may collect. One of one argument is unproven where
// the slice must not end.
func (v *verifier) gcBif() {
	a := v.in.Args
	n := len(a) - 4
	t := v.guard(&a[2], n)
	if t.context {
		v.get(&a[3])
	} else {
		v.sources(a[3 : 3+n])
	}
	v.collect(a[1].Val)
	if n == 1 {
		v.in.Unproven = v.looking()
	}
	v.orRaise(&a[0])
	if src := &a[2+n]; t.arg != 0 && (src.Kind == op.ArgY || src.Kind == op.ArgX && src.Val < a[1].Val) {
		v.refine(src, meet(v.get(src), t.arg))
	}
	v.set(&a[3+n], t.res)
}
