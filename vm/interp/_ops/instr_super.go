package ops

// Superinstructions: sequences that compilers write often, as one dispatch.

func move2() {
	st(P2, V1)
	st(P4, V3)
	NEXT
}

func moveCall() {
	st(P2, V1)
	st(e, uint64(NEXTIP))
	TO
	fcalls--
	if fcalls <= 0 {
		SLOW(yieldAtEntry)
	}
}

func moveCallOnly() {
	st(P2, V1)
	TO
	fcalls--
	if fcalls <= 0 {
		SLOW(yieldAtEntry)
	}
}

func moveCallLast() {
	st(P2, V1)
	e += V3
	TO
	fcalls--
	if fcalls <= 0 {
		SLOW(yieldAtEntry)
	}
}

func moveCallExt() {
	st(P2, V1)
	st(e, uint64(NEXTIP))
	ip = uintptr(ld(uintptr(V3)))
	fcalls--
	if fcalls <= 0 {
		SLOW(yieldAtEntry)
	}
}

func moveCallExtOnly() {
	st(P2, V1)
	ip = uintptr(ld(uintptr(V3)))
	fcalls--
	if fcalls <= 0 {
		SLOW(yieldAtEntry)
	}
}

func moveCallExtLast() {
	st(P2, V1)
	e += V3
	ip = uintptr(ld(uintptr(V4)))
	fcalls--
	if fcalls <= 0 {
		SLOW(yieldAtEntry)
	}
}

func moveReturn() {
	st(x, V1)
	ip = uintptr(ld(e))
	st(e, 0x3b)
	fcalls--
	if fcalls <= 0 {
		SLOW(yieldAtReturn)
	}
}

func moveDeallocateReturn() {
	st(x, V1)
	e += V2
	ip = uintptr(ld(e))
	st(e, 0x3b)
	fcalls--
	if fcalls <= 0 {
		SLOW(yieldAtReturn)
	}
}

func allocateMove() {
	if e-hp < V1 || invariants.Enabled && gc.Stress {
		SLOW(allocMoveSlow)
	}
	e -= V1
	st(e, 0x3b)
	st(P4, V3)
	NEXT
}

func nextList() {
	l := V1
	if l&3 == 1 {
		h := ld(uintptr(l) - 1)
		t := ld(uintptr(l) + 7)
		st(P2, h)
		st(P3, t)
		NEXT
		break
	}
	TO
}

func nextTl() {
	l := V1
	if l&3 == 1 {
		st(P2, ld(uintptr(l)+7))
		NEXT
		break
	}
	TO
}

func nextHd() {
	l := V1
	if l&3 == 1 {
		st(P2, ld(uintptr(l)-1))
		NEXT
		break
	}
	TO
}

func getTupleElement2() {
	q := uintptr(V1) - 2 + V2
	a := ld(q)
	b := ld(q + 8)
	st(P3, a)
	st(P4, b)
	NEXT
}

func clear2() {
	st(P1, 0x3b)
	st(P2, 0x3b)
	NEXT
}

func clear3() {
	st(P1, 0x3b)
	st(P2, 0x3b)
	st(P3, 0x3b)
	NEXT
}

func clearRun() {
	q := P1
	end := q + V2
	for q < end {
		st(q, 0x3b)
		q += 8
	}
	NEXT
}

// The keys of a flat map are the tuple in its second word; the values follow
// in the keys' order.
func getMapElement() {
	m, k := V1, V2
	if m&3 == 2 && ld(uintptr(m)-2)&0xfc == 0x3c {
		q := uintptr(ld(uintptr(m)+6)) - 2
		n := uintptr(ld(q) >> 6)
		i := uintptr(1)
		for i <= n && ld(q+i*8) != k {
			i++
		}
		if i <= n {
			st(P3, ld(uintptr(m)+6+i*8))
			NEXT
		} else {
			TO
		}
		break
	}
	SLOWBIF(getMapSlow, m, k, P3, 0)
}
