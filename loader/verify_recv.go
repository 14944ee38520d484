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
