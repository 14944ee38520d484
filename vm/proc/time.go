package proc

import (
	"sync/atomic"

	"github.com/beamrd/beamrd/replay"
	"github.com/beamrd/beamrd/vm/term"
)

// Erlang monotonic time is in nanoseconds and begins near the least small
// integer, as in ERTS; it never goes back. Erlang system time is monotonic time
// plus the time offset, which is fixed at start, or once more when a preliminary
// one is made final (single time warp).

const monotonicBegin = term.MinSmall + 1_000_000_000

var (
	monotonicBase = replay.Monotonic()
	startSystem   = replay.Wall()
	offset        atomic.Int64
	_             = initOffset()
)

func initOffset() bool {
	offset.Store(startSystem - monotonicBegin)
	return true
}

// MonotonicNow returns the nanoseconds since the node started.
func MonotonicNow() int64 { return replay.Monotonic() - monotonicBase }

// ErlangMonotonic returns the Erlang monotonic time in nanoseconds.
func ErlangMonotonic() int64 { return MonotonicNow() + monotonicBegin }

// StartTime returns the Erlang monotonic time at which the node started.
func StartTime() int64 { return monotonicBegin }

// TimeOffset returns what to add to Erlang monotonic time to get Erlang
// system time.
func TimeOffset() int64 { return offset.Load() }

// AdjustTimeOffset makes Erlang system time that of the operating system.
func AdjustTimeOffset() { offset.Store(replay.Wall() - ErlangMonotonic()) }

// ErlangSystem returns the Erlang system time in nanoseconds.
func ErlangSystem() int64 { return ErlangMonotonic() + TimeOffset() }
