package term_test

import (
	"testing"

	"github.com/beamrd/beamrd/vm/term"
)

func TestPhash2InSteps(t *testing.T) {
	for seed := range uint64(300) {
		g := newGen(seed)
		x := g.Term(1 + g.R.IntN(100))
		want, work := term.Phash2Work(x)
		r := term.NewPhash2Run(x)
		total := 0
		for {
			n := 1 + g.R.IntN(9)
			h, done, left := r.Step(n)
			total += n - left
			if done {
				if h != want {
					t.Fatalf("seed %d: %d, not %d", seed, h, want)
				}
				break
			}
			ts := r.Terms()
			for _, y := range ts {
				if y.IsHeader() {
					t.Fatal("no term among the terms")
				}
			}
			r.Restore(append([]term.Term(nil), ts...))
		}
		if total != work && work > 0 {
			t.Fatalf("seed %d: %d terms, not %d", seed, total, work)
		}
		g.H.Release()
	}
}
