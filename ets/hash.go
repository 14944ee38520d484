package ets

import (
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/term"
)

// The hash table grows one bucket at a time (linear hashing) over segments of
// slots, as ERTS's does, so that tables are walked in the same order. Bucket i
// is guarded by lock i modulo the number of locks; splitting and joining keep
// within one lock because the number of buckets of a level is a multiple of it.
type hashTable struct {
	mask     atomic.Uint32 // size of the current level, minus one
	active   atomic.Uint32 // buckets in use
	shrinkAt atomic.Int64  // joins buckets below this number of objects
	segs     atomic.Pointer[[]uintptr]
	slots    uint32     // allocated; under resize
	resize   sync.Mutex // held while the number of buckets changes
}

const (
	firstSeg    = 256
	extSegBits  = 11
	extSeg      = 1 << extSegBits
	resizeLoops = 5
)

func (h *hashTable) create(t *Table) {
	h.mask.Store(firstSeg - 1)
	h.active.Store(firstSeg)
	h.slots = firstSeg
	segs := []uintptr{offheap.AllocZero(firstSeg*8, offheap.Ets)}
	h.segs.Store(&segs)
	t.mem.Add(firstSeg * 8)
	for h.slots < uint32(len(t.locks)) {
		h.addSegment(t)
		h.active.Store(h.slots)
		mask := uint32(firstSeg - 1)
		for mask+1 < h.slots {
			mask = mask<<1 | 1
		}
		h.mask.Store(mask)
	}
}

// segTable is the words ERTS spends on tables of segments, all of which it
// keeps, when there are n segments.
func segTable(n int) (words int64) {
	for size, room := int64(256), 1; n > room; size += 128 {
		words += size + 6
		room = int(size)
	}
	return words
}

// bucket returns the address of the word that heads bucket i.
func (h *hashTable) bucket(i uint32) uintptr {
	segs := *h.segs.Load()
	return segs[(i+extSeg-firstSeg)>>extSegBits] + uintptr(i&(extSeg-1))*8
}

// index returns the bucket of a hash value; the value's lock must be held.
func (h *hashTable) index(hash uint32) uint32 {
	mask := h.mask.Load()
	i := hash & mask
	if i >= h.active.Load() {
		i &= mask >> 1
	}
	return i
}

// nextBucket steps through the buckets in the order of their locks; 0 ends it.
func (h *hashTable) nextBucket(t *Table, i uint32) uint32 {
	n := uint32(len(t.locks))
	if i += n; i < h.active.Load() {
		return i
	}
	return (i + 1) & (n - 1)
}

func (h *hashTable) addSegment(t *Table) {
	old := *h.segs.Load()
	segs := make([]uintptr, len(old)+1)
	copy(segs, old)
	segs[len(old)] = offheap.AllocZero(extSeg*8, offheap.Ets)
	h.segs.Store(&segs)
	h.slots += extSeg
	t.mem.Add((extSeg + segTable(len(segs)) - segTable(len(old))) * 8)
	h.setShrink(t)
}

func (h *hashTable) setShrink(t *Table) {
	limit := int64(0)
	if h.slots >= max(uint32(len(t.locks))+extSeg, firstSeg+2*extSeg) &&
		(!t.Decentralized || h.slots >= 100*64) {
		limit = int64(h.slots-extSeg) / 2
	}
	h.shrinkAt.Store(limit)
}

func (t *Table) hasKey(o object, key term.Term, hash uint32) bool {
	if objHash(o) != hash {
		return false
	}
	k := t.key(o)
	return k == key || !k.IsImmed() && term.Same(k, key)
}

// find returns the first object of a key, deleted or not, and the address of
// the word that links it; 0 when there is none.
func (h *hashTable) find(t *Table, key term.Term, hash uint32) (link uintptr, o object) {
	link = h.bucket(h.index(hash))
	for o = uintptr(offheap.Load(link)); o != 0; o = objNext(o) {
		if t.hasKey(o, key, hash) {
			return link, o
		}
		link = o
	}
	return link, 0
}

// live returns the first live object of a key, or 0.
func (h *hashTable) live(t *Table, key term.Term, hash uint32) object {
	_, o := h.find(t, key, hash)
	for o != 0 && isDeleted(o) {
		if o = objNext(o); o != 0 && !t.hasKey(o, key, hash) {
			return 0
		}
	}
	return o
}

// put inserts a tuple; with unique set it refuses (false) when the key is
// there. The key's lock is held for writing. grow tells that the table should
// grow once the lock is released.
func (h *hashTable) put(t *Table, tuple, key term.Term, hash uint32, unique bool) (done, grow bool) {
	link, o := h.find(t, key, hash)
	if o == 0 {
		return true, h.link(t, link, 0, t.newObject(tuple), hash)
	}
	if t.Kind == Set {
		if isDeleted(o) {
			t.addItems(hash, 1)
		} else if unique {
			return false, false
		}
		n := t.newObject(tuple)
		setWord(n, 0, word(o, 0))
		setWord(n, 1, uint64(hash))
		offheap.Store(link, uint64(n))
		t.freeObject(o)
		return true, false
	}
	if unique {
		for q := o; q != 0 && t.hasKey(q, key, hash); q = objNext(q) {
			if !isDeleted(q) {
				return false, false
			}
		}
	} else if t.Kind == Bag && h.putKnown(t, tuple, key, hash, link, o) {
		return true, false
	}
	return true, h.link(t, link, o, t.newObject(tuple), hash)
}

// putKnown handles a bag that has (or had) the very tuple to be inserted.
func (h *hashTable) putKnown(t *Table, tuple, key term.Term, hash uint32, link uintptr, o object) bool {
	ql := link
	for q := o; q != 0 && t.hasKey(q, key, hash); ql, q = q, objNext(q) {
		if !t.sameObject(q, tuple) {
			continue
		}
		if isDeleted(q) {
			t.addItems(hash, 1)
			setDeleted(q, false)
			if q != o { // move, to keep the order of insertion
				setWord(ql, 0, word(q, 0))
				setWord(q, 0, uint64(o))
				offheap.Store(link, uint64(q))
			}
		}
		return true
	}
	return false
}

// link puts a new object in front of next at a link.
func (h *hashTable) link(t *Table, link uintptr, next, n object, hash uint32) (grow bool) {
	setWord(n, 0, uint64(next))
	setWord(n, 1, uint64(hash))
	offheap.Store(link, uint64(n))
	t.addItems(hash, 1)
	return t.load(hash) > int64(h.active.Load()) && !t.fixed()
}

// remove takes out objects of a key for which ok says yes; while the table is
// fixed the first is only marked. It returns how many went and a list of the
// blocks to be freed. The caller holds the key's lock for writing.
func (h *hashTable) remove(t *Table, key term.Term, hash uint32, ok func(o object) (del, more bool)) (n int, free object) {
	link, o := h.find(t, key, hash)
	nth := 0
	for o != 0 && t.hasKey(o, key, hash) {
		next := objNext(o)
		if isDeleted(o) {
			link, o = o, next
			continue
		}
		nth++
		del, more := ok(o)
		if !del {
			link, o = o, next
		} else {
			n++
			if nth == 1 && t.noteDeletion(h.index(hash)) {
				setDeleted(o, true)
				link, o = o, next
			} else {
				offheap.Store(link, uint64(next))
				setWord(o, 0, uint64(free))
				free, o = o, next
			}
		}
		if !more {
			break
		}
	}
	if n > 0 {
		t.addItems(hash, -int64(n))
	}
	return n, free
}

func (t *Table) freeList(o object) {
	for o != 0 {
		next := objNext(o)
		t.freeObject(o)
		o = next
	}
}

// grow splits buckets until the table is large enough for its objects, a few
// at a time. No lock of the table is held.
func (h *hashTable) grow(t *Table, load int64) {
	if h.resize.TryLock() {
		h.growSome(t, load, false)
		h.resize.Unlock()
	}
}

// growSome is grow for the holder of resize; locked says that all locks of the
// table are held too.
func (h *hashTable) growSome(t *Table, load int64, locked bool) {
	for range resizeLoops {
		active := h.active.Load()
		if t.dead() || load <= int64(active) {
			return
		}
		if active == h.slots {
			h.addSegment(t)
		}
		mask := h.mask.Load()
		from := active & (mask >> 1)
		if active > mask {
			from, mask = 0, mask<<1|1
		}
		if !locked {
			l := t.lockKey(from, true)
			if t.fixed() || t.dead() {
				l.unlock(true)
				return
			}
			h.split(t, from, active, mask)
			l.unlock(true)
			continue
		}
		if t.fixed() {
			return
		}
		h.split(t, from, active, mask)
	}
}

// split makes bucket to active and moves there what belongs there of bucket
// from, keeping the order of both. The lock of both is held.
func (h *hashTable) split(t *Table, from, to, mask uint32) {
	h.active.Store(to + 1)
	h.mask.Store(mask)
	link, toLink := h.bucket(from), h.bucket(to)
	offheap.Store(toLink, 0)
	for o := uintptr(offheap.Load(link)); o != 0; o = uintptr(offheap.Load(link)) {
		switch {
		case isDeleted(o):
			offheap.Store(link, word(o, 0))
			t.freeObject(o)
		case objHash(o)&mask == to:
			offheap.Store(link, word(o, 0))
			offheap.Store(toLink, uint64(o))
			toLink = o
		default:
			link = o
		}
	}
	offheap.Store(toLink, 0)
}

// shrink joins buckets when a large table has become sparse.
func (h *hashTable) shrink(t *Table, load int64) {
	if load >= h.shrinkAt.Load() || t.fixed() || !h.resize.TryLock() {
		return
	}
	defer h.resize.Unlock()
	for range resizeLoops {
		if t.dead() || load >= h.shrinkAt.Load() {
			return
		}
		src := h.active.Load() - 1
		low := h.mask.Load() >> 1
		dst := src & low
		l := t.lockKey(dst, true)
		if t.fixed() || t.dead() {
			l.unlock(true)
			return
		}
		h.join(t, src, dst)
		h.active.Store(src)
		if dst == 0 {
			h.mask.Store(low)
		}
		if h.slots-src >= extSeg {
			h.dropSegment(t)
		}
		l.unlock(true)
	}
}

// join puts the objects of bucket src in front of those of dst.
func (h *hashTable) join(t *Table, src, dst uint32) {
	head := uintptr(offheap.Load(h.bucket(src)))
	offheap.Store(h.bucket(src), 0)
	if head == 0 {
		return
	}
	link := h.bucket(dst)
	tail := offheap.Load(link)
	offheap.Store(link, uint64(head))
	for o := head; o != 0; o = uintptr(offheap.Load(link)) {
		if isDeleted(o) {
			offheap.Store(link, word(o, 0))
			t.freeObject(o)
		} else {
			link = o
		}
	}
	offheap.Store(link, tail)
}

// dropSegment frees the last segment. A reader that still holds the old slice
// looks only at buckets below the active ones.
func (h *hashTable) dropSegment(t *Table) {
	old := *h.segs.Load()
	last := len(old) - 1
	segs := append([]uintptr(nil), old[:last]...)
	h.segs.Store(&segs)
	h.slots -= extSeg
	offheap.Free(old[last], extSeg*8, offheap.Ets)
	t.mem.Add(-(extSeg + segTable(len(old)) - segTable(last)) * 8)
	h.setShrink(t)
}

// purge removes what was deleted in bucket i while the table was fixed; its
// lock is held for writing.
func (h *hashTable) purge(t *Table, i uint32) {
	if i >= h.active.Load() {
		return
	}
	link := h.bucket(i)
	for o := uintptr(offheap.Load(link)); o != 0; o = uintptr(offheap.Load(link)) {
		if isDeleted(o) {
			offheap.Store(link, word(o, 0))
			t.freeObject(o)
		} else {
			link = o
		}
	}
}

// freeSome frees whole segments, last first, and returns the objects freed;
// done when nothing is left. Used on dead tables and under all locks.
func (h *hashTable) freeSome(t *Table, limit int) (n int, done bool) {
	for n < limit {
		segs := *h.segs.Load()
		if len(segs) == 0 {
			return n, true
		}
		last, size := len(segs)-1, uint32(extSeg)
		lo := firstSeg + uint32(last-1)*extSeg
		if last == 0 {
			lo, size = 0, firstSeg
		}
		for i := lo; i < min(lo+size, h.active.Load()); i++ {
			for o := uintptr(offheap.Load(h.bucket(i))); o != 0; {
				next := objNext(o)
				t.freeObject(o)
				o = next
				n++
			}
			offheap.Store(h.bucket(i), 0)
		}
		rest := append([]uintptr(nil), segs[:last]...)
		h.segs.Store(&rest)
		h.active.Store(min(h.active.Load(), lo))
		h.slots -= size
		offheap.Free(segs[last], uintptr(size)*8, offheap.Ets)
		t.mem.Add(-(int64(size) + segTable(len(segs)) - segTable(last)) * 8)
		n += int(size / 64)
	}
	return n, false
}

// markAll marks every object as deleted; all locks are held and the table is
// fixed.
func (h *hashTable) markAll(t *Table) {
	for i := range h.active.Load() {
		for o := uintptr(offheap.Load(h.bucket(i))); o != 0; o = objNext(o) {
			setDeleted(o, true)
		}
	}
	t.fixMu.Lock()
	t.fix.all = true
	t.fixMu.Unlock()
}

// take moves the buckets of another table here.
func (h *hashTable) take(o *hashTable) {
	h.mask.Store(o.mask.Load())
	h.active.Store(o.active.Load())
	h.segs.Store(o.segs.Load())
	h.slots = o.slots
}
