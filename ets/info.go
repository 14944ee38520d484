package ets

import (
	"math"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Fixed tells whether the table is fixed.
func (t *Table) Fixed() bool { return t.fixed() }

// HashStats describes the buckets of a hash table.
type HashStats struct {
	Buckets                   uint32
	Mean, Deviation, Expected float32 // of the lengths of chains
	Min, Max                  int
	Kept                      int // marked as deleted
}

// Stats walks a hash table's buckets.
func (t *Table) Stats() (s HashStats) {
	t.lockAll(false)
	defer t.unlockAll(false)
	if t.dead() {
		return s
	}
	var sum, sumSq, n float64
	s.Buckets = t.hash.active.Load()
	s.Min = math.MaxInt
	for i := range s.Buckets {
		l := 0
		for o := uintptr(loadWord(t.hash.bucket(i))); o != 0; o = objNext(o) {
			l++
			if isDeleted(o) {
				s.Kept++
			}
		}
		sum += float64(l)
		sumSq += float64(l) * float64(l)
		s.Min, s.Max = min(s.Min, l), max(s.Max, l)
	}
	n = float64(s.Buckets)
	s.Mean = float32(sum / n)
	s.Deviation = float32(math.Sqrt((sumSq - float64(s.Mean)*sum) / n))
	s.Expected = float32(math.Sqrt(float64(s.Mean) * (1 - 1/n)))
	return s
}

// Binaries calls f with the reference counted binaries of a key's objects, those
// marked as deleted included.
func (t *Table) Binaries(key term.Term, f func(b *heap.Bin)) Outcome {
	l := t.lockFor(key, false)
	defer l.unlock(false)
	if t.dead() {
		return Gone
	}
	t.rawEachOf(key, func(o object) {
		for a := uintptr(word(o, 3)); a != 0; {
			ref := term.Box(a)
			if ref.Kind() == term.KBinRef {
				f(heap.BinOf(ref))
				a = uintptr(ref.W(1))
			} else {
				a = uintptr(ref.W(4))
			}
		}
	})
	return OK
}

// rawEachOf is eachOf with the objects marked as deleted.
func (t *Table) rawEachOf(key term.Term, f func(o object)) {
	if t.Kind == OrderedSet {
		t.eachOf(key, f)
		return
	}
	hash := keyHash(key)
	_, o := t.hash.find(t, key, hash)
	for ; o != 0 && t.hasKey(o, key, hash); o = objNext(o) {
		f(o)
	}
}
