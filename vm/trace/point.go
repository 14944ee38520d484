package trace

import (
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Point is what is traced of a function.
type Point struct {
	MFA    code.MFA
	Op     op.Op   // that the breakpoint took the place of
	Target uintptr // of an export: where its calls go; 0: on with Op

	Global, Local bool
	Spec          *Spec // of the two; nil: none
	Meta          bool
	MetaSpec      *Spec
	metaTracer    atomic.Uint64 // pid or port; None when it is gone

	Counts int8 // call_count: 0 is off, counting, pausing
	count  atomic.Int64
	Timing int8 // call_time, likewise
	timeMu sync.Mutex
	times  map[term.Term]*procTime
	index  int64 // in the table of points with times
	addrs  []uintptr
	export *code.Export
}

// The states of call_count and call_time.
const (
	off = iota
	active
	paused
)

type procTime struct{ calls, nanos int64 }

// points are all breakpoints, by the address of the instruction. The map is
// replaced when it changes.
var points atomic.Pointer[map[uintptr]*Point]

// At returns the breakpoint at an address, or nil.
func At(addr uintptr) *Point {
	if m := points.Load(); m != nil {
		return (*m)[addr]
	}
	return nil
}

func (pt *Point) idle() bool {
	return !pt.Global && !pt.Local && !pt.Meta && pt.Counts == off && pt.Timing == off
}

// MetaTracer returns who gets the messages of meta tracing, or None.
func (pt *Point) MetaTracer() term.Term { return term.Term(pt.metaTracer.Load()) }

// Count counts a call.
func (pt *Point) Count() {
	if pt.Counts == active {
		pt.count.Add(1)
	}
}

// Calls returns how many calls were counted.
func (pt *Point) Calls() int64 { return pt.count.Load() }

// timed are the points that have times; they are never taken out, since frames
// refer to them.
var timed struct {
	sync.Mutex
	list []*Point
}

func (pt *Point) setTiming() {
	timed.Lock()
	defer timed.Unlock()
	if pt.index == 0 {
		timed.list = append(timed.list, pt)
		pt.index = int64(len(timed.list))
	}
}

func timedAt(i int64) *Point {
	if i == 0 {
		return nil
	}
	timed.Lock()
	defer timed.Unlock()
	return timed.list[i-1]
}

// Times tells whether a call by p is to be timed.
func (pt *Point) Times(p *proc.Process) bool {
	return pt.Timing == active && p.Traced(proc.TraceCalls)
}

func (pt *Point) add(pid term.Term, calls, nanos int64) {
	pt.timeMu.Lock()
	defer pt.timeMu.Unlock()
	if pt.times == nil {
		return
	}
	t := pt.times[pid]
	if t == nil {
		t = &procTime{}
		pt.times[pid] = t
	}
	t.calls += calls
	t.nanos += nanos
}

// Begin counts a call and has the time run for pt; it returns what time was
// counted for before.
func (pt *Point) Begin(p *proc.Process) (prev int64) {
	now := proc.MonotonicNow()
	stopTime(p, now)
	pt.add(p.ID, 1, 0)
	prev = p.TimePoint
	p.TimePoint, p.TimeAt = pt.index, now
	return prev
}

// End has the time run for another point, by its index, again.
func End(p *proc.Process, prev int64) {
	now := proc.MonotonicNow()
	stopTime(p, now)
	p.TimePoint, p.TimeAt = prev, now
}

func stopTime(p *proc.Process, now int64) {
	if t := timedAt(p.TimePoint); t != nil {
		t.add(p.ID, 0, now-p.TimeAt)
	}
}

// TimeOut implements proc.TraceOps.
func (ops) TimeOut(p *proc.Process) { stopTime(p, proc.MonotonicNow()) }

// ProcTime is the calls of a function by one process and the time they took.
type ProcTime struct {
	Pid          term.Term
	Calls, Nanos int64
}

// AllTimes returns the times of all processes.
func (pt *Point) AllTimes() (l []ProcTime) {
	pt.timeMu.Lock()
	defer pt.timeMu.Unlock()
	for pid, t := range pt.times {
		l = append(l, ProcTime{pid, t.calls, t.nanos})
	}
	return l
}
