package loader

import (
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/term"
)

var (
	amInteger       = term.Intern("integer")
	amBinary        = term.Intern("binary")
	amString        = term.Intern("string")
	amSkip          = term.Intern("skip")
	amGetTail       = term.Intern("get_tail")
	amEnsureAtLeast = term.Intern("ensure_at_least")
	amEnsureExactly = term.Intern("ensure_exactly")
	amExactlyEqual  = term.Intern("=:=")
	amFloat         = term.Intern("float")
	amAppend        = term.Intern("append")
	amPrivateAppend = term.Intern("private_append")
	amUtf8          = term.Intern("utf8")
	amUtf16         = term.Intern("utf16")
	amUtf32         = term.Intern("utf32")
	segmentTypes    = []term.Term{amInteger, amBinary, amString, amFloat, amAppend, amPrivateAppend, amUtf8, amUtf16, amUtf32}
	bsMatchShapes   = map[term.Term]string{amEnsureAtLeast: "uu", amEnsureExactly: "u", amSkip: "u", amInteger: "utuud", amBinary: "utuud", amGetTail: "uud", amExactlyEqual: "kuk"}
)

// list checks the form of an instruction's list operand.
func (v *verifier) list() {
	a := v.in.Args
	switch v.in.Op {
	case op.GSelectVal:
		v.each(a[2].List, "tL")
	case op.GSelectTupleArity:
		v.each(a[2].List, "uL")
	case op.GPutTuple2:
		v.each(a[1].List, "s")
	case op.GMakeFun3:
		v.each(a[2].List, "s")
	case op.GInitYregs:
		v.each(a[0].List, "y")
	case op.GPutMapAssoc, op.GPutMapExact:
		v.each(a[4].List, "ss")
	case op.GHasMapFields:
		v.each(a[2].List, "s")
	case op.GGetMapElements:
		v.each(a[2].List, "sd")
		v.distinct(a[2].List)
	case op.GUpdateRecord:
		v.each(a[4].List, "us")
		for i := 0; i+1 < len(a[4].List); i += 2 {
			if p := a[4].List[i].Val; p < 1 || p > a[1].Val {
				v.fail("updates element %d of %d", p, a[1].Val)
			}
		}
	case op.GBsCreateBin:
		v.each(a[5].List, "auutks")
		for l := a[5].List; v.err == nil && len(l) > 0; l = l[6:] {
			v.segmentForm(l)
		}
	case op.GBsMatch:
		v.bsMatchForm(a[2].List)
	}
}

// each checks that a list repeats a shape.
func (v *verifier) each(l []op.Arg, shape string) {
	if len(l)%len(shape) != 0 {
		v.fail("a list of %d", len(l))
		return
	}
	for i := range l {
		if !shapeOK(shape[i%len(shape)], &l[i]) {
			v.fail("element %d of the list is of the wrong kind", i+1)
			return
		}
	}
}

// distinct checks that the destinations of pairs differ from each other.
func (v *verifier) distinct(l []op.Arg) {
	if v.err != nil {
		return
	}
	var seen [2][MaxReg]bool
	for i := 1; i < len(l); i += 2 {
		d := &l[i]
		k := 0
		if d.Kind == op.ArgY {
			k = 1
		}
		if seen[k][d.Val] {
			v.fail("writes a register twice")
			return
		}
		seen[k][d.Val] = true
	}
}

func (v *verifier) segmentForm(l []op.Arg) {
	t := l[0].Term()
	for _, s := range segmentTypes {
		if s == t {
			if str := t == amString; str != (l[4].Kind == op.ArgU) || str && !(l[5].Kind == op.ArgTerm && l[5].Term().IsSmall() && l[5].Term().Small() >= 0) {
				v.fail("a segment %s of the wrong form", t.Atom())
			}
			return
		}
	}
	v.fail("a segment of unknown type %s", t.Atom())
}

// bsMatchArgs is the number of operands of a command of bs_match.
func bsMatchArgs(c *op.Arg) int { return len(bsMatchShapes[c.Term()]) }

func (v *verifier) bsMatchForm(l []op.Arg) {
	for len(l) > 0 {
		if !isAtom(l[0]) {
			v.fail("bs_match: no command")
			return
		}
		shape := bsMatchShapes[l[0].Term()]
		if shape == "" || len(l) <= len(shape) {
			v.fail("bs_match: command %s of the wrong form", l[0].Term().Atom())
			return
		}
		for i := range len(shape) {
			if !shapeOK(shape[i], &l[1+i]) {
				v.fail("bs_match: operand %d of %s is of the wrong kind", i+1, l[0].Term().Atom())
				return
			}
		}
		l = l[1+len(shape):]
	}
}
