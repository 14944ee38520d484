package etf

import (
	"encoding/binary"
	"math"
	"sync"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/internal/wire"
	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/num"
	"github.com/beamrd/beamrd/vm/term"
)

// Kinds of frame: what the terms that come next are parts of.
const (
	frSlots = iota // a run of words
	frList         // the heads of cons cells that are linked already
	frMap          // pairs for a map; see finishMap
)

// frame is a container whose parts are being read.
type frame struct {
	addr uintptr // where the next part goes; for a map, the scratch block
	left int     // parts still to come
	kind int
	dst  uintptr // frMap: where the map goes
	size int     // frMap: words of the scratch block
}

// A Decoder reads one term, in slices. It is used once.
type Decoder struct {
	h     *heap.Heap
	b     []byte
	pos   int
	safe  bool
	owed  int // terms announced by open containers and not yet read
	stack []frame
	res   term.Term
	tag   int // where the current term starts
	bad   *Error
	Atoms []term.Term // of the distribution header, for tag 82; nil if none
	Bin   *heap.Bin   // in which b lies, from Off on; a term may share it
	Off   int
	kvs   []term.Term    // of the map being finished
	few   [16]frame      // the stack of ordinary terms
	seen  [256]atom.Atom // atoms read before, by a hash of their names
}

// The slot of the whole term, which lies in the decoder and has no address.
const rootSlot = 0

// NewDecoder prepares to read the term at the start of b (without the version
// byte) into h. safe refuses new atoms and functions that are not loaded.
func NewDecoder(h *heap.Heap, b []byte, safe bool) *Decoder {
	d := new(Decoder)
	d.start(h, b, safe)
	return d
}

func (d *Decoder) start(h *heap.Heap, b []byte, safe bool) {
	d.h, d.b, d.safe = h, b, safe
	d.pos, d.owed, d.res, d.bad, d.Atoms, d.Bin = 0, 1, term.None, nil, nil, nil
	d.stack = append(d.few[:0], frame{addr: rootSlot, left: 1})
}

// Restart prepares d, which has finished, for another term. What it knows of
// atoms it keeps.
func (d *Decoder) Restart(h *heap.Heap, b []byte, safe bool) {
	d.Close()
	d.start(h, b, safe)
}

var decoders = sync.Pool{New: func() any { return new(Decoder) }}

// Decode builds the term at the start of b (without the version byte 131) in
// h and returns the bytes read. safe refuses new atoms and functions that are
// not loaded. The error, if any, is an *Error; what was built by then is
// garbage on h.
func Decode(h *heap.Heap, b []byte, safe bool) (t term.Term, n int, err error) {
	d := decoders.Get().(*Decoder)
	d.start(h, b, safe)
	d.Step(math.MaxInt)
	t, n, err = d.Result()
	d.Close()
	d.h, d.b = nil, nil
	decoders.Put(d)
	return t, n, err
}

// Close frees what the decoder holds beside the heap. It may be called twice.
func (d *Decoder) Close() {
	for _, f := range d.stack {
		if f.kind == frMap {
			offheap.Free(mapScratch(f), uintptr(f.size)*8, offheap.Misc)
		}
	}
	d.stack = nil
}

// put stores a term in a slot.
func (d *Decoder) put(slot uintptr, t term.Term) {
	if slot == rootSlot {
		d.res = t
		return
	}
	term.PutTerm(slot, 0, t)
}

// Result returns the outcome once Step is done.
func (d *Decoder) Result() (t term.Term, n int, err error) {
	if d.bad != nil {
		return term.None, 0, d.bad
	}
	return d.res, d.pos, nil
}

func (d *Decoder) push(f frame) { d.stack = append(d.stack, f) }

// fail records the first error and stops the decoder.
func (d *Decoder) fail(what string) term.Term {
	if d.bad == nil {
		d.bad = &Error{d.tag, what}
	}
	return term.None
}

// Step reads at most n terms or some 100 n bytes of string, and returns how
// much of n is left; done tells that the decoder has finished, well or not.
func (d *Decoder) Step(n int) (left int, done bool) {
	for ; n > 0; n-- {
		f := d.top()
		if f == nil {
			return n, true
		}
		slot := f.addr
		f.addr += 8
		if f.kind == frList {
			f.addr += 8
		}
		f.left--
		d.owed--
		start := d.pos
		// f is not used below: the stack may grow.
		t := d.term(slot)
		if d.bad != nil {
			return n, true
		}
		if t != term.None {
			d.put(slot, t)
		}
		n -= (d.pos - start) >> 7
	}
	return max(n, 0), d.top() == nil
}

// top returns the frame that waits for a part, finishing the full ones; nil
// at the end.
func (d *Decoder) top() *frame {
	for {
		if d.bad != nil || len(d.stack) == 0 {
			return nil
		}
		f := &d.stack[len(d.stack)-1]
		if f.left > 0 {
			return f
		}
		if f.kind == frMap {
			d.finishMap(*f)
		}
		d.stack = d.stack[:len(d.stack)-1]
	}
}

// promise notes that n more terms must follow; each takes a byte at least.
func (d *Decoder) promise(n int) bool {
	if n > len(d.b)-d.pos-d.owed {
		d.fail("more parts announced than bytes left")
		return false
	}
	d.owed += n
	return true
}

// take returns the next n bytes, or nil.
func (d *Decoder) take(n int) []byte {
	if n < 0 || n > len(d.b)-d.pos {
		d.fail("truncated")
		return nil
	}
	s := d.b[d.pos : d.pos+n : d.pos+n]
	d.pos += n
	return s
}

func (d *Decoder) u8() int {
	if s := d.take(1); s != nil {
		return int(s[0])
	}
	return 0
}

func (d *Decoder) u16() int {
	if s := d.take(2); s != nil {
		return int(binary.BigEndian.Uint16(s))
	}
	return 0
}

func (d *Decoder) u32() int {
	if s := d.take(4); s != nil {
		return int(binary.BigEndian.Uint32(s))
	}
	return 0
}

// term reads one term. Containers announce their parts by a frame; a list of
// no elements is its tail, read into the same slot (the result is None then).
func (d *Decoder) term(slot uintptr) term.Term {
	d.tag = d.pos
	tag := d.u8()
	switch tag {
	case wire.TagSmallInteger:
		return term.Small(int64(d.u8()))
	case wire.TagInteger:
		return term.Small(int64(int32(d.u32())))
	case wire.TagAtom, wire.TagSmallAtom, wire.TagAtomUTF8, wire.TagSmallAtomUTF8, wire.TagAtomCacheRef:
		return d.atomOf(tag)
	case wire.TagNil:
		return term.Nil
	case wire.TagSmallTuple:
		return d.tuple(d.u8())
	case wire.TagLargeTuple:
		return d.tuple(d.u32())
	case wire.TagList:
		return d.list(slot, d.u32())
	case wire.TagString:
		if s := d.take(d.u16()); s != nil {
			return d.h.Latin1(s)
		}
		return term.Nil
	case wire.TagBinary:
		n := d.u32()
		if s := d.take(n); d.bad == nil {
			if d.Bin != nil && d.shares(n) {
				return d.share(n)
			}
			return d.h.Binary(s)
		}
	case wire.TagMap:
		d.mapPairs(slot, d.u32())
	case wire.TagNewFloat:
		if s := d.take(8); s != nil {
			return d.float(math.Float64frombits(binary.BigEndian.Uint64(s)), true)
		}
	case wire.TagFloat:
		return d.oldFloat()
	case wire.TagSmallBig:
		return d.big(d.u8())
	case wire.TagLargeBig:
		return d.big(d.u32())
	default:
		return d.rare(tag)
	}
	return term.None
}

// shares tells whether a binary of n bytes is a view of what it was read from:
// if it is the larger part of that, which it keeps alive.
func (d *Decoder) shares(n int) bool { return n > minShared && uintptr(n) > d.Bin.Cap/2 }

const minShared = 4 << 10

func (d *Decoder) share(n int) term.Term {
	d.Bin.Ref()
	end := uint64(d.Off + d.pos)
	return d.h.WrapBin(d.Bin, (end-uint64(n))*8, end*8)
}

// rare reads the terms that are seldom many.
func (d *Decoder) rare(tag int) term.Term {
	switch tag {
	case wire.TagBitBinary:
		return d.bitBinary()
	case wire.TagPid, wire.TagNewPid:
		return d.pid(tag)
	case wire.TagPort, wire.TagNewPort, wire.TagV4Port:
		return d.port(tag)
	case wire.TagReference, wire.TagNewReference, wire.TagNewerReference:
		return d.ref(tag)
	case wire.TagExport:
		return d.export()
	case wire.TagNewFun:
		return d.fun()
	case wire.TagFun:
		return d.fail("fun in the form that is not supported since OTP 23")
	}
	return d.fail("unknown tag")
}

func (d *Decoder) float(f float64, ok bool) term.Term {
	if t := num.Float(d.h, f); ok && t != term.None {
		return t
	}
	return d.fail("float is not finite")
}

func (d *Decoder) oldFloat() term.Term {
	s := d.take(31)
	for i, c := range s {
		if c == 0 {
			s = s[:i]
			break
		}
	}
	f, ok := num.ParseFloat(s)
	return d.float(f, ok)
}

func (d *Decoder) big(n int) term.Term {
	if n > num.MaxLimbs*8 {
		return d.fail("integer beyond the limit")
	}
	neg := d.u8() != 0
	s := d.take(n)
	if d.bad != nil {
		return term.None
	}
	return num.FromLittle(d.h, s, neg)
}

func (d *Decoder) tuple(n int) term.Term {
	if n > term.MaxTupleArity || !d.promise(n) {
		return d.fail("tuple too large")
	}
	a := d.h.Alloc(1 + n)
	term.Put(a, 0, term.Header(n, term.KTuple))
	if n > 0 {
		d.push(frame{addr: a + 8, left: n})
	}
	return term.Box(a)
}

func (d *Decoder) list(slot uintptr, n int) term.Term {
	if n == 0 {
		if !d.promise(1) {
			return term.None
		}
		d.push(frame{addr: slot, left: 1})
		return term.None
	}
	if !d.promise(n + 1) {
		return term.None
	}
	a := d.h.Alloc(2 * n)
	for i := range n - 1 {
		c := a + uintptr(i)*16
		term.Put(c, 1, uint64(c+16)|term.PrimList)
	}
	d.push(frame{addr: a + uintptr(n)*16 - 8, left: 1})
	d.push(frame{addr: a, left: n, kind: frList})
	return term.Term(a | term.PrimList)
}

func (d *Decoder) bitBinary() term.Term {
	n, last := d.u32(), d.u8()
	s := d.take(n)
	if d.bad != nil {
		return term.None
	}
	if last > 8 || (last == 0) != (n == 0) {
		return d.fail("bits of the last byte")
	}
	if n == 0 || last == 8 {
		return d.h.Binary(s)
	}
	t, data := d.h.NewBits(uint64(n-1)*8 + uint64(last))
	dst := offheap.Bytes(data, uintptr(n))
	copy(dst, s)
	dst[n-1] &^= 0xFF >> last
	return t
}
