package proc

import (
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/term"
)

// Exception classes, in the low bits of Process.Freason.
const (
	ClassError = 0
	ClassExit  = 1
	ClassThrow = 2

	ClassMask = 3
	// ExcSaveTrace asks the engine to take the stack trace where the
	// exception is first handled.
	ExcSaveTrace = 1 << 2
	// ExcLog says that an uncaught exit is reported to the logger.
	ExcLog = 1 << 3
	// ExcArgs says that FaultArgs replaces the arity in the first trace entry.
	ExcArgs = 1 << 4
	// ExcHasTrace says that Ftrace holds a trace given by the program (raise/3).
	ExcHasTrace = 1 << 5
)

// ClassAtom returns error, exit or throw.
func ClassAtom(freason uint64) term.Term {
	switch freason & ClassMask {
	case ClassExit:
		return term.AmExit
	case ClassThrow:
		return term.AmThrow
	}
	return term.AmError
}

// Raise records an exception of a class with a reason in p; the engine acts on
// it when the native or helper returns None. Ftrace is reset.
func (p *Process) Raise(class uint64, reason term.Term) {
	p.Freason = class | ExcSaveTrace
	if class != ClassThrow {
		p.Freason |= ExcLog
	}
	p.Fvalue = reason
	p.Ftrace = term.Nil
}

// DefaultBacktraceDepth is the length of stack traces unless
// system_flag(backtrace_depth) changed it.
const DefaultBacktraceDepth = 8

var backtraceDepth atomic.Int64 // minus the default

// BacktraceDepth returns the greatest length of a stack trace.
func BacktraceDepth() int { return int(backtraceDepth.Load()) + DefaultBacktraceDepth }

// SetBacktraceDepth sets the length of stack traces and returns the old one.
func SetBacktraceDepth(n int) int {
	return int(backtraceDepth.Swap(int64(n)-DefaultBacktraceDepth)) + DefaultBacktraceDepth
}
