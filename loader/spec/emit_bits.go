package spec

import (
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/term"
)

// Bit-syntax instructions. Sizes that are constants become bits here.

var bitEmitters = map[op.Generic]emitter{
	op.GBsStartMatch3: func(a *asm, g []op.Arg) { a.startMatch(g[0], g[1], g[2], g[3]) },
	op.GBsStartMatch4: startMatch4,
	op.GBsStartMatch2: func(a *asm, g []op.Arg) { a.cold(op.BsStartMatch2, g...) },
	op.GBsSave2:       func(a *asm, g []op.Arg) { a.cold(op.BsSave2, g[0], slot(g[1])) },
	op.GBsRestore2:    func(a *asm, g []op.Arg) { a.cold(op.BsRestore2, g[0], slot(g[1])) },
	op.GBsContextToBinary: func(a *asm, g []op.Arg) {
		a.cold(op.BsContextToBinary, g[0], g[0])
	},
	op.GBsGetInteger2: func(a *asm, g []op.Arg) { a.getInt(g[0], g[1], g[2], g[3], g[4].Val, g[5].Val, g[6]) },
	op.GBsGetFloat2:   func(a *asm, g []op.Arg) { a.cold(op.BsGetFloat, g...) },
	op.GBsGetBinary2:  func(a *asm, g []op.Arg) { a.getBin(g[0], g[1], g[2], g[3], g[4].Val, g[6]) },
	op.GBsSkipBits2:   func(a *asm, g []op.Arg) { a.skip(g[0], g[1], g[2], g[3].Val) },
	op.GBsTestTail2: func(a *asm, g []op.Arg) {
		if g[2].Kind == op.ArgBig {
			a.must(op.BJump, a.branch(g[0]))
			return
		}
		if g[2].Val == 0 {
			a.must(op.BBsTestTail0, a.arg(g[1]), a.branch(g[0]))
			return
		}
		a.must(op.BBsTestTail, a.arg(g[1]), a.arg(g[2]), a.branch(g[0]))
	},
	op.GBsTestUnit:    func(a *asm, g []op.Arg) { a.testUnit(g[0], g[1], g[2].Val) },
	op.GBsMatchString: func(a *asm, g []op.Arg) { a.matchString(g[0], g[1], g[2].Val, g[3].Val) },
	op.GBsGetTail:     func(a *asm, g []op.Arg) { a.getTail(g[0], g[2], g[1]) },
	op.GBsGetPosition: func(a *asm, g []op.Arg) { a.must(op.BBsGetPos, a.arg(g[0]), a.arg(g[1]).out()) },
	op.GBsSetPosition: func(a *asm, g []op.Arg) { a.must(op.BBsSetPos, a.arg(g[0]), a.arg(g[1])) },
	op.GBsGetUtf8: func(a *asm, g []op.Arg) {
		a.must(op.BBsGetUtf8, a.arg(g[1]), a.arg(g[4]).out(), a.branch(g[0]))
	},
	op.GBsSkipUtf8: func(a *asm, g []op.Arg) {
		a.must(op.BBsGetUtf8, a.arg(g[1]), scratch(8).out(), a.branch(g[0]))
	},
	op.GBsGetUtf16:  func(a *asm, g []op.Arg) { a.cold(op.BsGetUtf16, g[0], g[1], g[3], g[4]) },
	op.GBsGetUtf32:  func(a *asm, g []op.Arg) { a.cold(op.BsGetUtf32, g[0], g[1], g[3], g[4]) },
	op.GBsSkipUtf16: func(a *asm, g []op.Arg) { a.coldSkip(op.BsGetUtf16, g[0], g[1], g[3]) },
	op.GBsSkipUtf32: func(a *asm, g []op.Arg) { a.coldSkip(op.BsGetUtf32, g[0], g[1], g[3]) },
	op.GBsMatch:     bsMatch,

	op.GBsCreateBin: createBin,
	op.GBsInit2: func(a *asm, g []op.Arg) {
		a.cold(op.BsInit, g[0], size(g[1]), u(8), u(int64(a.words(g[2]))), g[3], g[5])
	},
	op.GBsInitBits: func(a *asm, g []op.Arg) {
		a.cold(op.BsInit, g[0], size(g[1]), u(1), u(int64(a.words(g[2]))), g[3], g[5])
	},
	op.GBsAppend: func(a *asm, g []op.Arg) {
		a.cold(op.BsAppend, g[0], size(g[1]), u(int64(a.words(g[2]))), g[3], g[4], g[5], g[7], u(0))
	},
	op.GBsPrivateAppend: func(a *asm, g []op.Arg) {
		a.cold(op.BsAppend, g[0], size(g[1]), u(0), u(-1), g[2], g[3], g[5], u(1))
	},
	op.GBsInitWritable: func(a *asm, g []op.Arg) { a.cold(op.BsInitWritable) },
	op.GBsPutInteger:   func(a *asm, g []op.Arg) { a.cold(op.BsPutInt, g...) },
	op.GBsPutFloat:     func(a *asm, g []op.Arg) { a.cold(op.BsPutFloat, g...) },
	op.GBsPutBinary:    func(a *asm, g []op.Arg) { a.cold(op.BsPutBin, g[0], g[1], g[2], g[4]) },
	op.GBsPutString: func(a *asm, g []op.Arg) {
		a.cold(op.BsPutString, u(g[0].Val*8), u(a.stringAt(g[1].Val)))
	},
	op.GBsPutUtf8:   func(a *asm, g []op.Arg) { a.cold(op.BsPutUtf, g[0], u(8), g[1], g[2]) },
	op.GBsPutUtf16:  func(a *asm, g []op.Arg) { a.cold(op.BsPutUtf, g[0], u(16), g[1], g[2]) },
	op.GBsPutUtf32:  func(a *asm, g []op.Arg) { a.cold(op.BsPutUtf, g[0], u(32), g[1], g[2]) },
	op.GBsUtf8Size:  func(a *asm, g []op.Arg) { a.cold(op.BsUtfSize, u(8), g[1], g[2]) },
	op.GBsUtf16Size: func(a *asm, g []op.Arg) { a.cold(op.BsUtfSize, u(16), g[1], g[2]) },
	op.GBsAdd:       func(a *asm, g []op.Arg) { a.cold(op.BsAdd, g...) },
}

const (
	flagLittle = 2
	flagSigned = 4
	flagNative = 16
)

var (
	amAll     = term.Intern("all")
	amNoFail  = term.Intern("no_fail")
	amResume  = term.Intern("resume")
	amBsStart = term.Intern("start")
)

func u(v int64) op.Arg { return op.Arg{Kind: op.ArgU, Val: v} }

// size is a size that may be a bare number, as a source. One that is too big
// for a number is too big for a bitstring.
func size(g op.Arg) op.Arg {
	if g.Kind == op.ArgBig {
		g = u(1 << 58)
	}
	if g.Kind == op.ArgU {
		return op.Arg{Kind: op.ArgTerm, Val: int64(term.Small(g.Val))}
	}
	return g
}

// slot is the number of a save slot: start is the first.
func slot(g op.Arg) op.Arg {
	if g.Kind == op.ArgTerm {
		if g.Term() == amBsStart {
			return u(0)
		}
		return u(g.Term().Small() + 1)
	}
	return u(g.Val + 1)
}

// branch is a failure label that must be there.
func (a *asm) branch(g op.Arg) operand {
	if g.Kind != op.ArgF || g.Val == 0 {
		a.fail("a match without a failure label")
	}
	return a.arg(g)
}

func (a *asm) stringAt(off int64) int64 { return int64(a.in.Strings) + off }

// field packs a size in bits and flags.
func field(n uint64, flags int64) operand {
	return operand{kind: 'u', v: n | uint64(flags)<<56}
}

// fixedBits is the size in bits of a constant size; never tells that it is one
// that no bitstring has.
func fixedBits(sz op.Arg, unit int64) (n uint64, known, never bool) {
	var v int64
	switch sz.Kind {
	case op.ArgU:
		v = sz.Val
	case op.ArgTerm:
		if sz.Term() == amAll {
			return 0, false, false
		}
		if !sz.Term().IsSmall() {
			return 0, true, true
		}
		v = sz.Term().Small()
	default:
		return 0, false, false
	}
	if v < 0 || unit < 0 || unit > 0 && v > 1<<50/unit {
		return 0, true, true
	}
	return uint64(v * unit), true, false
}

func (a *asm) startMatch(fail, src, live, dst op.Arg) {
	s := a.arg(src)
	if s.kind == 'c' && fail.Kind == op.ArgF && fail.Val != 0 && !term.Term(s.v).IsBitstring() {
		a.must(op.BJump, a.arg(fail))
		return
	}
	if fail.Kind != op.ArgF {
		fail = op.Arg{Kind: op.ArgF}
	}
	if _, ok := a.emit(op.BBsStartMatch, s, a.arg(dst).out(), a.arg(live), a.arg(fail)); !ok {
		a.cold(op.BsStart, fail, src, live, dst)
	}
}

// startMatch4: fail label, no_fail or resume; live, source, destination.
func startMatch4(a *asm, g []op.Arg) {
	if g[0].Kind == op.ArgTerm && g[0].Term() == amResume && same(g[2], g[3]) {
		return
	}
	a.startMatch(g[0], g[2], g[1], g[3])
}

func (a *asm) getInt(fail, ctx, live, sz op.Arg, unit, flags int64, dst op.Arg) {
	n, known, never := fixedBits(sz, unit)
	if never {
		a.must(op.BJump, a.branch(fail))
		return
	}
	if known {
		c, d, f := a.arg(ctx), a.arg(dst).out(), a.branch(fail)
		if flags&flagSigned == 0 && (n == 8 || flags&(flagLittle|flagNative) == 0) {
			switch n {
			case 8:
				a.must(op.BBsGet8, c, d, f)
				return
			case 16:
				a.must(op.BBsGet16, c, d, f)
				return
			case 32:
				a.must(op.BBsGet32, c, d, f)
				return
			}
		}
		if _, ok := a.emit(op.BBsGetInt, c, field(n, flags), d, a.arg(live), f); ok {
			return
		}
	}
	a.cold(op.BsGetIntVar, fail, ctx, live, size(sz), u(unit), u(flags), dst)
}

func (a *asm) getBin(fail, ctx, live, sz op.Arg, unit int64, dst op.Arg) {
	n, known, never := fixedBits(sz, unit)
	c, d := a.arg(ctx), a.arg(dst).out()
	switch {
	case never:
		a.must(op.BJump, a.branch(fail))
		return
	case known:
		if _, ok := a.emit(op.BBsGetBin, c, field(n, 0), d, a.arg(live), a.branch(fail)); ok {
			return
		}
	case sz.Kind == op.ArgTerm:
		if _, ok := a.emit(op.BBsGetAll, c, num(int(unit)), d, a.arg(live), a.branch(fail)); ok {
			return
		}
		a.testUnit(fail, ctx, unit)
		a.cold(op.BsGetTailVar, ctx, live, scratchArg)
		a.skip(fail, ctx, sz, unit)
		a.must(op.BMove, scratch(8), d)
		return
	}
	a.cold(op.BsGetBinVar, fail, ctx, live, size(sz), u(unit), dst)
}

func (a *asm) skip(fail, ctx, sz op.Arg, unit int64) {
	switch n, known, never := fixedBits(sz, unit); {
	case never:
		a.must(op.BJump, a.branch(fail))
	case known:
		a.must(op.BBsSkip, a.arg(ctx), field(n, 0), a.branch(fail))
	default:
		a.cold(op.BsSkipVar, fail, ctx, sz, u(unit))
	}
}

func (a *asm) testUnit(fail, ctx op.Arg, unit int64) {
	switch unit {
	case 1:
	case 8:
		a.must(op.BBsTestUnit8, a.arg(ctx), a.branch(fail))
	default:
		a.cold(op.BsTestUnit, fail, ctx, u(unit))
	}
}

func (a *asm) matchString(fail, ctx op.Arg, n, off int64) {
	if n&7 == 0 && n <= 256 {
		a.must(op.BBsMatchBytes, a.arg(ctx), num(int(n)), operand{kind: 'u', v: uint64(a.stringAt(off))}, a.branch(fail))
		return
	}
	a.cold(op.BsMatchString, fail, ctx, u(n), u(a.stringAt(off)))
}

func (a *asm) getTail(ctx, live, dst op.Arg) {
	if _, ok := a.emit(op.BBsGetTail, a.arg(ctx), a.arg(dst).out(), a.arg(live)); !ok {
		a.cold(op.BsGetTailVar, ctx, live, dst)
	}
}

// scratchArg is a scratch register as a generic operand: its offset is that of
// an X register beyond the last.
var scratchArg = op.Arg{Kind: op.ArgX, Val: int64(scratch(8).v / 8)}

func (a *asm) coldSkip(o op.Op, fail, ctx, flags op.Arg) { a.cold(o, fail, ctx, flags, scratchArg) }
