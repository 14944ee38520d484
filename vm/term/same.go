package term

// Same is =:=.
func Same(a, b Term) bool {
	if a == b {
		return true
	}
	if a&PrimMask != b&PrimMask || a&PrimMask == PrimImmed {
		return false
	}
	return sameDeep(a, b)
}

type sameFrame struct {
	a, b uintptr
	n    int
}

// sameDeep compares two terms without recursion; runs of words wait on a stack.
func sameDeep(a, b Term) bool {
	var buf [16]sameFrame
	st := buf[:0]
	for {
		var f sameFrame
		if a != b {
			if a&PrimMask != b&PrimMask || a&PrimMask == PrimImmed {
				return false
			}
			if a.IsList() {
				f = sameFrame{a.Addr(), b.Addr(), 2}
			} else {
				var ok bool
				if f, ok = sameBoxed(a, b); !ok {
					return false
				}
			}
		}
		// Find the next pair that is not identical.
		for a, b = None, None; ; {
			for f.n > 0 {
				a, b = Term(Get(f.a, 0)), Term(Get(f.b, 0))
				f.a, f.b, f.n = f.a+8, f.b+8, f.n-1
				if a != b {
					break
				}
				a, b = None, None
			}
			if a != b {
				if a&PrimMask != b&PrimMask || a&PrimMask == PrimImmed {
					return false
				}
				if f.n > 0 {
					st = append(st, f)
				}
				break
			}
			if len(st) == 0 {
				return true
			}
			f = st[len(st)-1]
			st = st[:len(st)-1]
		}
	}
}

// sameBoxed compares two boxed terms up to the run of words to go on with.
func sameBoxed(a, b Term) (f sameFrame, ok bool) {
	h, g := a.Hdr(), b.Hdr()
	n := HeaderWords(h)
	switch k := HeaderKind(h); k {
	case KTuple, KRecord, KMap:
		return sameFrame{a.Addr() + 8, b.Addr() + 8, n}, h == g
	case KFun:
		if HeaderKind(g) != KFun || cmpFunEntries(a, b) != 0 {
			return f, false
		}
		return sameFrame{a.Addr() + 24, b.Addr() + 24, n - 2}, true
	case KHeapBits, KSubBits:
		return f, b.IsBitstring() && a.BitSize() == b.BitSize() && cmpBits(a, b) == 0
	case KFloat:
		return f, h == g && cmpFloats(a.Float(), b.Float(), true) == 0
	case KPosBig, KNegBig:
		return f, h == g && cmpLimbs(a, b) == 0
	case KRef:
		return f, b.IsRef() && a.W(1) == b.W(1) && cmpRefs(a, b) == 0
	case KExtRef:
		return f, b.IsRef() && cmpRefs(a, b) == 0
	case KExport:
		return f, h == g && a.W(1) == b.W(1)
	case KExtPid:
		return f, b.Is(KExtPid) && cmpPids(a, b) == 0
	case KExtPort:
		return f, b.Is(KExtPort) && cmpPorts(a, b) == 0
	}
	return f, false
}
