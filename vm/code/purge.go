package code

import (
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/term"
)

// A purge removes a module's old instance. First its fun entries are pointed
// at the stub for unloaded funs and marked (Purging): a process that calls one
// waits until the purge is over. Then the purger, in Erlang, asks every process
// whether it executes the code and kills those that do, or gives up. At last
// the code goes. Only one purge is at work at a time.
var purge struct {
	sync.Mutex
	module   term.Term // None when there is no purge
	savedOld *Module   // instance that was old when a failed on_load is purged
	funs     []*FunEntry
}

func (f *FunEntry) store(a uintptr) { atomic.StoreUintptr(&f.Addr, a) }

// PreparePurge marks the old instance of a module, or the one whose on_load
// failed, for removal. ok is false if a purge is at work already; any is false
// if there is nothing to purge. The schedulers are stopped.
func PreparePurge(name term.Term, onLoad bool) (any, ok bool) {
	purge.Lock()
	defer purge.Unlock()
	if purge.module != term.None {
		return false, false
	}
	if onLoad {
		if Pending(name) == nil {
			return false, true
		}
		update(name, func(s *slot) {
			purge.savedOld = s.old
			s.old, s.onLoad = s.onLoad, nil
		})
	}
	old := Old(name)
	if old == nil {
		return false, true
	}
	purge.module = name
	for i, f := range old.Funs {
		if a := f.Load(); a == old.FunEntries[i] {
			f.Purging = a
			f.store(UnloadedFun)
			purge.funs = append(purge.funs, f)
		}
	}
	return true, true
}

// Purging returns the module that is being purged, or None.
func Purging() term.Term {
	purge.Lock()
	defer purge.Unlock()
	return purge.module
}

// AbortPurge undoes PreparePurge; false if that module is not being purged.
// The schedulers are stopped.
func AbortPurge(name term.Term) bool {
	purge.Lock()
	defer purge.Unlock()
	if purge.module != name {
		return false
	}
	for _, f := range purge.funs {
		f.store(f.Purging)
		f.Purging = 0
	}
	purge.module, purge.funs = term.None, nil
	return true
}

// CompletePurge removes the old instance and returns it, for its literals are
// released later; nil if there is none. ok is false if that module is not
// being purged. The schedulers are stopped and no process executes the code.
func CompletePurge(name term.Term) (m *Module, ok bool) {
	purge.Lock()
	defer purge.Unlock()
	if purge.module != name {
		return nil, false
	}
	for _, f := range purge.funs {
		f.Purging = 0
	}
	update(name, func(s *slot) {
		m = s.old
		s.old = purge.savedOld
	})
	purge.module, purge.funs, purge.savedOld = term.None, nil, nil
	if m != nil {
		RemoveRange(m)
		m.Free()
	}
	return m, true
}
