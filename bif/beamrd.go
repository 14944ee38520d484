package bif

import (
	"github.com/beamrd/beamrd/loader"
	kept "github.com/beamrd/beamrd/store"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// The native part of the module beamrd, through which a node that runs as a
// daemon is controlled; package daemon has the rest of it. In a node that is no
// daemon these raise notsup.
var beamrdRows = []native.Row{
	{Module: "beamrd", Name: "settings", Arity: 0, Fn: beamrdSettings},
	{Module: "beamrd", Name: "ready", Arity: 0, Fn: beamrdReady, Flags: native.DirtyIO},
	{Module: "beamrd", Name: "alive", Arity: 1, Fn: beamrdAlive},
	{Module: "beamrd", Name: "stopping", Arity: 0, Fn: beamrdStopping, Flags: native.DirtyIO},
	{Module: "beamrd", Name: "reloaded", Arity: 1, Fn: beamrdReloaded, Flags: native.DirtyIO},
	{Module: "beamrd", Name: "failed", Arity: 1, Fn: beamrdFailed, Flags: native.DirtyIO},
	{Module: "beamrd", Name: "store_put", Arity: 1, Fn: beamrdStorePut, Flags: native.DirtyIO},
	{Module: "beamrd", Name: "store_delete", Arity: 1, Fn: beamrdStoreDelete, Flags: native.DirtyIO},
	{Module: "beamrd", Name: "store_list", Arity: 0, Fn: beamrdStoreList, Flags: native.DirtyIO},
	{Module: "beamrd", Name: "store_get", Arity: 1, Fn: beamrdStoreGet, Flags: native.DirtyIO},
	{Module: "beamrd", Name: "beam_info", Arity: 1, Fn: beamrdBeamInfo, Flags: native.DirtyCPU},
}

// DaemonHooks is what the program around a daemon node offers to its module
// beamrd.
type DaemonHooks interface {
	Ready()               // init has started everything
	Alive(n int64)        // the answer to probe n
	Stopping()            // the node is about to stop in an orderly way
	Reloaded(err string)  // the configuration was read again; empty: without error
	Failed(reason string) // the node cannot start; does not return
	Policy() string       // what to do about modules that cannot be restored
	Journal() bool        // log lines need the journal's prefixes
	Modules() *kept.Store
}

// Daemon is set by the node when it runs as a daemon.
var Daemon DaemonHooks

// daemonStore returns the store, or nil after raising notsup.
func daemonStore(c *native.Call) *kept.Store {
	if Daemon == nil || Daemon.Modules() == nil {
		c.Error(term.AmNotsup)
		return nil
	}
	return Daemon.Modules()
}

func binaryText(t term.Term) (string, bool) {
	b, ok := heap.AlignedBytes(t)
	return string(b), ok
}

// errorText is {error, Text}.
func errorText(c *native.Call, err error) term.Term {
	return c.ErrorTuple(c.P.Heap.Binary([]byte(err.Error())))
}

// beamrdSettings is {Policy, Journal}: strict | lenient | off, and a boolean.
func beamrdSettings(c *native.Call) term.Term {
	if Daemon == nil {
		return c.Error(term.AmNotsup)
	}
	return c.P.Heap.Tuple(term.Intern(Daemon.Policy()), term.Bool(Daemon.Journal()))
}

func beamrdReady(c *native.Call) term.Term {
	if Daemon == nil {
		return c.Error(term.AmNotsup)
	}
	Daemon.Ready()
	return term.AmOk
}

func beamrdStopping(c *native.Call) term.Term {
	if Daemon == nil {
		return c.Error(term.AmNotsup)
	}
	Daemon.Stopping()
	return term.AmOk
}

func beamrdAlive(c *native.Call) term.Term {
	if Daemon == nil {
		return c.Error(term.AmNotsup)
	}
	if !c.Arg(0).IsSmall() {
		return c.Badarg()
	}
	Daemon.Alive(c.Arg(0).Small())
	return term.AmOk
}

func beamrdReloaded(c *native.Call) term.Term {
	return tellDaemon(c, func(text string) { Daemon.Reloaded(text) })
}

func beamrdFailed(c *native.Call) term.Term {
	return tellDaemon(c, func(text string) { Daemon.Failed(text) })
}

// tellDaemon gives the text of the first argument to a daemon, if this is one.
func tellDaemon(c *native.Call, tell func(text string)) term.Term {
	text, ok := binaryText(c.Arg(0))
	switch {
	case Daemon == nil:
		return c.Error(term.AmNotsup)
	case !ok:
		return c.Badarg()
	}
	tell(text)
	return term.AmOk
}

// beamrdStorePut is store_put([{Module, File, MD5, Code}]): {ok, Generation}
// once they are on disk, or {error, Text}. File is UTF-8.
func beamrdStorePut(c *native.Call) term.Term {
	s := daemonStore(c)
	if s == nil {
		return term.None
	}
	var ms []kept.Module
	l := c.Arg(0)
	for ; l.IsList(); l = l.Tail() {
		t := l.Head()
		if !t.IsTuple() || t.Arity() != 4 || !t.El(1).IsAtom() {
			return c.Badarg()
		}
		file, ok1 := binaryText(t.El(2))
		sum, ok2 := heap.AlignedBytes(t.El(3))
		b, ok3 := heap.AlignedBytes(t.El(4))
		if !ok1 || !ok2 || !ok3 || len(sum) != 16 {
			return c.Badarg()
		}
		m := kept.Module{Info: kept.Info{Name: t.El(1).Atom().String(), File: file}, Code: b}
		copy(m.MD5[:], sum)
		ms = append(ms, m)
	}
	if !l.IsNil() {
		return c.Badarg()
	}
	return generation(c)(s.Put(ms))
}

// generation builds the result of a change.
func generation(c *native.Call) func(uint64, error) term.Term {
	return func(g uint64, err error) term.Term {
		if err != nil {
			return errorText(c, err)
		}
		return c.Ok(c.P.Heap.Uint(g))
	}
}

// beamrdStoreDelete is store_delete([Module]): {ok, Generation} or {error, Text}.
func beamrdStoreDelete(c *native.Call) term.Term {
	s := daemonStore(c)
	if s == nil {
		return term.None
	}
	var names []string
	l := c.Arg(0)
	for ; l.IsList(); l = l.Tail() {
		if !l.Head().IsAtom() {
			return c.Badarg()
		}
		names = append(names, l.Head().Atom().String())
	}
	if !l.IsNil() {
		return c.Badarg()
	}
	return generation(c)(s.Delete(names))
}

// beamrdStoreList is {ok, [{Module, File, Size, Digest, MD5, Seconds,
// Generation, Damage}]} in the order of loading, or {error, Text}. Digest is
// the SHA-256 of the file; Damage says why the record is of no use, or is empty.
func beamrdStoreList(c *native.Call) term.Term {
	s := daemonStore(c)
	if s == nil {
		return term.None
	}
	is, err := s.List()
	if err != nil {
		return errorText(c, err)
	}
	h := &c.P.Heap
	r := term.Nil
	for n := len(is) - 1; n >= 0; n-- {
		i := &is[n]
		r = h.Cons(h.Tuple(term.Intern(i.Name), h.Binary([]byte(i.File)), h.Int(int64(i.Size)), h.Binary(i.Digest[:]),
			h.Binary(i.MD5[:]), h.Int(i.Loaded.Unix()), h.Uint(i.Generation), h.Binary([]byte(i.Damaged))), r)
	}
	return c.Ok(r)
}

// beamrdStoreGet is store_get(Module): {ok, File, Code} or {error, Text}.
func beamrdStoreGet(c *native.Call) term.Term {
	s := daemonStore(c)
	if s == nil {
		return term.None
	}
	if !c.Arg(0).IsAtom() {
		return c.Badarg()
	}
	m, err := s.Get(c.Arg(0).Atom().String())
	if err != nil {
		return errorText(c, err)
	}
	h := &c.P.Heap
	return h.Tuple(term.AmOk, h.Binary([]byte(m.File)), h.Binary(m.Code))
}

// beamrdBeamInfo is beam_info(Code): {ok, Module, MD5, HasOnLoad} of a .beam
// file that could be loaded, or {error, Text} saying why it is refused.
func beamrdBeamInfo(c *native.Call) term.Term {
	b, ok := heap.AlignedBytes(c.Arg(0))
	if !ok {
		return c.Badarg()
	}
	p, err := loader.Prepare(b)
	if err != nil {
		return errorText(c, err)
	}
	h := &c.P.Heap
	sum := p.MD5()
	info := h.Tuple(term.AmOk, p.Module(), h.Binary(sum[:]), term.Bool(p.HasOnLoad()))
	p.Keep(b) // it is likely to be loaded next
	return info
}
