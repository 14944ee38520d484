package bif

import (
	"os"
	"sync/atomic"
	"time"

	"github.com/beamrd/beamrd/ets"
	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/dist"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// erts_debug:get_internal_state/1 and set_internal_state/2: what OTP's test
// suites ask of an emulator. They are undefined until a suite makes them
// available. Keys that make no sense here raise badarg, as unknown ones do on
// ERTS.

var internalState atomic.Bool

var amAvailableState = term.Intern("available_internal_state")

type stateGetter func(c *native.Call, arg term.Term) term.Term

// stateGets are the keys of get_internal_state/1: atoms, or the first of a
// pair, whose second is arg.
var stateGets = map[term.Term]stateGetter{
	amAvailableState:                func(*native.Call, term.Term) term.Term { return term.True },
	term.Intern("reds_left"):        func(c *native.Call, _ term.Term) term.Term { return term.Small(int64(max(c.Left(), 0))) },
	term.Intern("force_heap_frags"): func(*native.Call, term.Term) term.Term { return term.False },
	term.Intern("scheduler_dump"):   func(*native.Call, term.Term) term.Term { return term.False },
	term.Intern("lc_graph"):         func(*native.Call, term.Term) term.Term { return term.AmNotsup },
	term.Intern("persistent_term"):  persistentState,
	term.Intern("DbTable_words"):    etsTableWords,

	term.Intern("max_atom_out_cache_index"): func(*native.Call, term.Term) term.Term { return term.Small(dist.MaxAtomIndex) },
	term.Intern("node_and_dist_references"): nodeReferences,

	term.Intern("flxctr_memory_usage"): func(*native.Call, term.Term) term.Term { return term.AmNotsup },

	term.Intern("memory"): func(c *native.Call, _ term.Term) term.Term {
		return c.Trap(code.GetExport(term.AmErlang, term.AmMemory, 0))
	},
	term.Intern("processes"): func(c *native.Call, _ term.Term) term.Term {
		return c.Trap(code.GetExport(term.AmErlang, term.Intern("processes"), 0))
	},
}

var statePairs = map[term.Term]stateGetter{
	term.Intern("internal_hash"): func(c *native.Call, t term.Term) term.Term {
		return term.Small(int64(term.InternalHash(t)))
	},
	term.Intern("atom"):           stateAtom,
	term.Intern("magic_ref"):      stateMagicRef,
	term.Intern("binary_info"):    stateBinaryInfo,
	term.Intern("process_status"): stateProcessStatus,

	term.Intern("dist_ctrl"):     stateDistCtrl,
	term.Intern("connection_id"): stateConnectionID,
	term.Intern("atom_out_cache_index"): func(c *native.Call, t term.Term) term.Term {
		if !t.IsAtom() {
			return c.Badarg()
		}
		return term.Small(int64(dist.AtomIndex(t.Atom())))
	},
}

func ertsGetInternalState(c *native.Call) term.Term {
	if !internalState.Load() {
		return c.Error(term.AmUndef)
	}
	k := c.Arg(0)
	f, arg := stateGets[k], term.None
	if k.IsTuple() && k.Arity() == 2 {
		f, arg = statePairs[k.El(1)], k.El(2)
	}
	if f == nil {
		return c.Badarg()
	}
	return f(c, arg)
}

// stateAtom returns the atom of a number, entering atoms up to it.
func stateAtom(c *native.Call, t term.Term) term.Term {
	if !t.IsSmall() || t.Small() < 0 || t.Small() >= int64(atom.Limit()) {
		return c.Badarg()
	}
	for n := atom.Count(); n <= int(t.Small()); n = atom.Count() {
		term.Intern("am" + hex(n))
	}
	return term.Atom(atom.Atom(t.Small()))
}

func hex(n int) string {
	const digits = "0123456789abcdef"
	if n < 16 {
		return digits[n : n+1]
	}
	return hex(n/16) + digits[n&15:n&15+1]
}

// stateMagicRef returns {Address, Count, IsTest} of a magic reference.
func stateMagicRef(c *native.Call, t term.Term) term.Term {
	if !t.Is(term.KRef) {
		return c.Badarg()
	}
	if !t.IsMagicRef() {
		return term.AmFalse
	}
	b := heap.MagicBin(t)
	_, test := heap.MagicValue(b).(testMagic)
	h := &c.P.Heap
	return h.Tuple(h.Uint(uint64(offheap.Addr(b))), h.Uint(uint64(b.Refs())), term.Bool(test))
}

type testMagic struct{}

// stateBinaryInfo tells how a binary is kept: heap_binary, or {refc_binary,
// Size, {binary, BytesAllocated}, Flags}.
func stateBinaryInfo(c *native.Call, t term.Term) term.Term {
	if !t.IsBitstring() {
		return c.Badarg()
	}
	if t.Kind() == term.KSubBits {
		if orig := term.Term(t.W(4)); orig.Kind() == term.KBinRef {
			b := heap.BinOf(orig)
			h := &c.P.Heap
			return h.Tuple(term.Intern("refc_binary"), h.Uint(uint64(b.Size)),
				h.Tuple(term.AmBinary, h.Uint(uint64(b.Cap))), term.Small(int64(b.Flags&heap.BinWritable)))
		}
	}
	return term.Intern("heap_binary")
}

func stateProcessStatus(c *native.Call, t term.Term) term.Term {
	if !t.IsInternalPid() {
		return c.Badarg()
	}
	g := epoch.Pin()
	defer g.Unpin()
	p := proc.Lookup(t)
	if p == nil {
		return term.AmUndefined
	}
	return p.Status(false)
}

type stateSetter func(c *native.Call, v term.Term) term.Term

var stateSets = map[term.Term]stateSetter{
	term.Intern("reds_left"): setRedsLeft,

	term.Intern("binary_loop_limit"):  setLoopLimit(&binaryLoopLimit),
	term.Intern("unicode_loop_limit"): setLoopLimit(&unicodeLoopLimit),
	term.Intern("re_loop_limit"):      setLoopLimit(&reLoopLimit),

	term.Intern("block"):           setBlock,
	term.Intern("sleep"):           setSleep,
	term.Intern("block_scheduler"): setSleep,
	term.Intern("force_gc"):        setForceGC,
	term.Intern("fill_heap"):       setFillHeap,
	term.Intern("make"):            setMake,
	term.Intern("binary"):          setBinary,
	term.Intern("mbuf"):            setMbuf,
	term.Intern("wait"):            setWait,
	term.Intern("abort"):           setAbort,

	term.Intern("ets_force_split"):             setEtsSplit,
	term.Intern("ets_debug_random_split_join"): setEtsSplit,
	term.Intern("colliding_names"):             setCollidingNames,

	term.Intern("jit_asm_dump"):   func(*native.Call, term.Term) term.Term { return term.AmNotsup },
	term.Intern("ets_force_trap"): func(*native.Call, term.Term) term.Term { return term.AmNotsup },
}

func ertsSetInternalState(c *native.Call) term.Term {
	k, v := c.Arg(0), c.Arg(1)
	if k == amAvailableState && v.IsBool() {
		on := v == term.True
		was := internalState.Swap(on)
		if on {
			proc.Log(c.Ctx, term.AmWarning, term.Intern("warning_msg"), c.P.ID, c.P.GroupLeader,
				"Process ~p enabled access to the emulator internal state.~n"+
					"NOTE: This is an erts internal test feature and should *only* be used by OTP test-suites.~n", c.P.ID)
		}
		return term.Bool(was)
	}
	if !internalState.Load() {
		return c.Error(term.AmUndef)
	}
	f := stateSets[k]
	if f == nil {
		return c.Badarg()
	}
	return f(c, v)
}

func setRedsLeft(c *native.Call, v term.Term) term.Term {
	if !v.IsSmall() {
		return c.Badarg()
	}
	if n := v.Small(); n >= 0 && n <= 4000 {
		c.P.FCalls = n
	}
	return term.True
}

func setSleep(c *native.Call, v term.Term) term.Term {
	if !v.IsSmall() {
		return c.Badarg()
	}
	if v.Small() > 0 {
		time.Sleep(time.Duration(v.Small()) * time.Millisecond)
	}
	return term.True
}

// setBlock holds all schedulers for some milliseconds: nothing passes a safe
// point meanwhile.
func setBlock(c *native.Call, v term.Term) term.Term {
	if !v.IsSmall() {
		return c.Badarg()
	}
	if v.Small() > 0 {
		stopAll(c, func() {
			dist.Blocked.Lock()
			defer dist.Blocked.Unlock()
			time.Sleep(time.Duration(v.Small()) * time.Millisecond)
		})
	}
	return term.True
}

func setForceGC(c *native.Call, v term.Term) term.Term {
	g := epoch.Pin()
	defer g.Unpin()
	if !v.IsInternalPid() || proc.Lookup(v) == nil {
		return term.False
	}
	c.P.ForceGC(false)
	return term.True
}

// setFillHeap uses up what is free of the block.
func setFillHeap(c *native.Call, v term.Term) term.Term {
	h := &c.P.Heap
	if n := int(h.E-h.HP) / 8; n > 1 {
		term.Put(h.Alloc(n), 0, term.Header(n-1, term.KPosBig))
	}
	if v == term.True {
		h.Flags |= heap.NeedFullsweep
	}
	return term.AmOk
}

func setMake(c *native.Call, v term.Term) term.Term {
	if v != term.Intern("magic_ref") {
		return c.Badarg()
	}
	h := &c.P.Heap
	b := heap.NewMagic(testMagic{})
	k := proc.NewRefKey(c.Ctx)
	ref := h.Off.PutMagicRef(h.Alloc(1+term.MagicRefWords), k.A, k.B, b)
	return h.Tuple(ref, h.Uint(uint64(offheap.Addr(b))))
}

func setBinary(c *native.Call, v term.Term) term.Term {
	if !v.IsSmall() || v.Small() < 0 {
		return c.Badarg()
	}
	if v.Small() >= 1<<40 {
		return term.False
	}
	b := heap.NewBin(uintptr(v.Small()))
	clear(b.Bytes())
	return c.P.Heap.WrapBin(b, 0, uint64(v.Small())*8)
}

// setMbuf copies a term into a heap fragment.
func setMbuf(c *native.Call, v term.Term) term.Term {
	if v.IsImmed() {
		return v
	}
	var h heap.Heap
	r := heap.CopyTo(&h, v)
	f, off := h.Detach()
	c.P.Heap.Attach(f, &off)
	return r
}

// setWait waits until all schedulers have passed a safe point, and with it for
// what they have put off until then.
func setWait(c *native.Call, v term.Term) term.Term {
	if v.IsTuple() && v.Arity() == 2 { // waiting already: {What, Stamp}
		if !epoch.Passed(uint64(v.El(2).Small())) || v.El(1) == term.Intern("deallocations") && ets.Freeing() {
			return c.YieldWith(term.Intern("wait"), v)
		}
		return term.AmOk
	}
	switch v {
	case term.Intern("deallocations"), term.Intern("aux_work"), term.Intern("thread_progress"), term.Intern("timer_cancellations"):
	default:
		return c.Badarg()
	}
	return c.YieldWith(term.Intern("wait"), c.P.Heap.Tuple(v, c.P.Heap.Uint(epoch.Stamp())))
}

func setAbort(c *native.Call, v term.Term) term.Term {
	os.Stderr.WriteString(v.String() + "\n")
	os.Exit(134)
	return term.None
}
