// Package gc is the generational copying collector of process heaps.
//
// A minor collection copies the live terms of the block and the fragments to a
// new block; those below the high-water mark, which have survived one
// collection, go to the old heap. A major collection copies all generations to
// one new block. Sizes and limits follow ERTS, so that what process_info
// reports and the moments of collection are alike:
//
//   - a minor collection needs an old heap with room for all mature terms and
//     a virtual binary heap below its limit; else it becomes a major one, as
//     does every one after MaxGenGCs minor ones;
//   - the new block has the size of the table that holds what was in use;
//     afterwards it grows to hold need, or shrinks when it is mostly empty.
//
// Terms are immutable, so mature terms refer only to mature or old ones, and
// the old heap never to the young. What writes into existing terms
// (set_tuple_element, match contexts) must keep to that.
package gc

import (
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
)

// Roots is a run of term slots outside the heap that a collection updates.
type Roots struct {
	Addr uintptr
	N    int
}

// Stress makes engines collect at each opportunity (invariants build; set by
// BEAMRD_DEBUG=gcstress). Before the node starts.
var Stress bool

// StressEvery is the number of opportunities per collection under Stress.
var StressEvery = 1

// OnMaxHeap is called when a collection finds a heap of total words over its
// MaxSize, before anything is moved; kill is returned to Collect's caller.
// Nil: kill as the heap's options say.
var OnMaxHeap func(h *heap.Heap, total uint64) (kill bool)

var collections, reclaimed atomic.Uint64

// Stats returns the number of collections and the words they freed.
func Stats() (n, words uint64) { return collections.Load(), reclaimed.Load() }

// Collect makes room for need words above h.HP, updating the roots and the
// stack. full forces a major collection. It returns false when the heap would
// pass its max_heap_size with kill.
func Collect(h *heap.Heap, roots []Roots, need int, full bool) bool {
	c := collector{h: h, roots: roots, need: uintptr(need)}
	c.used = uintptr(h.YoungWords() + h.FragWords)
	c.stack = uintptr(h.StackWords())
	before := uint64(c.used) + h.OldUsed()
	ok := true
	if full || !c.canMinor() {
		ok = c.major()
	} else {
		ok = c.minor()
	}
	if !ok {
		return false
	}
	h.Flags &^= heap.ForceGC
	collections.Add(1)
	if after := h.YoungWords() + h.OldUsed(); after < before {
		reclaimed.Add(before - after)
	}
	if invariants.Enabled {
		Verify(h, roots)
	}
	return true
}

// Minor tells whether a collection, unless a full one is asked for, will begin
// as a minor one.
func Minor(h *heap.Heap, full bool) bool {
	c := collector{h: h}
	return !full && c.canMinor()
}

// Reductions is what a collection that copied words costs.
func Reductions(h *heap.Heap) int { return int(h.Copied / 10) }

type collector struct {
	h     *heap.Heap
	roots []Roots
	need  uintptr // words
	used  uintptr // words in the block and fragments
	stack uintptr // words
	newLo uintptr // the block that is copied to
}

// canMinor tells whether the next collection may be a minor one.
func (c *collector) canMinor() bool {
	h := c.h
	mature := h.HighWater - h.Start
	if h.Flags&heap.NeedFullsweep != 0 || h.GenGCs >= h.MaxGenGCs || h.OldOff.Words >= max(h.OldVHeap, 1) {
		return false
	}
	if h.OldStart == 0 {
		return mature > 0
	}
	return mature <= h.OldEnd-h.OldHP
}

// youngSize returns the size of the block that all young terms surely fit in.
func (c *collector) youngSize() uintptr { return c.nextSize(c.stack + c.used) }

// nextSize is heap.NextSize, but never below the minimum of a process.
func (c *collector) nextSize(n uintptr) uintptr {
	return max(heap.NextSize(n), uintptr(c.h.MinSize))
}

func (c *collector) withinLimit(total uint64) bool {
	h := c.h
	if h.MaxSizeOpts&heap.MaxSizeBins != 0 {
		total += h.Off.Words + h.OldOff.Words
	}
	return h.MaxSize == 0 || total <= h.MaxSize
}

// limit tells whether the collection may go on with a heap of total words.
func (c *collector) limit(total uintptr) bool {
	if c.withinLimit(uint64(total)) {
		return true
	}
	if OnMaxHeap != nil {
		return !OnMaxHeap(c.h, uint64(total))
	}
	return c.h.MaxSizeOpts&heap.MaxSizeKill == 0
}

func (c *collector) minor() bool {
	h := c.h
	size, old := c.youngSize(), uintptr(h.OldWords())
	if old == 0 {
		old = heap.SizeAfter(c.used) // larger than needed: fewer full sweeps
	}
	if !c.limit(c.used + old + size) {
		return false
	}
	if h.OldStart == 0 {
		h.OldStart = offheap.Alloc(old*8, offheap.Heap)
		h.OldHP, h.OldEnd = h.OldStart, h.OldStart+old*8
	}
	r := rangesOf(h)
	r.oldLo, r.oldLen = h.OldStart, h.OldEnd-h.OldStart
	r.matLo, r.matLen = h.Start, h.HighWater-h.Start
	promoted := h.OldHP
	hp, oldHP := c.evacuate(size, h.OldHP, &r)
	lo := c.newLo
	hp, oldHP = sweepMinor(lo, hp, oldHP, &r)
	oldHP = sweepInto(promoted, oldHP, &r)
	if oldHP > h.OldEnd {
		invariants.Failf("gc: old heap overflows by %d bytes: a mature term refers to a young one", oldHP-h.OldEnd)
	}
	h.OldHP = oldHP
	young := heap.OffHeap{}
	splitOff(h.Off.First, &young, &h.OldOff, h.OldStart, h.OldEnd)
	c.install(lo, hp, size)
	h.Off = young
	h.VHeap = nextVHeap(h, h.Off.Words, h.VHeap)
	h.GenGCs++
	h.MinorGCs++
	h.Copied = uint64(hp-lo+oldHP-promoted) / 8
	c.adjustMinor()
	return true
}

func (c *collector) major() bool {
	h := c.h
	size := c.nextSize(c.stack + c.used + uintptr(h.OldUsed()))
	if size == uintptr(h.BlockWords()) && h.Flags&heap.HeapGrow != 0 {
		size = heap.SizeAfter(size)
	}
	if !c.limit(c.used + uintptr(h.OldWords()) + (h.End-h.HP)/8 + size) {
		return false
	}
	h.Flags &^= heap.HeapGrow | heap.NeedFullsweep
	r := rangesOf(h)
	hp, _ := c.evacuate(size, 0, &r)
	lo := c.newLo
	hp = sweepInto(lo, hp, &r)
	young := heap.OffHeap{}
	splitOff(h.Off.First, &young, nil, 0, 0)
	splitOff(h.OldOff.First, &young, nil, 0, 0)
	c.install(lo, hp, size)
	h.FreeOld()
	h.Off, h.OldOff = young, heap.OffHeap{}
	h.VHeap = nextVHeap(h, h.Off.Words, h.VHeap)
	h.OldVHeap = nextVHeap(h, h.Off.Words, h.OldVHeap)
	h.GenGCs = 0
	h.MajorGCs++
	h.Copied = uint64(hp-lo) / 8
	c.adjustMajor()
	return true
}
