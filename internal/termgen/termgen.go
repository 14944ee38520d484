// Package termgen makes random terms for tests.
package termgen

import (
	"math"
	"math/rand/v2"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Gen builds random terms on H. Values repeat often, so that comparisons find
// equal parts.
type Gen struct {
	R *rand.Rand
	H *heap.Heap
	// Map builds a map of pairs; nil: no maps are made.
	Map func(h *heap.Heap, kvs []term.Term) term.Term
	// Portable leaves out what means something to one node only: pids, ports,
	// references, funs.
	Portable bool
	// Shared are terms that may be reused as parts.
	Shared []term.Term
}

// New returns a generator of its own heap, which has no block.
func New(seed uint64) *Gen {
	return &Gen{R: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)), H: new(heap.Heap)}
}

var atoms = []string{"a", "b", "ok", "error", "true", "false", "undefined", "A b", "", "été", "øre", "日本", "'", "a@b",
	"element", "elemenu", "z", "nonode@nohost", "\n", "\u0080x", "\u0100"}

// Term builds a term of about size parts.
func (g *Gen) Term(size int) term.Term {
	if size <= 1 {
		return g.Leaf()
	}
	switch g.R.IntN(10) {
	case 0, 1, 2:
		return g.list(size)
	case 3, 4, 5:
		return g.tuple(size)
	case 6, 7:
		if g.Map != nil {
			return g.maps(size)
		}
		return g.tuple(size)
	case 8:
		return g.H.Latin1([]byte(g.str(g.R.IntN(size + 8))))
	}
	if len(g.Shared) > 0 && g.R.IntN(2) == 0 {
		return g.Shared[g.R.IntN(len(g.Shared))]
	}
	return g.Leaf()
}

func (g *Gen) split(size int) []int {
	n := 1 + g.R.IntN(min(size, 6))
	if g.R.IntN(20) == 0 {
		n = size
	}
	parts := make([]int, n)
	for range size - n {
		parts[g.R.IntN(n)]++
	}
	return parts
}

func (g *Gen) list(size int) term.Term {
	var els []term.Term
	for _, p := range g.split(size) {
		els = append(els, g.Term(p))
	}
	tail := term.Nil
	if g.R.IntN(8) == 0 {
		tail = g.Leaf()
	}
	return g.H.ListTail(tail, els...)
}

func (g *Gen) tuple(size int) term.Term {
	var els []term.Term
	for _, p := range g.split(size) {
		els = append(els, g.Term(p))
	}
	return g.H.Tuple(els...)
}

func (g *Gen) maps(size int) term.Term {
	var kvs []term.Term
	n := g.R.IntN(size + 1)
	if g.R.IntN(8) == 0 {
		n += g.R.IntN(80)
	}
	per := (size - 1) / max(2, 2*n) // parts must shrink, or maps of maps explode
	for range n {
		kvs = append(kvs, g.Term(1+g.R.IntN(per+1)), g.Term(1+g.R.IntN(per+1)))
	}
	return g.Map(g.H, kvs)
}

// Leaf builds a term without parts.
func (g *Gen) Leaf() term.Term {
	n := 12
	if g.Portable {
		n = 9
	}
	switch g.R.IntN(n) {
	case 0, 1:
		return g.Int()
	case 2:
		return g.Float()
	case 3, 4:
		return term.Intern(atoms[g.R.IntN(len(atoms))])
	case 5:
		return term.Nil
	case 6, 7:
		return g.Bits()
	case 8:
		return g.H.Tuple()
	case 9:
		return term.Pid(uint64(g.R.IntN(1 << 20)))
	case 10:
		return term.Port(uint64(g.R.IntN(100)))
	}
	return g.ref()
}

func (g *Gen) ref() term.Term {
	n01, n2 := g.R.Uint64()&0x3FFFF0003FFFF, uint64(g.R.IntN(3))
	if g.R.IntN(3) == 0 {
		a := g.H.Alloc(1 + term.MagicRefWords)
		return g.H.Off.PutMagicRef(a, n01, n2, heap.NewMagic(n01))
	}
	a := g.H.Alloc(1 + term.RefWords)
	term.Put(a, 0, term.Header(term.RefWords, term.KRef))
	term.Put(a, 1, n01)
	term.Put(a, 2, n2)
	return term.Box(a)
}

var ints = []int64{0, 1, -1, 2, 127, 128, 255, 256, -255, 1 << 27, 1<<27 - 1, -1 << 27, -1<<27 - 1, 1 << 31, 1 << 32,
	1 << 53, 1<<53 + 1, -1 << 53, 1<<59 - 1, 1 << 59, -1 << 59, -1<<59 - 1, math.MaxInt64, math.MinInt64}

// Int builds an integer: small, near a limit, or big.
func (g *Gen) Int() term.Term {
	switch g.R.IntN(5) {
	case 0, 1:
		return term.Small(int64(g.R.IntN(600) - 200))
	case 2:
		return g.H.Int(ints[g.R.IntN(len(ints))])
	case 3:
		return g.H.Int(int64(g.R.Uint64()) >> g.R.IntN(63))
	}
	n := 1 + g.R.IntN(4)
	if g.R.IntN(20) == 0 {
		n = 17
	}
	kind := term.KPosBig
	if g.R.IntN(2) == 0 {
		kind = term.KNegBig
	}
	a := g.H.Alloc(1 + n)
	term.Put(a, 0, term.Header(n, kind))
	for i := range n {
		term.Put(a, 1+i, g.R.Uint64()&^(uint64(g.R.IntN(2))*0xFFFFFFFF))
	}
	term.Put(a, n, 1<<60+uint64(g.R.IntN(2)))
	return term.Box(a)
}

var floats = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1e300, -1e300, 1 << 53, 1<<53 + 2, 1 << 59, 1 << 60, -1 << 59,
	1 << 63, 1 << 64, math.MaxFloat64, math.SmallestNonzeroFloat64, 255, 128.0, 1152921504606846976}

// Float builds a float.
func (g *Gen) Float() term.Term {
	f := floats[g.R.IntN(len(floats))]
	switch g.R.IntN(3) {
	case 0:
		f = float64(g.R.IntN(600) - 200)
	case 1:
		f = math.Ldexp(g.R.Float64()-0.5, g.R.IntN(200)-60)
	}
	return g.H.Float(math.Float64bits(f))
}

func (g *Gen) str(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + g.R.IntN(3))
		if g.R.IntN(30) == 0 {
			b[i] = byte(g.R.IntN(256))
		}
	}
	return string(b)
}

// Bits builds a bitstring: on the heap, shared, or part of another.
func (g *Gen) Bits() term.Term {
	n := g.R.IntN(12)
	if g.R.IntN(4) == 0 {
		n = g.R.IntN(200)
	}
	t := g.H.Binary([]byte(g.str(n)))
	if g.R.IntN(2) == 0 {
		return t
	}
	size := t.BitSize()
	s := g.R.Uint64N(size + 1)
	e := s + g.R.Uint64N(size-s+1)
	if g.R.IntN(2) == 0 {
		s, e = s&^7, e&^7
	}
	return g.Slice(t, s, e)
}

// Slice builds sub bits of bits s to e of t.
func (g *Gen) Slice(t term.Term, s, e uint64) term.Term {
	base, start, _ := heap.Bits(t)
	orig := t
	if t.Kind() == term.KSubBits {
		orig = term.Term(t.W(4))
	}
	a := g.H.Alloc(heap.SubBitsWords)
	return heap.PutSubBits(a, base, start+s, start+e, orig)
}

// Bytes views the bytes that a binary's bits are in, for tests that change
// them.
func Bytes(t term.Term) []byte {
	base, _, end := heap.Bits(t)
	return offheap.Bytes(base, uintptr(end+7)/8)
}
