package proc

import (
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Bits of Process.TraceFlags, numbered as in ERTS (process_info(P, trace)
// shows them).
const (
	TraceNow    = 1 << iota // timestamps
	TraceStrict             // strict_monotonic_timestamp
	TraceMono               // monotonic_timestamp
	_                       // sensitive: see FlagSensitive
	TraceSend
	TraceReceive
	TraceSOS // set_on_spawn
	TraceSOS1
	TraceSOL // set_on_link
	TraceSOL1
	TraceCalls
	TraceProcs
	_
	TraceSched
	TraceGC
	TraceArity
	TraceReturnTo
	TraceSilent
	TraceFrames // frames of the tracer may be on the stack
	_
	TraceSchedPorts
	TraceSchedProcs
	TracePorts
	TraceSchedID
	TraceSchedExit

	TraceStamps = TraceNow | TraceStrict | TraceMono
	// TraceeFlags are the flags that make a process or port a traced one.
	TraceeFlags = TraceStamps | TraceSend | TraceReceive | TraceSOS | TraceSOS1 | TraceSOL | TraceSOL1 | TraceCalls |
		TraceProcs | TraceSched | TraceGC | TraceArity | TraceReturnTo | TraceSilent | TraceSchedPorts |
		TraceSchedProcs | TracePorts | TraceSchedID | TraceSchedExit
	// TraceModifiers are those that say how, for processes and ports alike.
	TraceModifiers = TraceSilent | TraceStamps | TraceSchedID | TraceReceive | TraceSend
	TracePortFlags = TraceModifiers | TracePorts | TraceSchedPorts
	TraceProcFlags = TraceeFlags&^TracePortFlags | TraceModifiers
)

// TraceOps is what the tracer does about a traced process; vm/trace sets
// Tracing. The functions are called for processes with the flag in question.
type TraceOps interface {
	// Send is called before a message goes out.
	Send(p *Process, to, msg term.Term)
	// Receive is called when a message enters the queue. from is a pid, port or
	// None.
	Receive(p *Process, from, msg term.Term)
	// Event tells of an event of the family procs: exit, link, register ….
	Event(p *Process, what, data term.Term)
	// Spawned is called before a new process can run. parent may be nil.
	Spawned(parent, child *Process, args []term.Term, link bool)
	// Sched tells that p is scheduled in or out.
	Sched(p *Process, what term.Term)
	// Check ends the tracing of p if its tracer is gone.
	Check(p *Process)
	// TimeOut stops the time of call_time at the end of a slice.
	TimeOut(p *Process)
	// SeqSend updates the token of p for a message it sends and tells the
	// sequential tracer of it.
	SeqSend(p *Process, to, msg term.Term)
	// SeqReceive is called when p takes a message with a token.
	SeqReceive(p *Process, token, msg term.Term)
}

// TraceNew tells that new processes are traced.
var TraceNew atomic.Bool

// UnwindExit reports the end of p by a signal to what is traced on its stack;
// the engine sets it.
var UnwindExit func(p *Process, reason term.Term)

// Tracing is the tracer.
var Tracing TraceOps

// Traced tells whether p is traced for any of the flags.
func (p *Process) Traced(flags uint64) bool {
	return p.TraceFlags&flags != 0 && p.Flags&FlagSensitive == 0
}

// Event reports an event of the family procs.
func (p *Process) Event(what, data term.Term) {
	if p.Traced(TraceProcs) {
		Tracing.Event(p, what, data)
	}
}

// TraceIn tells the tracer that p begins a slice.
func (p *Process) TraceIn() {
	Tracing.Check(p)
	if p.TraceFlags&(TraceSched|TraceSchedProcs) != 0 {
		Tracing.Sched(p, amIn)
	}
	if p.TimePoint != 0 {
		p.TimeAt = MonotonicNow()
	}
}

// TraceOut tells it that a slice ended without the end of p.
func (p *Process) TraceOut() {
	if p.TimePoint != 0 {
		Tracing.TimeOut(p)
	}
	if p.TraceFlags&(TraceSched|TraceSchedProcs) != 0 {
		Tracing.Sched(p, amOut)
	}
}

// TraceExiting tells the tracer that an exiting process is scheduled in or out.
func (p *Process) TraceExiting(in bool) {
	switch {
	case !p.Traced(TraceSchedExit):
	case in:
		Tracing.Sched(p, amInExiting)
	case p.ExitDone():
		Tracing.Sched(p, amOutExited)
	default:
		Tracing.Sched(p, amOutExiting)
	}
}

// sendTokenExit is SendLinkExit with p's token of sequential tracing.
func (p *Process) sendTokenExit(to, reason term.Term) {
	Tracing.SeqSend(p, to, p.Heap.Tuple(term.AmEXIT, p.ID, reason))
	s := exitSignal(sigExitLink, p.ID, reason)
	if p.SeqToken != term.None {
		s.token = s.addTerm(p.SeqToken)
	}
	sendTo(p.Ctx, to, s)
}

// tokenSize returns the words of a copy of p's token of sequential tracing.
func (p *Process) tokenSize() int {
	if p.SeqToken == term.None {
		return 0
	}
	return sizeOf(p.SeqToken, false)
}

// carry gives the signal a copy of p's token.
func (s *Signal) carry(p *Process) {
	if p.SeqToken != term.None {
		s.token = s.copyIn(p.SeqToken, false)
	}
}

// ForgetTokens takes the tokens of sequential tracing from p and the messages
// in its queue. Nothing else runs.
func (p *Process) ForgetTokens() {
	p.SeqToken, p.SeqClock, p.SeqLast = term.None, 0, 0
	p.takeTransit(false)
	for _, s := range []*Signal{p.restHead, p.msgHead} {
		for ; s != nil; s = s.next() {
			s.token = term.None
		}
	}
}

// DeliverFrom is Deliver on the thread of a register file, which may be nil.
func DeliverFrom(ctx *Ctx, to term.Term, h *heap.Heap, msg term.Term) bool {
	return sendBuilt(ctx, term.None, to, msg, h)
}

var (
	amGettingLinked   = term.Intern("getting_linked")
	amGettingUnlinked = term.Intern("getting_unlinked")
	amIn              = term.Intern("in")
	amOut             = term.Intern("out")
	amInExiting       = term.Intern("in_exiting")
	amOutExiting      = term.Intern("out_exiting")
	amOutExited       = term.Intern("out_exited")
	amExitEvent       = term.AmExit
	amUnregisterEvent = term.Intern("unregister")
)
