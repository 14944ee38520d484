// Package etf is the external term format (erts/doc/src/erl_ext_dist).
package etf

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Decode builds the term at the start of b (without the version byte 131) in
// h and returns the bytes read. safe refuses new atoms and funs.
func Decode(h *heap.Heap, b []byte, safe bool) (t term.Term, n int, err error) { panic("etf.Decode") }

// Append appends the encoding of t, without the version byte.
func Append(b []byte, t term.Term) []byte { panic("etf.Append") }
