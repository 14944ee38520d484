package proc

import (
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/term"
)

// Engine runs a process's code; sched and dirty know nothing else of it.
type Engine interface {
	// Run executes p, which the caller owns, for about budget reductions.
	Run(ctx *Ctx, p *Process, budget int) Outcome
	// Collect collects p's heap while it is not running (system task).
	Collect(p *Process, full bool)
}

// Entry points of the engine that a new process needs, set by the engine
// before the first process exists.
var (
	// NormalExitIP is the address of the instruction that ends a process
	// normally; it is the continuation pointer below the first frame.
	NormalExitIP uintptr
	// ApplyIP is the address of code that applies X0:X1(X2…) (module,
	// function, argument list).
	ApplyIP uintptr
)

// Message reception. The engine calls these for the process it runs; the
// messages seen are those whose signals have acted.

// PeekMessage returns the message at the save pointer, fetching signals in
// transit first if need be; None when there is no (further) message.
func (p *Process) PeekMessage() term.Term { panic("proc.PeekMessage") }

// NextMessage moves the save pointer past the current message (loop_rec_end).
func (p *Process) NextMessage() { panic("proc.NextMessage") }

// RemoveMessage takes the current message out of the queue, attaches its
// fragment to p's heap, resets the save pointer and stops the receive timer.
func (p *Process) RemoveMessage() { panic("proc.RemoveMessage") }

// ResetSave moves the save pointer back to the first message (timeout, end).
func (p *Process) ResetSave() { panic("proc.ResetSave") }

// SetReceiveTimer starts the timer of `receive … after`. bad: not a valid
// timeout (timeout_value). expired: the timeout is 0, or the timer set earlier
// for this receive has fired. infinity never expires.
func (p *Process) SetReceiveTimer(timeout term.Term) (expired, bad bool) {
	panic("proc.SetReceiveTimer")
}

// PrepareWait is called before the engine returns Waiting; false means that a
// signal arrived meanwhile and the receive is to be run again.
func (p *Process) PrepareWait() bool { panic("proc.PrepareWait") }

// Receive markers (recv_marker_reserve, _bind, _clear, _use).

func (p *Process) MarkerReserve() term.Term         { panic("proc.MarkerReserve") }
func (p *Process) MarkerBind(marker, ref term.Term) { panic("proc.MarkerBind") }
func (p *Process) MarkerClear(ref term.Term)        { panic("proc.MarkerClear") }
func (p *Process) MarkerUse(ref term.Term)          { panic("proc.MarkerUse") }

// Send sends msg from p to a pid, port, registered name, {Name,Node} or alias.
// ok is false with the exception recorded in p (badarg). trap is not nil when
// the send must go on in Erlang code with the arguments in p.Ctx.X.
func (p *Process) Send(to, msg term.Term) (ok bool, trap *code.Export) { panic("proc.Send") }

// Terminate ends p, which the caller runs: error reports, links, monitors,
// name, memory. reason is as the program gave it; class and trace are in p.
func (p *Process) Terminate(reason term.Term) { panic("proc.Terminate") }

// VisitRoots calls f with every run of term slots of p outside its heap block
// (dictionary, messages, descriptor fields, saved registers), for a collection.
func (p *Process) VisitRoots(f func(addr uintptr, n int)) { panic("proc.VisitRoots") }

// CheckSignals handles what must act on p between slices (exit signals,
// suspend, system tasks); false means p must not go on running now.
func (p *Process) CheckSignals() bool { panic("proc.CheckSignals") }

// SpawnOpts are the options of the spawn family.
type SpawnOpts struct {
	Link, Monitor       bool
	MonitorTag          term.Term // None: 'DOWN'
	AliasMode           term.Term // None, or explicit_unalias, demonitor, reply_demonitor
	Priority            uint8
	MinHeap, MinVHeap   uint64
	FullsweepAfter      int64 // -1: default
	MaxHeap             term.Term
	OffHeapMsgs, System bool
	Async               bool
}

// Spawn starts a process that applies m:f to the elements of args. mon is the
// monitor reference when one was asked for. parent is nil for the first one.
// err is term.None, or the reason (badarg, system_limit, badarity…).
func Spawn(parent *Process, m, f term.Term, args []term.Term, o *SpawnOpts) (pid, mon, err term.Term) {
	panic("proc.Spawn")
}
