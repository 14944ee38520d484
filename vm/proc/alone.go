package proc

import (
	"sync"
	"sync/atomic"
)

// While multi-scheduling is blocked altogether, a slice of the one scheduler
// that runs and dirty calls exclude each other: only one thread executes.
var alone struct {
	on      atomic.Bool
	mu      sync.Mutex
	outside atomic.Int32 // dirty calls that began before
}

// Alone tells whether slices need EnterAlone.
func Alone() bool { return alone.on.Load() }

// EnterAlone waits until no dirty call runs; end lets one run again.
func EnterAlone() (end func()) {
	alone.mu.Lock()
	return alone.mu.Unlock
}

// SetAlone begins or ends the exclusion. It does not wait for dirty calls.
func SetAlone(on bool) { alone.on.Store(on) }

// AloneSettled tells whether no dirty call runs that began before SetAlone.
func AloneSettled() bool { return !alone.on.Load() || alone.outside.Load() == 0 }

// DirtyCall runs f, a dirty call, when it may run.
func DirtyCall(f func()) {
	alone.outside.Add(1)
	if !alone.on.Load() {
		defer alone.outside.Add(-1)
		f()
		return
	}
	alone.outside.Add(-1)
	alone.mu.Lock()
	defer alone.mu.Unlock()
	f()
}
