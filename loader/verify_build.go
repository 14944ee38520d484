package loader

import "github.com/beamrd/beamrd/vm/op"

// builds checks the instructions that take terms apart and put them together;
// false if it is another.
func (v *verifier) builds() bool {
	a := v.in.Args
	switch v.in.Op {
	case op.GGetList:
		v.want(&a[0], typeCons)
		v.unprovenRead()
		v.set(&a[1], vAny)
		v.set(&a[2], vAny)
	case op.GGetHd, op.GGetTl:
		v.want(&a[0], typeCons)
		v.unprovenRead()
		v.set(&a[1], vAny)
	case op.GGetTupleElement:
		v.want(&a[0], vtuple(int(min(a[1].Val, 1<<24))+1))
		v.unprovenRead()
		v.set(&a[2], vAny)
	case op.GSetTupleElement:
		v.value(&a[0])
		t := v.value(&a[1])
		if t&vFresh == 0 {
			v.fail("writes to a tuple that was not just made")
		}
		v.want(&a[1], vtuple(int(min(a[2].Val, 1<<24))+1))
		v.unprovenRead()
	case op.GPutList:
		v.value(&a[0])
		v.value(&a[1])
		v.eat(consWords)
		v.set(&a[2], typeCons)
	case op.GPutTuple2:
		v.sources(a[1].List)
		v.eat(1 + len(a[1].List))
		v.set(&a[0], vtuple(len(a[1].List)))
	case op.GUpdateRecord:
		v.updateRecord()
	case op.GMakeFun2:
		v.makeFun2()
	case op.GMakeFun3:
		v.makeFun3()
	case op.GPutMapAssoc, op.GPutMapExact:
		v.want(&a[1], typeMap)
		v.sources(a[4].List)
		v.collect(a[3].Val)
		v.orRaise(&a[0])
		v.unproven()
		v.set(&a[2], typeMap)
	case op.GGetMapElements:
		v.getMapElements()
	default:
		return false
	}
	return true
}

// unproven notes that the checked form of an instruction may raise.
func (v *verifier) unproven() {
	if v.in.Unproven {
		v.raise()
	}
}

// unprovenRead is unproven for instructions whose check is one of its own
// (spec.check). The compiler knows that it never fails, and may have put parts
// of a message that is still in the queue into the frame; a handler finds []
// there instead (interp's checkFailed).
func (v *verifier) unprovenRead() {
	if !v.in.Unproven {
		return
	}
	fragile := v.fragile
	v.fragile = 0
	y := v.mem.copyRegs(v.st.y)
	for i, t := range v.st.y {
		if t&vFragile != 0 {
			v.st.y[i] = typeNil
		}
	}
	v.raise()
	copy(v.st.y, y)
	v.fragile = fragile
}

func (v *verifier) updateRecord() {
	a := v.in.Args
	n := int(min(a[1].Val, 1<<24))
	v.want(&a[2], vtuple(n))
	v.unprovenRead()
	l := a[4].List
	for i := 1; i < len(l); i += 2 {
		v.value(&l[i])
	}
	v.eat(n + 1)
	v.set(&a[3], vtuple(n))
}

func (v *verifier) makeFun2() {
	i := v.in.Args[0].Val
	if i >= int64(len(v.f.Lambdas)) {
		v.fail("lambda %d of %d", i, len(v.f.Lambdas))
		return
	}
	v.collect(int64(v.f.Lambdas[i].NumFree))
	v.st.x = append(v.st.x[:0], typeFun)
}

func (v *verifier) makeFun3() {
	a := v.in.Args
	if a[0].Val >= int64(len(v.f.Lambdas)) {
		v.fail("lambda %d of %d", a[0].Val, len(v.f.Lambdas))
		return
	}
	env := a[2].List
	if n := v.f.Lambdas[a[0].Val].NumFree; n != len(env) {
		v.fail("%d free variables for a lambda of %d", len(env), n)
		return
	}
	v.sources(env)
	v.eat(funWords + len(env))
	v.set(&a[1], typeFun)
}

// getMapElements may have written some of its destinations when it fails.
func (v *verifier) getMapElements() {
	a := v.in.Args
	t := v.get(&a[1])
	v.want(&a[1], typeMap)
	v.unproven()
	l := a[2].List
	for i := 0; i < len(l); i += 2 {
		v.value(&l[i])
	}
	v.refine(&a[1], t)
	for i := 1; i < len(l); i += 2 {
		// Not written yet on the failing way if it held nothing.
		if d := &l[i]; v.holds(d) {
			v.set(d, vAny)
		}
	}
	v.branch(&a[0])
	v.refine(&a[1], meet(t, typeMap))
	for i := 1; i < len(l); i += 2 {
		v.set(&l[i], vAny)
	}
}

// holds tells whether a register holds a term.
func (v *verifier) holds(a *op.Arg) bool {
	if a.Kind == op.ArgX {
		return int(a.Val) < len(v.st.x) && v.st.x[a.Val] != vUninit
	}
	return v.inFrame(a.Val) && v.st.y[a.Val] != vUninit
}
