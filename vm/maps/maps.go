// Package maps builds and reads maps: flat ones up to 32 keys, HAMTs above.
package maps

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Get returns the value of a key.
func Get(m, key term.Term) (v term.Term, ok bool) { panic("maps.Get") }

// Put returns m with key set to v.
func Put(h *heap.Heap, m, key, v term.Term) term.Term { panic("maps.Put") }

// Update is Put for a key that must be there.
func Update(h *heap.Heap, m, key, v term.Term) (r term.Term, ok bool) { panic("maps.Update") }

// Remove returns m without key.
func Remove(h *heap.Heap, m, key term.Term) (r term.Term, had bool) { panic("maps.Remove") }

// FromPairs builds a map of k1, v1, k2, v2, …; of equal keys the last counts.
// dup tells whether there were any.
func FromPairs(h *heap.Heap, kvs []term.Term) (m term.Term, dup bool) { panic("maps.FromPairs") }

// Each calls f with every pair in iteration order until it returns false.
func Each(m term.Term, f func(k, v term.Term) bool) { panic("maps.Each") }
