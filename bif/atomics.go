package bif

import (
	"math"
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var atomicsRows = []native.Row{
	{Module: "erts_internal", Name: "atomics_new", Arity: 2, Fn: atomicsNew},
	{Module: "atomics", Name: "get", Arity: 2, Fn: atomicsGet},
	{Module: "atomics", Name: "put", Arity: 3, Fn: atomicsPut},
	{Module: "atomics", Name: "add", Arity: 3, Fn: atomicsAdd},
	{Module: "atomics", Name: "add_get", Arity: 3, Fn: atomicsAddGet},
	{Module: "atomics", Name: "exchange", Arity: 3, Fn: atomicsExchange},
	{Module: "atomics", Name: "compare_exchange", Arity: 4, Fn: atomicsCompareExchange},
	{Module: "atomics", Name: "info", Arity: 1, Fn: atomicsInfo},
	{Module: "erts_internal", Name: "counters_new", Arity: 1, Fn: countersNew},
	{Module: "erts_internal", Name: "counters_get", Arity: 2, Fn: countersGet},
	{Module: "erts_internal", Name: "counters_add", Arity: 3, Fn: countersAdd},
	{Module: "erts_internal", Name: "counters_put", Arity: 3, Fn: countersPut},
	{Module: "erts_internal", Name: "counters_info", Arity: 1, Fn: countersInfo},
}

// The values of atomics and counters lie in the magic binary's own data, and
// its flags say so: getting at them takes no lock. Word 0 is the number of
// values. Of atomics, word 1 tells whether they are signed, and the values
// follow. Of counters, word 1 is the number of copies of each value, one per
// scheduler and one for the rest; the copies of eight values at a time lie in a
// cache line each.

type atomicsMark struct{}

const (
	atomicsHeader  = 16
	countersHeader = 64
	cacheLine      = 64
	perLine        = cacheLine / 8
)

// newNumbers makes the reference of a zeroed block of n bytes.
func newNumbers(c *native.Call, n uintptr, flag uint32, count, word1 uint64) term.Term {
	b := heap.NewMagic(atomicsMark{})
	b.Data = offheap.AllocZero(n, offheap.Binary)
	b.Size, b.Cap = n, n
	b.Flags |= flag
	offheap.Store(b.Data, count)
	offheap.Store(b.Data+8, word1)
	k := proc.NewRefKey(c.Ctx)
	return c.P.Heap.Off.PutMagicRef(c.Alloc(1+term.MagicRefWords), k.A, k.B, b)
}

// numbersOf returns the block of a reference of a kind, or 0.
func numbersOf(ref term.Term, flag uint32) uintptr {
	if !ref.IsMagicRef() {
		return 0
	}
	b := heap.MagicBin(ref)
	if b.Flags&flag == 0 {
		return 0
	}
	return b.Data
}

// Values of 64 bits.

func uint64Of(t term.Term) (uint64, bool) {
	if t.IsSmall() {
		return uint64(t.Small()), t.Small() >= 0
	}
	if t.Is(term.KPosBig) && term.HeaderWords(t.Hdr()) == 1 {
		return t.W(1), true
	}
	return 0, false
}

func int64Of(t term.Term) (int64, bool) {
	switch {
	case t.IsSmall():
		return t.Small(), true
	case !t.IsBig() || term.HeaderWords(t.Hdr()) != 1:
		return 0, false
	case t.Is(term.KPosBig):
		return int64(t.W(1)), t.W(1) <= math.MaxInt64
	}
	return -int64(t.W(1)), t.W(1) <= 1<<63
}

func incrOf(t term.Term) (int64, bool) {
	if v, ok := int64Of(t); ok {
		return v, true
	}
	v, ok := uint64Of(t)
	return int64(v), ok
}

// maxNumbers keeps the size of a block within an address.
const maxNumbers = 1 << 40

func atomicsNew(c *native.Call) term.Term {
	n, ok := uint64Of(c.Arg(0))
	opts, ok2 := uint64Of(c.Arg(1))
	switch {
	case !ok && c.Arg(0).Is(term.KPosBig), ok && n > maxNumbers:
		return c.SystemLimit()
	case !ok || !ok2 || n == 0:
		return c.Badarg()
	}
	return newNumbers(c, atomicsHeader+uintptr(n)*8, heap.BinAtomics, n, opts&1)
}

// atomicsAt returns the place of a value of argument 0 at the index of argument
// 1.
func atomicsAt(c *native.Call) (v *int64, signed, ok bool) {
	a := numbersOf(c.Arg(0), heap.BinAtomics)
	if a == 0 {
		return nil, false, false
	}
	i, ok := uint64Of(c.Arg(1))
	if !ok || i == 0 || i > offheap.Load(a) {
		return nil, false, false
	}
	return offheap.At[int64](a + atomicsHeader + uintptr(i-1)*8), offheap.Load(a+8) != 0, true
}

func atomicsValue(t term.Term, signed bool) (int64, bool) {
	if signed {
		return int64Of(t)
	}
	v, ok := uint64Of(t)
	return int64(v), ok
}

func atomicsTerm(c *native.Call, v int64, signed bool) term.Term {
	if signed {
		return c.P.Heap.Int(v)
	}
	return c.P.Heap.Uint(uint64(v))
}

func atomicsGet(c *native.Call) term.Term {
	p, signed, ok := atomicsAt(c)
	if !ok {
		return c.Badarg()
	}
	return atomicsTerm(c, atomic.LoadInt64(p), signed)
}

func atomicsPut(c *native.Call) term.Term {
	p, signed, ok := atomicsAt(c)
	if !ok {
		return c.Badarg()
	}
	v, ok := atomicsValue(c.Arg(2), signed)
	if !ok {
		return c.Badarg()
	}
	atomic.StoreInt64(p, v)
	return term.AmOk
}

func atomicsAdd(c *native.Call) term.Term {
	p, _, ok := atomicsAt(c)
	v, ok2 := incrOf(c.Arg(2))
	if !ok || !ok2 {
		return c.Badarg()
	}
	atomic.AddInt64(p, v)
	return term.AmOk
}

func atomicsAddGet(c *native.Call) term.Term {
	p, signed, ok := atomicsAt(c)
	v, ok2 := incrOf(c.Arg(2))
	if !ok || !ok2 {
		return c.Badarg()
	}
	return atomicsTerm(c, atomic.AddInt64(p, v), signed)
}

func atomicsExchange(c *native.Call) term.Term {
	p, signed, ok := atomicsAt(c)
	if !ok {
		return c.Badarg()
	}
	v, ok := atomicsValue(c.Arg(2), signed)
	if !ok {
		return c.Badarg()
	}
	return atomicsTerm(c, atomic.SwapInt64(p, v), signed)
}

// atomicsCompareExchange returns ok, or the value that was there instead of the
// expected one.
func atomicsCompareExchange(c *native.Call) term.Term {
	p, signed, ok := atomicsAt(c)
	if !ok {
		return c.Badarg()
	}
	want, ok := atomicsValue(c.Arg(2), signed)
	v, ok2 := atomicsValue(c.Arg(3), signed)
	if !ok || !ok2 {
		return c.Badarg()
	}
	for {
		if atomic.CompareAndSwapInt64(p, want, v) {
			return term.AmOk
		}
		if was := atomic.LoadInt64(p); was != want {
			return atomicsTerm(c, was, signed)
		}
	}
}

func atomicsInfo(c *native.Call) term.Term {
	a := numbersOf(c.Arg(0), heap.BinAtomics)
	if a == 0 {
		return c.Badarg()
	}
	h := &c.P.Heap
	n := offheap.Load(a)
	hi, lo := h.Uint(math.MaxUint64), term.Small(0)
	if offheap.Load(a+8) != 0 {
		hi, lo = h.Int(math.MaxInt64), h.Int(math.MinInt64)
	}
	m, _ := maps.FromPairs(h, []term.Term{
		term.AmMax, hi, term.Intern("min"), lo, term.AmSize, h.Uint(n),
		term.AmMemory, h.Uint(n*8 + 40),
	})
	return m
}

// Counters.

func countersNew(c *native.Call) term.Term {
	n, ok := uint64Of(c.Arg(0))
	switch {
	case !ok && c.Arg(0).Is(term.KPosBig), ok && n > maxNumbers/64:
		return c.SystemLimit()
	case !ok || n == 0:
		return c.Badarg()
	}
	copies := uint64(proc.Schedulers() + 1)
	lines := (n + perLine - 1) / perLine * copies
	return newNumbers(c, countersHeader+uintptr(lines)*cacheLine, heap.BinCounters, n, copies)
}

// countersAt returns the address of copy 0 of a counter; copies are a cache
// line apart.
func countersAt(c *native.Call) (a uintptr, copies int, ok bool) {
	base := numbersOf(c.Arg(0), heap.BinCounters)
	if base == 0 {
		return 0, 0, false
	}
	i, ok := uint64Of(c.Arg(1))
	if !ok || i == 0 || i > offheap.Load(base) {
		return 0, 0, false
	}
	i--
	n := offheap.Load(base + 8)
	line := i / perLine * n
	return base + countersHeader + uintptr(line)*cacheLine + uintptr(i%perLine)*8, int(n), true
}

func countersSum(a uintptr, copies int) (sum int64) {
	for i := range copies {
		sum += atomic.LoadInt64(offheap.At[int64](a + uintptr(i)*cacheLine))
	}
	return sum
}

func countersGet(c *native.Call) term.Term {
	a, n, ok := countersAt(c)
	if !ok {
		return c.Badarg()
	}
	return c.P.Heap.Int(countersSum(a, n))
}

func countersAdd(c *native.Call) term.Term {
	a, n, ok := countersAt(c)
	v, ok2 := incrOf(c.Arg(2))
	if !ok || !ok2 {
		return c.Badarg()
	}
	mine := uintptr(c.Ctx.SchedID) % uintptr(n)
	atomic.AddInt64(offheap.At[int64](a+mine*cacheLine), v)
	return term.AmOk
}

func countersPut(c *native.Call) term.Term {
	a, n, ok := countersAt(c)
	v, ok2 := int64Of(c.Arg(2))
	if !ok || !ok2 {
		return c.Badarg()
	}
	atomic.StoreInt64(offheap.At[int64](a), v-countersSum(a+cacheLine, n-1))
	return term.AmOk
}

func countersInfo(c *native.Call) term.Term {
	a := numbersOf(c.Arg(0), heap.BinCounters)
	if a == 0 {
		return c.Badarg()
	}
	h := &c.P.Heap
	n := offheap.Load(a)
	lines := (n + perLine - 1) / perLine * offheap.Load(a+8)
	m, _ := maps.FromPairs(h, []term.Term{term.AmSize, h.Uint(n), term.AmMemory, h.Uint(lines*cacheLine + 32)})
	return m
}
