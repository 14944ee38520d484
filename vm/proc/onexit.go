package proc

import (
	"sync"

	"github.com/beamrd/beamrd/vm/term"
)

// Functions of OnExit are for resources that belong to a process.

type exitHook struct{ f func() }

var exitHooks struct {
	sync.Mutex
	m map[term.Term]map[*exitHook]struct{}
}

// OnExit has f run when p exits, on a thread that must not block. The
// holder of p's token calls it. cancel takes it back; any thread may call it.
// ok is false when p is exiting already.
func OnExit(p *Process, f func()) (cancel func(), ok bool) {
	if p.Exiting() {
		return nil, false
	}
	h, pid := &exitHook{f}, p.ID
	exitHooks.Lock()
	defer exitHooks.Unlock()
	if exitHooks.m == nil {
		exitHooks.m = map[term.Term]map[*exitHook]struct{}{}
	}
	if exitHooks.m[pid] == nil {
		exitHooks.m[pid] = map[*exitHook]struct{}{}
	}
	exitHooks.m[pid][h] = struct{}{}
	p.Flags |= FlagExitHooks
	return func() {
		exitHooks.Lock()
		defer exitHooks.Unlock()
		if m := exitHooks.m[pid]; m != nil {
			delete(m, h)
			if len(m) == 0 {
				delete(exitHooks.m, pid)
			}
		}
	}, true
}

// RunOnExit runs what OnExit was given for a process that exits. It is one of
// the ExitHooks.
func RunOnExit(p *Process, reason term.Term) {
	if p.Flags&FlagExitHooks == 0 {
		return
	}
	exitHooks.Lock()
	m := exitHooks.m[p.ID]
	delete(exitHooks.m, p.ID)
	exitHooks.Unlock()
	for h := range m {
		h.f()
	}
}
