package proc

import (
	"unsafe"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/term"
)

// process_info. The process itself answers, in the order of its signals; the
// result is built on the heap given (its own, or a message for who asked).

// Hooks of the engine.
var (
	// CurrentFunction returns {M,F,A} of where p is, or undefined; location
	// adds the position list.
	CurrentFunction func(p *Process, h *heap.Heap, location bool) term.Term
	// CurrentStacktrace returns p's stack trace.
	CurrentStacktrace func(p *Process, h *heap.Heap) term.Term
	// Backtrace returns p's stack as text.
	Backtrace func(p *Process) []byte
)

var (
	amMinorGCs    = term.Intern("minor_gcs")
	amMagicRef    = term.Intern("magic_ref")
	amIncludeBins = term.Intern("include_shared_binaries")

	infoItems = map[term.Term]func(p *Process, h *heap.Heap) term.Term{
		term.AmCurrentFunction:   func(p *Process, h *heap.Heap) term.Term { return callHook(CurrentFunction, p, h, false) },
		term.AmCurrentLocation:   func(p *Process, h *heap.Heap) term.Term { return callHook(CurrentFunction, p, h, true) },
		term.AmCurrentStacktrace: infoStacktrace,
		term.AmInitialCall: func(p *Process, h *heap.Heap) term.Term {
			return mfaTerm(h, p.Initial.Module, p.Initial.Function, p.Initial.Arity)
		},
		term.AmStatus:                infoStatus,
		term.AmMessages:              infoMessages,
		term.AmMessageQueueLen:       func(p *Process, h *heap.Heap) term.Term { return term.Small(p.numMsgs) },
		term.AmLinks:                 infoLinks,
		term.AmMonitors:              infoMonitors,
		term.AmMonitoredBy:           infoMonitoredBy,
		term.AmDictionary:            infoDictionary,
		term.AmTrapExit:              func(p *Process, h *heap.Heap) term.Term { return term.Bool(p.Flags&FlagTrapExit != 0) },
		term.AmErrorHandler:          infoErrorHandler,
		term.AmHeapSize:              func(p *Process, h *heap.Heap) term.Term { return h.Uint(uint64(p.End-p.Start) / 8) },
		term.AmStackSize:             func(p *Process, h *heap.Heap) term.Term { return h.Uint(uint64(p.End-p.E) / 8) },
		term.AmTotalHeapSize:         func(p *Process, h *heap.Heap) term.Term { return h.Uint(p.totalHeap()) },
		term.AmMemory:                func(p *Process, h *heap.Heap) term.Term { return h.Uint(p.MemoryUse()) },
		term.AmGarbageCollection:     infoGC,
		term.AmGarbageCollectionInfo: infoGCInfo,
		term.AmGroupLeader:           func(p *Process, h *heap.Heap) term.Term { return heap.CopyTo(h, p.GroupLeader) },
		term.AmReductions:            func(p *Process, h *heap.Heap) term.Term { return h.Uint(p.Reductions()) },
		term.AmPriority: func(p *Process, h *heap.Heap) term.Term {
			return [...]term.Term{term.AmMax, term.AmHigh, term.AmNormal, term.AmLow}[p.Prio()]
		},
		term.AmTrace:                func(p *Process, h *heap.Heap) term.Term { return h.Uint(p.TraceFlags) },
		term.AmBinary:               infoBinary,
		term.AmSequentialTraceToken: infoSeqToken,
		term.AmCatchlevel:           func(p *Process, h *heap.Heap) term.Term { return term.Small(p.Catches) },
		term.AmBacktrace:            infoBacktrace,
		term.AmLastCalls:            infoLastCalls,
		term.AmSuspending:           infoSuspending,
		term.AmMinHeapSize:          func(p *Process, h *heap.Heap) term.Term { return h.Uint(p.MinSize) },
		term.AmMinBinVheapSize:      func(p *Process, h *heap.Heap) term.Term { return h.Uint(p.MinVHeap) },
		term.AmMaxHeapSize:          func(p *Process, h *heap.Heap) term.Term { return maxHeap(p, h) },
		term.AmMessageQueueData:     infoQueueData,
		term.AmFullsweepAfter:       func(p *Process, h *heap.Heap) term.Term { return h.Uint(uint64(p.MaxGenGCs)) },
		term.AmParent:               func(p *Process, h *heap.Heap) term.Term { return heap.CopyTo(h, p.Parent) },
		amMagicRef:                  infoMagicRefs,
		term.AmRegisteredName:       infoName,
	}
)

// InfoDefault is the items of process_info/1, in order.
var InfoDefault = []term.Term{
	term.AmRegisteredName, term.AmCurrentFunction, term.AmInitialCall, term.AmStatus,
	term.AmMessageQueueLen, term.AmLinks, term.AmDictionary, term.AmTrapExit,
	term.AmErrorHandler, term.AmPriority, term.AmGroupLeader, term.AmTotalHeapSize,
	term.AmHeapSize, term.AmStackSize, term.AmReductions, term.AmGarbageCollection,
	term.AmSuspending,
}

// Flags of a request.
const (
	InfoSingle   = 1 << iota // process_info(P, Item): one tuple, not a list
	InfoDefault1             // process_info/1: leaves out no registered name
	infoAsked                // asked by another process
)

// IsInfoItem tells whether an atom names an item.
func IsInfoItem(t term.Term) bool { return infoItems[t] != nil }

// Info builds the answer to process_info for p, whose token the caller holds.
func (p *Process) Info(h *heap.Heap, items []term.Term, flags int) term.Term {
	if flags&InfoSingle != 0 {
		v := infoItems[items[0]](p, h)
		if items[0] == term.AmRegisteredName && p.Name() == term.None {
			return term.Nil
		}
		return h.Tuple(items[0], v)
	}
	vals := make([]term.Term, 0, len(items))
	for _, it := range items {
		if it == term.AmRegisteredName && flags&InfoDefault1 != 0 && p.Name() == term.None {
			continue
		}
		vals = append(vals, h.Tuple(it, infoItems[it](p, h)))
	}
	return h.List(vals...)
}

// AskInfo asks another process of this node for items; {Ref, Result} comes
// back. false: there is no such process.
func (p *Process) AskInfo(to, ref term.Term, items []term.Term, flags int) bool {
	s := newSignal(sigInfo, sizeOf(ref, false)+3+2*len(items))
	s.From, s.key.A = p.ID, uint64(flags)
	r := s.copyIn(ref, false)
	l := term.Nil
	for i := len(items) - 1; i >= 0; i-- {
		l = term.MakeCons(s.HP, items[i], l)
		s.HP += 16
	}
	s.Term = s.tuple(r, l)
	return sendTo(p.Ctx, to, s)
}

func (p *Process) actInfo(s *Signal) {
	var items []term.Term
	for l := s.Term.El(2); l.IsList(); l = l.Tail() {
		items = append(items, l.Head())
	}
	var h heap.Heap
	r := p.Info(&h, items, int(s.key.A)|infoAsked)
	msg := h.Tuple(heap.CopyTo(&h, s.Term.El(1)), r)
	sendBuilt(p.Ctx, p.ID, s.From, msg, &h)
	p.FCalls -= int64(10 * len(items))
	s.free()
}

func callHook(f func(p *Process, h *heap.Heap, location bool) term.Term, p *Process, h *heap.Heap, loc bool) term.Term {
	if f == nil {
		return term.AmUndefined
	}
	return f(p, h, loc)
}

func mfaTerm(h *heap.Heap, m, f term.Term, a uint64) term.Term {
	return h.Tuple(m, f, term.Small(int64(a)))
}

func infoStacktrace(p *Process, h *heap.Heap) term.Term {
	if CurrentStacktrace == nil {
		return term.Nil
	}
	return CurrentStacktrace(p, h)
}

func infoBacktrace(p *Process, h *heap.Heap) term.Term {
	if Backtrace == nil {
		return h.Binary(nil)
	}
	return h.Binary(Backtrace(p))
}

// Status returns what process_info(P, status) says. asked: the token is held
// only to answer.
func (p *Process) Status(asked bool) term.Term {
	s := p.load()
	switch {
	case s&(stExiting|stFree) != 0:
		return term.AmExiting
	case s&stGC != 0:
		return term.AmGarbageCollecting
	case s&stSuspended != 0:
		return term.AmSuspended
	case s&stDirtyRun != 0, !asked && s&stRunning != 0:
		return term.AmRunning
	case s&stActive != 0:
		return term.AmRunnable
	}
	return term.AmWaiting
}

func infoStatus(p *Process, h *heap.Heap) term.Term {
	return p.Status(p.Ctx == nil || p.Ctx.P != p)
}

func infoMessages(p *Process, h *heap.Heap) term.Term {
	if p.Flags&FlagSensitive != 0 {
		return term.Nil
	}
	ms := make([]term.Term, 0, p.numMsgs)
	for s := p.msgHead; s != nil; s = s.next() {
		ms = append(ms, heap.CopyTo(h, s.Term))
	}
	return h.List(ms...)
}

func infoLinks(p *Process, h *heap.Heap) term.Term {
	l := term.Nil
	p.EachLink(func(o term.Term) { l = h.Cons(heap.CopyTo(h, o), l) })
	return l
}

func infoMonitors(p *Process, h *heap.Heap) term.Term {
	l := term.Nil
	each(p.mons, func(n *Node) {
		typ, v := term.AmProcess, n.other
		switch n.kind {
		case nodeAlias, nodeSpawn:
			return
		case nodePort:
			typ = term.AmPort
		case nodeTimeOffset:
			typ = amTimeOffset
		}
		if n.name != term.None {
			node := nodeName()
			if n.other.IsAtom() {
				node = n.other
			}
			v = h.Tuple(n.name, node)
		} else {
			v = heap.CopyTo(h, v)
		}
		l = h.Cons(h.Tuple(typ, v), l)
	})
	return l
}

var amTimeOffset = term.Intern("time_offset")

func infoMonitoredBy(p *Process, h *heap.Heap) term.Term {
	l := term.Nil
	each(p.tmons, func(n *Node) { l = h.Cons(heap.CopyTo(h, n.other), l) })
	return l
}

func infoDictionary(p *Process, h *heap.Heap) term.Term {
	if p.Flags&FlagSensitive != 0 {
		return term.Nil
	}
	l := term.Nil
	p.DictEach(func(k, v term.Term) {
		l = h.Cons(h.Tuple(heap.CopyTo(h, k), heap.CopyTo(h, v)), l)
	})
	return l
}

func infoSeqToken(p *Process, h *heap.Heap) term.Term {
	if p.SeqToken == term.None {
		return term.Nil
	}
	return heap.CopyTo(h, p.SeqToken)
}

func infoErrorHandler(p *Process, h *heap.Heap) term.Term {
	if p.ErrHandler == term.None {
		return term.AmErrorHandler
	}
	return p.ErrHandler
}

func infoName(p *Process, h *heap.Heap) term.Term {
	if n := p.Name(); n != term.None {
		return n
	}
	return term.Nil
}

// Reductions returns the reductions p has executed.
func (p *Process) Reductions() uint64 {
	if p.Ctx != nil && p.Ctx.P == p && p.Ctx.SchedID > 0 {
		return p.Reds + uint64(max(p.Ctx.Reds-p.FCalls, 0))
	}
	return p.Reds
}

func (p *Process) totalHeap() uint64 {
	n := uint64(p.End-p.Start)/8 + uint64(p.OldEnd-p.OldStart)/8 + p.FragWords
	if p.Flags&FlagOffHeapMsgs == 0 {
		n += uint64(p.messageWords())
	}
	return n
}

// MemoryUse returns the bytes that p takes.
func (p *Process) MemoryUse() uint64 {
	n := uint64(procSize) + 8*(uint64(p.End-p.Start)/8+uint64(p.OldEnd-p.OldStart)/8+p.FragWords+uint64(p.messageWords()))
	n += uint64(p.SaveCap) * 8
	if d := p.dict(); d != nil {
		n += uint64(d.size())
	}
	if p.markers != 0 {
		n += uint64(unsafe.Sizeof(markerBlock{}))
	}
	for _, t := range []*Node{p.links, p.mons, p.tmons, p.susp} {
		each(t, func(*Node) { n += uint64(nodeSize) })
	}
	return n
}

func maxHeap(p *Process, h *heap.Heap) term.Term {
	m, _ := maps.FromPairs(h, []term.Term{
		term.AmErrorLogger, term.Bool(p.MaxSizeOpts&heap.MaxSizeLog != 0),
		term.AmKill, term.Bool(p.MaxSizeOpts&heap.MaxSizeKill != 0),
		term.AmSize, h.Uint(p.MaxSize),
	})
	return m
}

func infoGC(p *Process, h *heap.Heap) term.Term {
	return h.List(
		h.Tuple(term.AmMaxHeapSize, maxHeap(p, h)),
		h.Tuple(term.AmMinBinVheapSize, h.Uint(p.MinVHeap)),
		h.Tuple(term.AmMinHeapSize, h.Uint(p.MinSize)),
		h.Tuple(term.AmFullsweepAfter, h.Uint(uint64(p.MaxGenGCs))),
		h.Tuple(amMinorGCs, h.Uint(uint64(p.GenGCs))),
	)
}

var gcInfoNames = []string{
	"old_heap_block_size", "heap_block_size", "mbuf_size", "recent_size", "stack_size",
	"old_heap_size", "heap_size", "bin_vheap_size", "bin_vheap_block_size",
	"bin_old_vheap_size", "bin_old_vheap_block_size",
}

func infoGCInfo(p *Process, h *heap.Heap) term.Term {
	vals := []uint64{
		uint64(p.OldEnd-p.OldStart) / 8, uint64(p.End-p.Start) / 8, p.FragWords,
		uint64(p.HighWater-p.Start) / 8, uint64(p.End-p.E) / 8,
		uint64(p.OldHP-p.OldStart) / 8, uint64(p.HP-p.Start) / 8, p.Off.Words,
		p.VHeap, p.OldOff.Words, p.OldVHeap,
	}
	els := make([]term.Term, len(vals))
	for i, v := range vals {
		els[i] = h.Tuple(term.Intern(gcInfoNames[i]), h.Uint(v))
	}
	return h.List(els...)
}

// GCInfo builds what process_info(P, garbage_collection_info) tells.
func (p *Process) GCInfo(h *heap.Heap) term.Term { return infoGCInfo(p, h) }

func infoLastCalls(p *Process, h *heap.Heap) term.Term {
	if p.saveCalls == 0 {
		return term.False
	}
	return term.Nil
}

func infoSuspending(p *Process, h *heap.Heap) term.Term {
	l := term.Nil
	each(p.susp, func(n *Node) {
		l = h.Cons(h.Tuple(n.other, term.Small(int64(n.x)), term.Small(0)), l)
	})
	return l
}

func infoQueueData(p *Process, h *heap.Heap) term.Term {
	if p.Flags&FlagOffHeapMsgs != 0 {
		return term.AmOffHeap
	}
	return term.AmOnHeap
}

// infoBinary lists {Id, Size, RefC} of the reference counted binaries.
func infoBinary(p *Process, h *heap.Heap) term.Term {
	l := term.Nil
	eachOff(p, func(a uintptr) {
		if term.HeaderKind(term.Get(a, 0)) != term.KBinRef {
			return
		}
		b := heap.BinOf(term.Box(a))
		l = h.Cons(h.Tuple(h.Uint(uint64(b.Data)), h.Uint(uint64(b.Size)), h.Int(b.Refs())), l)
	})
	return l
}

// infoMagicRefs lists {Id, Size, RefC} of magic references.
func infoMagicRefs(p *Process, h *heap.Heap) term.Term {
	l := term.Nil
	eachOff(p, func(a uintptr) {
		if term.HeaderKind(term.Get(a, 0)) != term.KRef {
			return
		}
		b := heap.MagicBin(term.Box(a))
		l = h.Cons(h.Tuple(h.Uint(uint64(uintptr(unsafe.Pointer(b)))), h.Uint(uint64(b.Size)), h.Int(b.Refs())), l)
	})
	return l
}

// eachOff calls f with the address of every object of p's off-heap lists.
func eachOff(p *Process, f func(a uintptr)) {
	var as []uintptr
	for _, first := range []uintptr{p.Off.First, p.OldOff.First} {
		for a := first; a != 0; {
			as = append(as, a)
			i := 1
			if term.HeaderKind(term.Get(a, 0)) == term.KRef {
				i = 4
			}
			a = uintptr(term.Get(a, i))
		}
	}
	for _, a := range as {
		f(a)
	}
}
