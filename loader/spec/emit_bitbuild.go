package spec

import (
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/term"
)

// flagsOf reads a list of the atoms little, native, signed.
func flagsOf(g op.Arg) (flags int64) {
	if g.Kind != op.ArgTerm {
		return g.Val
	}
	for l := g.Term(); l.IsList(); l = l.Tail() {
		switch l.Head() {
		case amLittle:
			flags |= flagLittle
		case amNative:
			flags |= flagNative
		case amSigned:
			flags |= flagSigned
		}
	}
	return flags
}

var (
	amLittle = term.Intern("little")
	amNative = term.Intern("native")
	amSigned = term.Intern("signed")

	amEnsureAtLeast = term.Intern("ensure_at_least")
	amEnsureExactly = term.Intern("ensure_exactly")
	amSkip          = term.Intern("skip")
	amInteger       = term.Intern("integer")
	amBinary        = term.Intern("binary")
	amGetTail       = term.Intern("get_tail")
	amExactEq       = term.Intern("=:=")

	amAppend        = term.Intern("append")
	amPrivateAppend = term.Intern("private_append")
	amFloat         = term.Intern("float")
	amString        = term.Intern("string")
	amUtf8          = term.Intern("utf8")
	amUtf16         = term.Intern("utf16")
	amUtf32         = term.Intern("utf32")
)

// number is a constant, bare or as a small.
func (a *asm) number(g op.Arg) int64 {
	switch {
	case g.Kind == op.ArgU:
		return g.Val
	case g.Kind == op.ArgTerm && g.Term().IsSmall():
		return g.Term().Small()
	}
	a.fail("a number was expected")
	return 0
}

// bsMatch is the combined match of OTP 26 and later: fail, context, commands.
func bsMatch(a *asm, g []op.Arg) {
	fail, ctx := g[0], g[1]
	for l := g[2].List; len(l) > 0; {
		need := map[term.Term]int{amEnsureAtLeast: 3, amEnsureExactly: 2, amSkip: 2,
			amInteger: 6, amBinary: 6, amGetTail: 4, amExactEq: 4}[l[0].Term()]
		if l[0].Kind != op.ArgTerm || need == 0 || len(l) < need {
			a.fail("unknown command of bs_match")
			return
		}
		switch l[0].Term() {
		case amEnsureAtLeast:
			a.cold(op.BsEnsure, fail, ctx, u(a.number(l[1])), u(max(a.number(l[2]), 1)))
		case amEnsureExactly:
			a.must(op.BBsTestTail, a.arg(ctx), field(uint64(a.number(l[1])), 0), a.branch(fail))
		case amSkip:
			a.skip(fail, ctx, u(a.number(l[1])), 1)
		case amInteger:
			a.getInt(fail, ctx, l[1], u(a.number(l[3])), a.number(l[4]), flagsOf(l[2]), l[5])
		case amBinary:
			a.getBin(fail, ctx, l[1], u(a.number(l[3])), a.number(l[4]), l[5])
		case amGetTail:
			a.getTail(ctx, l[1], l[3])
		case amExactEq:
			a.cold(op.BsMatchInt, fail, ctx, u(a.number(l[2])), u(a.number(l[3])))
		}
		l = l[need:]
	}
}

// createBin: fail, room, live, unit, destination, segments of six operands:
// type, number, unit, flags, source, size.
func createBin(a *asm, g []op.Arg) {
	l := g[5].List
	if len(l)%6 != 0 {
		a.fail("segments of bs_create_bin: %d operands", len(l))
		return
	}
	at := a.here()
	a.word(0)
	for _, x := range []op.Arg{g[0], u(int64(a.words(g[1]))), g[2], g[4], u(int64(len(l) / 6))} {
		a.coldArg(at, x)
	}
	for ; len(l) > 0; l = l[6:] {
		a.segment(at, l)
	}
	a.endCold(at, op.BsCreateBin)
}

func (a *asm) segment(at int32, s []op.Arg) {
	unit, sz := s[2].Val, s[5]
	n, known, never := fixedBits(sz, unit)
	fixed := known && !never
	kind := 0
	src := a.source(a.arg(s[4]))
	switch s[0].Term() {
	case amAppend:
		kind = op.SegAppend
	case amPrivateAppend:
		kind = op.SegPrivateAppend
	case amBinary:
		kind = pick(fixed, op.SegBinFixed, op.SegBin)
		if sz.Kind == op.ArgTerm && sz.Term() == amAll {
			kind = op.SegBinAll
		}
	case amFloat:
		kind = pick(fixed, op.SegFloatFixed, op.SegFloat)
	case amInteger:
		kind = pick(fixed, op.SegIntFixed, op.SegInt)
	case amString:
		kind = op.SegString
		fixed, n = true, uint64(a.number(sz)*8)
		src = uint64(a.stringAt(a.number(s[4])))
	case amUtf8:
		kind = op.SegUtf8
	case amUtf16:
		kind = op.SegUtf16
	case amUtf32:
		kind = op.SegUtf32
	default:
		a.fail("segment of unknown type")
	}
	a.word(uint64(kind) | uint64(flagsOf(s[3]))<<8 | uint64(unit)<<16 | uint64(s[1].Val)<<32)
	a.word(src)
	if fixed {
		a.word(n)
	} else {
		a.coldArg(at, size(sz))
	}
}

func pick(yes bool, a, b int) int {
	if yes {
		return a
	}
	return b
}
