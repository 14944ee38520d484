package ops

// The walk over the messages that have been received; see vm/proc/offsets.go.

func loopRec() {
	p := uintptr(ld(x + offP))
	s := uintptr(ld(p + proc.OffSavePrev))
	if s == 0 {
		s = uintptr(ld(p + proc.OffMsgHead))
	} else {
		s = uintptr(ld(s + proc.OffSigNext))
	}
	if s != 0 && ld(s+proc.OffSigMore) == 0 {
		st(p+proc.OffForeignLo, uint64(s))
		st(p+proc.OffForeignHi, ld(s+proc.OffSigEnd))
		st(P1, ld(s+proc.OffSigTerm))
		NEXT
		break
	}
	SLOWDST(loopRecSlow, TOIP, 0, P1)
}

func loopRecEnd() {
	p := uintptr(ld(x + offP))
	s := uintptr(ld(p + proc.OffSavePrev))
	if s == 0 {
		s = uintptr(ld(p + proc.OffMsgHead))
	} else {
		s = uintptr(ld(s + proc.OffSigNext))
	}
	st(p+proc.OffSavePrev, uint64(s))
	st(p+proc.OffForeignHi, ld(p+proc.OffForeignLo))
	TO
	fcalls--
	if fcalls <= 0 {
		SLOW(yieldInReceive)
	}
}
