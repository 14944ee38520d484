package ops

// Frames, calls, returns, catches. E points at the word that holds the
// continuation pointer of the call in progress; y0 is the word above.

func allocate() {
	if e-hp < V1 || invariants.Enabled && gc.Stress {
		SLOW(allocSlow)
	}
	e -= V1
	st(e, 0x3b)
	NEXT
}

func allocateHeap() {
	if e-hp < V1+V2 || invariants.Enabled && gc.Stress {
		SLOW(allocHeapSlow)
	}
	e -= V1
	st(e, 0x3b)
	NEXT
}

func testHeap() {
	if e-hp < V1 || invariants.Enabled && gc.Stress {
		SLOW(testHeapSlow)
	}
	NEXT
}

func deallocate() {
	e += V1
	NEXT
}

func trim() {
	e += V1
	st(e, 0x3b)
	NEXT
}

func deallocateReturn() {
	e += V1
	ip = uintptr(ld(e))
	st(e, 0x3b)
	fcalls--
	if fcalls <= 0 {
		SLOW(yieldAtReturn)
	}
}

func return_() {
	ip = uintptr(ld(e))
	st(e, 0x3b)
	fcalls--
	if fcalls <= 0 {
		SLOW(yieldAtReturn)
	}
}

func call() {
	st(e, uint64(NEXTIP))
	TO
	fcalls--
	if fcalls <= 0 {
		SLOW(yieldAtEntry)
	}
}

func callLast() {
	e += V1
	TO
	fcalls--
	if fcalls <= 0 {
		SLOW(yieldAtEntry)
	}
}

func callOnly() {
	TO
	fcalls--
	if fcalls <= 0 {
		SLOW(yieldAtEntry)
	}
}

func callExt() {
	st(e, uint64(NEXTIP))
	ip = uintptr(ld(uintptr(V1)))
	fcalls--
	if fcalls <= 0 {
		SLOW(yieldAtEntry)
	}
}

func callExtLast() {
	e += V1
	ip = uintptr(ld(uintptr(V2)))
	fcalls--
	if fcalls <= 0 {
		SLOW(yieldAtEntry)
	}
}

func callExtOnly() {
	ip = uintptr(ld(uintptr(V1)))
	fcalls--
	if fcalls <= 0 {
		SLOW(yieldAtEntry)
	}
}

func callNative() {
	SLOW(callNative)
}

func nativeEntry() {
	SLOW(nativeEntry)
}

func callFun() {
	n := V1
	f := uintptr(ld(x + n*8))
	if f&3 == 2 {
		h := ld(f - 2)
		q := uintptr(ld(f + 6))
		if h&0x3f == 0x14 && ld(q+offFunArity) == uint64(n) && ld(q) != uint64(code.UnloadedFun) {
			d := x + n*8
			for h >>= 6; h > 2; h-- {
				f += 8
				st(d, ld(f+14))
				d += 8
			}
			st(e, uint64(NEXTIP))
			ip = uintptr(ld(q))
			fcalls--
			if fcalls <= 0 {
				SLOW(yieldAtEntry)
			}
			break
		}
	}
	SLOW(callFun)
}

func callFunLast() {
	n := V2
	f := uintptr(ld(x + n*8))
	if f&3 == 2 {
		h := ld(f - 2)
		q := uintptr(ld(f + 6))
		if h&0x3f == 0x14 && ld(q+offFunArity) == uint64(n) && ld(q) != uint64(code.UnloadedFun) {
			d := x + n*8
			for h >>= 6; h > 2; h-- {
				f += 8
				st(d, ld(f+14))
				d += 8
			}
			e += V1
			ip = uintptr(ld(q))
			fcalls--
			if fcalls <= 0 {
				SLOW(yieldAtEntry)
			}
			break
		}
	}
	SLOW(callFunLast)
}

// apply remembers the export it led to last. An export entry is never freed,
// so one word is enough to hold it.
func apply() {
	n := V1
	q := uintptr(V2)
	if q != 0 && ld(x+n) == ld(q+offExpModule) && ld(x+n+8) == ld(q+offExpFunction) {
		st(e, uint64(NEXTIP))
		ip = uintptr(ld(q))
		fcalls--
		if fcalls <= 0 {
			SLOW(yieldAtEntry)
		}
		break
	}
	SLOW(applySlow)
}

func applyLast() {
	n := V1
	q := uintptr(V3)
	if q != 0 && ld(x+n) == ld(q+offExpModule) && ld(x+n+8) == ld(q+offExpFunction) {
		e += V2
		ip = uintptr(ld(q))
		fcalls--
		if fcalls <= 0 {
			SLOW(yieldAtEntry)
		}
		break
	}
	SLOW(applyLastSlow)
}

func catch() {
	st(P1, uint64(TOIP)<<6|0x1b)
	st(uintptr(ld(x+offP))+offCatches, ld(uintptr(ld(x+offP))+offCatches)+1)
	NEXT
}

func tryEnd() {
	st(P1, 0x3b)
	st(uintptr(ld(x+offP))+offCatches, ld(uintptr(ld(x+offP))+offCatches)-1)
	NEXT
}
