package gc

import (
	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

func rangesOf(h *heap.Heap) ranges {
	lo, hi := offheap.LiteralRange()
	return ranges{fromLo: h.Start, fromLen: h.HP - h.Start, litLo: lo, litLen: hi - lo,
		forLo: h.ForeignLo, forLen: h.ForeignHi - h.ForeignLo}
}

// evacuate gets a block of size words, moves the stack to its end and copies
// what stack and roots refer to. It returns the ends of both generations.
func (c *collector) evacuate(size, old uintptr, r *ranges) (uintptr, uintptr) {
	h := c.h
	lo := offheap.Alloc(size*8, offheap.Heap)
	c.newLo = lo
	r.toLo, r.toLen = lo, size*8
	stack := lo + size*8 - c.stack*8
	if c.stack > 0 {
		offheap.Copy(stack, h.E, c.stack*8)
	}
	hp := lo
	hp, old = evacRun(stack, int(c.stack), hp, old, r)
	for _, run := range c.roots {
		hp, old = evacRun(run.Addr, run.N, hp, old, r)
	}
	return hp, old
}

// install replaces the block by the new one and frees what was copied from.
func (c *collector) install(lo, hp, size uintptr) {
	h := c.h
	if hp > lo+(size-c.stack)*8 {
		invariants.Failf("gc: %d words overflow a block of %d with a stack of %d", (hp-lo)/8, size, c.stack)
	}
	heap.FreeFragments(h.Frags)
	h.Frags, h.FragWords = nil, 0
	h.FreeBlock()
	h.SetBlock(lo, size)
	h.E = h.End - c.stack*8
	h.HP, h.HighWater = hp, hp
	if h.ForeignLo != h.ForeignHi {
		// What refers to the message must not be promoted before the message,
		// which becomes part of the young heap when it is received.
		h.HighWater = lo
	}
}

// after returns the words the block must hold when the collection is over.
func (c *collector) after() uintptr {
	return uintptr(c.h.YoungWords()) + c.need + c.stack
}

// adjustMinor grows the block to hold need or shrinks one that is large and
// mostly empty.
func (c *collector) adjustMinor() {
	h := c.h
	size, after, old := uintptr(h.BlockWords()), c.after(), uintptr(h.OldWords())
	switch {
	case after > size:
		c.resize(c.nextSize(after))
	case size > 3000 && 4*after < size && (size > 8000 || size > old):
		want := 3 * after
		if want*9 < old {
			want = max(want, old/8)
		}
		if want = c.nextSize(want); want < size {
			c.resize(want)
		}
	}
}

func (c *collector) adjustMajor() {
	h := c.h
	size, after := uintptr(h.BlockWords()), c.after()
	switch {
	case size < after:
		c.resize(c.nextSize(after))
	case 3*size < 4*after:
		h.Flags |= heap.HeapGrow
	case 4*after < size && size > heap.DefaultSize:
		if want := c.nextSize(2 * after); want < size {
			c.resize(want)
		}
	}
}

// resize moves the young heap and the stack to a block of size words. It is a
// collection that finds everything alive.
func (c *collector) resize(size uintptr) {
	h := c.h
	r := rangesOf(h)
	r.oldLo, r.oldLen = h.OldStart, h.OldEnd-h.OldStart
	hp, _ := c.evacuate(size, 0, &r)
	hp = sweepInto(c.newLo, hp, &r)
	young := heap.OffHeap{}
	splitOff(h.Off.First, &young, nil, 0, 0)
	c.install(c.newLo, hp, size)
	h.Off = young
	h.Copied += uint64(hp-c.newLo) / 8
}

// Hibernate does a major collection and leaves a block of just the size that
// is in use, with room for need words.
func Hibernate(h *heap.Heap, roots []Roots, need int) bool {
	if !Collect(h, roots, 0, true) {
		return false
	}
	c := collector{h: h, roots: roots, need: uintptr(need), stack: uintptr(h.StackWords())}
	c.used = uintptr(h.YoungWords())
	if want := max(c.after(), 1); want < uintptr(h.BlockWords()) {
		c.resize(want)
	}
	if invariants.Enabled {
		Verify(h, roots)
	}
	return true
}

// splitOff goes through a list of off-heap objects after a copy. Those that
// were moved go to the list of their generation (the old heap being lo to hi);
// what the others own is released.
func splitOff(first uintptr, young, old *heap.OffHeap, lo, hi uintptr) {
	for a := first; a != 0; {
		w := term.Term(offheap.Load(a))
		if !w.IsBoxed() {
			t := term.Box(a)
			a = heap.NextOff(t)
			heap.OwnedBin(t).Unref()
			continue
		}
		a = heap.NextOff(w)
		o := young
		if p := w.Addr(); p >= lo && p < hi {
			o = old
		}
		heap.SetNextOff(w, o.First)
		o.First = w.Addr()
		if w.Kind() == term.KBinRef {
			o.Words += uint64(heap.BinOf(w).Size) / 8
		}
	}
}

// nextVHeap returns the limit of a virtual binary heap after a collection that
// left words in it: it grows by the golden ratio while more than 75 % are in
// use, and is halved when less than 25 % are.
func nextVHeap(h *heap.Heap, words, size uint64) uint64 {
	switch {
	case words/3 > size/4:
		for words/3 > size/4 {
			size = uint64(float64(size) * 1.618)
		}
	case words < size/4:
		size >>= 1
	}
	return max(size, h.MinVHeap, 1)
}
