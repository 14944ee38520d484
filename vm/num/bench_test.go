package num

import (
	"testing"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

func pair(h *heap.Heap, bits int64) (a, b term.Term) {
	a = Sub(h, Bsl(h, term.Small(1), term.Small(bits)), term.Small(105))
	return a, Div(h, a, term.Small(7))
}

func bench(b *testing.B, bits int64, f func(h *heap.Heap, x, y term.Term) term.Term) {
	var h heap.Heap
	x, y := pair(&h, bits)
	mark := *h.Frags
	words := h.FragWords
	frag := h.Frags
	for b.Loop() {
		if f(&h, x, y) == term.None {
			b.Fatal("failed")
		}
		for h.Frags != frag { // take back what the operation built
			f := h.Frags
			h.Frags = f.Next
			f.Free()
		}
		frag.HP, h.FragWords = mark.HP, words
	}
}

func BenchmarkAdd128(b *testing.B)   { bench(b, 120, Add) }
func BenchmarkAdd1024(b *testing.B)  { bench(b, 1024, Add) }
func BenchmarkMul128(b *testing.B)   { bench(b, 120, Mul) }
func BenchmarkMul1024(b *testing.B)  { bench(b, 1024, Mul) }
func BenchmarkMul20000(b *testing.B) { bench(b, 20000, Mul) }
func BenchmarkRem1024(b *testing.B) {
	bench(b, 1024, func(h *heap.Heap, x, y term.Term) term.Term { return Rem(h, Mul(h, x, y), x) })
}
func BenchmarkMulSmall20000(b *testing.B) {
	bench(b, 20000, func(h *heap.Heap, x, _ term.Term) term.Term { return Mul(h, x, term.Small(1999)) })
}
func BenchmarkDivSmall20000(b *testing.B) {
	bench(b, 20000, func(h *heap.Heap, x, _ term.Term) term.Term { return Div(h, x, term.Small(1999)) })
}
func BenchmarkText1024(b *testing.B) {
	var h heap.Heap
	x, _ := pair(&h, 1024)
	for b.Loop() {
		AppendInt(nil, x, 10)
	}
}
