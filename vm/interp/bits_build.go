package interp

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/bits"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Construction of bitstrings in one instruction: sizes first, then memory,
// then the segments.

// maxBits is the largest bitstring that is built; more is system_limit.
const maxBits = 1 << 41

// bitsPerRed is how many bits are copied for a reduction.
const bitsPerRed = 8192

var (
	amBits8      = term.Intern("binary")
	amBitsFloat  = term.Intern("float")
	amBitsInt    = term.Intern("integer")
	amBitsString = term.Intern("string")
	amUtf8       = term.Intern("utf8")
	amUtf16      = term.Intern("utf16")
	amUtf32      = term.Intern("utf32")
	amSegType    = term.Intern("type")
	amSegUnit    = term.Intern("unit")
	amSegSize    = term.Intern("size")
	amSegShort   = term.Intern("short")
	amNoFloat    = term.Intern("no_float")
	amInvalid    = term.Intern("invalid")
	amFormatBs   = term.Intern("format_bs_fail")
)

// segName is a segment's type in error information.
func segName(kind uint64) term.Term {
	switch kind {
	case op.SegFloat, op.SegFloatFixed:
		return amBitsFloat
	case op.SegInt, op.SegIntFixed:
		return amBitsInt
	case op.SegString:
		return amBitsString
	case op.SegUtf8:
		return amUtf8
	case op.SegUtf16:
		return amUtf16
	case op.SegUtf32:
		return amUtf32
	}
	return amBits8
}

// builder is a construction in progress. seg is the address of the segment at
// hand: op.SegWords words, see vm/op/bits.go.
type builder struct {
	c    *proc.Ctx
	p    *proc.Process
	seg  uintptr
	base uintptr
	off  uint64
}

func (b *builder) kind() uint64    { return ld(b.seg) & 0xff }
func (b *builder) flags() uint64   { return ld(b.seg) >> 8 & 0xff }
func (b *builder) unit() uint64    { return ld(b.seg) >> 16 & 0xffff }
func (b *builder) src() term.Term  { return value(b.c, b.p, ld(b.seg+8)) }
func (b *builder) size() term.Term { return value(b.c, b.p, ld(b.seg+16)) }
func (b *builder) fixed() uint64   { return ld(b.seg + 16) }

// bad fails the construction because of the segment at hand.
func (b *builder) bad(reason, what, v term.Term) bool {
	c, p := b.c, b.p
	if c.FailIP != 0 {
		p.IP += c.FailIP
		return false
	}
	h := &p.Heap
	cause := h.Tuple(term.Small(int64(ld(b.seg)>>32)), segName(b.kind()), what, v)
	info := flatMap(p, h.Tuple(amCause, term.AmFunction, amModule), cause, amFormatBs, term.AmErlErtsErrors)
	p.Raise(proc.ClassError, reason)
	raise(c, p, fault{pc: p.IP, info: infoList(p, info)})
	return false
}

// segBits returns the bits of the segment at hand; ok is false after failing.
func (b *builder) segBits() (n uint64, ok bool) {
	switch b.kind() {
	case op.SegAppend, op.SegPrivateAppend:
		return 0, true
	case op.SegBinFixed, op.SegFloatFixed, op.SegIntFixed, op.SegString:
		if b.fixed() > maxBits {
			return 0, b.bad(term.AmSystemLimit, amSegSize, b.p.Heap.Uint(b.fixed()))
		}
		return b.fixed(), true
	case op.SegUtf8:
		return bits.UTF8Bits(b.src()), true
	case op.SegUtf16:
		return bits.UTF16Bits(b.src()), true
	case op.SegUtf32:
		if !bits.ValidChar(b.src()) {
			return 0, b.bad(term.AmBadarg, amSegType, b.src())
		}
		return 32, true
	case op.SegBinAll:
		t := b.src()
		if !t.IsBitstring() {
			return 0, b.bad(term.AmBadarg, amSegType, t)
		}
		return t.BitSize(), true
	}
	s := b.size()
	switch {
	case s.IsSmall() && s.Small() >= 0:
		n, ok = fieldSize(s, b.unit())
		if !ok || n > maxBits {
			return 0, b.bad(term.AmSystemLimit, amSegSize, s)
		}
		return n, true
	case s.IsBig() && s.Kind() == term.KPosBig:
		return 0, b.bad(term.AmSystemLimit, amSegSize, s)
	}
	return 0, b.bad(term.AmBadarg, amSegSize, s)
}

// put writes the segment at hand; it returns false after failing.
func (b *builder) put() bool {
	k := b.kind()
	if k == op.SegString {
		n := b.fixed()
		bits.Copy(b.base, b.off, uintptr(ld(b.seg+8)), 0, n)
		b.off += n
		return true
	}
	t := b.src()
	switch k {
	case op.SegBinAll:
		n := t.BitSize()
		if u := b.unit(); u > 1 && n%u != 0 {
			return b.bad(term.AmBadarg, amSegUnit, t)
		}
		b.copyBin(t, n)
	case op.SegBin, op.SegBinFixed:
		n := b.segSize()
		switch {
		case !t.IsBitstring():
			return b.bad(term.AmBadarg, amSegType, t)
		case n > t.BitSize():
			return b.bad(term.AmBadarg, amSegShort, t)
		}
		b.copyBin(t, n)
	case op.SegFloat, op.SegFloatFixed:
		return b.putFloat(t, b.segSize())
	case op.SegInt, op.SegIntFixed, op.SegUtf32:
		n := uint64(32)
		if k != op.SegUtf32 {
			n = b.segSize()
		}
		if !bits.PutInt(b.base, b.off, n, t, b.flags()) {
			return b.bad(term.AmBadarg, amSegType, t)
		}
		b.off += n
	case op.SegUtf8, op.SegUtf16:
		var n uint64
		if k == op.SegUtf8 {
			n = bits.PutUTF8(b.base, b.off, t)
		} else {
			n = bits.PutUTF16(b.base, b.off, t, b.flags())
		}
		if n == 0 {
			return b.bad(term.AmBadarg, amSegType, t)
		}
		b.off += n
	}
	return true
}

// segSize is the size of a segment that segBits has accepted.
func (b *builder) segSize() uint64 {
	switch b.kind() {
	case op.SegBinFixed, op.SegFloatFixed, op.SegIntFixed:
		return b.fixed()
	}
	n, _ := fieldSize(b.size(), b.unit())
	return n
}

func (b *builder) copyBin(t term.Term, n uint64) {
	src, s, _ := heap.Bits(t)
	bits.Copy(b.base, b.off, src, s, n)
	b.off += n
	b.p.FCalls -= int64(n / bitsPerRed)
}

func (b *builder) putFloat(t term.Term, n uint64) bool {
	switch bits.PutFloat(b.base, b.off, n, t, b.flags()) {
	case bits.FloatType:
		return b.bad(term.AmBadarg, amSegType, t)
	case bits.FloatRange:
		return b.bad(term.AmBadarg, amNoFloat, t)
	case bits.FloatSize:
		return b.bad(term.AmBadarg, amInvalid, term.Small(int64(n)))
	}
	b.off += n
	return true
}

// newBits builds a bitstring to be written, whose unused bits are zero.
func newBits(h *heap.Heap, n uint64) (t term.Term, base uintptr) {
	t, base = h.NewBits(n)
	if n&7 != 0 {
		offheap.StoreByte(base+uintptr(n>>3), 0)
	}
	return t, base
}

// opBsCreateBin: fail, room, live, dst, number of segments, segments.
func opBsCreateBin(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 1, 3, 4)
	first := p.IP + 6*8
	end := first + uintptr(opw(p, 5))*op.SegWords*8
	b := builder{c: c, p: p}
	var total uint64
	for b.seg = first; b.seg < end; b.seg += op.SegWords * 8 {
		n, ok := b.segBits()
		if !ok {
			return
		}
		if total += n; total > maxBits {
			b.bad(term.AmSystemLimit, amSegSize, b.p.Heap.Uint(n))
			return
		}
	}
	b.seg = first
	var t term.Term
	if k := b.kind(); first < end && (k == op.SegAppend || k == op.SegPrivateAppend) {
		var ok bool
		if t, ok = b.start(k, total); !ok {
			return
		}
		first += op.SegWords * 8
	} else {
		t, b.base = newBits(&p.Heap, total)
	}
	for b.seg = first; b.seg < end; b.seg += op.SegWords * 8 {
		if !b.put() {
			return
		}
	}
	finishNeed(c, p, t, int(opw(p, 2)))
}

// start begins a construction that appends n bits to its first segment.
func (b *builder) start(kind, n uint64) (t term.Term, ok bool) {
	t = b.src()
	if !t.IsBitstring() {
		return t, b.bad(term.AmBadarg, amSegType, t)
	}
	if u := b.unit(); u > 1 && t.BitSize()%u != 0 {
		return t, b.bad(term.AmBadarg, amSegUnit, t)
	}
	if n == 0 {
		return t, true
	}
	if t.BitSize()+n > maxBits {
		return t, b.bad(term.AmSystemLimit, amSegSize, b.p.Heap.Uint(n))
	}
	t, b.base, b.off = appendBits(b.p, kind == op.SegPrivateAppend, t, n)
	return t, true
}

func appendBits(p *proc.Process, private bool, t term.Term, n uint64) (r term.Term, base uintptr, off uint64) {
	if private {
		r, base, off = bits.PrivateAppend(&p.Heap, t, n)
	} else {
		r, base, off = bits.Append(&p.Heap, t, n)
	}
	if t.Kind() != term.KSubBits || t.W(4) != r.W(4) { // copied
		p.FCalls -= int64(off / bitsPerRed)
	}
	if end := off + n; end&7 != 0 { // what is behind the end stays zero
		bits.Poke(base, end, -end&7, 0)
	}
	return r, base, off
}

// finishNeed is finish for an instruction that also promises room for need
// words. It returns the result where it is now; None if the process had to go.
func finishNeed(c *proc.Ctx, p *proc.Process, r term.Term, need int) term.Term {
	dst := c.Dst
	st(dst, uint64(r))
	p.IP = c.NextIP
	if p.E-p.HP >= uintptr(need)*8 && !wantsGC(p) || c.Live < 0 {
		return r
	}
	v := uint64(r)
	inFrame := dst-p.E < p.End-p.E
	if !collect(c, p, int(c.Live), need, &v) {
		return term.None
	}
	if !inFrame {
		st(dst, v)
	}
	return term.Term(v)
}
