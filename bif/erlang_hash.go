package bif

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangHashRows = []native.Row{
	{Module: "erlang", Name: "phash", Arity: 2, Fn: erlangPhash},
	{Module: "erlang", Name: "phash2", Arity: 1, Fn: erlangPhash2},
	{Module: "erlang", Name: "phash2", Arity: 2, Fn: erlangPhash2Range},
}

// hashRange returns a range of a hash, 1 to 2^32.
func hashRange(t term.Term) (n uint64, ok bool) {
	if !t.IsSmall() || t.Small() < 1 || t.Small() > 1<<32 {
		return 0, false
	}
	return uint64(t.Small()), true
}

func erlangPhash(c *native.Call) term.Term {
	n, ok := hashRange(c.Arg(1))
	if !ok {
		return c.Badarg()
	}
	if !c.Arg(0).IsImmed() {
		c.Bump(heap.Size(c.Arg(0), true) / 64)
	}
	return term.Small(int64(1 + uint64(term.Phash(c.Arg(0)))%n))
}

func erlangPhash2(c *native.Call) term.Term {
	h, yield := phash2(c)
	if yield != term.None {
		return c.YieldWith(yield)
	}
	return term.Small(int64(h & (1<<27 - 1)))
}

func erlangPhash2Range(c *native.Call) term.Term {
	n, ok := hashRange(c.Arg(1))
	if !ok {
		return c.Badarg()
	}
	h, yield := phash2(c)
	if yield != term.None {
		return c.YieldWith(yield, c.Arg(1))
	}
	return term.Small(int64(uint64(h) % n))
}

// Terms hashed for a reduction, and at least before phash2 yields.
const (
	hashPerRed = 16
	hashStep   = 2000
)

// phash2 hashes the first argument. yield, if it is not None, is the saved
// state to yield with in its place.
func phash2(c *native.Call) (h uint32, yield term.Term) {
	t := c.Arg(0)
	var r *term.Phash2Run
	if t.IsBoxed() || t.IsList() {
		if saved, ok := savedState[*term.Phash2Run](t); ok {
			r = saved
			ts := make([]term.Term, t.Arity()-1)
			for i := range ts {
				ts[i] = savedTerm(t, i)
			}
			r.Restore(ts)
		} else {
			r = term.NewPhash2Run(t)
		}
	} else {
		return term.Phash2(t), term.None
	}
	budget := max(c.Left()*hashPerRed, hashStep)
	h, done, left := r.Step(budget)
	c.Bump((budget - left) / hashPerRed)
	if done {
		return h, term.None
	}
	return 0, saveState(c, r, r.Terms()...)
}
