package bif

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/term"
)

// flatMap builds a map of k1, v1, k2, v2, …
func flatMap(h *heap.Heap, kvs ...term.Term) term.Term {
	m, _ := maps.FromPairs(h, kvs)
	return m
}

// eachPair calls f with the pairs of a map until it returns false.
func eachPair(m term.Term, f func(k, v term.Term) bool) { maps.Each(m, f) }
