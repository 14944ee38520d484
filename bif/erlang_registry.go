package bif

import (
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangRegistryRows = []native.Row{
	{Module: "erlang", Name: "register", Arity: 2, Fn: erlangRegister},
	{Module: "erlang", Name: "unregister", Arity: 1, Fn: erlangUnregister},
	{Module: "erlang", Name: "whereis", Arity: 1, Fn: erlangWhereis},
	{Module: "erlang", Name: "registered", Arity: 0, Fn: erlangRegistered},
	{Module: "erlang", Name: "processes", Arity: 0, Fn: erlangProcesses},
	{Module: "erlang", Name: "put", Arity: 2, Fn: erlangPut},
	{Module: "erlang", Name: "get", Arity: 0, Fn: erlangGet0},
	{Module: "erlang", Name: "get", Arity: 1, Fn: erlangGet1},
	{Module: "erlang", Name: "get_keys", Arity: 0, Fn: erlangGetKeys0},
	{Module: "erlang", Name: "get_keys", Arity: 1, Fn: erlangGetKeys1},
	{Module: "erlang", Name: "erase", Arity: 0, Fn: erlangErase0},
	{Module: "erlang", Name: "erase", Arity: 1, Fn: erlangErase1},
}

var amRegister, amUnregister = term.Intern("register"), term.Intern("unregister")

func erlangRegister(c *native.Call) term.Term {
	if cause := proc.Register(c.Arg(0), c.Arg(1)); cause != term.None {
		return c.BadargCause(cause)
	}
	if p := proc.Lookup(c.Arg(1)); p != nil {
		p.Event(amRegister, c.Arg(0))
	}
	return term.True
}

func erlangUnregister(c *native.Call) term.Term {
	p := proc.Lookup(proc.Whereis(c.Arg(0)))
	if !proc.Unregister(c.Arg(0)) {
		return c.Badarg()
	}
	if p != nil {
		p.Event(amUnregister, c.Arg(0))
	}
	return term.True
}

func erlangWhereis(c *native.Call) term.Term {
	if !c.Arg(0).IsAtom() {
		return c.Badarg()
	}
	if id := proc.Whereis(c.Arg(0)); id != term.None {
		return id
	}
	return term.AmUndefined
}

func erlangRegistered(c *native.Call) term.Term {
	names := proc.Registered()
	c.Bump(len(names) / 4)
	return c.P.Heap.List(names...)
}

func erlangProcesses(c *native.Call) term.Term {
	pids := proc.Pids()
	c.Bump(len(pids) / 8)
	return c.P.Heap.List(pids...)
}

// orUndefined is what the dictionary builtins return for no value.
func orUndefined(t term.Term) term.Term {
	if t == term.None {
		return term.AmUndefined
	}
	return t
}

func erlangPut(c *native.Call) term.Term { return orUndefined(c.P.DictPut(c.Arg(0), c.Arg(1))) }

func erlangGet1(c *native.Call) term.Term { return orUndefined(c.P.DictGet(c.Arg(0))) }

func erlangErase1(c *native.Call) term.Term { return orUndefined(c.P.DictErase(c.Arg(0))) }

// erlangGet0 returns [{Key,Value}…].
func erlangGet0(c *native.Call) term.Term {
	l := term.Nil
	c.P.DictEach(func(k, v term.Term) { l = c.P.Heap.Cons(c.P.Heap.Tuple(k, v), l) })
	c.Bump(c.P.DictLen() / 8)
	return l
}

func erlangErase0(c *native.Call) term.Term {
	l := erlangGet0(c)
	c.P.DictClear()
	return l
}

func erlangGetKeys0(c *native.Call) term.Term {
	l := term.Nil
	c.P.DictEach(func(k, _ term.Term) { l = c.P.Heap.Cons(k, l) })
	c.Bump(c.P.DictLen() / 8)
	return l
}

func erlangGetKeys1(c *native.Call) term.Term {
	l := term.Nil
	c.P.DictEach(func(k, v term.Term) {
		if term.Same(v, c.Arg(0)) {
			l = c.P.Heap.Cons(k, l)
		}
	})
	c.Bump(c.P.DictLen() / 4)
	return l
}
