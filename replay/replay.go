// Package replay holds the interfaces through which nondeterminism enters the
// VM: clocks, random numbers, scheduling choices. The live implementation asks
// the machine; a recorder or player can stand in its place before the node
// starts.
package replay

import (
	"math/rand/v2"
	"time"
)

// Clock tells the time in nanoseconds.
type Clock interface {
	// Monotonic counts from an arbitrary point and never goes back.
	Monotonic() int64
	// Wall is the system time since the Unix epoch.
	Wall() int64
}

// Random gives random numbers.
type Random interface{ Uint64() uint64 }

// Chooser decides what the VM leaves open, such as whom to steal from.
type Chooser interface {
	// Choose returns a number from 0 to n-1. kind names the decision.
	Choose(kind string, n int) int
}

// Source is everything together.
type Source struct {
	Clock
	Random
	Chooser
}

// Live is the source that asks the machine.
func Live() *Source { return &Source{liveClock{time.Now()}, liveRandom{}, liveChooser{}} }

var current = Live()

// Use replaces the source. Call it before the node starts only.
func Use(s *Source) { current = s }

// Monotonic returns the monotonic time in nanoseconds.
func Monotonic() int64 { return current.Monotonic() }

// Wall returns the system time in nanoseconds since the Unix epoch.
func Wall() int64 { return current.Wall() }

// Uint64 returns a random number.
func Uint64() uint64 { return current.Uint64() }

// Choose returns a number from 0 to n-1.
func Choose(kind string, n int) int { return current.Choose(kind, n) }

type liveClock struct{ base time.Time }

func (c liveClock) Monotonic() int64 { return int64(time.Since(c.base)) }
func (c liveClock) Wall() int64      { return time.Now().UnixNano() }

type liveRandom struct{}

func (liveRandom) Uint64() uint64 { return rand.Uint64() }

type liveChooser struct{}

func (liveChooser) Choose(_ string, n int) int { return rand.IntN(n) }
