package interp

import (
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// DebugRaise, when set, is told of every exception before it is handled: mfa
// names a builtin that failed, or has None as module. It is for tracing only
// and is set before the node starts.
var DebugRaise func(p *proc.Process, class, reason term.Term, mfa code.MFA)

func debugRaise(p *proc.Process, f *fault) {
	m := f.mfa
	if m.Module == term.None && f.pc != 0 {
		if _, fn := code.Find(f.pc); fn != nil {
			m = fn.MFA
		}
	}
	DebugRaise(p, proc.ClassAtom(p.Freason), p.Fvalue, m)
}
