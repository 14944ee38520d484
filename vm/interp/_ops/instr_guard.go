package ops

// Type tests and comparisons. Each goes on or branches.

func isNonemptyList() {
	if V1&3 == 1 {
		NEXT
	} else {
		TO
	}
}

func isList() {
	v := V1
	if v&3 == 1 || v == 0x3b {
		NEXT
	} else {
		TO
	}
}

func isNil() {
	if V1 == 0x3b {
		NEXT
	} else {
		TO
	}
}

func isAtom() {
	if V1&0x3f == 0x0b {
		NEXT
	} else {
		TO
	}
}

func isBoolean() {
	v := V1
	if v == uint64(term.True) || v == uint64(term.False) {
		NEXT
	} else {
		TO
	}
}

func isInteger() {
	v := V1
	if v&15 == 15 || v&3 == 2 && ld(uintptr(v)-2)&0x38 == 8 {
		NEXT
	} else {
		TO
	}
}

func isFloat() {
	v := V1
	if v&3 == 2 && ld(uintptr(v)-2)&0x3f == 0x18 {
		NEXT
	} else {
		TO
	}
}

func isNumber() {
	v := V1
	if v&15 == 15 {
		NEXT
		break
	}
	if v&3 == 2 {
		h := ld(uintptr(v) - 2)
		if h&0x38 == 8 || h&0x3f == 0x18 {
			NEXT
			break
		}
	}
	TO
}

func isTuple() {
	v := V1
	if v&3 == 2 && ld(uintptr(v)-2)&0x3f == 0 {
		NEXT
	} else {
		TO
	}
}

func isPid() {
	v := V1
	if v&15 == 3 || v&3 == 2 && ld(uintptr(v)-2)&0x3f == 0x30 {
		NEXT
	} else {
		TO
	}
}

func isPort() {
	v := V1
	if v&15 == 7 || v&3 == 2 && ld(uintptr(v)-2)&0x3f == 0x34 {
		NEXT
	} else {
		TO
	}
}

func isReference() {
	v := V1
	if v&3 == 2 {
		h := ld(uintptr(v)-2) & 0x3f
		if h == 0x10 || h == 0x38 {
			NEXT
			break
		}
	}
	TO
}

func isMap() {
	v := V1
	if v&3 == 2 && ld(uintptr(v)-2)&0x3c == 0x3c {
		NEXT
	} else {
		TO
	}
}

func isFunction() {
	v := V1
	if v&3 == 2 {
		h := ld(uintptr(v)-2) & 0x3f
		if h == 0x14 || h == 0x1c {
			NEXT
			break
		}
	}
	TO
}

func isBinary() {
	v := V1
	if v&3 == 2 {
		q := uintptr(v) - 2
		h := ld(q) & 0x3f
		if h == 0x20 && ld(q+8)&7 == 0 || h == 0x24 && (ld(q+24)-ld(q+16))&7 == 0 {
			NEXT
			break
		}
	}
	TO
}

func isBitstr() {
	v := V1
	if v&3 == 2 {
		h := ld(uintptr(v)-2) & 0x3f
		if h == 0x20 || h == 0x24 {
			NEXT
			break
		}
	}
	TO
}

func testArity() {
	if ld(uintptr(V1)-2) == V2 {
		NEXT
	} else {
		TO
	}
}

func isTupleOfArity() {
	v := V1
	if v&3 == 2 && ld(uintptr(v)-2) == V2 {
		NEXT
	} else {
		TO
	}
}

func isTaggedTuple() {
	v := V1
	if v&3 == 2 && ld(uintptr(v)-2) == V2 && ld(uintptr(v)+6) == V3 {
		NEXT
	} else {
		TO
	}
}

func isEqImm() {
	if V1 == V2 {
		NEXT
	} else {
		TO
	}
}

func isNeImm() {
	if V1 != V2 {
		NEXT
	} else {
		TO
	}
}

func isEqExact() {
	a, b := V1, V2
	if a == b {
		NEXT
		break
	}
	if a&3 == 3 || (a^b)&3 != 0 {
		TO
		break
	}
	SLOWBR(cmpSame, a, b)
}

func isNeExact() {
	a, b := V1, V2
	if a == b {
		TO
		break
	}
	if a&3 == 3 || (a^b)&3 != 0 {
		NEXT
		break
	}
	SLOWBR(cmpNotSame, a, b)
}

func isEq() {
	a, b := V1, V2
	if a == b {
		NEXT
		break
	}
	if a&3 == 3 && b&3 == 3 {
		TO
		break
	}
	SLOWBR(cmpEqual, a, b)
}

func isNe() {
	a, b := V1, V2
	if a == b {
		TO
		break
	}
	if a&3 == 3 && b&3 == 3 {
		NEXT
		break
	}
	SLOWBR(cmpNotEqual, a, b)
}

func isLt() {
	a, b := V1, V2
	if a&b&15 == 15 {
		if int64(a) < int64(b) {
			NEXT
		} else {
			TO
		}
		break
	}
	if a&3 == 2 && b&3 == 2 && ld(uintptr(a)-2) == 0x58 && ld(uintptr(b)-2) == 0x58 {
		if ldf(uintptr(a)+6) < ldf(uintptr(b)+6) {
			NEXT
		} else {
			TO
		}
		break
	}
	SLOWBR(cmpLess, a, b)
}

func isGe() {
	a, b := V1, V2
	if a&b&15 == 15 {
		if int64(a) >= int64(b) {
			NEXT
		} else {
			TO
		}
		break
	}
	if a&3 == 2 && b&3 == 2 && ld(uintptr(a)-2) == 0x58 && ld(uintptr(b)-2) == 0x58 {
		if ldf(uintptr(a)+6) >= ldf(uintptr(b)+6) {
			NEXT
		} else {
			TO
		}
		break
	}
	SLOWBR(cmpGreaterEq, a, b)
}

func jump() {
	TO
}

func selectTable() {
	v := V1
	if v&15 == 15 {
		i := uint64(int64(v)>>4) - V2
		if i < V3 {
			ip += uintptr(ld(ip + 32 + uintptr(i)*8))
			break
		}
	}
	TO
}

func selectList() {
	v := V1
	n := uintptr(V2)
	q := ip + 24
	if n > 8 {
		m := n
		for m > 1 {
			h := m >> 1
			t := q + h*8
			if ld(t) <= v {
				q = t
			}
			m -= h
		}
		if ld(q) == v {
			ip += uintptr(ld(q + n*8))
		} else {
			TO
		}
		break
	}
	end := q + n*8
	for q < end && ld(q) != v {
		q += 8
	}
	if q < end {
		ip += uintptr(ld(q + n*8))
	} else {
		TO
	}
}

func selectArity() {
	v := V1
	if v&3 != 2 {
		TO
		break
	}
	v = ld(uintptr(v) - 2)
	n := uintptr(V2)
	q := ip + 24
	end := q + n*8
	for q < end && ld(q) != v {
		q += 8
	}
	if q < end {
		ip += uintptr(ld(q + n*8))
	} else {
		TO
	}
}

func checkCons() {
	if V1&3 == 1 {
		NEXT
		break
	}
	SLOW(checkFailed)
}

func checkTuple() {
	v := V1
	if v&3 == 2 {
		h := ld(uintptr(v) - 2)
		if h&0x3f == 0 && h>>6 >= V2 {
			NEXT
			break
		}
	}
	SLOW(checkFailed)
}

func checkMap() {
	v := V1
	if v&3 == 2 && ld(uintptr(v)-2)&0x3c == 0x3c {
		NEXT
		break
	}
	SLOW(checkFailed)
}

func checkFloat() {
	v := V1
	if v&3 == 2 && ld(uintptr(v)-2)&0x3f == 0x18 {
		NEXT
		break
	}
	SLOW(checkFailed)
}
