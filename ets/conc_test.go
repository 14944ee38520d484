package ets

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/matchspec"
	"github.com/beamrd/beamrd/vm/term"
)

// TestConcurrent has threads insert, delete, count, walk and fix one table.
// Counters of a private key per thread must come out right, and a walk of a
// fixed table must meet every object that is never deleted exactly once.
func TestConcurrent(t *testing.T) {
	for _, o := range []Options{
		{Kind: Set, KeyPos: 1, Access: Public},
		{Kind: Set, KeyPos: 1, Access: Public, WriteConc: true},
		{Kind: Set, KeyPos: 1, Access: Public, WriteConc: true, WriteAuto: true, Decentralized: true},
		{Kind: DuplicateBag, KeyPos: 1, Access: Public, WriteConc: true},
		{Kind: OrderedSet, KeyPos: 1, Access: Public, WriteConc: true},
	} {
		concurrent(t, o)
	}
}

const stay = 700 // keys that are never deleted

func concurrent(t *testing.T, o Options) {
	tab := New(nil, term.Intern("conc"), term.Pid(77), &o)
	var h heap.Heap
	for i := range stay {
		tab.Insert(h.Tuple(term.Small(int64(i)), h.Str("stays")), false)
	}
	freeTemp(&h)
	const threads, rounds = 4, 400
	var wg sync.WaitGroup
	for n := range threads {
		wg.Add(1)
		go func() {
			defer wg.Done()
			worker(t, tab, n, rounds)
		}()
	}
	wg.Wait()
	for n := range threads {
		if o.Kind == DuplicateBag {
			break
		}
		r, _ := tab.Element(&h, threadKey(n), 2)
		if r != term.Small(rounds) {
			t.Errorf("%+v: counter %d is %v", o, n, r)
		}
	}
	freeTemp(&h)
	if tab.Fixed() {
		t.Error("still fixed")
	}
	tab.Delete()
	tab.FreeAll()
}

func worker(t *testing.T, tab *Table, n, rounds int) {
	rnd := rand.New(rand.NewPCG(uint64(n), 1))
	var h heap.Heap
	defer freeTemp(&h)
	pid, counter := term.Pid(uint64(n+1)), threadKey(n)
	for i := range rounds {
		k := term.Small(int64(1000 + rnd.IntN(1000)))
		tab.Insert(h.Tuple(k, h.Tuple(k, h.Binary(make([]byte, 100)))), false)
		tab.Lookup(&h, k)
		if rnd.IntN(3) == 0 {
			tab.Erase(term.Small(int64(1000 + rnd.IntN(1000))))
		}
		if tab.Kind != DuplicateBag {
			tab.Update(counter, h.Tuple(counter, term.Small(0)), func(u *Updater) Outcome {
				u.Set(2, term.Small(u.Value(2).Small()+1))
				return OK
			})
		}
		if i%100 == 0 {
			walkAll(t, tab, &h, pid)
			countAll(t, tab, &h, pid)
			freeTemp(&h)
		}
	}
}

func walkAll(t *testing.T, tab *Table, h *heap.Heap, pid term.Term) {
	tab.Fix(pid)
	defer tab.Unfix(pid)
	seen := 0
	for k, _ := tab.Edge(h, false, false); k != term.None; k, _ = tab.Beside(h, k, false, false) {
		if k.IsSmall() && k.Small() < stay {
			seen++
		}
	}
	if seen != stay {
		t.Errorf("walk met %d, want %d", seen, stay)
	}
}

func countAll(t *testing.T, tab *Table, h *heap.Heap, pid term.Term) {
	v := term.Intern("$1")
	spec := h.List(h.Tuple(h.Tuple(v, term.Intern("_")), h.List(h.Tuple(term.Intern("<"), v, term.Small(stay))), h.List(term.True)))
	prog, _ := matchspec.Compile(spec, matchspec.Options{})
	defer prog.Free()
	var m matchspec.Machine
	defer m.Close()
	w := Walk{T: tab, Prog: prog, Mode: Count, Start: term.Nil, End: term.Nil}
	fixed := false
	for {
		w.Begin(&m, h)
		done, err := w.Step(50, func() {
			if !fixed {
				fixed = true
				tab.Fix(pid)
			}
		})
		if err != OK {
			t.Errorf("step: %v", err)
		}
		if done {
			break
		}
	}
	if fixed {
		tab.Unfix(pid)
	}
	if w.Got != stay {
		t.Errorf("count %d, want %d", w.Got, stay)
	}
}

// threadKey is the key of a thread's counter.
func threadKey(n int) term.Term { return term.Intern("counter" + string(rune('0'+n))) }
