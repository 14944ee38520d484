// Package gc is the generational copying collector of process heaps.
package gc

import "github.com/beamrd/beamrd/vm/heap"

// Roots is a run of term slots outside the heap that a collection updates.
type Roots struct {
	Addr uintptr
	N    int
}

// Collect makes room for need words above h.HP, updating the roots and the
// stack. full forces a major collection. It returns false when the heap would
// pass its max_heap_size with kill.
func Collect(h *heap.Heap, roots []Roots, need int, full bool) bool { panic("gc.Collect") }
