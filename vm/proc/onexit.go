package proc

import (
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/epoch"
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
	runWatchers(p.ID)
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

// OnExitOf is OnExit for a process that the caller does not run. f runs at once
// when the process is gone, and it must not mind running for one that never
// sees another hook: the request is taken when the process next handles its
// signals. There is no way to take it back; f checks whether it still matters.
func OnExitOf(pid term.Term, f func()) {
	t := epoch.Pin()
	defer t.Unpin()
	p := Lookup(pid)
	if p == nil || p.Exiting() {
		f()
		return
	}
	watchers.Lock()
	defer watchers.Unlock()
	if watchers.m == nil {
		watchers.m = map[term.Term][]func(){}
	}
	watchers.m[pid] = append(watchers.m[pid], f)
	watchers.n.Add(1)
}

// watchers are functions of OnExitOf. They are looked at for every process that
// exits while there are any.
var watchers struct {
	sync.Mutex
	n atomic.Int64
	m map[term.Term][]func()
}

func runWatchers(pid term.Term) {
	if watchers.n.Load() == 0 {
		return
	}
	watchers.Lock()
	fs := watchers.m[pid]
	delete(watchers.m, pid)
	watchers.n.Add(-int64(len(fs)))
	watchers.Unlock()
	for _, f := range fs {
		f()
	}
}
