package ops

// Builtins of guards and bodies, integer and float arithmetic. What is not
// done here goes to the builtin's row through bifSlow.

func bif0() {
	SLOWBIF(bif0Slow, 0, 0, P1, V2)
}

func bif1() {
	SLOWBIF(bif1Slow, V1, 0, P2, V4)
}

func bif2() {
	SLOWBIF(bif2Slow, V1, V2, P3, V5)
}

func gcBif1() {
	SLOWBIF(bif1Slow, V1, 0, P2, V5)
}

func gcBif2() {
	SLOWBIF(bif2Slow, V1, V2, P3, V6)
}

func self() {
	st(P1, ld(uintptr(ld(x+offP))+offID))
	NEXT
}

func hd() {
	v := V1
	if v&3 == 1 {
		st(P2, ld(uintptr(v)-1))
		NEXT
		break
	}
	SLOWBIF(bif1Slow, v, 0, P2, V4)
}

func tl() {
	v := V1
	if v&3 == 1 {
		st(P2, ld(uintptr(v)+7))
		NEXT
		break
	}
	SLOWBIF(bif1Slow, v, 0, P2, V4)
}

func tupleSize() {
	v := V1
	if v&3 == 2 {
		h := ld(uintptr(v) - 2)
		if h&0x3f == 0 {
			st(P2, h>>2|15)
			NEXT
			break
		}
	}
	SLOWBIF(bif1Slow, v, 0, P2, V4)
}

func element() {
	i, v := V1, V2
	if v&3 == 2 && i&15 == 15 {
		h := ld(uintptr(v) - 2)
		if h&0x3f == 0 && (i>>4)-1 < h>>6 {
			st(P3, ld(uintptr(v)-2+uintptr(i>>4)*8))
			NEXT
			break
		}
	}
	SLOWBIF(bif2Slow, i, v, P3, V5)
}

func eqExact() {
	a, b := V1, V2
	if a == b {
		st(P3, uint64(term.True))
		NEXT
		break
	}
	if a&3 == 3 || (a^b)&3 != 0 {
		st(P3, uint64(term.False))
		NEXT
		break
	}
	SLOWBIF(bif2Slow, a, b, P3, V5)
}

func neExact() {
	a, b := V1, V2
	if a == b {
		st(P3, uint64(term.False))
		NEXT
		break
	}
	if a&3 == 3 || (a^b)&3 != 0 {
		st(P3, uint64(term.True))
		NEXT
		break
	}
	SLOWBIF(bif2Slow, a, b, P3, V5)
}

func add() {
	a, b := V1, V2
	if a&b&15 == 15 {
		r := a + (b - 15)
		if int64((r^a)&(r^(b-15))) >= 0 {
			st(P3, r)
			NEXT
			break
		}
	}
	if a&3 == 2 && b&3 == 2 && ld(uintptr(a)-2) == 0x58 && ld(uintptr(b)-2) == 0x58 && e-hp >= 16 {
		r := ldf(uintptr(a)+6) + ldf(uintptr(b)+6)
		if r-r == 0 {
			st(hp, 0x58)
			stf(hp+8, r)
			st(P3, uint64(hp)+2)
			hp += 16
			NEXT
			break
		}
	}
	SLOWBIF(bif2Slow, a, b, P3, V6)
}

func sub() {
	a, b := V1, V2
	if a&b&15 == 15 {
		r := a - (b - 15)
		if int64((a^b)&(a^r)) >= 0 {
			st(P3, r)
			NEXT
			break
		}
	}
	if a&3 == 2 && b&3 == 2 && ld(uintptr(a)-2) == 0x58 && ld(uintptr(b)-2) == 0x58 && e-hp >= 16 {
		r := ldf(uintptr(a)+6) - ldf(uintptr(b)+6)
		if r-r == 0 {
			st(hp, 0x58)
			stf(hp+8, r)
			st(P3, uint64(hp)+2)
			hp += 16
			NEXT
			break
		}
	}
	SLOWBIF(bif2Slow, a, b, P3, V6)
}

func mul() {
	a, b := V1, V2
	if a&b&15 == 15 {
		va, vb := int64(a)>>4, int64(b)>>4
		if int64(int32(va)) == va && int64(int32(vb)) == vb {
			r := va * vb
			if r<<4>>4 == r {
				st(P3, uint64(r)<<4|15)
				NEXT
				break
			}
		}
	}
	if a&3 == 2 && b&3 == 2 && ld(uintptr(a)-2) == 0x58 && ld(uintptr(b)-2) == 0x58 && e-hp >= 16 {
		r := ldf(uintptr(a)+6) * ldf(uintptr(b)+6)
		if r-r == 0 {
			st(hp, 0x58)
			stf(hp+8, r)
			st(P3, uint64(hp)+2)
			hp += 16
			NEXT
			break
		}
	}
	SLOWBIF(bif2Slow, a, b, P3, V6)
}

func divide() {
	a, b := V1, V2
	if a&3 == 2 && b&3 == 2 && ld(uintptr(a)-2) == 0x58 && ld(uintptr(b)-2) == 0x58 && e-hp >= 16 {
		r := ldf(uintptr(a)+6) / ldf(uintptr(b)+6)
		if r-r == 0 {
			st(hp, 0x58)
			stf(hp+8, r)
			st(P3, uint64(hp)+2)
			hp += 16
			NEXT
			break
		}
	}
	SLOWBIF(bif2Slow, a, b, P3, V6)
}

func intDiv() {
	a, b := V1, V2
	if a&b&15 == 15 {
		vb := int64(b) >> 4
		if vb > 0 {
			st(P3, uint64((int64(a)>>4)/vb)<<4|15)
			NEXT
			break
		}
	}
	SLOWBIF(bif2Slow, a, b, P3, V6)
}

func intRem() {
	a, b := V1, V2
	if a&b&15 == 15 {
		vb := int64(b) >> 4
		if vb > 0 {
			st(P3, uint64((int64(a)>>4)%vb)<<4|15)
			NEXT
			break
		}
	}
	SLOWBIF(bif2Slow, a, b, P3, V6)
}

func band() {
	a, b := V1, V2
	if a&b&15 == 15 {
		st(P3, a&b)
		NEXT
		break
	}
	SLOWBIF(bif2Slow, a, b, P3, V6)
}

func bor() {
	a, b := V1, V2
	if a&b&15 == 15 {
		st(P3, a|b)
		NEXT
		break
	}
	SLOWBIF(bif2Slow, a, b, P3, V6)
}

func bxor() {
	a, b := V1, V2
	if a&b&15 == 15 {
		st(P3, a^b|15)
		NEXT
		break
	}
	SLOWBIF(bif2Slow, a, b, P3, V6)
}

func bsr() {
	a, b := V1, V2
	if a&b&15 == 15 {
		n := b >> 4
		if n < 60 {
			st(P3, uint64(int64(a)>>(n&63))|15)
			NEXT
			break
		}
	}
	SLOWBIF(bif2Slow, a, b, P3, V6)
}

func bsl() {
	a, b := V1, V2
	if a&b&15 == 15 {
		n := b >> 4
		if n < 60 {
			va := int64(a &^ 15)
			r := va << (n & 63)
			if r>>(n&63) == va {
				st(P3, uint64(r)|15)
				NEXT
				break
			}
		}
	}
	SLOWBIF(bif2Slow, a, b, P3, V6)
}

func fload() {
	st(P2, ld(uintptr(V1)+6))
	NEXT
}

func fstore() {
	st(hp, 0x58)
	st(hp+8, V1)
	st(P2, uint64(hp)+2)
	hp += 16
	NEXT
}

func fconv() {
	v := V1
	if v&15 == 15 {
		stf(P2, float64(int64(v)>>4))
		NEXT
		break
	}
	if v&3 == 2 && ld(uintptr(v)-2)&0x3f == 0x18 {
		st(P2, ld(uintptr(v)+6))
		NEXT
		break
	}
	SLOWDST(fconvSlow, v, 0, P2)
}

func fadd() {
	r := ldf(P1) + ldf(P2)
	if r-r == 0 {
		stf(P3, r)
		NEXT
		break
	}
	SLOW(fpError)
}

func fsub() {
	r := ldf(P1) - ldf(P2)
	if r-r == 0 {
		stf(P3, r)
		NEXT
		break
	}
	SLOW(fpError)
}

func fmul() {
	r := ldf(P1) * ldf(P2)
	if r-r == 0 {
		stf(P3, r)
		NEXT
		break
	}
	SLOW(fpError)
}

func fdiv() {
	r := ldf(P1) / ldf(P2)
	if r-r == 0 {
		stf(P3, r)
		NEXT
		break
	}
	SLOW(fpError)
}

func fnegate() {
	r := -ldf(P1)
	if r-r == 0 {
		stf(P2, r)
		NEXT
		break
	}
	SLOW(fpError)
}
