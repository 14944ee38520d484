package ops

// Bit-syntax matching. A match context's words: header, base, position, end,
// original (see vm/term). Every operand that should be a context is looked at.

func bsStartMatch() {
	v := V1
	if v&3 == 2 {
		q := uintptr(v) - 2
		h := ld(q)
		if h == 0x12c {
			st(P2, v)
			NEXT
			break
		}
		if e-hp >= 40 {
			if h&0x3f == 0x20 {
				st(hp, 0x12c)
				st(hp+8, uint64(q)+16)
				st(hp+16, 0)
				st(hp+24, ld(q+8))
				st(hp+32, v)
				st(P2, uint64(hp)+2)
				hp += 40
				NEXT
				break
			}
			if h&0x3f == 0x24 && ld(q+8) != 0 {
				st(hp, 0x12c)
				st(hp+8, ld(q+8))
				st(hp+16, ld(q+16))
				st(hp+24, ld(q+24))
				st(hp+32, ld(q+32))
				st(P2, uint64(hp)+2)
				hp += 40
				NEXT
				break
			}
		}
	}
	SLOWBIF(bsStartSlow, v, 0, P2, 0)
}

func bsGet8() {
	v := V1
	if v&3 == 2 && ld(uintptr(v)-2)&0x3f == 0x2c {
		q := uintptr(v) - 2
		pos := ld(q + 16)
		if pos&7 == 0 {
			if ld(q+24)-pos < 8 {
				TO
				break
			}
			st(q+16, pos+8)
			st(P2, ldb(uintptr(ld(q+8)+pos>>3))<<4|15)
			NEXT
			break
		}
	}
	SLOWBIF(bsGetSlow, v, 8, P2, 0)
}

func bsGet16() {
	v := V1
	if v&3 == 2 && ld(uintptr(v)-2)&0x3f == 0x2c {
		q := uintptr(v) - 2
		pos := ld(q + 16)
		if pos&7 == 0 {
			if ld(q+24)-pos < 16 {
				TO
				break
			}
			st(q+16, pos+16)
			a := uintptr(ld(q+8) + pos>>3)
			st(P2, ldb(a)<<12|ldb(a+1)<<4|15)
			NEXT
			break
		}
	}
	SLOWBIF(bsGetSlow, v, 16, P2, 0)
}

func bsGet32() {
	v := V1
	if v&3 == 2 && ld(uintptr(v)-2)&0x3f == 0x2c {
		q := uintptr(v) - 2
		pos := ld(q + 16)
		if pos&7 == 0 {
			if ld(q+24)-pos < 32 {
				TO
				break
			}
			st(q+16, pos+32)
			a := uintptr(ld(q+8) + pos>>3)
			st(P2, ldb(a)<<28|ldb(a+1)<<20|ldb(a+2)<<12|ldb(a+3)<<4|15)
			NEXT
			break
		}
	}
	SLOWBIF(bsGetSlow, v, 32, P2, 0)
}

func bsGetInt() {
	SLOWBIF(bsGetSlow, V1, V2, P3, 0)
}

func bsGetBin() {
	SLOWBIF(bsGetBinSlow, V1, V2, P3, 0)
}

func bsGetAll() {
	SLOWBIF(bsGetAllSlow, V1, V2, P3, 0)
}

func bsGetTail() {
	SLOWBIF(bsTailSlow, V1, 0, P2, 0)
}

func bsGetUtf8() {
	v := V1
	if v&3 == 2 && ld(uintptr(v)-2)&0x3f == 0x2c {
		q := uintptr(v) - 2
		pos := ld(q + 16)
		if pos&7 == 0 && ld(q+24)-pos >= 8 {
			b := ldb(uintptr(ld(q+8) + pos>>3))
			if b < 0x80 {
				st(q+16, pos+8)
				st(P2, b<<4|15)
				NEXT
				break
			}
		}
	}
	SLOWBIF(bsUtf8Slow, v, 0, P2, 0)
}

func bsSkip() {
	v := V1
	if v&3 == 2 && ld(uintptr(v)-2)&0x3f == 0x2c {
		q := uintptr(v) - 2
		pos := ld(q + 16)
		if ld(q+24)-pos < V2 {
			TO
			break
		}
		st(q+16, pos+V2)
		NEXT
		break
	}
	SLOW(bsBadCtx)
}

func bsTestTail0() {
	v := V1
	if v&3 == 2 && ld(uintptr(v)-2)&0x3f == 0x2c {
		if ld(uintptr(v)+14) == ld(uintptr(v)+22) {
			NEXT
		} else {
			TO
		}
		break
	}
	SLOW(bsBadCtx)
}

func bsTestTail() {
	v := V1
	if v&3 == 2 && ld(uintptr(v)-2)&0x3f == 0x2c {
		if ld(uintptr(v)+22)-ld(uintptr(v)+14) == V2 {
			NEXT
		} else {
			TO
		}
		break
	}
	SLOW(bsBadCtx)
}

func bsTestUnit8() {
	v := V1
	if v&3 == 2 && ld(uintptr(v)-2)&0x3f == 0x2c {
		if (ld(uintptr(v)+22)-ld(uintptr(v)+14))&7 == 0 {
			NEXT
		} else {
			TO
		}
		break
	}
	SLOW(bsBadCtx)
}

func bsGetPos() {
	v := V1
	if v&3 == 2 && ld(uintptr(v)-2)&0x3f == 0x2c {
		st(P2, ld(uintptr(v)+14)<<4|15)
		NEXT
		break
	}
	SLOW(bsBadCtx)
}

func bsSetPos() {
	v := V1
	n := V2
	if v&3 == 2 && ld(uintptr(v)-2)&0x3f == 0x2c && n&15 == 15 && n>>4 <= ld(uintptr(v)+22) {
		st(uintptr(v)+14, n>>4)
		NEXT
		break
	}
	SLOW(bsBadCtx)
}

func bsMatchBytes() {
	v := V1
	if v&3 == 2 && ld(uintptr(v)-2)&0x3f == 0x2c {
		q := uintptr(v) - 2
		pos := ld(q + 16)
		n := uint64(V2)
		if ld(q+24)-pos < n {
			TO
			break
		}
		if pos&7 == 0 {
			a := uintptr(ld(q+8) + pos>>3)
			b := uintptr(V3)
			end := b + uintptr(n>>3)
			for b < end && ldb(a) == ldb(b) {
				a++
				b++
			}
			if b < end {
				TO
				break
			}
			st(q+16, pos+n)
			NEXT
			break
		}
	}
	SLOWBIF(bsMatchSlow, v, V3, 0, V2)
}
