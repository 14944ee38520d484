package interp

import (
	"math"

	"github.com/beamrd/beamrd/vm/num"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Comparisons of terms that the loop could not decide. The operands are in
// Args; both ways on are in the register file.

func operands(x uintptr) (c *proc.Ctx, a, b term.Term) {
	c, _ = at(x)
	return c, c.Args[0], c.Args[1]
}

func choose(c *proc.Ctx, yes bool) {
	if yes {
		c.P.IP = c.NextIP
	} else {
		c.P.IP = c.FailIP
	}
}

func cmpSame(x uintptr)      { c, a, b := operands(x); choose(c, term.Same(a, b)) }
func cmpNotSame(x uintptr)   { c, a, b := operands(x); choose(c, !term.Same(a, b)) }
func cmpEqual(x uintptr)     { c, a, b := operands(x); choose(c, term.Equal(a, b)) }
func cmpNotEqual(x uintptr)  { c, a, b := operands(x); choose(c, !term.Equal(a, b)) }
func cmpLess(x uintptr)      { c, a, b := operands(x); choose(c, term.Compare(a, b) < 0) }
func cmpGreaterEq(x uintptr) { c, a, b := operands(x); choose(c, term.Compare(a, b) >= 0) }

// fconvSlow converts a bignum, or fails with badarith.
func fconvSlow(x uintptr) {
	c, p := at(x)
	t := c.Args[0]
	if t.IsNumber() {
		if f, ok := num.ToFloat(t); ok {
			st(c.Dst, math.Float64bits(f))
			p.IP = c.NextIP
			return
		}
	}
	raiseError(c, p, term.AmBadarith)
}

// fpError is a float operation whose result is no finite number.
func fpError(x uintptr) {
	c, p := at(x)
	raiseError(c, p, term.AmBadarith)
}

// checkFailed: an operand is not what correct code would hold there.
func checkFailed(x uintptr) {
	c, p := at(x)
	if p.ForeignHi != p.ForeignLo {
		forgetMessage(p)
	}
	raiseError(c, p, term.AmBadarg)
}
