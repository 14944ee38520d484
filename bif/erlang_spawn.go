package bif

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangSpawnRows = []native.Row{
	{Module: "erlang", Name: "self", Arity: 0, Fn: erlangSelf, Flags: native.Guard},
	{Module: "erlang", Name: "spawn", Arity: 3, Fn: erlangSpawn3},
	{Module: "erlang", Name: "spawn_link", Arity: 3, Fn: erlangSpawnLink3},
	{Module: "erlang", Name: "spawn_opt", Arity: 4, Fn: erlangSpawnOpt4},
	{Module: "erlang", Name: "spawn_request_abandon", Arity: 1, Fn: erlangSpawnRequestAbandon},
	{Module: "erts_internal", Name: "spawn_request", Arity: 4, Fn: ertsSpawnRequest},
	{Module: "erts_internal", Name: "spawn_system_process", Arity: 3, Fn: ertsSpawnSystemProcess},
	{Module: "erts_internal", Name: "is_system_process", Arity: 1, Fn: ertsIsSystemProcess},
}

var (
	amBadoptSpawn   = term.Intern("badopt")
	amScheduler     = term.Intern("scheduler")
	amSpawnInit     = term.Intern("spawn_init")
	amErtsInternal  = term.Intern("erts_internal")
	amErrorOnly     = term.Intern("error_only")
	amSuccessOnly   = term.Intern("success_only")
	amYes           = term.Intern("yes")
	amNo            = term.Intern("no")
	amIncludeShared = term.Intern("include_shared_binaries")
)

func erlangSelf(c *native.Call) term.Term { return c.P.ID }

// listArgs returns the elements of a proper list.
func listArgs(l term.Term) (els []term.Term, ok bool) {
	for ; l.IsList(); l = l.Tail() {
		els = append(els, l.Head())
	}
	return els, l.IsNil()
}

// spawnWith starts a process for the first three arguments.
func spawnWith(c *native.Call, o *proc.SpawnOpts) term.Term {
	m, f := c.Arg(0), c.Arg(1)
	args, ok := listArgs(c.Arg(2))
	if !m.IsAtom() || !f.IsAtom() || !ok {
		return c.Badarg()
	}
	c.Bump(20 + len(args))
	pid, mon, err := proc.Spawn(c.P, m, f, args, o)
	if err != term.None {
		return c.Error(err)
	}
	if o.Monitor {
		return c.P.Heap.Tuple(pid, mon)
	}
	return pid
}

func erlangSpawn3(c *native.Call) term.Term {
	o := proc.DefaultSpawnOpts()
	return spawnWith(c, &o)
}

func erlangSpawnLink3(c *native.Call) term.Term {
	o := proc.DefaultSpawnOpts()
	o.Link = true
	return spawnWith(c, &o)
}

func erlangSpawnOpt4(c *native.Call) term.Term {
	p := parseSpawnOpts(c.Arg(3), false)
	if p.bad != term.None {
		return c.BadargCause(amBadoptSpawn)
	}
	return spawnWith(c, &p.o)
}

// spawnOpts is a parsed option list of the spawn family.
type spawnOpts struct {
	o                  proc.SpawnOpts
	tag                term.Term
	noError, noSuccess bool
	bad                term.Term // None, badarg (no list) or badopt
}

func parseSpawnOpts(l term.Term, request bool) spawnOpts {
	s := spawnOpts{o: proc.DefaultSpawnOpts(), tag: term.AmSpawnReply}
	for ; l.IsList(); l = l.Tail() {
		if !s.option(l.Head(), request) {
			s.bad = amBadoptSpawn
		}
	}
	if !l.IsNil() {
		s.bad = term.AmBadarg
	}
	return s
}

func (s *spawnOpts) option(t term.Term, request bool) bool {
	switch t {
	case term.AmLink:
		s.o.Link = true
		return true
	case term.AmMonitor:
		s.o.Monitor = true
		return true
	}
	if !t.IsTuple() || t.Arity() != 2 {
		return false
	}
	v := t.El(2)
	switch t.El(1) {
	case term.AmMonitor:
		m, ok := parseMonitorOpts(v)
		s.o.Monitor = true
		s.o.AliasMode, s.o.MonitorTag = m.AliasMode, m.Tag
		return ok
	case term.AmPriority:
		n, ok := prioOf(v)
		s.o.Priority = uint8(n)
		return ok
	case term.AmMessageQueueData:
		s.o.OffHeapMsgs = v == term.AmOffHeap
		return v == term.AmOffHeap || v == term.AmOnHeap
	case term.AmMinHeapSize:
		if !isNonNeg(v) {
			return false
		}
		s.o.MinHeap = minHeapSize(v.Small())
		return true
	case term.AmMinBinVheapSize:
		if !isNonNeg(v) {
			return false
		}
		s.o.MinVHeap = minVHeapSize(v.Small())
		return true
	case term.AmMaxHeapSize:
		n, opts, ok := parseMaxHeap(v)
		s.o.MaxHeap, s.o.MaxSize, s.o.MaxSizeOpts = v, n, uint64(opts)
		return ok
	case term.AmFullsweepAfter:
		if !isNonNeg(v) {
			return false
		}
		s.o.FullsweepAfter = min(v.Small(), 1<<31)
		return true
	case amScheduler:
		s.o.Scheduler = int32(min(v.Small(), 1<<20))
		return isNonNeg(v) && v.Small() <= int64(proc.Schedulers())
	case term.AmReplyTag:
		s.tag = v
		return request
	case term.AmReply:
		s.noError = v == amNo || v == amSuccessOnly
		s.noSuccess = v == amNo || v == amErrorOnly
		return request && (s.noError || s.noSuccess || v == amYes)
	}
	return false
}

func isNonNeg(t term.Term) bool { return t.IsSmall() && t.Small() >= 0 }

func minHeapSize(n int64) uint64 {
	if n < heap.DefaultSize {
		return heap.DefaultSize
	}
	return uint64(heap.NextSize(uintptr(n)))
}

const minVHeap = 46422

func minVHeapSize(n int64) uint64 {
	if n < minVHeap {
		return minVHeap
	}
	return uint64(heap.NextSize(uintptr(n)))
}

func prioOf(t term.Term) (int, bool) {
	switch t {
	case term.AmMax:
		return proc.PrioMax, true
	case term.AmHigh:
		return proc.PrioHigh, true
	case term.AmNormal:
		return proc.PrioNormal, true
	case term.AmLow:
		return proc.PrioLow, true
	}
	return 0, false
}

func prioAtom(n int) term.Term {
	return [...]term.Term{term.AmMax, term.AmHigh, term.AmNormal, term.AmLow}[n]
}

// parseMaxHeap decodes a max_heap_size value: a size, or a map with size, kill,
// error_logger and include_shared_binaries.
func parseMaxHeap(t term.Term) (size uint64, opts uint32, ok bool) {
	opts = proc.Defaults.MaxSizeOpts
	if isNonNeg(t) {
		return uint64(t.Small()), opts, true
	}
	if !t.IsMap() {
		return 0, 0, false
	}
	sz, has := maps.Get(t, term.AmSize)
	if !has || !isNonNeg(sz) {
		return 0, 0, false
	}
	ok = true
	for _, b := range []struct {
		key term.Term
		bit uint32
	}{{term.AmKill, heap.MaxSizeKill}, {term.AmErrorLogger, heap.MaxSizeLog}, {amIncludeShared, heap.MaxSizeBins}} {
		switch v, has := maps.Get(t, b.key); {
		case !has:
		case v == term.True:
			opts |= b.bit
		case v == term.False:
			opts &^= b.bit
		default:
			ok = false
		}
	}
	return uint64(sz.Small()), opts, ok
}

func ertsSpawnRequest(c *native.Call) term.Term {
	m, f := c.Arg(0), c.Arg(1)
	args, ok := listArgs(c.Arg(2))
	if !m.IsAtom() || !f.IsAtom() || !ok {
		return term.AmBadarg
	}
	s := parseSpawnOpts(c.Arg(3), true)
	if s.bad == term.AmBadarg {
		return amBadoptSpawn
	}
	h := &c.P.Heap
	fail := func(reason term.Term) term.Term {
		ref := proc.NewRef(h, c.Ctx)
		if !s.noError {
			c.P.SelfMessage(h.Tuple(s.tag, ref, term.AmError, reason))
		}
		return ref
	}
	if s.bad != term.None {
		return fail(amBadoptSpawn)
	}
	c.Bump(20 + len(args))
	init := []term.Term{h.Tuple(m, f, c.Arg(2))}
	pid, ref, err := proc.Spawn(c.P, amErtsInternal, amSpawnInit, init, &s.o)
	if err != term.None {
		return fail(err)
	}
	if !s.o.Monitor {
		ref = proc.NewRef(h, c.Ctx)
	}
	if !s.noSuccess {
		c.P.SelfMessage(h.Tuple(s.tag, ref, term.AmOk, pid))
	}
	return ref
}

// Local spawn requests are answered before spawn_request returns, so only those
// to other nodes can be abandoned.
func erlangSpawnRequestAbandon(c *native.Call) term.Term {
	switch ref := c.Arg(0); {
	case ref.Is(term.KRef):
		return term.Bool(c.P.AbandonSpawn(ref))
	case ref.Is(term.KExtRef):
		return term.False
	}
	return c.Badarg()
}

func ertsSpawnSystemProcess(c *native.Call) term.Term {
	o := proc.DefaultSpawnOpts()
	o.System, o.OffHeapMsgs, o.Priority = true, true, proc.PrioHigh
	return spawnWith(c, &o)
}

func ertsIsSystemProcess(c *native.Call) term.Term {
	t := c.Arg(0)
	if !t.IsInternalPid() {
		return c.Badarg()
	}
	p := proc.Lookup(t)
	return term.Bool(p != nil && p.IsSystem())
}
