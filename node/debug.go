package node

import (
	"fmt"
	"os"
	"sync"

	"github.com/beamrd/beamrd/internal/sysconf"
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

func setDebug() {
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

func debugBoot(format string, args ...any) {
	if sysconf.Debugging("boot") {
		fmt.Fprintf(os.Stderr, "debug: "+format+"\n", args...)
	}
}
