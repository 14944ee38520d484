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

// hashReds charges for hashing t.
func hashReds(c *native.Call, t term.Term) {
	if !t.IsImmed() {
		c.Bump(heap.Size(t, true) / 64)
	}
}

func erlangPhash(c *native.Call) term.Term {
	n, ok := hashRange(c.Arg(1))
	if !ok {
		return c.Badarg()
	}
	hashReds(c, c.Arg(0))
	return term.Small(int64(1 + uint64(term.Phash(c.Arg(0)))%n))
}

func erlangPhash2(c *native.Call) term.Term {
	hashReds(c, c.Arg(0))
	return term.Small(int64(term.Phash2(c.Arg(0)) & (1<<27 - 1)))
}

func erlangPhash2Range(c *native.Call) term.Term {
	n, ok := hashRange(c.Arg(1))
	if !ok {
		return c.Badarg()
	}
	hashReds(c, c.Arg(0))
	return term.Small(int64(uint64(term.Phash2(c.Arg(0))) % n))
}
