package etf

import (
	"testing"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/term"
)

// rows builds a list like a table's contents.
func rows(h *heap.Heap, n int) term.Term {
	row, nested, value := term.Intern("row"), term.Intern("nested"), term.Intern("atom_value")
	id, list := term.Intern("id"), term.Intern("list")
	l := term.Nil
	for k := range n {
		i := term.Small(int64(k))
		m, _ := maps.FromPairs(h, []term.Term{id, i, list, h.List(term.Small(1), term.Small(2), term.Small(300), term.Small(70000))})
		l = h.Cons(h.Tuple(row, i, h.Float(0x3ff8000000000000), h.Binary([]byte("binary 1234")), h.Str("string"),
			h.List(i, h.Tuple(nested, i)), value, m, h.Uint(1<<63)), l)
	}
	return l
}

func BenchmarkEncode(b *testing.B) {
	var h heap.Heap
	t := rows(&h, 1000)
	var buf []byte
	for b.Loop() {
		buf = Append(buf[:0], t)
	}
	b.SetBytes(int64(len(buf)))
}

func BenchmarkDecode(b *testing.B) {
	var h heap.Heap
	s := Append(nil, rows(&h, 1000))
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		var h heap.Heap
		if _, _, err := Decode(&h, s, false); err != nil {
			b.Fatal(err)
		}
		free(&h)
	}
}

func BenchmarkDecodeSmall(b *testing.B) {
	var h heap.Heap
	s := Append(nil, h.Tuple(term.AmOk, term.Small(5), h.Binary([]byte("abc"))))
	for b.Loop() {
		if _, _, err := Decode(&h, s, false); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSize(b *testing.B) {
	var h heap.Heap
	t := rows(&h, 1000)
	for b.Loop() {
		Options{}.Size(t)
	}
}
