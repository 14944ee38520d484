package ops

// Moves, lists and tuples.

func move() {
	st(P2, V1)
	NEXT
}

func swap() {
	t := V1
	st(P1, V2)
	st(P2, t)
	NEXT
}

func getList() {
	l := uintptr(V1)
	h := ld(l - 1)
	t := ld(l + 7)
	st(P2, h)
	st(P3, t)
	NEXT
}

func getHd() {
	st(P2, ld(uintptr(V1)-1))
	NEXT
}

func getTl() {
	st(P2, ld(uintptr(V1)+7))
	NEXT
}

func putList() {
	st(hp, V1)
	st(hp+8, V2)
	st(P3, uint64(hp)+1)
	hp += 16
	NEXT
}

func getTupleElement() {
	st(P3, ld(uintptr(V1)-2+V2))
	NEXT
}

func setTupleElement() {
	st(uintptr(V2)-2+V3, V1)
	NEXT
}

func putTuple() {
	n := V2
	st(hp, uint64(n)<<6)
	ip += 8
	q := hp
	for ; n > 0; n-- {
		v := ld(ip)
		if v&3 == 0 {
			if v&4 == 0 {
				v = ld(x + uintptr(v>>8))
			} else {
				v = ld(e + uintptr(v>>8))
			}
		}
		q += 8
		st(q, v)
		ip += 8
	}
	st(P1, uint64(hp)+2)
	hp = q + 8
}
