package term

import "github.com/beamrd/beamrd/vm/atom"

// Compare gives the order of two terms: negative, 0 or positive. Integers and
// floats compare by value (==, <).
func Compare(a, b Term) int {
	if a == b {
		return 0
	}
	if a&b&PrimMask == PrimImmed {
		return cmpImmed(a, b)
	}
	c := comparer{}
	return c.run(a, b)
}

// CompareExact is Compare with integers before floats (as map keys in OTP 25).
func CompareExact(a, b Term) int {
	if a == b {
		return 0
	}
	if a&b&PrimMask == PrimImmed {
		return cmpImmed(a, b)
	}
	c := comparer{exact: true}
	return c.run(a, b)
}

// cmpImmed compares two different immediate terms.
func cmpImmed(a, b Term) int {
	sa, sb := a.IsSmall(), b.IsSmall()
	switch {
	case sa && sb:
		return cmpInt64(int64(a), int64(b))
	case sa:
		return -1 // numbers come first
	case sb:
		return 1
	case a.IsAtom() && b.IsAtom():
		return atom.Compare(a.Atom(), b.Atom())
	}
	return cmpLeaf(a, b, true)
}

// Equal is ==.
func Equal(a, b Term) bool {
	if a == b {
		return true
	}
	if a&b&PrimMask == PrimImmed {
		return false
	}
	c := comparer{eqOnly: true}
	return c.run(a, b) == 0
}

// signedZero tells whether the release keeps 0.0 and -0.0 apart in =:= and in
// the order of map keys (27 and later).
var signedZero bool

// SetSignedZero selects whether 0.0 =:= -0.0 is false. Before the node starts.
func SetSignedZero(on bool) { signedZero = on }

// Operations that wait on the comparer's stack.
const (
	opPair     = iota // compare the terms a and b
	opArray           // compare n words at a with n words at b
	opExactOff        // the keys of flat maps were equal: back to == for the values
	opMapKeys         // phase 1: the keys at both iterators were compared
	opMapMin          // phase 1: is the common key below the smallest so far
	opMapVals         // phase 1: the values of the smallest key were compared
	opMapDiff         // phase 2: the keys at both iterators were compared
	opMapMinA         // phase 2: is a key of a alone below the smallest so far
	opMapMinB         // phase 2: the same for b
)

type cmpFrame struct {
	a, b uint64
	n    int
	op   int
}

// comparer's stack is an array with a slice behind it, so that all of it stays
// on Go's stack for terms that are not deep.
type comparer struct {
	n      int
	exact  bool // integers and floats differ
	eqOnly bool // only whether the result is 0 counts
	maps   []*mapCmp
	more   []cmpFrame
	buf    [12]cmpFrame
}

func (c *comparer) push(f cmpFrame) {
	if c.n < len(c.buf) {
		c.buf[c.n] = f
	} else {
		c.more = append(c.more, f)
	}
	c.n++
}

func (c *comparer) pop() (f cmpFrame) {
	if c.n--; c.n < len(c.buf) {
		return c.buf[c.n]
	}
	f = c.more[c.n-len(c.buf)]
	c.more = c.more[:c.n-len(c.buf)]
	return f
}

// drop shortens the stack to n frames.
func (c *comparer) drop(n int) {
	c.n = n
	c.more = c.more[:max(0, n-len(c.buf))]
}

// run compares two terms without recursion. Every pass of the outer loop
// compares a with b; the inner one takes what waits on the stack.
func (c *comparer) run(a, b Term) int {
	for {
		j := 0
		if a != b {
			var na, nb Term
			if j, na, nb = c.step(a, b); na != None {
				a, b = na, nb
				continue
			}
		}
		var done bool
		if a, b, j, done = c.next(j); done {
			return j
		}
	}
}

// step compares two different terms as far as it can without a stack. When
// na is not None, na and nb are to be compared next.
func (c *comparer) step(a, b Term) (j int, na, nb Term) {
	if a&b&PrimMask == PrimImmed && a.IsSmall() && b.IsSmall() {
		return cmpInt64(int64(a), int64(b)), None, None
	}
	if a.IsList() && b.IsList() {
		return c.lists(a, b)
	}
	if !a.IsBoxed() || !b.IsBoxed() {
		return cmpLeaf(a, b, c.exact), None, None
	}
	ka, kb := a.Kind(), b.Kind()
	switch {
	case ka == KTuple && kb == KTuple:
		n := a.Arity()
		if n != b.Arity() {
			return n - b.Arity(), None, None
		}
		return c.array(a.Addr()+8, b.Addr()+8, n)
	case ka == KMap && kb == KMap:
		return c.cmpMaps(a, b)
	case ka == KFun && kb == KFun:
		if j = cmpFunEntries(a, b); j != 0 {
			return j, None, None
		}
		return c.array(a.Addr()+24, b.Addr()+24, HeaderWords(a.Hdr())-2)
	}
	return cmpLeaf(a, b, c.exact), None, None
}

func (c *comparer) lists(a, b Term) (j int, na, nb Term) {
	for {
		ah, bh := a.Head(), b.Head()
		at, bt := a.Tail(), b.Tail()
		if ah != bh {
			if ah&bh&PrimMask == PrimImmed {
				return cmpImmed(ah, bh), None, None
			}
			if at != bt {
				c.push(cmpFrame{uint64(at), uint64(bt), 0, opPair})
			}
			return 0, ah, bh
		}
		if at == bt {
			return 0, None, None
		}
		if !at.IsList() || !bt.IsList() {
			return 0, at, bt
		}
		a, b = at, bt
	}
}

// array compares n words at two addresses up to the first pair that is not
// decided at once.
func (c *comparer) array(a, b uintptr, n int) (j int, na, nb Term) {
	for i := 0; i < n; i++ {
		x, y := Term(Get(a, i)), Term(Get(b, i))
		if x == y {
			continue
		}
		if x&y&PrimMask == PrimImmed {
			return cmpImmed(x, y), None, None
		}
		if i++; i < n {
			off := uintptr(i) * 8
			c.push(cmpFrame{uint64(a + off), uint64(b + off), n - i, opArray})
		}
		return 0, x, y
	}
	return 0, None, None
}

// next takes the result of a comparison and finds what to compare next.
func (c *comparer) next(j int) (a, b Term, res int, done bool) {
	for {
		if j != 0 {
			if len(c.maps) == 0 || c.eqOnly {
				return None, None, j, true
			}
			c.drop(c.maps[len(c.maps)-1].rollback)
		}
		if c.n == 0 {
			return None, None, 0, true
		}
		f := c.pop()
		switch f.op {
		case opPair:
			return Term(f.a), Term(f.b), 0, false
		case opArray:
			j, a, b = c.array(uintptr(f.a), uintptr(f.b), f.n)
		case opExactOff:
			c.exact = false
			j, a = 0, None
		default:
			j, a, b = c.mapStep(f.op, j)
		}
		if a != None {
			return a, b, 0, false
		}
	}
}

func cmpInt64(a, b int64) int {
	if a < b {
		return -1
	} else if a > b {
		return 1
	}
	return 0
}

func cmpUint64(a, b uint64) int {
	if a < b {
		return -1
	} else if a > b {
		return 1
	}
	return 0
}

// The places of the types in the order of terms.
const (
	ordNumber = iota
	ordAtom
	ordRef
	ordFun
	ordPort
	ordPid
	ordTuple
	ordMap
	ordNil
	ordList
	ordBits
	ordOther
)

func orderOf(t Term) int {
	switch t & PrimMask {
	case PrimList:
		return ordList
	case PrimBoxed:
		return kindOrder[t.Kind()]
	case PrimImmed:
		switch {
		case t.IsSmall():
			return ordNumber
		case t.IsAtom():
			return ordAtom
		case t.IsNil():
			return ordNil
		case t.IsInternalPid():
			return ordPid
		case t.IsInternalPort():
			return ordPort
		}
	}
	return ordOther
}

var kindOrder = [16]int{
	KTuple: ordTuple, KRecord: ordTuple, KPosBig: ordNumber, KNegBig: ordNumber,
	KRef: ordRef, KFun: ordFun, KFloat: ordNumber, KExport: ordFun,
	KHeapBits: ordBits, KSubBits: ordBits, KBinRef: ordOther, KMatch: ordOther,
	KExtPid: ordPid, KExtPort: ordPort, KExtRef: ordRef, KMap: ordMap,
}

// cmpLeaf compares two different terms of which none is a tuple, cons, map or
// local fun, unless their types differ.
func cmpLeaf(a, b Term, exact bool) int {
	oa, ob := orderOf(a), orderOf(b)
	if oa != ob {
		return oa - ob
	}
	switch oa {
	case ordNumber:
		return cmpNumbers(a, b, exact)
	case ordAtom:
		return CompareAtoms(a, b)
	case ordRef:
		return cmpRefs(a, b)
	case ordFun:
		return cmpExports(a, b)
	case ordPort:
		return cmpPorts(a, b)
	case ordPid:
		return cmpPids(a, b)
	case ordBits:
		return cmpBits(a, b)
	}
	return cmpUint64(uint64(a), uint64(b))
}

// CompareAtoms orders two atoms by the bytes of their UTF-8 names.
func CompareAtoms(a, b Term) int { return atom.Compare(a.Atom(), b.Atom()) }
