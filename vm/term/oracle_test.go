package term_test

import (
	"testing"

	"github.com/beamrd/beamrd/internal/oracle"
	"github.com/beamrd/beamrd/internal/termgen"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/term"
)

func newGen(seed uint64) *termgen.Gen {
	g := termgen.New(seed)
	g.Map = func(h *heap.Heap, kvs []term.Term) term.Term {
		m, _ := maps.FromPairs(h, kvs)
		return m
	}
	g.Portable = true
	return g
}

func terms(g *termgen.Gen, n, size int) (ts []term.Term) {
	for range n {
		ts = append(ts, g.Term(1+g.R.IntN(size)))
	}
	return ts
}

// hasAtoms tells whether a term has atoms or maps in it: their internal hash
// differs from one node to another.
func hasAtoms(t term.Term) bool {
	st := []term.Term{t}
	for len(st) > 0 {
		t := st[len(st)-1]
		st = st[:len(st)-1]
		switch {
		case t.IsAtom():
			return true
		case t.IsList():
			st = append(st, t.Head(), t.Tail())
		case t.IsTuple():
			for i := range t.Arity() {
				st = append(st, t.El(i+1))
			}
		case t.IsMap():
			maps.Each(t, func(k, v term.Term) bool {
				st = append(st, k, v)
				return true
			})
		}
	}
	return false
}

func TestHashesAgainstErl(t *testing.T) {
	g := newGen(1)
	ts := terms(g, 3000, 30)
	rows := oracle.List(oracle.Eval(t, g.H, `fun(L) ->
		erts_debug:set_internal_state(available_internal_state, true),
		[{erlang:phash2(T), erlang:phash2(T, 1 bsl 32), erlang:phash(T, 1 bsl 32),
		  erts_debug:get_internal_state({internal_hash, T}),
		  list_to_binary(erts_debug:display(T))} || T <- L] end`, g.H.List(ts...)))
	for i, row := range rows {
		x := ts[i]
		if want := uint32(row.El(2).Small()); term.Phash2(x) != want || term.Phash2(x)&(1<<27-1) != uint32(row.El(1).Small()) {
			t.Errorf("phash2(%v) = %d, not %d", x, term.Phash2(x), want)
		}
		if want := uint32(row.El(3).Small() - 1); term.Phash(x) != want {
			t.Errorf("phash(%v) = %d, not %d", x, term.Phash(x), want)
		}
		if hasAtoms(x) {
			continue
		}
		if want := uint64(row.El(4).Small()); term.InternalHash(x) != want {
			t.Errorf("internal_hash(%v) = %d, not %d", x, term.InternalHash(x), want)
		}
		s, _ := heap.AlignedBytes(row.El(5))
		if got := x.String() + "\n"; got != string(s) {
			t.Errorf("display(%v) = %s", x, s)
		}
	}
}

func TestPrintAgainstErl(t *testing.T) {
	g := newGen(7)
	ts := terms(g, 3000, 8)
	rows := oracle.List(oracle.Eval(t, g.H, `fun(L) -> [list_to_binary(erts_debug:display(T)) || T <- L] end`, g.H.List(ts...)))
	for i, row := range rows {
		s, _ := heap.AlignedBytes(row)
		if got := ts[i].String() + "\n"; got != string(s) && !largeMap(ts[i]) {
			t.Errorf("%q, not %q", got, s)
		}
	}
}

func largeMap(t term.Term) bool {
	st := []term.Term{t}
	for len(st) > 0 {
		t := st[len(st)-1]
		st = st[:len(st)-1]
		switch {
		case t.IsList():
			st = append(st, t.Head(), t.Tail())
		case t.IsTuple():
			for i := range t.Arity() {
				st = append(st, t.El(i+1))
			}
		case t.IsMap():
			if t.MapKind() != term.MapFlat {
				return true
			}
			maps.Each(t, func(k, v term.Term) bool {
				st = append(st, k, v)
				return true
			})
		}
	}
	return false
}

func sign(n int) int64 { return int64(min(1, max(-1, n))) }

func TestOrderAgainstErl(t *testing.T) {
	g := newGen(3)
	ts := append(terms(g, 120, 1), terms(g, 160, 6)...)
	for i := range 60 { // likely to be equal in part
		g.Shared = ts[100+i : 110+i]
		ts = append(ts, g.Term(6))
	}
	r := oracle.Eval(t, g.H, `fun(L) ->
		C = fun(A, B) -> if A < B -> 0; A == B -> 1; true -> 2 end end,
		list_to_binary([[C(A, B) * 9 + (erts_internal:cmp_term(A, B) + 1) * 2 +
			case A =:= B of true -> 1; false -> 0 end || B <- L] || A <- L]) end`, g.H.List(ts...))
	s, _ := heap.AlignedBytes(r)
	for i, a := range ts {
		for j, b := range ts {
			same := int64(0)
			if term.Same(a, b) {
				same = 1
			}
			got := (sign(term.Compare(a, b))+1)*9 + (sign(term.CompareExact(a, b))+1)*2 + same
			if want := int64(s[i*len(ts)+j]); got != want {
				t.Fatalf("%v and %v compare as %d, not %d", a, b, got, want)
			}
			if term.Equal(a, b) != (term.Compare(a, b) == 0) {
				t.Fatalf("Equal(%v, %v) disagrees with Compare", a, b)
			}
		}
	}
}

func TestMapOrderAgainstErl(t *testing.T) {
	g := newGen(5)
	var in []term.Term
	kinds := []func() term.Term{g.Int, g.Float, g.Bits, func() term.Term { return g.H.Tuple(g.Int(), g.Bits()) },
		func() term.Term { return g.H.List(g.Int(), g.Float()) },
		func() term.Term { return g.H.Latin1([]byte{byte(g.R.IntN(256)), byte(g.R.IntN(256)), 'x'}) },
		func() term.Term { return term.Small(g.R.Int64N(100000)) },
		func() term.Term { return g.H.List(g.H.Tuple(), g.H.ListTail(g.Int(), g.Bits())) }}
	for _, k := range kinds {
		var els []term.Term
		for range 40 + g.R.IntN(2000) {
			els = append(els, k())
		}
		in = append(in, g.H.List(els...))
	}
	rows := oracle.List(oracle.Eval(t, g.H, `fun(LL) ->
		[begin M = maps:from_keys(L, x), {maps:keys(M), list_to_binary(erts_debug:display(M))} end || L <- LL] end`, g.H.List(in...)))
	for i, row := range rows {
		var kvs []term.Term
		for _, k := range oracle.List(in[i]) {
			kvs = append(kvs, k, term.Intern("x"))
		}
		m, _ := maps.FromPairs(g.H, kvs)
		if !term.Same(maps.Keys(g.H, m), row.El(1)) {
			t.Errorf("keys of list %d are in another order", i)
		}
		if s, _ := heap.AlignedBytes(row.El(2)); m.String()+"\n" != string(s) {
			t.Errorf("map %d is shown as\n%s, not\n%s", i, m, s)
		}
	}
}
