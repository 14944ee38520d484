package proc

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

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

	MaxSize, MaxSizeOpts uint64 // of the heap, when MaxHeap is not None
	Scheduler            int32  // to be bound to, from 1; 0: none
}

// Defaults of new processes (+hms, +hmbs, +hmax, fullsweep_after, +hmqd).
var Defaults = struct {
	MinHeap, MinVHeap uint64
	FullsweepAfter    uint32
	MaxSize           uint64
	MaxSizeOpts       uint32
	OffHeapMsgs       bool
}{
	MinHeap: heap.DefaultSize, MinVHeap: 46422, FullsweepAfter: 65535,
	MaxSizeOpts: heap.MaxSizeKill | heap.MaxSizeLog,
}

// DefaultSpawnOpts returns options with every default.
func DefaultSpawnOpts() SpawnOpts {
	return SpawnOpts{
		Priority: PrioNormal, FullsweepAfter: -1, MaxHeap: term.None,
		MonitorTag: term.None, AliasMode: term.None, OffHeapMsgs: Defaults.OffHeapMsgs,
	}
}

// Spawn starts a process that applies m:f to the elements of args. mon is the
// monitor reference when one was asked for. parent is nil for the first one.
// err is term.None, or the reason (system_limit).
func Spawn(parent *Process, m, f term.Term, args []term.Term, o *SpawnOpts) (pid, mon, err term.Term) {
	id, ok := takeID()
	if !ok {
		if parent != nil {
			var h heap.Heap
			Log(parent.Ctx, term.AmError, term.AmError, term.None, parent.GroupLeader, "~s~n", h.Str("Too many processes\n"))
			h.Release()
		}
		return term.None, term.None, term.AmSystemLimit
	}
	p := newDescriptor()
	p.ID = term.Pid(id)
	p.rq = -1
	p.name = term.None
	p.FaultArgs, p.Fvalue, p.Ftrace = term.None, term.None, term.Nil
	p.Parent = term.AmUndefined
	p.GroupLeader = p.ID
	p.Initial = code.MFA{Module: m, Function: f, Arity: uint64(len(args))}
	p.started = MonotonicNow()
	p.setOpts(o)
	need := 2 * len(args)
	for _, a := range args {
		need += sizeOf(a, false)
	}
	var ctx *Ctx
	if parent != nil {
		ctx = parent.Ctx
		if gl := parent.GroupLeader; !gl.IsImmed() {
			need += sizeOf(gl, false)
		}
		p.Parent = parent.ID
	}
	p.initHeap(need)
	if parent != nil {
		p.GroupLeader = p.copyArg(parent.GroupLeader)
	}
	p.initArgs(m, f, args)
	if parent != nil && o.Link {
		insert(&parent.links, newNode(nodeLink, EndKey(p.ID), p.ID))
		insert(&p.links, newNode(nodeLink, EndKey(parent.ID), parent.ID))
	}
	if parent != nil && o.Monitor {
		mon = p.monitoredBy(parent, o)
	}
	pid = p.ID
	if Tracing != nil && (parent != nil && (parent.TraceFlags != 0 || parent.SeqToken != term.None) || TraceNew.Load()) {
		Tracing.Spawned(parent, p, args, o.Link)
	}
	p.state |= stActive | stQueued | uint32(p.Priority)<<prioShift
	p.enter()
	OnRunnable(p, ctx)
	return pid, mon, term.None
}

func (p *Process) setOpts(o *SpawnOpts) {
	p.Priority = o.Priority
	p.MinSize, p.MinVHeap = Defaults.MinHeap, Defaults.MinVHeap
	if o.MinHeap != 0 {
		p.MinSize = o.MinHeap
	}
	if o.MinVHeap != 0 {
		p.MinVHeap = o.MinVHeap
	}
	p.VHeap, p.OldVHeap = p.MinVHeap, p.MinVHeap
	p.MaxGenGCs = Defaults.FullsweepAfter
	if o.FullsweepAfter >= 0 {
		p.MaxGenGCs = uint32(o.FullsweepAfter)
	}
	p.MaxSize, p.MaxSizeOpts = Defaults.MaxSize, Defaults.MaxSizeOpts
	if o.MaxHeap != term.None {
		p.MaxSize, p.MaxSizeOpts = o.MaxSize, uint32(o.MaxSizeOpts)
	}
	p.bound = o.Scheduler
	if o.OffHeapMsgs {
		p.Flags |= FlagOffHeapMsgs
	}
	if o.System {
		p.Flags |= FlagSystem
		p.state |= stSystem
	}
}

// initHeap makes the block, with need words and room for the first frame.
func (p *Process) initHeap(need int) {
	words := max(p.MinSize, uint64(need)+8)
	n := uintptr(words) * 8
	p.Start = offheap.Alloc(n, offheap.Heap)
	p.HP, p.HighWater = p.Start, p.Start
	p.End = p.Start + n
	p.E = p.End - 8
	offheap.Store(p.E, uint64(NormalExitIP))
}

func (p *Process) copyArg(t term.Term) term.Term {
	if t.IsImmed() {
		return t
	}
	return heap.Copy(t, &p.HP, &p.Off, false)
}

// initArgs arranges for ApplyIP to be run with module, function and arguments.
func (p *Process) initArgs(m, f term.Term, args []term.Term) {
	l := term.Nil
	if len(args) > 0 {
		a := p.HP
		p.HP += uintptr(len(args)) * 16
		for i := len(args) - 1; i >= 0; i-- {
			l = term.MakeCons(a+uintptr(i)*16, p.copyArg(args[i]), l)
		}
	}
	p.SaveCap = 6
	p.SaveX = offheap.Alloc(6*8, offheap.Proc)
	term.PutTerm(p.SaveX, 0, m)
	term.PutTerm(p.SaveX, 1, f)
	term.PutTerm(p.SaveX, 2, l)
	p.Live = 3
	p.IP = ApplyIP
}

// monitoredBy enters the monitor of spawn_monitor in both processes, before
// anyone else can see the new one.
func (p *Process) monitoredBy(parent *Process, o *SpawnOpts) term.Term {
	n := parent.newMonitorNode(nodeMonitor, p.ID, term.None, &MonitorOpts{o.AliasMode, o.MonitorTag})
	t := newNode(nodeMonitor, n.key, parent.ID)
	t.flags = n.flags & nfPidRef
	insert(&p.tmons, t)
	return parent.putRef(&parent.Heap, n)
}

// VisitRoots calls f with every run of term slots of p outside its heap block
// (dictionary, descriptor fields, saved registers), for a collection. Messages
// that were not taken lie in blocks of their own, which point nowhere else.
func (p *Process) VisitRoots(f func(addr uintptr, n int)) {
	if p.Live > 0 && p.SaveX != 0 {
		f(p.SaveX, int(p.Live))
	}
	if d := p.dict(); d != nil && d.n > 0 {
		f(d.pair(0), int(d.n)*2)
	}
	f(offheap.Addr(&p.Fvalue), 2) // and Ftrace
	f(offheap.Addr(&p.FaultArgs), 1)
	f(offheap.Addr(&p.GroupLeader), 1)
	f(offheap.Addr(&p.Parent), 1)
	f(offheap.Addr(&p.SeqToken), 1)
}
