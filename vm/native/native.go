// Package native is how builtins (BIFs, and the NIFs of the preloaded and
// kernel modules) are declared and called.
//
// A builtin is a Row: names, a Go function, flags. Rows live in one table and
// code refers to them by index. The engine fills in a Call (one per register
// file, reused) and calls Fn; a result of term.None means "look at Call.State":
// an exception is recorded in the process, a trap, a yield, a wait, an exit.
//
// Allocation in a builtin never collects, so Go locals may hold terms freely.
// Every builtin pays for its work with Bump. One that may run longer than a
// millisecond yields (YieldWith, Trap) or is declared dirty.
package native

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Flags of a Row.
type Flags uint32

// The flags.
const (
	Guard    Flags = 1 << iota // allowed in guards: no side effect, fails plainly
	DirtyCPU                   // runs on the dirty CPU pool
	DirtyIO                    // runs on the dirty IO pool
	NIF                        // installed by load_nif of its module, not at start
	Hidden                     // a continuation: not reported as a builtin
)

// Row declares a builtin.
type Row struct {
	Module, Name string
	Arity        int
	Fn           func(c *Call) term.Term
	Flags        Flags
}

// State says what a builtin that returned None wants.
type State uint8

// The states.
const (
	Raised  State = iota // exception recorded in the process
	Trapped              // go on at Call.To with arguments in X
	Yielded              // be scheduled out, then call the same row with the arguments in X
	Waiting              // wait for a signal, then call the same row again with the arguments in X
	Exited               // the process was terminated
	Suspend              // the process was suspended; the result is true
)

// Call is a builtin's view of its caller. It is reused: do not keep it.
type Call struct {
	Ctx   *proc.Ctx
	P     *proc.Process
	Args  uintptr // address of the arguments
	N     int
	Row   *Row
	State State
	To    *code.Export // where Trapped goes
	Cause term.Term    // of the error_info map, or None
	// ErrMod is the module of the error_info map when it is not the default
	// (erl_erts_errors for erlang's own rows), or None.
	ErrMod term.Term
	// As is the builtin in whose name a continuation fails, with its first N
	// arguments; Module None: its own. The engine resets it.
	As code.MFA
	// InGuard is set in calls by instructions for guard builtins, which can
	// neither trap nor yield.
	InGuard bool
}

// Arg returns argument i, counted from 0.
func (c *Call) Arg(i int) term.Term { return term.Term(offheap.Load(c.Args + uintptr(i)*8)) }

// SetArg replaces argument i. A builtin that was called again with a saved
// state puts the caller's own argument back before it fails, since the stack
// trace shows the arguments.
func (c *Call) SetArg(i int, t term.Term) { offheap.Store(c.Args+uintptr(i)*8, uint64(t)) }

// FailAs has a continuation fail in the name of the builtin it goes on with, of
// which these were the arguments.
func (c *Call) FailAs(m, f term.Term, args ...term.Term) {
	for i, a := range args {
		c.SetArg(i, a)
	}
	c.N = len(args)
	c.As = code.MFA{Module: m, Function: f, Arity: uint64(len(args))}
}

// Bump charges reductions.
func (c *Call) Bump(n int) { c.P.FCalls -= int64(n) }

// Left returns the reductions left in the slice.
func (c *Call) Left() int { return int(c.P.FCalls) }

// Raise raises an exception of a class.
func (c *Call) Raise(class uint64, reason term.Term) term.Term {
	c.P.Raise(class, reason)
	c.State = Raised
	return term.None
}

// Error raises error:reason.
func (c *Call) Error(reason term.Term) term.Term { return c.Raise(proc.ClassError, reason) }

// Badarg raises error:badarg. The arguments appear in the stack trace.
func (c *Call) Badarg() term.Term { return c.Error(term.AmBadarg) }

// BadargCause is Badarg with a cause in the error_info map.
func (c *Call) BadargCause(cause term.Term) term.Term {
	c.Cause = cause
	return c.Error(term.AmBadarg)
}

// Badarith raises error:badarith.
func (c *Call) Badarith() term.Term { return c.Error(term.AmBadarith) }

// SystemLimit raises error:system_limit.
func (c *Call) SystemLimit() term.Term { return c.Error(term.AmSystemLimit) }

// Trap goes on in a function (Erlang code or another builtin) as a tail call.
func (c *Call) Trap(to *code.Export, args ...term.Term) term.Term {
	copy(c.Ctx.X[:], args)
	c.State, c.To = Trapped, to
	return term.None
}

// YieldWith gives up the slice; the same row is called again with these
// arguments (a magic reference among them may hold the work's state).
func (c *Call) YieldWith(args ...term.Term) term.Term {
	copy(c.Ctx.X[:], args)
	c.State = Yielded
	return term.None
}

// Tuple, Cons … build on the process heap; see heap.Heap for the rest.

// Alloc returns room for n words on the process heap.
func (c *Call) Alloc(n int) uintptr { return c.P.Heap.Alloc(n) }

// Ok builds {ok, t}.
func (c *Call) Ok(t term.Term) term.Term { return c.P.Heap.Tuple(term.AmOk, t) }

// ErrorTuple builds {error, t}.
func (c *Call) ErrorTuple(t term.Term) term.Term { return c.P.Heap.Tuple(term.AmError, t) }
