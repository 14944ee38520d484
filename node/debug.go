package node

import (
	"fmt"
	"os"
	"sync"

	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/interp"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// BEAMRD_DEBUG holds topics, separated by commas, that are traced on standard
// error:
//
//	undef  functions called that do not exist, each once; among them the
//	       builtins that have no row
//	exc    every exception: process, class, reason, function
//	boot   what the node does before the first process runs
//
// Others change how it runs:
//
//	reds=N      slices of at most N reductions
//	gcstress    collect at each opportunity (invariants build)
//	gcstress=N  collect at each Nth opportunity (invariants build)

func setDebug() {
	invariants.OnBug = bug
	offheap.SetOutOfMemory(outOfMemory)
	atom.SetOnFull(func() { dumpAndExit(fmt.Sprintf("no more index entries in atom_tab (max=%d)\n", atom.Limit())) })
	undef, exc := sysconf.Debugging("undef"), sysconf.Debugging("exc")
	if !undef && !exc {
		return
	}
	var mu sync.Mutex
	seen := map[code.MFA]bool{}
	interp.DebugRaise = func(p *proc.Process, class, reason term.Term, mfa code.MFA) {
		name := "?"
		if mfa.Module.IsAtom() && mfa.Function.IsAtom() {
			name = mfa.String()
		}
		// A trace given by the program (error_handler does that) names the culprit.
		for _, t := range []term.Term{p.Ftrace, lastOf(p.Ftrace)} {
			if t.IsList() && t.Head().IsTuple() && t.Head().Arity() >= 3 {
				if e := t.Head(); e.El(1).IsAtom() && e.El(2).IsAtom() {
					name = e.El(1).String() + ":" + e.El(2).String() + "/" + arityText(e.El(3))
					mfa = code.MFA{Module: e.El(1), Function: e.El(2)}
				}
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if exc {
			fmt.Fprintf(os.Stderr, "debug: %v %v:%.200v in %s\n", p.ID, class, reason, name)
		}
		if undef && (reason == term.AmUndef || reason == term.AmUndefined) && !seen[mfa] {
			seen[mfa] = true
			fmt.Fprintf(os.Stderr, "debug: undefined %s\n", name)
		}
	}
}

// lastOf returns the second element of a raw trace {Class, [Item…]}.
func lastOf(t term.Term) term.Term {
	if t.IsTuple() && t.Arity() == 2 {
		return t.El(2)
	}
	return term.Nil
}

func arityText(t term.Term) string {
	if t.IsSmall() {
		return t.String()
	}
	n := 0
	for ; t.IsList(); t = t.Tail() {
		n++
	}
	return fmt.Sprint(n)
}

func debugBoot(format string, args ...any) {
	if sysconf.Debugging("boot") {
		fmt.Fprintf(os.Stderr, "debug: "+format+"\n", args...)
	}
}
