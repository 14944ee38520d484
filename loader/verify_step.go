package loader

import "github.com/beamrd/beamrd/vm/op"

// step checks the current instruction and brings the state behind it.
func (v *verifier) step() {
	in := v.in
	a := in.Args
	if shapes[in.Op] == "" { // unsupported: it raises
		v.durable()
		v.raise()
		v.end()
		return
	}
	switch in.Op {
	case op.GLine, op.GNifStart, op.GExecutableLine, op.GDebugLine, op.GRecvMark, op.GRecvSet, op.GFclearerror:
	case op.GOnLoad:
	case op.GFuncInfo:
		v.noFrame()
		v.liveX(a[2].Val)
		v.passX(a[2].Val)
		v.end()
	case op.GJump:
		if v.startsWith(a[0].Val, op.GTryCase) {
			// After a call that never returns: try_case is for exceptions.
			v.in.Op, v.in.Args = op.GIfEnd, nil
		} else {
			v.branch(&a[0])
		}
		v.end()
	case op.GMove:
		v.set(&a[1], v.get(&a[0]))
	case op.GSwap:
		t, u := v.get(&a[0]), v.get(&a[1])
		v.set(&a[0], u)
		v.set(&a[1], t)
	case op.GFmove, op.GFconv, op.GFcheckerror, op.GFadd, op.GFsub, op.GFmul, op.GFdiv, op.GFnegate:
		v.float()
	case op.GSelectVal:
		v.selectVal()
	case op.GSelectTupleArity:
		v.selectArity()
	case op.GIfEnd:
		v.raise()
		v.end()
	case op.GBadmatch, op.GCaseEnd, op.GTryCaseEnd, op.GBadrecord:
		v.value(&a[0])
		v.durable()
		v.raise()
		v.end()
	case op.GRaise:
		v.value(&a[0])
		v.value(&a[1])
		v.durable()
		v.raise()
		v.end()
	default:
		switch {
		case shapes[in.Op][0] == 'L' && isTest(in.Op):
			v.test()
		case v.frames():
		case v.calls():
		case v.builds():
		case v.receives():
		case v.bits():
		default:
			v.fail("not supported")
		}
	}
}

func isTest(g op.Generic) bool {
	switch g {
	case op.GIsEq, op.GIsNe, op.GIsLt, op.GIsGe, op.GIsEqExact, op.GIsNeExact, op.GTestArity, op.GIsTaggedTuple,
		op.GIsBinary, op.GIsBoolean, op.GIsFunction2, op.GHasMapFields:
		return true
	}
	return testTypes[g] != 0
}

// test checks a test: what is known of its source differs on both ways.
func (v *verifier) test() {
	a := v.in.Args
	src, fail := &a[1], &a[0]
	t := v.get(src)
	pass, other := t, t
	switch g := v.in.Op; g {
	case op.GIsEqExact, op.GIsNeExact:
		u := v.value(&a[2])
		pass, other = equality(t, u, &a[2])
		if g == op.GIsNeExact {
			pass, other = other, pass
		}
	case op.GIsEq, op.GIsNe, op.GIsLt, op.GIsGe:
		v.value(&a[2])
	case op.GTestArity:
		// Unproven, what is no tuple fails, too.
		v.want(src, typeTuple)
		pass = meet(t, vtuple(int(min(a[2].Val, 1<<24))))
	case op.GIsTaggedTuple:
		pass = meet(t, vtuple(int(min(a[2].Val, 1<<24))))
	case op.GIsBinary:
		pass = meet(t, typeBits)
	case op.GIsBoolean:
		pass = meet(t, typeAtom)
	case op.GIsFunction2:
		v.value(&a[2])
		pass = meet(t, typeFun)
	case op.GHasMapFields:
		v.want(src, typeMap)
		v.sources(a[2].List)
		pass = meet(t, typeMap)
	default:
		set := testTypes[g]
		pass, other = meet(t, set), minus(t, set)
	}
	v.refine(src, other)
	v.branch(fail)
	v.refine(src, pass)
}

// equality gives the types on both ways of an exact comparison.
func equality(t, u vtype, b *op.Arg) (same, differ vtype) {
	same, differ = t, t
	if t&u&vMask != 0 {
		same = meet(t, u)
	}
	if b.Kind == op.ArgTerm && b.Term().IsNil() {
		differ = minus(t, typeNil)
	}
	return same, differ
}

func (v *verifier) sources(l []op.Arg) {
	for i := range l {
		v.value(&l[i])
	}
}

func (v *verifier) selectVal() {
	a := v.in.Args
	t := v.get(&a[0])
	l := a[2].List
	for i := 0; i < len(l); i += 2 {
		if u := typeOf(l[i].Term()); t&u&vMask != 0 {
			v.refine(&a[0], meet(t, u))
		}
		v.branch(&l[i+1])
		v.refine(&a[0], t)
	}
	v.branch(&a[1])
	v.end()
}

func (v *verifier) selectArity() {
	a := v.in.Args
	t0 := v.get(&a[0])
	v.want(&a[0], typeTuple)
	t := meet(t0, typeTuple)
	l := a[2].List
	for i := 0; i < len(l); i += 2 {
		v.refine(&a[0], meet(t, vtuple(int(min(l[i].Val, 1<<24)))))
		v.branch(&l[i+1])
	}
	v.refine(&a[0], t0) // what is no tuple goes there too
	v.branch(&a[1])
	v.end()
}

// float checks the instructions on float registers, whose content is never
// taken for a term.
func (v *verifier) float() {
	a := v.in.Args
	switch v.in.Op {
	case op.GFmove:
		switch src, dst := &a[0], &a[1]; {
		case src.Kind == op.ArgFR && dst.Kind == op.ArgFR:
			v.fail("moves from float register to float register")
		case src.Kind == op.ArgFR:
			v.eat(floatWords)
			v.set(dst, typeFloat)
		case dst.Kind == op.ArgFR:
			v.want(src, typeFloat)
			v.unprovenRead()
		default:
			v.fail("moves no float register")
		}
	case op.GFconv:
		v.value(&a[0])
		v.raise()
	default:
		v.orRaise(&a[0])
	}
}
