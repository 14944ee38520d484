package loader

import "github.com/beamrd/beamrd/vm/op"

// receives checks the instructions on the message queue; false if it is
// another.
func (v *verifier) receives() bool {
	a := v.in.Args
	switch v.in.Op {
	case op.GLoopRec:
		v.durableY()
		v.st.keepX(0) // the slice may end while signals are handled
		v.st.heap, v.st.bin = 0, false
		v.branch(&a[0])
		v.set(&a[1], vAny|vFragile)
	case op.GRemoveMessage:
		v.st.removed()
	case op.GTimeout:
		v.st.keepX(0)
	case op.GLoopRecEnd, op.GWait:
		v.durableY()
		v.collect(0)
		v.branch(&a[0])
		v.end()
	case op.GWaitTimeout:
		v.value(&a[1])
		v.durableY()
		v.raise()
		v.collect(0)
		// Woken by a message while only sleeping, the instruction is run again,
		// and does not look at its operand, for the timer is running.
		if v.labels[a[0].Val].pos+1 != int32(v.pos) {
			v.branch(&a[0])
		}
	case op.GRecvMarkerBind:
		v.value(&a[0])
		v.value(&a[1])
	case op.GRecvMarkerClear, op.GRecvMarkerUse:
		v.value(&a[0])
	case op.GRecvMarkerReserve:
		v.st.heap = 0
		v.set(&a[0], vAny)
	default:
		return false
	}
	return true
}

// wakeAtSelf lets a wait_timeout with a label before it, to which the code it
// would go to does nothing but jump, branch there at once: such a one does not
// look at its operand again.
func (v *verifier) wakeAtSelf() {
	is := v.fn.Instrs
	for i := 1; i < len(is); i++ {
		if is[i].Op != op.GWaitTimeout || is[i-1].Op != op.GLabel {
			continue
		}
		self, to := is[i-1].Args[0].Val, &is[i].Args[0]
		if l := v.labels[to.Val]; int(l.fn) == v.fi && int(l.pos)+1 < len(is) {
			if j := &is[l.pos+1]; j.Op == op.GJump && j.Args[0].Val == self {
				to.Val = self
			}
		}
	}
}
