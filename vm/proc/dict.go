package proc

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/term"
)

// The process dictionary is one block off the Go heap: a header, then pairs of
// key and value without gaps, then (above dictLinear pairs) an index of 32-bit
// pair numbers, open addressed by the key's hash. The pairs are roots of a
// collection; hashes do not depend on addresses, so the index outlives it.

const dictLinear = 8

type dictBlock struct {
	n    uint64 // pairs
	cap  uint64 // pairs there is room for
	mask uint64 // of the index, whose size is a power of two; 0: no index
}

const dictHeader = 24

func (p *Process) dict() *dictBlock {
	if p.DictRoot == 0 {
		return nil
	}
	return offheap.At[dictBlock](p.DictRoot)
}

func (d *dictBlock) pair(i uint64) uintptr { return offheap.Addr(d) + dictHeader + uintptr(i)*16 }
func (d *dictBlock) key(i uint64) term.Term {
	return term.Term(offheap.Load(d.pair(i)))
}

func (d *dictBlock) slot(i uint64) *uint32 {
	return offheap.At[uint32](offheap.Addr(d) + dictHeader + uintptr(d.cap)*16 + uintptr(i)*4)
}

func (d *dictBlock) size() uintptr {
	n := dictHeader + uintptr(d.cap)*16
	if d.mask != 0 {
		n += uintptr(d.mask+1) * 4
	}
	return n
}

func dictHash(k term.Term) uint64 {
	if k.IsImmed() {
		return uint64(k) * 0x9E3779B97F4A7C15 >> 20
	}
	return term.InternalHash(k) * 0x9E3779B97F4A7C15 >> 20
}

func sameKey(a, b term.Term) bool {
	return a == b || !a.IsImmed() && !b.IsImmed() && term.Same(a, b)
}

// find returns the pair of a key and its place in the index.
func (d *dictBlock) find(k term.Term) (i, slot uint64, ok bool) {
	if d.mask == 0 {
		for i = range d.n {
			if sameKey(d.key(i), k) {
				return i, 0, true
			}
		}
		return 0, 0, false
	}
	for slot = dictHash(k) & d.mask; ; slot = (slot + 1) & d.mask {
		v := *d.slot(slot)
		if v == 0 {
			return 0, slot, false
		}
		if sameKey(d.key(uint64(v-1)), k) {
			return uint64(v - 1), slot, true
		}
	}
}

// DictGet returns the value of a key, or None.
func (p *Process) DictGet(k term.Term) term.Term {
	d := p.dict()
	if d == nil {
		return term.None
	}
	i, _, ok := d.find(k)
	if !ok {
		return term.None
	}
	return term.Term(offheap.Load(d.pair(i) + 8))
}

// DictPut sets a key and returns the old value, or None.
func (p *Process) DictPut(k, v term.Term) term.Term {
	d := p.dict()
	if d == nil {
		d = newDict(4)
		p.DictRoot = offheap.Addr(d)
	}
	i, _, ok := d.find(k)
	if ok {
		old := term.Term(offheap.Load(d.pair(i) + 8))
		offheap.Store(d.pair(i)+8, uint64(v))
		return old
	}
	if d.n == d.cap {
		d = d.grown()
		p.DictRoot = offheap.Addr(d)
	}
	offheap.Store(d.pair(d.n), uint64(k))
	offheap.Store(d.pair(d.n)+8, uint64(v))
	d.n++
	d.enter(d.n - 1)
	return term.None
}

func (d *dictBlock) enter(i uint64) {
	if d.mask == 0 {
		return
	}
	s := dictHash(d.key(i)) & d.mask
	for *d.slot(s) != 0 {
		s = (s + 1) & d.mask
	}
	*d.slot(s) = uint32(i + 1)
}

func newDict(pairs uint64) *dictBlock {
	h := dictBlock{cap: pairs}
	if pairs > dictLinear {
		h.mask = 2
		for h.mask < 2*pairs {
			h.mask *= 2
		}
		h.mask--
	}
	d := offheap.At[dictBlock](offheap.AllocZero(h.size(), offheap.Proc))
	*d = h
	return d
}

func (d *dictBlock) grown() *dictBlock {
	g := newDict(2 * d.cap)
	offheap.Copy(g.pair(0), d.pair(0), uintptr(d.n)*16)
	g.n = d.n
	for i := range g.n {
		g.enter(i)
	}
	d.free()
	return g
}

func (d *dictBlock) free() { offheap.Free(offheap.Addr(d), d.size(), offheap.Proc) }

// DictErase removes a key and returns its value, or None.
func (p *Process) DictErase(k term.Term) term.Term {
	d := p.dict()
	if d == nil {
		return term.None
	}
	i, slot, ok := d.find(k)
	if !ok {
		return term.None
	}
	old := term.Term(offheap.Load(d.pair(i) + 8))
	if d.mask != 0 {
		d.closeGap(slot)
	}
	d.n--
	if i != d.n {
		if d.mask != 0 {
			_, s, _ := d.find(d.key(d.n))
			*d.slot(s) = uint32(i + 1)
		}
		offheap.Copy(d.pair(i), d.pair(d.n), 16)
	}
	return old
}

// closeGap empties an index slot and moves back what probed past it.
func (d *dictBlock) closeGap(gap uint64) {
	*d.slot(gap) = 0
	for s := (gap + 1) & d.mask; *d.slot(s) != 0; s = (s + 1) & d.mask {
		home := dictHash(d.key(uint64(*d.slot(s)-1))) & d.mask
		if (s-home)&d.mask >= (s-gap)&d.mask {
			*d.slot(gap) = *d.slot(s)
			*d.slot(s) = 0
			gap = s
		}
	}
}

// DictClear removes everything.
func (p *Process) DictClear() {
	if d := p.dict(); d != nil {
		d.free()
		p.DictRoot = 0
	}
}

// DictLen returns the number of keys.
func (p *Process) DictLen() int {
	if d := p.dict(); d != nil {
		return int(d.n)
	}
	return 0
}

// DictEach calls f with every pair.
func (p *Process) DictEach(f func(k, v term.Term)) {
	d := p.dict()
	if d == nil {
		return
	}
	for i := range d.n {
		f(d.key(i), term.Term(offheap.Load(d.pair(i)+8)))
	}
}
