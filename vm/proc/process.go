// Package proc holds processes: descriptors, the process table, signals,
// mailboxes, links, monitors, timers, exit.
//
// Descriptors lie off the Go heap and hold no Go pointers. Only the holder of
// a process's execution token (the scheduler that runs it, or the dirty thread
// or signal handler that took it over) touches the fields not marked shared.
package proc

import (
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// MaxX is the number of X registers.
const MaxX = 1024

// Ctx is the register file of an engine: one per scheduler and dirty thread,
// off the Go heap. The offsets are pinned by a test, since generated code will
// use them.
type Ctx struct {
	X [MaxX]term.Term // X registers, at offset 0
	F [MaxX]float64   // float registers
	P *Process        // the running process

	Args [256]term.Term // arguments of guard BIFs and other non-call natives

	SchedID int64 // 1.. of the scheduler; 0 of a dirty thread
	Reds    int64 // budget of the slice that runs
	Scratch [64]uint64

	// Engine's own: how an instruction hands over to its helper, and back.
	Exit   uint64  // an Outcome plus 1 ends the run
	NextIP uintptr // the next instruction
	FailIP uintptr // the branch, or its offset (0: none)
	Dst    uintptr // address of the destination register
	Exp    uintptr // *code.Export of the builtin
	Live   int64   // live X registers, -1: unknown
	Index  int64   // of the engine's Go-side state, from 1; 0: none yet

	Build Building // the bitstring that bs_put_* instructions write
}

// Building is a bitstring under construction by code of old compilers.
type Building struct {
	Base     uintptr   // its bytes
	Off, End uint64    // bits written, bits in all
	Owner    term.Term // the process
	GCs      uint64    // collections of the process when it was begun
}

// Process is a process descriptor.
type Process struct {
	heap.Heap // first: engines know the offsets of HP and E

	IP      uintptr // where to go on; valid while not running
	FCalls  int64   // reductions left, while running
	Ctx     *Ctx    // the register file while running
	Live    int64   // X registers saved in SaveX while not running
	SaveX   uintptr // block of SaveCap words
	SaveCap int64

	// Exception state: Freason is a class and flags (exc.go), the rest terms.
	Freason   uint64
	Fvalue    term.Term
	Ftrace    term.Term
	Catches   int64     // catch tags on the stack
	FaultIP   uintptr   // where the exception happened
	FaultMFA  code.MFA  // the function called there, when a native failed; Module None: none
	FaultArgs term.Term // its argument list, or None

	ID          term.Term // the pid
	GroupLeader term.Term
	Parent      term.Term
	Initial     code.MFA
	DictRoot    uintptr // process dictionary, see dict.go
	Flags       uint64  // ProcTrapExit …
	Reds        uint64  // executed, without the running slice
	Priority    uint8
	DirtyIO     bool      // which pool the pending call of outcome Dirty wants
	ErrHandler  term.Term // process_flag(error_handler); None: error_handler

	TraceFlags uint64    // TraceSend …
	Tracer     term.Term // pid or port that trace messages go to, or None
	InNative   bool      // a builtin gave up the slice and goes on at IP
	TraceSkip  uintptr   // entry whose call was traced, and goes on there
	TimePoint  int64     // function that call_time counts for, from 1; 0: none
	TimeAt     int64     // since when
	SeqToken   term.Term // {Flags,Label,Serial,From,Last} of seq_trace, or None
	SeqClock   uint64
	SeqLast    uint64

	ProcState // table, signals, mailbox, links, monitors: see state.go
}

// Bits of Process.Flags.
const (
	FlagTrapExit = 1 << iota
	FlagSensitive
	FlagOffHeapMsgs
	FlagHibernated
	FlagSystem
	FlagSaveCalls
	FlagUsingDB
	FlagUsingDDLL
	FlagAsyncDist
	FlagExitHooks // functions of OnExit wait
)

// Outcome is why an engine's Run returned.
type Outcome int

// The outcomes.
const (
	Yielded   Outcome = iota // budget spent: goes to the end of its queue
	Waiting                  // in a receive, or hibernating, with nothing to do
	Exited                   // terminated; everything is cleaned up
	Dirty                    // wants a dirty thread for the call that is pending
	Suspended                // suspended; not runnable
)
