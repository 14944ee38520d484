// Package num is integer and float arithmetic on terms. A result of term.None
// means badarith (or system_limit where ErrLimit says so).
package num

import (
	"math/big"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

func Add(h *heap.Heap, a, b term.Term) term.Term    { panic("num.Add") }
func Sub(h *heap.Heap, a, b term.Term) term.Term    { panic("num.Sub") }
func Mul(h *heap.Heap, a, b term.Term) term.Term    { panic("num.Mul") }
func Divide(h *heap.Heap, a, b term.Term) term.Term { panic("num.Divide") } // the / operator
func Div(h *heap.Heap, a, b term.Term) term.Term    { panic("num.Div") }
func Rem(h *heap.Heap, a, b term.Term) term.Term    { panic("num.Rem") }
func Band(h *heap.Heap, a, b term.Term) term.Term   { panic("num.Band") }
func Bor(h *heap.Heap, a, b term.Term) term.Term    { panic("num.Bor") }
func Bxor(h *heap.Heap, a, b term.Term) term.Term   { panic("num.Bxor") }
func Bnot(h *heap.Heap, a term.Term) term.Term      { panic("num.Bnot") }
func Neg(h *heap.Heap, a term.Term) term.Term       { panic("num.Neg") }
func Bsl(h *heap.Heap, a, b term.Term) term.Term    { panic("num.Bsl") }
func Bsr(h *heap.Heap, a, b term.Term) term.Term    { panic("num.Bsr") }

// Limit tells whether the last None of the operation on these operands is
// system_limit rather than badarith.
func Limit(op byte, a, b term.Term) bool { panic("num.Limit") }

// FromBig builds an integer; None when it passes the release's limit.
func FromBig(h *heap.Heap, v *big.Int) term.Term { panic("num.FromBig") }

// ToBig returns an integer term's value.
func ToBig(t term.Term) *big.Int { panic("num.ToBig") }

// ToFloat converts a number; ok is false when it does not fit a double.
func ToFloat(t term.Term) (f float64, ok bool) { panic("num.ToFloat") }
