package term

// The primes of ERTS's make_hash, all just above 2^28.
const (
	prime1  = 268440163
	prime2  = 268439161
	prime3  = 268435459
	prime4  = 268436141
	prime5  = 268438633
	prime6  = 268437017
	prime8  = 268437511
	prime9  = 268439627
	prime10 = 268440479
	prime11 = 268440577
	prime12 = 268440581
	prime13 = 268440593
	prime14 = 268440611
)

type phashFrame struct {
	op    int
	at    uintptr // next word of an array
	n     int     // words left
	arity uint32
}

const (
	phArray   = iota
	phTuple   // an array that ends with the arity
	phCdr     // at is the tail of a list, as a term
	phCdrDone // the tail that is no list was hashed
)

// Phash is erlang:phash/2 before reduction to a range.
func Phash(t Term) uint32 {
	var h uint32
	var st []phashFrame
	for {
		if t.IsList() {
			h, t, st = phashList(h, t, st)
			continue
		}
		h, st = phashOne(h, t, st)
		t = None
		for t == None {
			if len(st) == 0 {
				return h
			}
			f := &st[len(st)-1]
			switch {
			case f.op == phCdrDone:
				h *= prime8
				st = st[:len(st)-1]
			case f.op == phCdr:
				t = Term(f.at)
				if t.IsList() {
					st = st[:len(st)-1]
				} else {
					f.op = phCdrDone
				}
			case f.n > 0:
				t = Term(Get(f.at, 0))
				f.at += 8
				f.n--
			default:
				if f.op == phTuple {
					h = h*prime9 + f.arity
				}
				st = st[:len(st)-1]
			}
		}
	}
}

// phashList hashes the bytes that a list begins with and returns what to hash
// next.
func phashList(h uint32, t Term, st []phashFrame) (uint32, Term, []phashFrame) {
	for t.IsList() {
		x := t.Head()
		if x > Small(255) || !x.IsSmall() {
			return h, x, append(st, phashFrame{op: phCdr, at: uintptr(t.Tail())})
		}
		h = h*prime2 + uint32(x>>4)
		t = t.Tail()
	}
	return h, t, append(st, phashFrame{op: phCdrDone})
}

func phashWord(h, x, p uint32) uint32 {
	for range 4 {
		h = h*p + x&0xFF
		x >>= 8
	}
	return h
}

func phashOne(h uint32, t Term, st []phashFrame) (uint32, []phashFrame) {
	switch {
	case t.IsNil():
		return h*prime3 + 1, st
	case t.IsAtom():
		return h*prime1 + t.Atom().Hash(), st
	case t.IsSmall():
		v := t.Small()
		m := uint64(v)
		if v < 0 {
			m = -m
		}
		h = phashWord(h, uint32(m), prime2)
		if m>>32 != 0 {
			h = phashWord(h, uint32(m>>32), prime2)
		}
		return phashSign(h, v < 0), st
	case t.IsPid():
		_, n, _ := PidParts(t)
		return phashWord(h, n, prime5) * prime6, st
	case t.IsPort():
		_, n := PortParts(t)
		if n>>32 != 0 {
			h = phashWord(h, uint32(n>>32), prime11)
		}
		return phashWord(h, uint32(n), prime9) * prime10, st
	}
	return phashBoxed(h, t, st)
}

func phashSign(h uint32, neg bool) uint32 {
	if neg {
		return h * prime4
	}
	return h * prime3
}

func phashBoxed(h uint32, t Term, st []phashFrame) (uint32, []phashFrame) {
	n := HeaderWords(t.Hdr())
	switch k := t.Kind(); k {
	case KTuple:
		return h, append(st, phashFrame{phTuple, t.Addr() + 8, n, uint32(n)})
	case KMap:
		h = h*prime13 + prime14 + Phash2(t)
	case KHeapBits, KSubBits:
		h = phashBits(h, t)
	case KFun:
		var f FunInfo
		if FunInfoOf != nil {
			f = FunInfoOf(uintptr(t.W(1)))
		}
		h = h*prime10 + uint32(n-2)
		h = h*prime1 + f.Module.Atom().Hash()
		h = h*prime2 + uint32(f.Index)
		h = h*prime2 + uint32(f.OldUniq)
		return h, append(st, phashFrame{phArray, t.Addr() + 24, n - 2, 0})
	case KExport:
		if ExportInfoOf != nil {
			m, f, a := ExportInfoOf(uintptr(t.W(1)))
			h = h*prime11 + uint32(a)
			h = h*prime1 + m.Atom().Hash()
			h = h*prime1 + f.Atom().Hash()
		}
	case KRef, KExtRef:
		_, r, _ := RefParts(t)
		h = phashWord(h, r[0], prime9) * prime10
	case KFloat:
		lo, hi := floatHashWords(t)
		h = h*prime6 + (lo ^ hi)
	case KPosBig, KNegBig:
		for i := 1; i <= n; i++ {
			w := t.W(i)
			h = phashWord(h, uint32(w), prime2)
			if i < n || w>>32 != 0 {
				h = phashWord(h, uint32(w>>32), prime2)
			}
		}
		h = phashSign(h, k == KNegBig)
	}
	return h, st
}

func phashBits(h uint32, t Term) uint32 {
	base, start, end := BitsOf(t)
	a, sh := base+uintptr(start>>3), start&7
	n, rest := (end-start)/8, (end-start)&7
	for i := range uintptr(n) {
		h = h*prime1 + uint32(bitsAt(a+i, sh, 8))
	}
	if rest > 0 {
		h = (h*prime1+uint32(bitsAt(a+uintptr(n), sh, rest)))*prime12 + uint32(rest)
	}
	return h*prime4 + uint32(n)
}
