// Package trace is Erlang tracing: breakpoints in code, events of processes,
// and the messages that tell of them.
//
// A function is traced by a breakpoint: the opcode in its entry word (or in
// that of an export's trampoline) is exchanged, and Point keeps the one that
// stood there. Points and the flags of processes change only while all
// schedulers are stopped; so whatever runs sees all of a change or nothing.
package trace

import (
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/etf"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var (
	amTraceTs  = term.Intern("trace_ts")
	amCall     = term.Intern("call")
	amReturn   = term.Intern("return_from")
	amExcept   = term.Intern("exception_from")
	amReturnTo = term.Intern("return_to")
	amSend     = term.Intern("send")
	amSendNone = term.Intern("send_to_non_existing_process")
	amReceive  = term.Intern("receive")
	amSpawn    = term.Intern("spawn")
	amSpawned  = term.Intern("spawned")
	amLink     = term.Intern("link")
	amGetLink  = term.Intern("getting_linked")
	amSystem   = term.Intern("system")
)

// ops implements proc.TraceOps.
type ops struct{}

// Setup makes this package the tracer.
func Setup() {
	proc.Tracing = ops{}
	code.OnRetire, code.OnInstall = Retire, Loaded
}

// message builds {trace, Subject, Els…} or {trace_ts, …, Timestamp} on h.
func message(h *heap.Heap, flags uint64, sched int64, subject term.Term, els []term.Term) term.Term {
	t := make([]term.Term, 0, 8)
	tag := term.AmTrace
	if flags&proc.TraceStamps != 0 {
		tag = amTraceTs
	}
	t = append(t, tag, subject)
	for _, e := range els {
		t = append(t, copyTo(h, e))
	}
	if flags&proc.TraceSchedID != 0 {
		t = append(t, term.Small(sched))
	}
	if flags&proc.TraceStamps != 0 {
		t = append(t, Stamp(h, flags))
	}
	return h.Tuple(t...)
}

// Stamp builds the timestamp that the flags ask for.
func Stamp(h *heap.Heap, flags uint64) term.Term {
	switch {
	case flags&proc.TraceNow != 0:
		v := Now()
		return h.Tuple(term.Small(v/1e12), term.Small(v/1e6%1e6), term.Small(v%1e6))
	case flags&proc.TraceStrict == 0:
		return h.Int(proc.ErlangMonotonic())
	}
	m := h.Int(proc.ErlangMonotonic())
	return h.Tuple(m, h.Int(proc.UniqueMonotonic()+proc.UniqueBase-1))
}

// CPUStamps has Now tell the processor time of the node (cpu_timestamp).
var CPUStamps atomic.Bool

var lastNow struct {
	sync.Mutex
	micros int64
}

// Now returns microseconds since the epoch that never repeat, as erlang:now().
func Now() int64 {
	if CPUStamps.Load() {
		var t unix.Timespec
		if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) == nil {
			return t.Nano() / 1000
		}
	}
	lastNow.Lock()
	defer lastNow.Unlock()
	v := max(proc.ErlangSystem()/1000, lastNow.micros+1)
	lastNow.micros = v
	return v
}

func copyTo(h *heap.Heap, t term.Term) term.Term {
	if t.IsImmed() {
		return t
	}
	return heap.CopyTo(h, t)
}

// sendPort gives a port, as its output, a message in the external format; false
// if it is closed.
func sendPort(id term.Term, h *heap.Heap, msg term.Term) bool {
	defer release(h)
	p := port.Lookup(id)
	if p == nil {
		return false
	}
	p.Command(p.Owner(), p.Owner(), h.Binary(etf.Append(nil, msg)), true)
	return true
}

// Alive tells whether a tracer exists.
func Alive(tracer term.Term) bool {
	switch {
	case tracer == term.None:
		return false
	case tracer.IsInternalPort():
		return port.Lookup(tracer) != nil
	}
	return proc.Lookup(tracer) != nil
}

// send sends a trace message about subject; false when the tracer is gone.
func send(ctx *proc.Ctx, tracer term.Term, flags uint64, subject term.Term, els ...term.Term) bool {
	var h heap.Heap
	sched := int64(0)
	if ctx != nil {
		sched = ctx.SchedID
	}
	m := message(&h, flags, sched, subject, els)
	if tracer.IsInternalPort() {
		return sendPort(tracer, &h, m)
	}
	return proc.DeliverFrom(ctx, tracer, &h, m)
}

// emit sends a trace message about p to its tracer. A tracer that is gone
// ends the tracing of p.
func emit(p *proc.Process, els ...term.Term) {
	if p.Tracer == term.None || p.Tracer == p.ID { // nobody hears of itself
		return
	}
	if !send(p.Ctx, p.Tracer, p.TraceFlags, p.ID, els...) {
		Untrace(p)
	}
}

// Untrace ends the tracing of a process.
func Untrace(p *proc.Process) {
	p.TraceFlags &^= proc.TraceeFlags
	p.Tracer = term.None
}

// CheckTracer ends the tracing of p if its tracer is gone.
func CheckTracer(p *proc.Process) {
	if p.Tracer != term.None && !Alive(p.Tracer) {
		Untrace(p)
	}
}

// Check implements proc.TraceOps.
func (ops) Check(p *proc.Process) { CheckTracer(p) }

func mfaTerm(h *heap.Heap, m, f term.Term, arity uint64) term.Term {
	return h.Tuple(m, f, term.Small(int64(arity)))
}
