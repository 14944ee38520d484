package loader

import (
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/term"
)

// bits checks the instructions that match and build bitstrings; false if it is
// another.
func (v *verifier) bits() bool { return v.matches() || v.makesBits() }

func (v *verifier) matches() bool {
	a := v.in.Args
	switch v.in.Op {
	case op.GBsStartMatch3:
		v.startMatch(&a[0], &a[1], a[2].Val)
		v.set(&a[3], typeMatch)
	case op.GBsStartMatch2:
		if a[3].Val > maxSlots {
			v.fail("%d slots", a[3].Val)
		}
		v.startMatch(&a[0], &a[1], a[2].Val)
		v.set(&a[4], typeMatch)
	case op.GBsSave2, op.GBsRestore2:
		v.slot(&a[1])
		v.context(&a[0])
		v.raise() // for lack of the slot
	case op.GBsContextToBinary:
		t := v.get(&a[0])
		v.st.heap = 0
		v.set(&a[0], t&^typeMatch|typeBits)
	case op.GBsStartMatch4:
		if a[0].Kind == op.ArgF {
			v.startMatch(&a[0], &a[2], a[1].Val)
		} else {
			v.want(&a[2], typeBits|typeMatch)
			v.unproven()
			v.collect(a[1].Val)
		}
		v.set(&a[3], typeMatch)
	case op.GBsGetInteger2, op.GBsGetFloat2, op.GBsGetBinary2:
		v.value(&a[3])
		v.getBits(a[2].Val)
		v.set(&a[6], map[op.Generic]vtype{op.GBsGetInteger2: typeInt, op.GBsGetFloat2: typeFloat, op.GBsGetBinary2: typeBits}[v.in.Op])
	case op.GBsGetUtf8, op.GBsGetUtf16, op.GBsGetUtf32:
		v.getBits(a[2].Val)
		v.set(&a[4], typeInt)
	case op.GBsSkipUtf8, op.GBsSkipUtf16, op.GBsSkipUtf32:
		v.getBits(a[2].Val)
	case op.GBsSkipBits2:
		v.value(&a[2])
		v.context(&a[1])
		v.branch(&a[0])
	case op.GBsTestTail2, op.GBsTestUnit:
		v.context(&a[1])
		v.branch(&a[0])
	case op.GBsMatchString:
		v.context(&a[1])
		v.stringIn(a[3].Val, (a[2].Val+7)/8)
		v.branch(&a[0])
	case op.GBsGetTail:
		v.context(&a[0])
		v.collect(a[2].Val)
		v.set(&a[1], typeBits)
	case op.GBsGetPosition:
		v.context(&a[0])
		v.collect(a[2].Val)
		v.set(&a[1], typeInt)
	case op.GBsSetPosition:
		v.value(&a[1])
		v.context(&a[0])
		v.raise()
	case op.GBsMatch:
		v.bsMatch()
	default:
		return false
	}
	return true
}

// maxSlots bounds the positions a context of bs_start_match2 can save.
const maxSlots = 1 << 10

// slot checks which position is saved or restored.
func (v *verifier) slot(a *op.Arg) {
	n := a.Val
	if a.Kind == op.ArgTerm {
		switch t := a.Term(); {
		case t.IsAtom() && t == amStart:
			return
		case !t.IsSmall():
			v.fail("no slot of a match context")
			return
		default:
			n = t.Small()
		}
	} else if a.Kind != op.ArgU {
		v.fail("no slot of a match context")
	}
	if n < 0 || n > maxSlots {
		v.fail("slot %d", n)
	}
}

var amStart = term.Intern("start")

// startMatch fails for what is neither bitstring nor match context.
func (v *verifier) startMatch(fail, src *op.Arg, live int64) {
	const matchable = typeBits | typeMatch
	t := v.get(src)
	v.collect(live)
	if src.Kind == op.ArgTerm || src.Kind == op.ArgX && src.Val >= live {
		v.branch(fail)
		return
	}
	v.refine(src, minus(t, matchable))
	v.branch(fail)
	v.refine(src, meet(t, matchable))
}

// context demands a match context.
func (v *verifier) context(a *op.Arg) {
	v.want(a, typeMatch)
	v.unproven()
}

// getBits is a read from the context in operand 1 that may collect.
func (v *verifier) getBits(live int64) {
	v.context(&v.in.Args[1])
	v.collect(live)
	v.branch(&v.in.Args[0])
}

// stringIn demands that n bytes of the string chunk are there.
func (v *verifier) stringIn(off, n int64) {
	if off > int64(len(v.f.Strings)) || n > int64(len(v.f.Strings))-off {
		v.fail("%d bytes at %d of a string chunk of %d", n, off, len(v.f.Strings))
	}
}

// bsMatch checks a sequence of matches; list has checked its form. What reads
// cannot fail, for its bits are ensured to be there.
func (v *verifier) bsMatch() {
	a := v.in.Args
	v.context(&a[1])
	for l := a[2].List; len(l) > 0; {
		n := bsMatchArgs(&l[0])
		switch c := l[0].Term(); c {
		case amInteger, amBinary:
			v.collect(l[1].Val)
			t := typeInt
			if c == amBinary {
				t = typeBits
			}
			v.set(&l[5], vtype(t))
		case amGetTail:
			v.collect(l[1].Val)
			v.set(&l[3], typeBits)
		case amEnsureAtLeast, amEnsureExactly, amExactlyEqual:
			v.branch(&a[0])
		}
		l = l[1+n:]
	}
}

func (v *verifier) makesBits() bool {
	a := v.in.Args
	switch v.in.Op {
	case op.GBsAdd:
		v.value(&a[1])
		v.value(&a[2])
		v.orRaise(&a[0])
		v.set(&a[4], typeInt)
	case op.GBsUtf8Size, op.GBsUtf16Size:
		v.value(&a[1])
		v.orRaise(&a[0])
		v.set(&a[2], typeInt)
	case op.GBsInit2, op.GBsInitBits:
		v.value(&a[1])
		v.newBits(&a[0], a[3].Val, &a[2], &a[5])
		v.st.bin = true
	case op.GBsAppend:
		v.value(&a[1])
		v.value(&a[5])
		v.newBits(&a[0], a[3].Val, &a[2], &a[7])
		v.st.bin = true
	case op.GBsPrivateAppend:
		v.value(&a[1])
		v.value(&a[3])
		v.orRaise(&a[0])
		v.st.heap = 0
		v.set(&a[5], typeBits)
		v.st.bin = true
	case op.GBsCreateBin:
		for l := a[5].List; len(l) >= 6; l = l[6:] {
			v.segment(l)
		}
		v.newBits(&a[0], a[2].Val, &a[1], &a[4])
	case op.GBsPutString:
		v.building()
		v.stringIn(a[1].Val, a[0].Val)
	case op.GBsPutInteger, op.GBsPutBinary, op.GBsPutFloat:
		v.building()
		v.value(&a[1])
		v.value(&a[4])
		v.orRaise(&a[0])
	case op.GBsPutUtf8, op.GBsPutUtf16, op.GBsPutUtf32:
		v.building()
		v.value(&a[2])
		v.orRaise(&a[0])
	default:
		return false
	}
	return true
}

// building demands that a bitstring has been started on every way here.
func (v *verifier) building() {
	if !v.st.bin {
		v.fail("no bitstring is being built")
	}
}

// newBits is the making of a bitstring that may collect or fail.
func (v *verifier) newBits(fail *op.Arg, live int64, words, dst *op.Arg) {
	v.collect(live)
	v.orRaise(fail)
	v.st.heap = heapWords(words)
	v.set(dst, typeBits)
}

// segment checks a segment of bs_create_bin: type, number, unit, flags, value,
// size. The value of a string is its offset, the size its length.
func (v *verifier) segment(l []op.Arg) {
	val, size := &l[4], &l[5]
	if l[0].Term() == amString {
		v.stringIn(val.Val, size.Term().Small())
		return
	}
	v.value(val)
	v.value(size)
}
