package trace

import (
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/matchspec"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Pattern is what trace_pattern(send | 'receive', _) set.
type Pattern struct {
	Off  bool
	Spec *Spec // nil: everything
}

// Sends and Receives are the patterns of the two events.
var Sends, Receives atomic.Pointer[Pattern]

func patternOf(p *atomic.Pointer[Pattern]) *Pattern {
	if v := p.Load(); v != nil {
		return v
	}
	return &Pattern{}
}

// PatternOf returns the pattern of an event.
func PatternOf(p *atomic.Pointer[Pattern]) *Pattern { return patternOf(p) }

// matches applies the pattern of an event. ok is false when the event is not
// to be reported; extra is what the report has to say besides, or None. done is
// to be called when extra is not needed any more.
func matches(pat *Pattern, p *proc.Process, args []term.Term, running bool) (extra term.Term, ok bool, done func()) {
	done = func() {}
	if pat.Off {
		return term.None, false, done
	}
	if pat.Spec == nil {
		return term.None, true, done
	}
	m := machines.Get().(*matchspec.Machine)
	done = func() {
		m.Close()
		machines.Put(m)
	}
	m.Trace = nil
	r := run{p: p, m: m}
	if running {
		m.Trace = r.form
	}
	m.Self = p.ID
	v := m.RunArgs(pat.Spec.prog, args, nil)
	if v == term.None || v == term.False || p.TraceFlags&proc.TraceSilent != 0 {
		return term.None, false, done
	}
	if v == term.True {
		v = term.None
	}
	return v, true, done
}

// Send implements proc.TraceOps.
func (ops) Send(p *proc.Process, to, msg term.Term) {
	extra, ok, done := matches(patternOf(&Sends), p, []term.Term{to, msg}, true)
	defer done()
	if !ok {
		return
	}
	what := amSend
	if to.IsInternalPid() && proc.Lookup(to) == nil {
		what = amSendNone
	}
	if extra != term.None {
		emit(p, what, msg, to, extra)
		return
	}
	emit(p, what, msg, to)
}

// Receive implements proc.TraceOps.
func (ops) Receive(p *proc.Process, from, msg term.Term) {
	args := []term.Term{amSystem, term.AmUndefined, msg}
	switch {
	case from.IsAtom():
		args[0] = from
	case from.IsInternalPid():
		args[0], args[1] = term.Atom(term.ThisNode().Name), from
	case from.Is(term.KExtPid):
		args[0], args[1] = term.Atom(term.NodeAt(int(from.W(1))).Name), from
	}
	extra, ok, done := matches(patternOf(&Receives), p, args, false)
	defer done()
	if !ok {
		return
	}
	if extra != term.None {
		emit(p, amReceive, msg, extra)
		return
	}
	emit(p, amReceive, msg)
}

// Event implements proc.TraceOps.
func (ops) Event(p *proc.Process, what, data term.Term) { emit(p, what, data) }

// Sched implements proc.TraceOps.
func (ops) Sched(p *proc.Process, what term.Term) {
	if p.Tracer == term.None {
		return
	}
	var h heap.Heap
	defer release(&h)
	mfa := term.Small(0)
	if !p.ExitBegun() && proc.CurrentFunction != nil {
		if m := proc.CurrentFunction(p, &h, false); m != term.AmUndefined {
			mfa = m
		}
	}
	emit(p, what, mfa)
}

// release frees what was built on a heap without a block.
func release(h *heap.Heap) {
	if h.Frags == nil {
		return
	}
	heap.ReleaseOffHeap(&h.Off)
	heap.FreeFragments(h.Frags)
	*h = heap.Heap{}
}

// newTracing is what trace(new, …) set.
var newTracing struct {
	sync.Mutex
	flags  uint64
	tracer term.Term
	ports  struct {
		flags  uint64
		tracer term.Term
	}
}

// SetNew changes the flags of new processes, and those of new ports.
func SetNew(on bool, procs, ports uint64, tracer term.Term) {
	n := &newTracing
	n.Lock()
	defer n.Unlock()
	change(&n.flags, &n.tracer, on, procs, tracer)
	change(&n.ports.flags, &n.ports.tracer, on, ports, tracer)
	proc.TraceNew.Store(n.flags&proc.TraceeFlags != 0)
}

// New returns the flags and tracer of new processes, or of new ports.
func New(ports bool) (flags uint64, tracer term.Term) {
	n := &newTracing
	n.Lock()
	defer n.Unlock()
	if n.tracer != term.None && !Alive(n.tracer) {
		n.flags, n.tracer = 0, term.None
		proc.TraceNew.Store(false)
	}
	if n.ports.tracer != term.None && !Alive(n.ports.tracer) {
		n.ports.flags, n.ports.tracer = 0, term.None
	}
	if ports {
		return n.ports.flags, n.ports.tracer
	}
	return n.flags, n.tracer
}

func change(flags *uint64, to *term.Term, on bool, mask uint64, tracer term.Term) {
	if mask == 0 {
		return
	}
	if on {
		*flags |= mask
	} else {
		*flags &^= mask
	}
	if *flags&proc.TraceeFlags == 0 {
		*to = term.None
	} else if tracer != term.None {
		*to = tracer
	}
}

// SetFlags sets or clears flags of a process; false when another tracer, which
// is alive, traces it.
func SetFlags(p *proc.Process, on bool, mask uint64, tracer term.Term) bool {
	if tracer != term.None && p.TraceFlags&proc.TraceeFlags != 0 && p.Tracer != tracer && Alive(p.Tracer) {
		return false
	}
	if on {
		p.TraceFlags |= mask
	} else {
		p.TraceFlags &^= mask
	}
	if p.TraceFlags&proc.TraceeFlags == 0 {
		p.Tracer = term.None
	} else if tracer != term.None {
		p.Tracer = tracer
	}
	return true
}

// inherit gives the child the flags of its parent, of which those in once are
// taken from both.
func inherit(parent, child *proc.Process, once, all uint64) {
	child.TraceFlags |= parent.TraceFlags & proc.TraceeFlags
	child.Tracer = parent.Tracer
	if parent.TraceFlags&once != 0 {
		child.TraceFlags &^= all
		parent.TraceFlags &^= all
	}
}

// Spawned implements proc.TraceOps.
func (ops) Spawned(parent, child *proc.Process, args []term.Term, link bool) {
	if f, t := New(false); f != 0 {
		child.TraceFlags, child.Tracer = f, t
	}
	var h heap.Heap
	defer release(&h)
	mfa := func() term.Term {
		return h.Tuple(child.Initial.Module, child.Initial.Function, h.List(args...))
	}
	if parent == nil {
		return
	}
	if parent.SeqToken != term.None {
		seqSpawn(parent, child)
	}
	if parent.Tracer != term.None {
		if parent.TraceFlags&(proc.TraceSOS|proc.TraceSOS1) != 0 {
			inherit(parent, child, proc.TraceSOS1, proc.TraceSOS1|proc.TraceSOS)
		}
		if link && parent.TraceFlags&(proc.TraceSOL|proc.TraceSOL1) != 0 {
			inherit(parent, child, proc.TraceSOL1, proc.TraceSOL1|proc.TraceSOL)
		}
	}
	if parent.Traced(proc.TraceProcs) {
		emit(parent, amSpawn, child.ID, mfa())
		if link {
			emit(parent, amLink, child.ID)
		}
	}
	if child.Traced(proc.TraceProcs) {
		child.Ctx = parent.Ctx
		emit(child, amSpawned, parent.ID, mfa())
		if link {
			emit(child, amGetLink, parent.ID)
		}
		child.Ctx = nil
	}
}

var gcTags = map[bool][2]term.Term{
	true:  {term.Intern("gc_minor_start"), term.Intern("gc_minor_end")},
	false: {term.Intern("gc_major_start"), term.Intern("gc_major_end")},
}

var amWordsize = term.Intern("wordsize")

// GC reports the begin of a collection for need words; what it returns reports
// its end, with the words freed.
func GC(p *proc.Process, minor bool, need int) (end func()) {
	tags := gcTags[minor]
	report := func(tag term.Term, words int64) {
		var h heap.Heap
		defer release(&h)
		emit(p, tag, h.Cons(h.Tuple(amWordsize, h.Int(words)), p.GCInfo(&h)))
	}
	used := func() int64 { return int64(p.YoungWords() + p.OldUsed() + p.FragWords) }
	before := used()
	report(tags[0], int64(need))
	return func() { report(tags[1], max(before-used(), 0)) }
}
