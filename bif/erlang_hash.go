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
	return term.Small(int64(phash2(c) & (1<<27 - 1)))
}

func erlangPhash2Range(c *native.Call) term.Term {
	n, ok := hashRange(c.Arg(1))
	if !ok {
		return c.Badarg()
	}
	return term.Small(int64(uint64(phash2(c)) % n))
}

func phash2(c *native.Call) uint32 {
	h, work := term.Phash2Work(c.Arg(0))
	c.Bump(work / 64)
	return h
}
