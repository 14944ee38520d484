package loader

import "github.com/beamrd/beamrd/vm/op"

// frames checks the instructions on the stack frame; false if it is another.
func (v *verifier) frames() bool {
	a := v.in.Args
	switch v.in.Op {
	case op.GAllocate, op.GAllocateZero:
		v.collect(a[1].Val)
		v.allocate(a[0].Val, v.in.Op == op.GAllocateZero)
	case op.GAllocateHeap, op.GAllocateHeapZero:
		v.collect(a[2].Val)
		v.allocate(a[0].Val, v.in.Op == op.GAllocateHeapZero)
		v.st.heap = heapWords(&a[1])
	case op.GTestHeap:
		v.collect(a[1].Val)
		v.st.heap = heapWords(&a[0])
	case op.GInit:
		v.set(&a[0], typeNil)
	case op.GInitYregs:
		for i := range a[0].List {
			v.set(&a[0].List[i], typeNil)
		}
	case op.GDeallocate:
		if v.st.frame == oneFrame && a[0].Val != int64(len(v.st.y)) {
			v.fail("deallocates %d of %d registers", a[0].Val, len(v.st.y))
		}
		v.deallocate()
	case op.GTrim:
		v.trim(a[0].Val, a[1].Val)
	case op.GReturn:
		v.noFrame()
		v.liveX(1)
		v.passX(1)
		v.end()
	case op.GCatch, op.GTry:
		v.tag(&a[0], a[1].Val)
	case op.GCatchEnd:
		if v.untag(&a[0], vCatch) {
			v.liveX(1)
			v.st.x = append(v.st.x[:0], vAny)
			v.st.heap = 0
			v.st.stale()
		}
	case op.GTryEnd:
		v.untag(&a[0], vTry)
	case op.GTryCase:
		if v.untag(&a[0], vTry) {
			v.liveX(excRegs)
			v.st.x = append(v.st.x[:0], vAny, vAny, vAny)
			v.st.heap = 0
			v.st.stale()
		}
	default:
		return false
	}
	return true
}

func (v *verifier) noFrame() {
	if v.st.frame != noFrame {
		v.fail("a stack frame is left")
	}
}

func (v *verifier) trim(n, left int64) {
	v.needFrame()
	if n+left != int64(len(v.st.y)) || n < 0 || left < 0 {
		v.fail("trims %d and leaves %d of %d registers", n, left, len(v.st.y))
		return
	}
	for _, t := range v.st.y[:n] {
		if t.isTag() {
			v.fail("trims a catch tag away")
		}
	}
	v.st.y = append(v.st.y[:0], v.st.y[n:]...)
}

// tag starts a try or catch: an exception from now on goes to the label.
func (v *verifier) tag(y *op.Arg, label int64) {
	t, ends := vTry, op.GTryCase
	if v.in.Op == op.GCatch {
		t, ends = vCatch, op.GCatchEnd
	}
	if !v.startsWith(label, ends) {
		v.fail("label %d does not start with %s", label, op.Generics[ends].Name)
	}
	v.set(y, t|vtype(label)<<vShift)
	v.st.tags++
}

// startsWith tells whether the first instruction at a label is the one given.
func (v *verifier) startsWith(label int64, g op.Generic) bool {
	for i := int(v.labels[label].pos); i < len(v.fn.Instrs); i++ {
		switch v.fn.Instrs[i].Op {
		case op.GLabel, op.GLine:
		default:
			return v.fn.Instrs[i].Op == g
		}
	}
	return false
}

// excRegs is the number of X registers an exception leaves for try_case and
// catch_end, which alone may see them.
const excRegs = 4

var excX = []vtype{vAny, vAny, vAny, vAny}

// untag ends a try or catch.
func (v *verifier) untag(y *op.Arg, kind vtype) bool {
	if !v.inFrame(y.Val) {
		return false
	}
	if v.st.y[y.Val]&kind == 0 || !v.st.y[y.Val].isTag() {
		v.fail("y%d holds no such tag", y.Val)
		return false
	}
	v.st.y[y.Val] = typeNil
	v.st.tags--
	return true
}
