package interp

import (
	"unsafe"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/bits"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Bit-syntax matching outside the loop. What the loop left in the register
// file: the context in Args[0], a second operand in Args[1], destination, live
// registers, failure branch.

func ldb(a uintptr) uint64 { return uint64(*(*uint8)(unsafe.Add(nil, a))) }

// ctxOf returns a match context's bytes, position and end; ok is false when t
// is none, which only code that no compiler wrote can bring about.
func ctxOf(t term.Term) (base uintptr, pos, end uint64, ok bool) {
	if !t.Is(term.KMatch) {
		return 0, 0, 0, false
	}
	return uintptr(t.W(1)), t.W(2), t.W(3), true
}

func setPos(ctx term.Term, pos uint64) { ctx.SetW(2, pos) }

func bsBadCtx(x uintptr) {
	c, p := at(x)
	raiseError(c, p, term.AmBadarg)
}

// fail takes the failure branch; without one the match is a badarg.
func fail(c *proc.Ctx, p *proc.Process) {
	if c.FailIP == 0 {
		raiseError(c, p, term.AmBadarg)
		return
	}
	p.IP += c.FailIP
}

func bsStartSlow(x uintptr) {
	c, p := at(x)
	switch t := c.Args[0]; {
	case t.IsBitstring():
		finish(c, p, bits.Start(&p.Heap, t, 0))
	case t.Is(term.KMatch):
		finish(c, p, t)
	default:
		fail(c, p)
	}
}

// opBsStart: fail, source, live, dst.
func opBsStart(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 1, 3, 4)
	c.Args[0] = src(c, p, 2)
	bsStartSlow(offheap.Addr(c))
}

// opBsGetTailVar: context, live, dst.
func opBsGetTailVar(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 0, 2, 3)
	c.Args[0] = src(c, p, 1)
	bsTailSlow(offheap.Addr(c))
}

// A field's size and flags in one word.
const (
	fieldSizeBits = 56
	fieldSizeMask = 1<<fieldSizeBits - 1
)

// bsGetSlow reads an integer: Args[1] holds bits and, from bit 56 on, flags.
func bsGetSlow(x uintptr) {
	c, p := at(x)
	f := uint64(c.Args[1])
	getInt(c, p, c.Args[0], f&fieldSizeMask, f>>fieldSizeBits)
}

func getInt(c *proc.Ctx, p *proc.Process, ctx term.Term, n, flags uint64) {
	base, pos, end, ok := ctxOf(ctx)
	if !ok {
		raiseError(c, p, term.AmBadarg)
		return
	}
	if end-pos < n {
		fail(c, p)
		return
	}
	r := bits.GetInt(&p.Heap, base, pos, n, flags)
	if r == term.None {
		fail(c, p)
		return
	}
	setPos(ctx, pos+n)
	p.FCalls -= int64(n >> 13)
	finish(c, p, r)
}

// bsGetBinSlow reads a bitstring of Args[1] bits.
func bsGetBinSlow(x uintptr) {
	c, p := at(x)
	getBin(c, p, c.Args[0], uint64(c.Args[1]))
}

func getBin(c *proc.Ctx, p *proc.Process, ctx term.Term, n uint64) {
	base, pos, end, ok := ctxOf(ctx)
	if !ok {
		raiseError(c, p, term.AmBadarg)
		return
	}
	if end-pos < n {
		fail(c, p)
		return
	}
	setPos(ctx, pos+n)
	finish(c, p, bits.Extract(&p.Heap, ctx, base, pos, n))
}

// bsGetAllSlow reads what is left, which must be a multiple of Args[1] bits.
func bsGetAllSlow(x uintptr) {
	c, p := at(x)
	ctx := c.Args[0]
	_, pos, end, ok := ctxOf(ctx)
	switch unit := uint64(c.Args[1]); {
	case !ok || unit == 0:
		raiseError(c, p, term.AmBadarg)
	case (end-pos)%unit != 0:
		fail(c, p)
	default:
		getBin(c, p, ctx, end-pos)
	}
}

// bsTailSlow leaves the position where it is.
func bsTailSlow(x uintptr) {
	c, p := at(x)
	if _, _, _, ok := ctxOf(c.Args[0]); !ok {
		raiseError(c, p, term.AmBadarg)
		return
	}
	finish(c, p, bits.Tail(&p.Heap, c.Args[0]))
}

func bsUtf8Slow(x uintptr) {
	c, p := at(x)
	base, pos, end, ok := ctxOf(c.Args[0])
	if !ok {
		raiseError(c, p, term.AmBadarg)
		return
	}
	ch, n := bits.GetUTF8(base, pos, end-pos)
	gotChar(c, p, c.Args[0], pos, ch, n)
}

func gotChar(c *proc.Ctx, p *proc.Process, ctx term.Term, pos uint64, ch rune, n uint64) {
	if n == 0 {
		fail(c, p)
		return
	}
	setPos(ctx, pos+n)
	finish(c, p, term.Small(int64(ch)))
}

// bsMatchSlow compares c.Exp bits with those at Args[1].
func bsMatchSlow(x uintptr) {
	c, p := at(x)
	if matchString(c, p, c.Args[0], uintptr(c.Args[1]), uint64(c.Exp)) {
		p.IP = c.NextIP
	}
}

// matchString compares bits with the context's next ones; it returns false
// after failing.
func matchString(c *proc.Ctx, p *proc.Process, ctx term.Term, s uintptr, n uint64) bool {
	base, pos, end, ok := ctxOf(ctx)
	switch {
	case !ok:
		raiseError(c, p, term.AmBadarg)
		return false
	case end-pos < n || !bits.Equal(base, pos, s, 0, n):
		fail(c, p)
		return false
	}
	setPos(ctx, pos+n)
	return true
}

// operands of the cold instructions below: fail, live, destination come where
// each says. coldDst prepares finish.
func coldDst(c *proc.Ctx, p *proc.Process, w uint64, fail, live, dst int) {
	c.NextIP = p.IP + uintptr(w>>16&0xffff)*8
	c.FailIP = 0
	if fail > 0 {
		c.FailIP = uintptr(opw(p, fail))
	}
	c.Live = -1
	if live > 0 {
		c.Live = int64(opw(p, live))
	}
	c.Dst = 0
	if dst > 0 {
		c.Dst = regAddr(c, p, opw(p, dst))
	}
}

// fieldSize is a field's size in bits from a size term and a unit.
func fieldSize(t term.Term, unit uint64) (n uint64, ok bool) {
	if !t.IsSmall() || t.Small() < 0 {
		return 0, false
	}
	v := uint64(t.Small())
	if unit != 0 && v > fieldSizeMask/unit {
		return 0, false
	}
	return v * unit, true
}

// opBsGetIntVar: fail, context, live, size, unit, flags, dst.
func opBsGetIntVar(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 1, 3, 7)
	if n, ok := fieldSize(src(c, p, 4), opw(p, 5)); ok {
		getInt(c, p, src(c, p, 2), n, opw(p, 6))
		return
	}
	fail(c, p)
}

// opBsGetBinVar: fail, context, live, size, unit, dst.
func opBsGetBinVar(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 1, 3, 6)
	if n, ok := fieldSize(src(c, p, 4), opw(p, 5)); ok {
		getBin(c, p, src(c, p, 2), n)
		return
	}
	fail(c, p)
}

// opBsGetFloat: fail, context, live, size, unit, flags, dst.
func opBsGetFloat(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 1, 3, 7)
	ctx := src(c, p, 2)
	base, pos, end, ok := ctxOf(ctx)
	if !ok {
		raiseError(c, p, term.AmBadarg)
		return
	}
	n, ok := fieldSize(src(c, p, 4), opw(p, 5))
	if !ok || end-pos < n {
		fail(c, p)
		return
	}
	r := bits.GetFloat(&p.Heap, base, pos, n, opw(p, 6))
	if r == term.None {
		fail(c, p)
		return
	}
	setPos(ctx, pos+n)
	finish(c, p, r)
}

// opBsSkipVar: fail, context, size, unit.
func opBsSkipVar(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 1, 0, 0)
	ctx := src(c, p, 2)
	_, pos, end, ok := ctxOf(ctx)
	if !ok {
		raiseError(c, p, term.AmBadarg)
		return
	}
	n, ok := fieldSize(src(c, p, 3), opw(p, 4))
	if src(c, p, 3) == amAll && opw(p, 4) != 0 {
		n = end - pos
		ok = n%opw(p, 4) == 0
	}
	if !ok || end-pos < n {
		fail(c, p)
		return
	}
	setPos(ctx, pos+n)
	next(p, w)
}

// opBsTestUnit: fail, context, unit.
func opBsTestUnit(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 1, 0, 0)
	_, pos, end, ok := ctxOf(src(c, p, 2))
	switch unit := opw(p, 3); {
	case !ok || unit == 0:
		raiseError(c, p, term.AmBadarg)
	case (end-pos)%unit != 0:
		fail(c, p)
	default:
		next(p, w)
	}
}

// opBsEnsure: fail, context, bits, unit. With unit 0 that many bits must be left
// exactly; otherwise at least that many, the rest a multiple of unit.
func opBsEnsure(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 1, 0, 0)
	_, pos, end, ok := ctxOf(src(c, p, 2))
	left, n, unit := end-pos, opw(p, 3), opw(p, 4)
	switch {
	case !ok:
		raiseError(c, p, term.AmBadarg)
	case unit == 0 && left != n, unit != 0 && (left < n || (left-n)%unit != 0):
		fail(c, p)
	default:
		next(p, w)
	}
}

// opBsMatchString: fail, context, bits, address.
func opBsMatchString(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 1, 0, 0)
	if matchString(c, p, src(c, p, 2), uintptr(opw(p, 4)), opw(p, 3)) {
		next(p, w)
	}
}

// opBsMatchInt: fail, context, bits, value: the next bits are =:= a number.
func opBsMatchInt(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 1, 0, 0)
	ctx, n := src(c, p, 2), opw(p, 3)
	base, pos, end, ok := ctxOf(ctx)
	switch {
	case !ok || n > 64:
		raiseError(c, p, term.AmBadarg)
	case end-pos < n || bits.Peek(base, pos, n) != opw(p, 4):
		fail(c, p)
	default:
		setPos(ctx, pos+n)
		next(p, w)
	}
}

// opBsGetUtf16: fail, context, flags, dst.
func opBsGetUtf16(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 1, 0, 4)
	ctx := src(c, p, 2)
	base, pos, end, ok := ctxOf(ctx)
	if !ok {
		raiseError(c, p, term.AmBadarg)
		return
	}
	ch, n := bits.GetUTF16(base, pos, end-pos, opw(p, 3))
	gotChar(c, p, ctx, pos, ch, n)
}

// opBsGetUtf32: fail, context, flags, dst.
func opBsGetUtf32(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 1, 0, 4)
	ctx := src(c, p, 2)
	base, pos, end, ok := ctxOf(ctx)
	if !ok {
		raiseError(c, p, term.AmBadarg)
		return
	}
	ch, n := bits.GetUTF32(base, pos, end-pos, opw(p, 3))
	gotChar(c, p, ctx, pos, ch, n)
}

// Contexts with save slots, as old compilers used them.

// opBsStartMatch2: fail, source, live, slots, dst. A context that is matched
// again keeps its position as slot 0.
func opBsStartMatch2(c *proc.Ctx, p *proc.Process, w uint64) {
	coldDst(c, p, w, 1, 3, 5)
	t, slots := src(c, p, 2), int(opw(p, 4))
	switch {
	case t.IsBitstring():
		finish(c, p, bits.Start(&p.Heap, t, slots+1))
	case !t.Is(term.KMatch):
		fail(c, p)
	case slotCount(t) >= slots+1:
		t.SetW(5, t.W(2))
		finish(c, p, t)
	default:
		finish(c, p, moreSlots(&p.Heap, t, slots+1))
	}
}

func slotCount(ctx term.Term) int { return term.HeaderWords(ctx.Hdr()) - (heap.SubBitsWords - 1) }

func moreSlots(h *heap.Heap, t term.Term, slots int) term.Term {
	n := bits.CtxWords(slots)
	a := h.Alloc(n)
	term.Put(a, 0, term.Header(n-1, term.KMatch))
	for i := 1; i < heap.SubBitsWords; i++ {
		term.Put(a, i, t.W(i))
	}
	for i := range slots {
		term.Put(a, heap.SubBitsWords+i, t.W(2))
	}
	return term.Box(a)
}

// opBsSave2: context, slot.
func opBsSave2(c *proc.Ctx, p *proc.Process, w uint64) {
	ctx, i := src(c, p, 1), int(opw(p, 2))
	if !ctx.Is(term.KMatch) || i >= slotCount(ctx) {
		raiseError(c, p, term.AmBadarg)
		return
	}
	ctx.SetW(heap.SubBitsWords+i, ctx.W(2))
	next(p, w)
}

// opBsRestore2: context, slot.
func opBsRestore2(c *proc.Ctx, p *proc.Process, w uint64) {
	ctx, i := src(c, p, 1), int(opw(p, 2))
	if !ctx.Is(term.KMatch) || i >= slotCount(ctx) || ctx.W(heap.SubBitsWords+i) > ctx.W(3) {
		raiseError(c, p, term.AmBadarg)
		return
	}
	setPos(ctx, ctx.W(heap.SubBitsWords+i))
	next(p, w)
}

// opBsContextToBinary: context, destination. A context becomes the bitstring
// from slot 0 on; what is none stays as it is.
func opBsContextToBinary(c *proc.Ctx, p *proc.Process, w uint64) {
	ctx := src(c, p, 1)
	if ctx.Is(term.KMatch) {
		start := ctx.W(2)
		if slotCount(ctx) > 0 {
			start = ctx.W(heap.SubBitsWords)
		}
		base, _, end, _ := ctxOf(ctx)
		coldDst(c, p, w, 0, 0, 2)
		finish(c, p, bits.Extract(&p.Heap, ctx, base, start, end-start))
		return
	}
	setDst(c, p, 2, ctx)
	next(p, w)
}
