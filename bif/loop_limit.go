package bif

import (
	"math"
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// The suites of OTP make long builtins yield early by setting how many steps
// they may take at a time (erts_debug:set_internal_state). 0 is no limit but
// the slice's.
var binaryLoopLimit, unicodeLoopLimit, reLoopLimit atomic.Int64

// Limits that ERTS has by default, which the setters return.
const defaultLoopLimit = 40000

var amDefaultLimit = term.Intern("default")

// loopSteps is how many steps a slice allows under a limit.
func loopSteps(steps int, limit *atomic.Int64) int {
	if l := limit.Load(); l > 0 {
		return min(steps, int(l))
	}
	return steps
}

// setLoopLimit returns the setter of a limit. Its result is the limit before.
func setLoopLimit(limit *atomic.Int64) func(*native.Call, term.Term) term.Term {
	return func(c *native.Call, v term.Term) term.Term {
		if v == amDefaultLimit {
			v = term.Small(0)
		}
		if !v.IsSmall() || v.Small() > math.MaxInt32 {
			return c.Badarg()
		}
		old := limit.Swap(max(v.Small(), 0))
		if old == 0 {
			old = defaultLoopLimit
		}
		return term.Small(old)
	}
}
