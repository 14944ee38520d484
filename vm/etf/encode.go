package etf

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/internal/wire"
	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/num"
	"github.com/beamrd/beamrd/vm/term"
)

// Options choose among the encodings of a term.
type Options struct {
	OldFloats     bool // as text: {minor_version,0}
	UTF8Atoms     bool // all atoms in UTF-8: {minor_version,2}, default since 26
	Deterministic bool // large maps in key order
	// Cache, when set, gives the index of an atom in the header of a
	// distribution message, or false to write it out.
	Cache func(a atom.Atom) (index byte, ok bool)
}

// Kinds of work.
const (
	wkRun    = iota // words i to n of t
	wkCons          // the rest of a list from t on, n elements in; the count goes to pos
	wkNode          // words i to n of a HAMT node, the last first
	wkPairs         // pairs i to n of a flat map
	wkFunLen        // the length of the fun whose size field is at pos; n was extra then
)

// work is what is left of a container. It says where by the container's term
// and indexes, so that it outlives a collection if the term does (see Terms).
type work struct {
	kind int
	i, n int
	pos  int
	t    term.Term
}

// An Encoder writes one term. It starts with a slice of the Go heap, and goes
// on in a reference counted binary when that becomes large.
type Encoder struct {
	Options
	buf   []byte
	bin   *heap.Bin // of which buf is a view, or nil
	spill int       // largest capacity of a slice of the Go heap
	stack []work
	big   bool // a binary of 4 GB or more was met: system_limit

	// IOVec leaves large binaries out, to be put in by Pieces.
	IOVec  bool
	Least  int // the smallest binary that is left out; 0: all that are not on heaps
	pieces []piece
	extra  int // bytes left out
}

// piece is a binary that was left out of what is written before pos.
type piece struct {
	t   term.Term
	pos int
}

// Append appends the encoding of t, without the version byte.
func Append(b []byte, t term.Term) []byte { return Options{}.Append(b, t) }

// Append appends the encoding of t, without the version byte.
func (o Options) Append(b []byte, t term.Term) []byte {
	e := Encoder{Options: o, buf: b, spill: math.MaxInt}
	e.term(t)
	e.Step(math.MaxInt)
	return e.buf
}

// grow makes room for n more bytes.
func (e *Encoder) grow(n int) {
	if len(e.buf)+n <= cap(e.buf) {
		return
	}
	need := max(len(e.buf)+n, 2*cap(e.buf), 64)
	if need <= e.spill {
		e.buf = slices.Grow(e.buf, n)
		return
	}
	b := heap.NewBin(offheap.RoundUp(uintptr(need)))
	s := offheap.Bytes(b.Data, b.Cap)
	e.buf = s[:copy(s, e.buf)]
	if e.bin != nil {
		e.bin.Unref()
	}
	e.bin = b
}

func (e *Encoder) u8(v int) {
	e.grow(1)
	e.buf = append(e.buf, byte(v))
}

func (e *Encoder) tag8(tag, v int) {
	e.grow(2)
	e.buf = append(e.buf, byte(tag), byte(v))
}

func (e *Encoder) u32(v int) {
	e.grow(4)
	e.buf = binary.BigEndian.AppendUint32(e.buf, uint32(v))
}

func (e *Encoder) tag32(tag, v int) {
	e.grow(5)
	e.buf = binary.BigEndian.AppendUint32(append(e.buf, byte(tag)), uint32(v))
}

func (e *Encoder) bytes(s []byte) {
	e.grow(len(s))
	e.buf = append(e.buf, s...)
}

func (e *Encoder) push(w work) { e.stack = append(e.stack, w) }

// Step writes about n terms, and returns how many of them are left; done tells
// that all is written.
func (e *Encoder) Step(n int) (left int, done bool) {
	for len(e.stack) > 0 {
		if n <= 0 {
			return 0, false
		}
		n--
		w := &e.stack[len(e.stack)-1]
		// w is not used after a term is written: the stack may move.
		switch w.kind {
		case wkRun:
			t := term.Term(term.Get(w.t.Addr(), w.i))
			if w.i++; w.i == w.n {
				e.pop()
			}
			n -= e.term(t)
		case wkCons:
			n -= e.cons(w)
		case wkNode:
			e.node(w)
		case wkPairs:
			n -= e.pair(w)
		case wkFunLen:
			binary.BigEndian.PutUint32(e.buf[w.pos:], uint32(len(e.buf)-w.pos+e.extra-w.n))
			e.pop()
		}
	}
	return max(n, 0), true
}

func (e *Encoder) pop() { e.stack = e.stack[:len(e.stack)-1] }

// cons writes the next element of a list, or its tail.
func (e *Encoder) cons(w *work) int {
	t := w.t
	w.n++
	if tl := t.Tail(); tl.IsList() {
		w.t = tl
	} else {
		binary.BigEndian.PutUint32(e.buf[w.pos:], uint32(w.n))
		*w = work{kind: wkRun, t: t, i: 1, n: 2}
	}
	return e.term(t.Head())
}

// node goes on with the children of a HAMT node, from the last to the first.
func (e *Encoder) node(w *work) {
	w.n--
	c := term.Term(w.t.W(w.n))
	if w.n == w.i {
		e.pop()
	}
	if c.IsList() {
		e.push(work{kind: wkRun, t: c, n: 2})
		return
	}
	e.push(work{kind: wkNode, t: c, i: 1, n: 1 + term.HeaderWords(c.Hdr())})
}

// pair writes the next key of a flat map, with its value to follow.
func (e *Encoder) pair(w *work) int {
	m, i := w.t, w.i
	if w.i++; w.i == w.n {
		e.pop()
	}
	e.push(work{kind: wkRun, t: m, i: 2 + i, n: 3 + i})
	return e.term(term.Term(m.W(1)).El(1 + i))
}

// term writes a term, or starts to; it returns how much work beyond a term's
// that was.
func (e *Encoder) term(t term.Term) int {
	switch {
	case t.IsSmall():
		e.small(t.Small())
	case t.IsAtom():
		e.atom(t.Atom())
	case t.IsNil():
		e.u8(wire.TagNil)
	case t.IsList():
		return e.list(t)
	case t.IsInternalPid():
		this := term.ThisNode()
		id := t.ID()
		e.pid(this, uint32(id&(1<<PidNumberBits-1)), uint32(id>>PidNumberBits))
	case t.IsInternalPort():
		e.port(term.ThisNode(), t.ID())
	default:
		return e.boxed(t)
	}
	return 0
}

func (e *Encoder) boxed(t term.Term) int {
	h := t.Hdr()
	n := term.HeaderWords(h)
	switch k := term.HeaderKind(h); k {
	case term.KTuple:
		if n <= 255 {
			e.tag8(wire.TagSmallTuple, n)
		} else {
			e.tag32(wire.TagLargeTuple, n)
		}
		if n > 0 {
			e.push(work{kind: wkRun, t: t, i: 1, n: 1 + n})
		}
	case term.KPosBig, term.KNegBig:
		e.bignum(offheap.Words(t.Addr()+8, uintptr(n)), k == term.KNegBig)
		return n / 8
	case term.KFloat:
		e.float(t.Float())
	case term.KHeapBits, term.KSubBits:
		return e.bitstring(t)
	case term.KMap:
		e.mapOf(t)
	case term.KRef:
		if n == term.MagicRefWords {
			heap.NameMagic(t)
		} else if n == term.PidRefWords && NameAlias != nil {
			NameAlias(t)
		}
		n0, n1, n2 := t.RefNumbers()
		e.ref(term.ThisNode(), []uint32{n0, n1, n2})
	case term.KExtPid:
		e.pid(term.NodeAt(int(t.W(1))), uint32(t.W(2)), uint32(t.W(2)>>32))
	case term.KExtPort:
		e.port(term.NodeAt(int(t.W(1))), t.W(2))
	case term.KExtRef:
		nums := make([]uint32, t.W(2))
		for i := range nums {
			nums[i] = uint32(t.W(3+i/2) >> (i % 2 * 32))
		}
		e.ref(term.NodeAt(int(t.W(1))), nums)
	case term.KExport:
		x := offheap.At[code.Export](uintptr(t.W(1)))
		e.u8(wire.TagExport)
		e.atom(x.MFA.Module.Atom())
		e.atom(x.MFA.Function.Atom())
		e.small(int64(x.MFA.Arity))
	case term.KFun:
		e.fun(t, n)
	}
	return 0
}

func (e *Encoder) small(v int64) {
	switch {
	case uint64(v) < 256:
		e.tag8(wire.TagSmallInteger, int(v))
	case v == int64(int32(v)):
		e.tag32(wire.TagInteger, int(v))
	case v < 0:
		e.bignum([]uint64{uint64(-v)}, true)
	default:
		e.bignum([]uint64{uint64(v)}, false)
	}
}

func (e *Encoder) bignum(w []uint64, neg bool) {
	n := len(w)*8 - bits.LeadingZeros64(w[len(w)-1])/8
	if n < 256 {
		e.tag8(wire.TagSmallBig, n)
	} else {
		e.tag32(wire.TagLargeBig, n)
	}
	e.grow(1 + len(w)*8)
	if neg {
		e.buf = append(e.buf, 1)
	} else {
		e.buf = append(e.buf, 0)
	}
	at := len(e.buf)
	for _, v := range w {
		e.buf = binary.LittleEndian.AppendUint64(e.buf, v)
	}
	e.buf = e.buf[:at+n]
}

func (e *Encoder) float(f float64) {
	if e.OldFloats {
		e.u8(wire.TagFloat)
		at := len(e.buf)
		e.bytes(make([]byte, 31))
		copy(e.buf[at:], num.AppendFloat(nil, f, 20))
		return
	}
	e.u8(wire.TagNewFloat)
	e.grow(8)
	e.buf = binary.BigEndian.AppendUint64(e.buf, math.Float64bits(f))
}

// stringMax is the longest list of bytes written as a string.
const stringMax = 0xFFFF

// byteList tells whether t is a proper list of bytes short enough, and how
// many elements were looked at.
func byteList(t term.Term) (n int, ok bool) {
	for t.IsList() {
		if hd := t.Head(); hd&^(255<<4) != term.TagSmall || n == stringMax {
			return n, false
		}
		n++
		t = t.Tail()
	}
	return n, t.IsNil()
}

func (e *Encoder) list(t term.Term) int {
	n, ok := byteList(t)
	if !ok {
		e.tag32(wire.TagList, 0)
		e.push(work{kind: wkCons, t: t, pos: len(e.buf) - 4})
		return n / 8
	}
	e.grow(3 + n)
	e.buf = append(e.buf, wire.TagString, byte(n>>8), byte(n))
	for ; t.IsList(); t = t.Tail() {
		e.buf = append(e.buf, byte(t.Head()>>4))
	}
	return n / 4
}

func (e *Encoder) bitstring(t term.Term) int {
	base, start, end := heap.Bits(t)
	size := end - start
	n := int((size + 7) / 8)
	if n > math.MaxUint32 {
		e.big = true
		return 0
	}
	if size&7 == 0 {
		e.tag32(wire.TagBinary, n)
	} else {
		e.tag32(wire.TagBitBinary, n)
		e.u8(int(size & 7))
	}
	if e.IOVec && n > max(heap.HeapBitsMax, e.Least-1) && start&7 == 0 && isRefc(t) {
		e.leaveOut(t, base+uintptr(start>>3), size)
		return 0
	}
	e.grow(n)
	at := len(e.buf)
	e.buf = e.buf[:at+n]
	heap.CopyBits(e.buf[at:], base, start, size)
	return n / 1024
}

func (e *Encoder) mapOf(t term.Term) {
	n := t.MapSize()
	e.tag32(wire.TagMap, n)
	switch {
	case n == 0:
	case t.MapKind() == term.MapFlat:
		e.push(work{kind: wkPairs, t: t, n: n})
	case e.Deterministic:
		e.sorted(t, n)
	default:
		e.push(work{kind: wkNode, t: t, i: 2, n: 1 + term.HeaderWords(t.Hdr())})
	}
}
