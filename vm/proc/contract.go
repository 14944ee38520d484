package proc

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
