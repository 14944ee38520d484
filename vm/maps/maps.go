// Package maps builds and reads maps: flat ones up to 32 keys, HAMTs above.
//
// A flat map has its keys in a tuple of their own, in the exact order of terms
// (integers before floats), so that maps updated in existing keys share it. A
// HAMT branches by four bits of the key's hash a level, lowest first, and is
// hashed anew every eight levels; its shape follows from the keys alone, and
// its iteration order is ERTS's. A map is a HAMT when and only when it has
// more than 32 keys.
//
// The functions here never collect. What they build lies on the heap given;
// parts of the map they start from are shared.
package maps

import (
	"math/bits"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Empty is the empty map, and EmptyTuple its keys: both are literals.
var (
	EmptyTuple = makeEmptyTuple()
	Empty      = makeEmpty()
)

func makeEmptyTuple() term.Term {
	a := offheap.AllocLiteral(16)
	term.Put(a, 0, term.Header(0, term.KTuple))
	return term.Box(a)
}

func makeEmpty() term.Term {
	a := offheap.AllocLiteral(16)
	term.Put(a, 0, term.MapHeader(1, term.MapFlat, 0))
	term.PutTerm(a, 1, EmptyTuple)
	return term.Box(a)
}

func word(a uintptr) term.Term { return term.Term(offheap.Load(a)) }

// flatParts returns where the keys and values of a flat map are.
func flatParts(m term.Term) (ks, vs uintptr, n int) {
	return term.Term(m.W(1)).Addr() + 8, m.Addr() + 16, term.HeaderWords(m.Hdr()) - 1
}

// flatIndex returns the place of a key in a flat map, counted from 0, or -1.
func flatIndex(m, key term.Term) int {
	ks, _, n := flatParts(m)
	if key.IsImmed() {
		for i := range n {
			if word(ks+uintptr(i)*8) == key {
				return i
			}
		}
		return -1
	}
	for i := range n {
		if k := word(ks + uintptr(i)*8); k == key || k&term.PrimMask == key&term.PrimMask && term.Same(k, key) {
			return i
		}
	}
	return -1
}

// newFlat allocates a flat map of n values (to be filled in) over a tuple of
// keys.
func newFlat(h *heap.Heap, keys term.Term, n int) (m term.Term, vs uintptr) {
	a := h.Alloc(2 + n)
	term.Put(a, 0, term.MapHeader(1+n, term.MapFlat, 0))
	term.PutTerm(a, 1, keys)
	return term.Box(a), a + 16
}

func newKeys(h *heap.Heap, n int) (keys term.Term, ks uintptr) {
	a := h.Alloc(1 + n)
	term.Put(a, 0, term.Header(n, term.KTuple))
	return term.Box(a), a + 8
}

func copyWords(dst, src uintptr, n int) {
	for i := uintptr(0); i < uintptr(n)*8; i += 8 {
		offheap.Store(dst+i, offheap.Load(src+i))
	}
}

// Get returns the value of a key.
func Get(m, key term.Term) (v term.Term, ok bool) {
	if m.MapKind() != term.MapFlat {
		return hamtGet(m, key)
	}
	i := flatIndex(m, key)
	if i < 0 {
		return term.None, false
	}
	return term.Term(m.W(2 + i)), true
}

func hamtGet(m, key term.Term) (v term.Term, ok bool) {
	p := pathOf(key)
	a := m.Addr() + 16
	bitmap := uint16(m.Hdr() >> 32)
	for {
		bit, slot := p.slot(bitmap)
		if bitmap&bit == 0 {
			return term.None, false
		}
		c := word(a + uintptr(slot)*8)
		if c.IsList() {
			if term.Same(c.Head(), key) {
				return c.Tail(), true
			}
			return term.None, false
		}
		a = c.Addr() + 8
		bitmap = uint16(c.Hdr() >> 32)
		p.down()
	}
}

// path is the way of a key through a HAMT.
type path struct {
	key   term.Term
	hash  uint32 // bits not used yet
	level uint32
}

func pathOf(key term.Term) path { return path{key: key, hash: term.MapHash(key, 0)} }

// pathAt is the path of a key from a level on.
func pathAt(key term.Term, level uint32) path {
	return path{key, term.MapHash(key, level>>3) >> (4 * (level & 7)), level}
}

func (p *path) index() uint { return uint(p.hash & 15) }

// down goes to the next level.
func (p *path) down() {
	p.level++
	if p.level&7 == 0 {
		p.hash = term.MapHash(p.key, p.level>>3)
	} else {
		p.hash >>= 4
	}
}

// slot returns the bit of the path in a node's bitmap, and the place among the
// children where it is or would be.
func (p *path) slot(bitmap uint16) (bit uint16, slot int) {
	bit = 1 << p.index()
	return bit, bits.OnesCount16(bitmap & (bit - 1))
}

// Put returns m with key set to v.
func Put(h *heap.Heap, m, key, v term.Term) term.Term {
	if m.MapKind() != term.MapFlat {
		return hamtPut(h, m, key, v)
	}
	if i := flatIndex(m, key); i >= 0 {
		return flatSet(h, m, i, v)
	}
	ks, vs, n := flatParts(m)
	if n == term.FlatMapLimit {
		return hamtGrow(h, m, key, v)
	}
	at := 0
	for at < n && compareKeys(word(ks+uintptr(at)*8), key) < 0 {
		at++
	}
	keys, nk := newKeys(h, n+1)
	r, nv := newFlat(h, keys, n+1)
	insertWord(nk, ks, n, at, key)
	insertWord(nv, vs, n, at, v)
	return r
}

// compareKeys is the order of the keys of a flat map.
func compareKeys(a, b term.Term) int { return term.CompareExact(a, b) }

func insertWord(dst, src uintptr, n, at int, t term.Term) {
	copyWords(dst, src, at)
	term.PutTerm(dst, at, t)
	off := uintptr(at) * 8
	copyWords(dst+off+8, src+off, n-at)
}

// flatSet sets value i, sharing the keys.
func flatSet(h *heap.Heap, m term.Term, i int, v term.Term) term.Term {
	if term.Term(m.W(2+i)) == v {
		return m
	}
	_, vs, n := flatParts(m)
	r, nv := newFlat(h, term.Term(m.W(1)), n)
	copyWords(nv, vs, n)
	term.PutTerm(nv, i, v)
	return r
}

// Update is Put for a key that must be there.
func Update(h *heap.Heap, m, key, v term.Term) (r term.Term, ok bool) {
	if m.MapKind() != term.MapFlat {
		if _, ok = hamtGet(m, key); !ok {
			return term.None, false
		}
		return hamtPut(h, m, key, v), true
	}
	i := flatIndex(m, key)
	if i < 0 {
		return term.None, false
	}
	return flatSet(h, m, i, v), true
}

// PutAll returns m with the keys of k1, v1, k2, v2, … set; a later pair
// overrides an earlier one.
func PutAll(h *heap.Heap, m term.Term, kvs []term.Term) term.Term {
	flat := m.MapKind() == term.MapFlat
	switch n := m.MapSize(); {
	case flat && n+len(kvs)/2 <= term.FlatMapLimit:
		return flatPutAll(h, m, kvs)
	case !flat || len(kvs) == 2:
		for i := 0; i < len(kvs); i += 2 {
			m = Put(h, m, kvs[i], kvs[i+1])
		}
		return m
	}
	if r, bad := UpdateAll(h, m, kvs); bad < 0 {
		return r
	}
	return putMany(h, m, kvs)
}

// putMany is PutAll for a flat map that may become a HAMT.
func putMany(h *heap.Heap, m term.Term, kvs []term.Term) term.Term {
	all := make([]term.Term, 0, 2*m.MapSize()+len(kvs))
	Each(m, func(k, v term.Term) bool {
		all = append(all, k, v)
		return true
	})
	r, _ := FromPairs(h, append(all, kvs...))
	return r
}

// flatPutAll is PutAll for a flat map that surely stays one.
func flatPutAll(h *heap.Heap, m term.Term, kvs []term.Term) term.Term {
	var keys, vals [term.FlatMapLimit]term.Term
	ks, vs, old := flatParts(m)
	n := old
	for i := range n {
		off := uintptr(i) * 8
		keys[i], vals[i] = word(ks+off), word(vs+off)
	}
	changed := false
	for i := 0; i < len(kvs); i += 2 {
		k, v := kvs[i], kvs[i+1]
		at := 0
		for at < n && keys[at] != k && (k.IsImmed() || !term.Same(keys[at], k)) {
			at++
		}
		if at == n {
			for at > 0 && compareKeys(keys[at-1], k) > 0 {
				keys[at], vals[at] = keys[at-1], vals[at-1]
				at--
			}
			keys[at] = k
			n++
		} else if vals[at] == v {
			continue
		}
		vals[at] = v
		changed = true
	}
	if !changed {
		return m
	}
	tuple := term.Term(m.W(1))
	if n != old {
		tuple, ks = newKeys(h, n)
		for i := range n {
			term.PutTerm(ks, i, keys[i])
		}
	}
	r, nv := newFlat(h, tuple, n)
	for i := range n {
		term.PutTerm(nv, i, vals[i])
	}
	return r
}

// UpdateAll is PutAll for keys that must all be there. bad is the index in kvs
// of the key that is not, -1 if there is none; of several the first in the
// order of keys, as ERTS has them sorted.
func UpdateAll(h *heap.Heap, m term.Term, kvs []term.Term) (r term.Term, bad int) {
	bad = -1
	if m.MapKind() != term.MapFlat {
		r = m
		for i := 0; i < len(kvs); i += 2 {
			n, ok := Update(h, r, kvs[i], kvs[i+1])
			if !ok {
				bad = lesserKey(kvs, bad, i)
			} else if bad < 0 {
				r = n
			}
		}
		return r, bad
	}
	var nv uintptr
	r = m
	for i := 0; i < len(kvs); i += 2 {
		at := flatIndex(m, kvs[i])
		if at < 0 {
			bad = lesserKey(kvs, bad, i)
			continue
		}
		if term.Term(r.W(2+at)) == kvs[i+1] || bad >= 0 {
			continue
		}
		if r == m {
			_, vs, n := flatParts(m)
			r, nv = newFlat(h, term.Term(m.W(1)), n)
			copyWords(nv, vs, n)
		}
		term.PutTerm(nv, at, kvs[i+1])
	}
	return r, bad
}

// lesserKey returns which of two indexes has the lesser key; i may be -1.
func lesserKey(kvs []term.Term, i, j int) int {
	if i < 0 || compareKeys(kvs[j], kvs[i]) < 0 {
		return j
	}
	return i
}

// Remove returns m without key.
func Remove(h *heap.Heap, m, key term.Term) (r term.Term, had bool) {
	r, _, had = Take(h, m, key)
	return r, had
}

// Take returns m without key, and the key's value.
func Take(h *heap.Heap, m, key term.Term) (r, v term.Term, had bool) {
	if m.MapKind() != term.MapFlat {
		return hamtTake(h, m, key)
	}
	at := flatIndex(m, key)
	if at < 0 {
		return m, term.None, false
	}
	ks, vs, n := flatParts(m)
	v = word(vs + uintptr(at)*8)
	if n == 1 {
		return Empty, v, true
	}
	keys, nk := newKeys(h, n-1)
	r, nv := newFlat(h, keys, n-1)
	removeWord(nk, ks, n, at)
	removeWord(nv, vs, n, at)
	return r, v, true
}

func removeWord(dst, src uintptr, n, at int) {
	copyWords(dst, src, at)
	off := uintptr(at) * 8
	copyWords(dst+off, src+off+8, n-at-1)
}

// Each calls f with every pair in iteration order until it returns false.
func Each(m term.Term, f func(k, v term.Term) bool) {
	if m.MapKind() == term.MapFlat {
		ks, vs, n := flatParts(m)
		for i := uintptr(0); i < uintptr(n)*8; i += 8 {
			if !f(word(ks+i), word(vs+i)) {
				return
			}
		}
		return
	}
	var it term.LeafIter
	it.Init(m)
	for c := it.Next(); c != term.None; c = it.Next() {
		if !f(c.Head(), c.Tail()) {
			return
		}
	}
}

// Keys returns the list of the keys, as maps:keys/1 orders it: a large map's
// in reverse iteration order.
func Keys(h *heap.Heap, m term.Term) term.Term {
	return collect(h, m, func(k, _ term.Term) term.Term { return k })
}

// Values returns the list of the values, in the order of Keys.
func Values(h *heap.Heap, m term.Term) term.Term {
	return collect(h, m, func(_, v term.Term) term.Term { return v })
}

func collect(h *heap.Heap, m term.Term, pick func(k, v term.Term) term.Term) term.Term {
	n := m.MapSize()
	if n == 0 {
		return term.Nil
	}
	a := h.Alloc(2 * n)
	if m.MapKind() != term.MapFlat {
		tail := term.Nil
		Each(m, func(k, v term.Term) bool {
			tail = term.MakeCons(a, pick(k, v), tail)
			a += 16
			return true
		})
		return tail
	}
	first := term.Term(a | term.PrimList)
	Each(m, func(k, v term.Term) bool {
		term.MakeCons(a, pick(k, v), term.Term((a+16)|term.PrimList))
		a += 16
		return true
	})
	term.PutTerm(a-16, 1, term.Nil)
	return first
}

// Merge returns the union of two maps; the values of b count for keys in both.
func Merge(h *heap.Heap, a, b term.Term) term.Term {
	na, nb := a.MapSize(), b.MapSize()
	fa, fb := a.MapKind() == term.MapFlat, b.MapKind() == term.MapFlat
	switch {
	case na == 0 || a == b:
		return b
	case nb == 0:
		return a
	case fa && fb:
		return mergeFlat(h, a, b)
	case fb:
		Each(b, func(k, v term.Term) bool {
			a = Put(h, a, k, v)
			return true
		})
		return a
	case fa:
		r := b
		Each(a, func(k, v term.Term) bool {
			if _, has := Get(b, k); !has {
				r = Put(h, r, k, v)
			}
			return true
		})
		return r
	}
	m := merger{h: h}
	return m.heads(a, b)
}

func mergeFlat(h *heap.Heap, a, b term.Term) term.Term {
	ka, va, na := flatParts(a)
	kb, vb, nb := flatParts(b)
	if term.Term(a.W(1)) == term.Term(b.W(1)) {
		return b
	}
	kvs := make([]term.Term, 0, 2*(na+nb))
	i, j := 0, 0
	for i < na && j < nb {
		x, y := word(ka+uintptr(i)*8), word(kb+uintptr(j)*8)
		c := compareKeys(x, y)
		if c < 0 {
			kvs = append(kvs, x, word(va+uintptr(i)*8))
			i++
			continue
		}
		kvs = append(kvs, y, word(vb+uintptr(j)*8))
		j++
		if c == 0 {
			i++
		}
	}
	for ; i < na; i++ {
		kvs = append(kvs, word(ka+uintptr(i)*8), word(va+uintptr(i)*8))
	}
	for ; j < nb; j++ {
		kvs = append(kvs, word(kb+uintptr(j)*8), word(vb+uintptr(j)*8))
	}
	if len(kvs) == 2*nb {
		return b // no key is a's alone
	}
	r, _ := FromPairs(h, kvs)
	return r
}
