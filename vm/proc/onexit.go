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
	runWatchers(p.ID, reason)
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

// SpawnWatched starts a process without a parent and has f run with the reason
// of its exit, which is valid during the call only, on a thread that must not
// block. err is as Spawn's.
func SpawnWatched(m, f term.Term, args []term.Term, o *SpawnOpts, exit func(reason term.Term)) (pid, err term.Term) {
	// Whoever runs the new process waits for the lock when it exits.
	watchers.Lock()
	defer watchers.Unlock()
	watchers.n.Add(1)
	pid, _, err = Spawn(nil, m, f, args, o)
	if err != term.None {
		watchers.n.Add(-1)
		return pid, err
	}
	watch(pid, exit)
	return pid, term.None
}

// watcher is a function of OnExitOf or SpawnWatched.
type watcher struct{ f func(reason term.Term) }

// watch has f run at the exit of pid. The caller holds watchers and has counted.
func watch(pid term.Term, f func(reason term.Term)) *watcher {
	if watchers.m == nil {
		watchers.m = map[term.Term]map[*watcher]struct{}{}
	}
	if watchers.m[pid] == nil {
		watchers.m[pid] = map[*watcher]struct{}{}
	}
	w := &watcher{f}
	watchers.m[pid][w] = struct{}{}
	return w
}

// OnExitOf is OnExit for a process that the caller does not run. f runs at once
// when the process is gone. cancel takes the request back; any thread may call
// it.
func OnExitOf(pid term.Term, f func()) (cancel func()) {
	t := epoch.Pin()
	defer t.Unpin()
	watchers.Lock()
	w := watch(pid, func(term.Term) { f() })
	watchers.n.Add(1)
	watchers.Unlock()
	// Looked up after the request is in the table: whoever exits from now on
	// sees it.
	if p := Lookup(pid); (p == nil || p.Exiting()) && takeWatcher(pid, w) {
		f()
	}
	return func() { takeWatcher(pid, w) }
}

// watchers are functions of OnExitOf and SpawnWatched. They are looked at for
// every process that exits while there are any.
var watchers struct {
	sync.Mutex
	n atomic.Int64
	m map[term.Term]map[*watcher]struct{}
}

// takeWatcher takes a request out and tells whether it was there.
func takeWatcher(pid term.Term, w *watcher) bool {
	watchers.Lock()
	defer watchers.Unlock()
	m := watchers.m[pid]
	if _, ok := m[w]; !ok {
		return false
	}
	delete(m, w)
	if len(m) == 0 {
		delete(watchers.m, pid)
	}
	watchers.n.Add(-1)
	return true
}

func runWatchers(pid, reason term.Term) {
	if watchers.n.Load() == 0 {
		return
	}
	watchers.Lock()
	ws := watchers.m[pid]
	delete(watchers.m, pid)
	watchers.n.Add(-int64(len(ws)))
	watchers.Unlock()
	for w := range ws {
		w.f(reason)
	}
}
