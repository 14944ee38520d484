package term

// Phash2 is erlang:phash2/1 before reduction to a range: 32 bits, of which
// phash2/1 shows 27. It is ERTS's make_hash2: the same on every node and in
// every release.
func Phash2(t Term) uint32 {
	h, _ := Phash2Work(t)
	return h
}

// Phash2Work is Phash2, and the number of terms that were hashed for it.
func Phash2Work(t Term) (hash uint32, work int) {
	if t.IsAtom() {
		return t.Atom().Hash(), 0
	}
	if t.IsSmall() {
		return phash2Small(0, t.Small()), 0
	}
	var buf [32]Term
	var s phash2State
	t, st, left := s.run(t, buf[:0], maxWork)
	_, _ = t, st
	return s.h, maxWork - left
}

const maxWork = 1 << 62

func phash2Small(h uint32, v int64) uint32 {
	if v < -(1<<27) || v >= 1<<27 {
		if v < 0 {
			return hash64(h, uint64(-v), hc(10))
		}
		return hash64(h, uint64(v), hc(11))
	}
	if v < 0 { // mixed twice
		h = hash2(h, uint32(-v), 0, hconst)
	}
	return hash2(h, uint32(v), 0, hconst)
}

// Marks on the stack of phash2; both are headers, so no terms.
const (
	hashMapTail Term = 1 << 6 // below it: the hash and pairs before the map
	hashMapPair Term = 2 << 6 // a key and its value were hashed
)

type phash2State struct {
	h     uint32
	pairs uint32 // exclusive or of the hashes of a map's pairs
}

// run hashes t and what waits on the stack until it is empty (the result is
// None) or left terms have been hashed.
func (s *phash2State) run(t Term, st []Term, left int) (Term, []Term, int) {
	for ; left > 0; left-- {
		var next Term
		switch {
		case t.IsList():
			next, st = s.list(t, st)
		case t.IsBoxed():
			st = s.boxed(t, st)
		default:
			s.immed(t)
		}
		if t = next; t == None {
			if t, st = s.pop(st); t == None {
				return None, st, left - 1
			}
		}
	}
	return t, st, left
}

// Phash2Run hashes a term as Phash2 does, in steps.
type Phash2Run struct {
	s    phash2State
	t    Term
	st   []Term
	code []bool // for each of Terms: no term, but a number or mark
}

// NewPhash2Run starts with a term.
func NewPhash2Run(t Term) *Phash2Run {
	if t.IsAtom() {
		return &Phash2Run{s: phash2State{h: t.Atom().Hash()}}
	}
	return &Phash2Run{t: t}
}

// Step hashes up to n terms. done means that hash is the result.
func (r *Phash2Run) Step(n int) (hash uint32, done bool, left int) {
	if r.t != None {
		r.t, r.st, n = r.s.run(r.t, r.st, n)
	}
	return r.s.h, r.t == None, n
}

// Terms returns what is still to be hashed, all terms, and forgets it: give it
// back to Restore when terms may have moved meanwhile.
func (r *Phash2Run) Terms() []Term {
	ts := append(r.st, r.t)
	r.code = make([]bool, len(ts))
	for i := len(ts) - 2; i >= 0; i-- {
		switch ts[i] {
		case hashMapTail:
			for _, j := range []int{i - 1, i - 2} {
				ts[j], r.code[j] = Small(int64(uint32(ts[j]))), true
			}
			ts[i], r.code[i] = Small(-1), true
			i -= 2
		case hashMapPair:
			ts[i], r.code[i] = Small(-2), true
		}
	}
	r.st, r.t = nil, None
	return ts
}

// Restore takes back the terms of Terms.
func (r *Phash2Run) Restore(ts []Term) {
	r.st = append(r.st[:0], ts...)
	for i, code := range r.code {
		if !code {
			continue
		}
		switch v := r.st[i].Small(); v {
		case -1:
			r.st[i] = hashMapTail
		case -2:
			r.st[i] = hashMapPair
		default:
			r.st[i] = Term(v)
		}
	}
	n := len(r.st) - 1
	r.t, r.st = r.st[n], r.st[:n]
}

// pop returns the next term to hash, None at the end.
func (s *phash2State) pop(st []Term) (Term, []Term) {
	for len(st) > 0 {
		n := len(st) - 1
		t := st[n]
		st = st[:n]
		switch t {
		case hashMapTail:
			s.h = hash2(uint32(st[n-1]), s.pairs, 0, hc(19))
			s.pairs = uint32(st[n-2])
			st = st[:n-2]
		case hashMapPair:
			s.pairs ^= s.h
			s.h = 0
		default:
			return t, st
		}
	}
	return None, st
}

func (s *phash2State) list(t Term, st []Term) (Term, []Term) {
	var c, sh uint32
	for t.IsList() {
		x := t.Head()
		if x > Small(255) || !x.IsSmall() {
			break
		}
		sh = sh<<8 + uint32(x>>4)
		if c == 3 {
			s.h = hash2(s.h, sh, 0, hc(4))
			c, sh = 0, 0
		} else {
			c++
		}
		t = t.Tail()
	}
	if c > 0 {
		s.h = hash2(s.h, sh, 0, hc(4))
	}
	if t.IsList() {
		return t.Head(), append(st, t.Tail())
	}
	return t, st
}

func (s *phash2State) immed(t Term) {
	switch {
	case t.IsSmall():
		s.h = phash2Small(s.h, t.Small())
	case t.IsAtom():
		if a := t.Atom().Hash(); s.h == 0 {
			s.h = a
		} else {
			s.h = hash2(s.h, a, 0, hc(3))
		}
	case t.IsNil():
		if s.h == 0 {
			s.h = 3468870702
		} else {
			s.h = hash2(s.h, 2, 0, hc(2))
		}
	case t.IsInternalPid():
		_, n, _ := PidParts(t)
		s.h = hash2(s.h, n, 0, hc(5))
	case t.IsInternalPort():
		s.h = hash64(s.h, t.ID(), hc(6))
	}
}

func (s *phash2State) boxed(t Term, st []Term) []Term {
	n := HeaderWords(t.Hdr())
	switch k := t.Kind(); k {
	case KTuple:
		s.h = hash2(s.h, uint32(n), 0, hc(9))
		return pushWords(st, t, 1, n)
	case KMap:
		return s.enterMap(t, st)
	case KFun:
		var f FunInfo
		if FunInfoOf != nil {
			f = FunInfoOf(uintptr(t.W(1)))
		}
		s.h = hash2(s.h, uint32(n-2), f.Module.Atom().Hash(), hconst)
		s.h = hash2(s.h, uint32(f.Index), uint32(f.OldUniq), hconst)
		return pushWords(st, t, 3, n)
	case KExport:
		if ExportInfoOf != nil {
			m, f, a := ExportInfoOf(uintptr(t.W(1)))
			s.h = hash2(s.h, uint32(a), m.Atom().Hash(), hconst)
			s.h = hash2(s.h, f.Atom().Hash(), 0, hc(14))
		}
	case KHeapBits, KSubBits:
		s.h = hashBits(t, s.h, 1<<32-1)
	case KPosBig, KNegBig:
		con := hc(11)
		if k == KNegBig {
			con = hc(10)
		}
		for i := 1; i <= n; i++ {
			s.h = hash64(s.h, t.W(i), con)
		}
	case KRef, KExtRef:
		_, r, _ := RefParts(t)
		s.h = hash2(s.h, r[0], 0, hc(7))
	case KExtPid:
		s.h = hash2(s.h, uint32(t.W(2)), 0, hc(5))
	case KExtPort:
		s.h = hash64(s.h, t.W(2), hc(6))
	case KFloat:
		lo, hi := floatHashWords(t)
		s.h = hash2(s.h, hi, lo, hc(12))
	}
	return st
}

// enterMap hashes a map, or goes into a node of one. The pairs are hashed each
// from 0 and combined by exclusive or, so that their order does not matter.
func (s *phash2State) enterMap(t Term, st []Term) []Term {
	kind := t.MapKind()
	if kind != MapNode {
		n := t.MapSize()
		s.h = hash2(s.h, uint32(n), 0, hc(16))
		if n == 0 {
			return st
		}
		st = append(st, Term(s.pairs), Term(s.h), hashMapTail)
		s.h, s.pairs = 0, 0
		if kind == MapFlat {
			keys := Term(t.W(1))
			for i := n; i > 0; i-- {
				st = append(st, hashMapPair, Term(t.W(1+i)), keys.El(i))
			}
			return st
		}
	}
	f := childrenOf(t)
	for i := range f.n {
		c := Term(Get(f.at, i))
		if c.IsList() {
			st = append(st, hashMapPair, c.Tail(), c.Head())
		} else {
			st = append(st, c)
		}
	}
	return st
}
