package interp

import (
	"github.com/beamrd/beamrd/vm/bits"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Construction as compilers before OTP 25 wrote it: bs_init2, bs_init_bits,
// bs_append or bs_private_append begin a bitstring, bs_put_* write its parts.
// The bitstring begun is in the register file (proc.Building). What it says is
// trusted only while the process and the number of its collections are those
// it was begun with, and writes stay within its end.

func collections(p *proc.Process) uint64 { return p.MinorGCs + p.MajorGCs }

func begin(c *proc.Ctx, p *proc.Process, t term.Term, off, end uint64) {
	base, _, _ := heap.Bits(t)
	c.Build = proc.Building{Base: base, Off: off, End: end, Owner: p.ID, GCs: collections(p)}
}

// building returns the bitstring begun if n more bits fit.
func building(c *proc.Ctx, p *proc.Process, n uint64) *proc.Building {
	b := &c.Build
	if b.Owner != p.ID || b.GCs != collections(p) || b.End-b.Off < n {
		return nil
	}
	return b
}

// sizeArg is the size of a bitstring to begin, times unit; it returns false
// after failing.
func sizeArg(c *proc.Ctx, p *proc.Process, t term.Term, unit uint64) (n uint64, ok bool) {
	if t.IsBig() && t.Kind() == term.KPosBig {
		failWith(c, p, term.AmSystemLimit)
		return 0, false
	}
	n, ok = fieldSize(t, 1)
	switch {
	case !ok:
		failWith(c, p, term.AmBadarg)
		return 0, false
	case n > maxBits/unit:
		failWith(c, p, term.AmSystemLimit)
		return 0, false
	}
	return n * unit, true
}

func failWith(c *proc.Ctx, p *proc.Process, reason term.Term) {
	if c.FailIP != 0 {
		p.IP += c.FailIP
		return
	}
	raiseError(c, p, reason)
}

// opBsInit: fail, size, unit (8 or 1 bits), room, live, dst.
func opBsInit(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 1, 5, 6)
	n, ok := sizeArg(c, p, src(c, p, 2), opw(p, 3))
	if !ok {
		return
	}
	t, _ := newBits(&p.Heap, n)
	if t = finishNeed(c, p, t, int(opw(p, 4))); t != term.None {
		begin(c, p, t, 0, n)
	}
}

// opBsAppend: fail, size in bits, room, live, unit, source, dst, private.
func opBsAppend(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 1, 4, 7)
	n, ok := sizeArg(c, p, src(c, p, 2), 1)
	if !ok {
		return
	}
	t := src(c, p, 6)
	u := opw(p, 5)
	if !t.IsBitstring() || u > 1 && t.BitSize()%u != 0 {
		failWith(c, p, term.AmBadarg)
		return
	}
	off := t.BitSize()
	if off+n > maxBits {
		failWith(c, p, term.AmSystemLimit)
		return
	}
	if n > 0 {
		t, _, off = appendBits(p, opw(p, 8) != 0, t, n)
	}
	if t = finishNeed(c, p, t, int(opw(p, 3))); t != term.None {
		begin(c, p, t, off, off+n)
	}
}

// opBsInitWritable: X0 becomes an empty writable binary with room for X0 bytes.
func opBsInitWritable(c *proc.Ctx, p *proc.Process, w uint64) {
	n := uintptr(1024)
	if t := c.X[0]; t.IsSmall() && t.Small() >= 0 && uint64(t.Small()) <= maxBits/8 {
		n = uintptr(t.Small())
	}
	c.X[0] = bits.NewWritable(&p.Heap, n)
	next(p, w)
	if wantsGC(p) {
		collect(c, p, 1, 0, nil)
	}
}

// opBsPutInt: fail, size, unit, flags, source.
func opBsPutInt(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 1, 0, 0)
	n, ok := fieldSize(src(c, p, 2), opw(p, 3))
	b := building(c, p, n)
	if !ok || b == nil || !bits.PutInt(b.Base, b.Off, n, src(c, p, 5), opw(p, 4)) {
		failWith(c, p, term.AmBadarg)
		return
	}
	b.Off += n
	next(p, w)
}

// opBsPutFloat: fail, size, unit, flags, source.
func opBsPutFloat(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 1, 0, 0)
	n, ok := fieldSize(src(c, p, 2), opw(p, 3))
	b := building(c, p, n)
	if !ok || b == nil || bits.PutFloat(b.Base, b.Off, n, src(c, p, 5), opw(p, 4)) != bits.FloatOK {
		failWith(c, p, term.AmBadarg)
		return
	}
	b.Off += n
	next(p, w)
}

// opBsPutBin: fail, size (or the atom all), unit, source.
func opBsPutBin(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 1, 0, 0)
	t, size, u := src(c, p, 4), src(c, p, 2), opw(p, 3)
	if !t.IsBitstring() {
		failWith(c, p, term.AmBadarg)
		return
	}
	n, ok := t.BitSize(), true
	if size != amAll {
		n, ok = fieldSize(size, u)
		ok = ok && n <= t.BitSize()
	} else if u > 1 && n%u != 0 {
		ok = false
	}
	b := building(c, p, n)
	if !ok || b == nil {
		failWith(c, p, term.AmBadarg)
		return
	}
	from, s, _ := heap.Bits(t)
	bits.Copy(b.Base, b.Off, from, s, n)
	b.Off += n
	p.FCalls -= int64(n / bitsPerRed)
	next(p, w)
}

var amAll = term.Intern("all")

// opBsPutString: bits, address.
func opBsPutString(c *proc.Ctx, p *proc.Process, w uint64) {
	c.FailIP = 0
	n := opw(p, 1)
	b := building(c, p, n)
	if b == nil {
		failWith(c, p, term.AmBadarg)
		return
	}
	bits.Copy(b.Base, b.Off, uintptr(opw(p, 2)), 0, n)
	b.Off += n
	next(p, w)
}

// opBsPutUtf: fail, width (8, 16, 32), flags, source.
func opBsPutUtf(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 1, 0, 0)
	t, fl := src(c, p, 4), opw(p, 3)
	n, width := uint64(32), opw(p, 2)
	switch width {
	case 8:
		n = bits.UTF8Bits(t)
	case 16:
		n = bits.UTF16Bits(t)
	}
	b := building(c, p, n)
	if b == nil || !bits.ValidChar(t) {
		failWith(c, p, term.AmBadarg)
		return
	}
	switch width {
	case 8:
		bits.PutUTF8(b.Base, b.Off, t)
	case 16:
		bits.PutUTF16(b.Base, b.Off, t, fl)
	default:
		bits.PutInt(b.Base, b.Off, 32, t, fl)
	}
	b.Off += n
	next(p, w)
}

// opBsUtfSize: width (8, 16), source, dst: the bytes a character takes.
func opBsUtfSize(c *proc.Ctx, p *proc.Process, w uint64) {
	n := bits.UTF16Bits(src(c, p, 2))
	if opw(p, 1) == 8 {
		n = bits.UTF8Bits(src(c, p, 2))
	}
	setDst(c, p, 3, term.Small(int64(n/8)))
	next(p, w)
}

// opBsAdd: fail, a, b, unit, dst: a + b * unit, sizes all.
func opBsAdd(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 1, 0, 5)
	a, b := src(c, p, 2), src(c, p, 3)
	size := func(t term.Term) bool {
		return t.IsSmall() && t.Small() >= 0 || t.IsBig() && t.Kind() == term.KPosBig
	}
	if !size(a) || !size(b) {
		failWith(c, p, term.AmBadarg)
		return
	}
	n, ok := fieldSize(b, opw(p, 4))
	if !ok || !a.IsSmall() || n+uint64(a.Small()) > term.MaxSmall {
		failWith(c, p, term.AmSystemLimit)
		return
	}
	finish(c, p, term.Small(int64(n)+a.Small()))
}
