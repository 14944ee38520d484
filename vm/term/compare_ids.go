package term

import "github.com/beamrd/beamrd/vm/atom"

// pidNumBits is the width of the number of a pid of this node; the serial is
// in the bits above (15 bits in OTP 25, 28 later).
var pidNumBits uint = 15

// SetPidNumBits selects the width of pid numbers. Before the node starts.
func SetPidNumBits(n uint) { pidNumBits = n }

// PidParts returns the node, number and serial of a pid.
func PidParts(t Term) (node NodeRef, num, ser uint32) {
	if t.IsInternalPid() {
		d := t.ID()
		return ThisNode(), uint32(d & (1<<pidNumBits - 1)), uint32(d >> pidNumBits)
	}
	w := t.W(2)
	return NodeAt(int(t.W(1))), uint32(w), uint32(w >> 32)
}

// PortParts returns the node and number of a port.
func PortParts(t Term) (node NodeRef, num uint64) {
	if t.IsInternalPort() {
		return ThisNode(), t.ID()
	}
	return NodeAt(int(t.W(1))), t.W(2)
}

// RefParts returns the node and the numbers (lowest first) of a reference.
func RefParts(t Term) (node NodeRef, nums [5]uint32, n int) {
	if t.Kind() == KRef {
		nums[0], nums[1], nums[2] = t.RefNumbers()
		return ThisNode(), nums, 3
	}
	n = min(int(t.W(2)), len(nums))
	for i := range n {
		nums[i] = uint32(t.W(3+i/2) >> (32 * (i & 1)))
	}
	return NodeAt(int(t.W(1))), nums, n
}

// Node returns the node name of a pid, port or reference.
func NodeName(t Term) Term {
	switch {
	case t.IsBoxed() && t.Kind() != KRef:
		return Atom(NodeAt(int(t.W(1))).Name)
	}
	return Atom(ThisNode().Name)
}

func cmpNodes(a, b NodeRef) int {
	if a.Name != b.Name {
		return atom.Compare(a.Name, b.Name)
	}
	return cmpUint64(uint64(a.Creation), uint64(b.Creation))
}

func cmpPids(a, b Term) int {
	if a.IsInternalPid() && b.IsInternalPid() {
		return cmpUint64(a.ID(), b.ID())
	}
	na, anum, aser := PidParts(a)
	nb, bnum, bser := PidParts(b)
	if aser != bser {
		return cmpUint64(uint64(aser), uint64(bser))
	}
	if anum != bnum {
		return cmpUint64(uint64(anum), uint64(bnum))
	}
	return cmpNodes(na, nb)
}

func cmpPorts(a, b Term) int {
	na, anum := PortParts(a)
	nb, bnum := PortParts(b)
	if j := cmpNodes(na, nb); j != 0 {
		return j
	}
	return cmpUint64(anum, bnum)
}

func cmpRefs(a, b Term) int {
	if a.Kind() == KRef && b.Kind() == KRef {
		if j := cmpUint64(a.W(2), b.W(2)); j != 0 {
			return j
		}
		return cmpUint64(a.W(1), b.W(1))
	}
	na, x, _ := RefParts(a)
	nb, y, _ := RefParts(b)
	if j := cmpNodes(na, nb); j != 0 {
		return j
	}
	for i := len(x) - 1; i >= 0; i-- {
		if x[i] != y[i] {
			return cmpUint64(uint64(x[i]), uint64(y[i]))
		}
	}
	return 0
}

// cmpFunEntries compares two local funs up to their free variables.
func cmpFunEntries(a, b Term) int {
	if a.W(1) != b.W(1) {
		if FunInfoOf == nil {
			return cmpUint64(a.W(1), b.W(1))
		}
		fa, fb := FunInfoOf(uintptr(a.W(1))), FunInfoOf(uintptr(b.W(1)))
		if fa.Module != fb.Module {
			return CompareAtoms(fa.Module, fb.Module)
		}
		if fa.Index != fb.Index {
			return cmpUint64(fa.Index, fb.Index)
		}
		if fa.OldUniq != fb.OldUniq {
			return cmpInt64(int64(fa.OldUniq), int64(fb.OldUniq))
		}
	}
	return HeaderWords(a.Hdr()) - HeaderWords(b.Hdr())
}

// cmpExports compares two different funs of which one is external at least;
// local ones come first.
func cmpExports(a, b Term) int {
	ka, kb := a.Kind(), b.Kind()
	if ka != kb {
		if ka == KFun {
			return -1
		}
		return 1
	}
	if a.W(1) == b.W(1) {
		return 0
	}
	if ExportInfoOf == nil {
		return cmpUint64(a.W(1), b.W(1))
	}
	am, af, aa := ExportInfoOf(uintptr(a.W(1)))
	bm, bf, ba := ExportInfoOf(uintptr(b.W(1)))
	if am != bm {
		return CompareAtoms(am, bm)
	}
	if af != bf {
		return CompareAtoms(af, bf)
	}
	return aa - ba
}
