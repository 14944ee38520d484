package term

import "math/bits"

// MapHash is the hash of a map key at a depth of the HAMT: 0 for the first 32
// bits of its path, then 1, 2, … each time the bits are used up.
//
// It is ERTS's make_internal_hash, bit for bit, so that large maps iterate as
// on ERTS. Two kinds of keys hash by what differs from one boot of ERTS to
// another: atoms (and the module of a fun) by their number in the atom table,
// external pids, ports and references and external funs by an address. For
// those, the order is as good as ERTS's and no more alike than that of two
// ERTS nodes.
func MapHash(key Term, depth uint32) uint32 {
	h := uint32(internalSalt)
	if depth > 0 {
		h ^= hash2(0, depth, 1, hc(22))
	}
	if key.IsImmed() {
		return hash64(h, uint64(key), hconst)
	}
	return internalHash(key, h)
}

// InternalHash is the hash that orders large maps, of the booted release.
func InternalHash(t Term) uint64 { return uint64(MapHash(t, 0)) }

const internalSalt = 3432918353

// hashCdr on the stack of a hash means that the term below it is the tail of
// a cons whose head was hashed.
const hashCdr Term = 3 << 6

func constHash(h, con uint32) uint32 { return bits.RotateLeft32(h^con, 17) }

func internalHash(t Term, h uint32) uint32 {
	var buf [32]Term
	st := buf[:0]
	for {
		down := false
		switch t & PrimMask {
		case PrimList:
			var tail Term
			if h, t, tail = internalString(h, t); t.IsList() {
				h = constHash(h, hc(17))
				st = append(st, tail)
				if !tail.IsList() {
					st = append(st, hashCdr)
				}
				t = t.Head()
			}
			down = true
		case PrimBoxed:
			h, st = internalBoxed(h, t, st)
		case PrimImmed:
			h = hash64(h, uint64(t), hconst)
		}
		for !down {
			if len(st) == 0 {
				return h
			}
			t = st[len(st)-1]
			st = st[:len(st)-1]
			if t == hashCdr {
				h = constHash(h, hc(18))
				continue
			}
			break
		}
	}
}

// internalString hashes the bytes that a list begins with. It returns the rest
// of the list, and the tail of its first cell if it is a cons.
func internalString(h uint32, t Term) (uint32, Term, Term) {
	var c, sh uint32
	for t.IsList() {
		x := t.Head()
		if x > Small(255) || !x.IsSmall() {
			break
		}
		sh = sh<<8 + uint32(x>>4)
		if c == 3 {
			h = hash2(h, sh, 0, hc(4))
			c, sh = 0, 0
		} else {
			c++
		}
		t = t.Tail()
	}
	if c > 0 {
		h = hash2(h, sh, c, hc(22))
	}
	if t.IsList() {
		return h, t, t.Tail()
	}
	return h, t, None
}

func internalBoxed(h uint32, t Term, st []Term) (uint32, []Term) {
	n := HeaderWords(t.Hdr())
	switch k := t.Kind(); k {
	case KTuple:
		h = hash2(h, uint32(n), 0, hc(9))
		return h, pushWords(st, t, 1, n)
	case KMap:
		return internalMap(h, t, st)
	case KFun:
		f := FunInfo{OldUniq: t.W(1)}
		if FunInfoOf != nil {
			f = FunInfoOf(uintptr(t.W(1)))
		}
		h = hash2(h, uint32(n-2), uint32(f.Module), hc(20))
		h = hash2(h, uint32(f.Index), uint32(f.OldUniq), hc(21))
		return h, pushWords(st, t, 3, n)
	case KExport:
		return hash64(h, t.W(1), hc(14)), st
	case KHeapBits, KSubBits:
		return hashBits(t, h, ^uint64(0)), st
	case KPosBig, KNegBig:
		con := hc(11)
		if k == KNegBig {
			con = hc(10)
		}
		for i := 1; i <= n; i++ {
			h = hash64(h, t.W(i), con)
		}
	case KRef, KExtRef:
		_, r, _ := RefParts(t)
		if k == KExtRef {
			h = hash64(h, t.W(1), hc(7))
		}
		h = hash2(h, r[0], 0, hc(7))
		h = hash2(h, r[1], r[2], hc(8))
		if r[3]|r[4] != 0 { // no reference of ERTS 25 has more than three
			h = hash2(h, r[3], r[4], hc(8))
		}
	case KExtPid:
		h = hash64(h, t.W(1), hc(5))
		h = hash64(h, t.W(2), hc(5))
	case KExtPort:
		h = hash64(h, t.W(1), hc(6))
		h = hash64(h, t.W(2), hc(6))
	case KFloat:
		lo, hi := floatHashWords(t)
		h = hash2(h, lo, hi, hc(12))
	}
	return h, st
}

// pushWords pushes words lo to hi of an object, so that lo is popped first.
func pushWords(st []Term, t Term, lo, hi int) []Term {
	for i := hi; i >= lo; i-- {
		st = append(st, Term(t.W(i)))
	}
	return st
}

func internalMap(h uint32, t Term, st []Term) (uint32, []Term) {
	switch t.MapKind() {
	case MapFlat:
		n := t.MapSize()
		h = hash2(h, uint32(n), 0, hc(16))
		keys := Term(t.W(1))
		for i := n; i > 0; i-- {
			st = append(st, Term(t.W(1+i)), keys.El(i))
		}
		return h, st
	case MapHead:
		h = hash2(h, uint32(t.MapSize()), 0, hc(16))
	}
	f := childrenOf(t)
	for i := range f.n {
		c := Term(Get(f.at, i))
		if c.IsList() {
			st = append(st, c.Tail(), c.Head())
		} else {
			st = append(st, c)
		}
	}
	return h, st
}
