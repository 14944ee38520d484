package bif

import (
	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/loader"
	"github.com/beamrd/beamrd/sched"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var codeLoadRows = []native.Row{
	{Module: "erts_internal", Name: "prepare_loading", Arity: 2, Fn: codePrepareLoading, Flags: native.DirtyCPU},
	{Module: "erlang", Name: "has_prepared_code_on_load", Arity: 1, Fn: codeHasPreparedOnLoad},
	{Module: "erlang", Name: "finish_loading", Arity: 1, Fn: codeFinishLoading},
	{Module: "erlang", Name: "call_on_load_function", Arity: 1, Fn: codeCallOnLoad},
	{Module: "erlang", Name: "finish_after_on_load", Arity: 2, Fn: codeFinishAfterOnLoad},
	{Module: "erlang", Name: "delete_module", Arity: 1, Fn: codeDeleteModule},
}

var (
	amBadfile    = term.Intern("badfile")
	amDuplicated = term.Intern("duplicated")
	amOnLoad     = term.Intern("on_load")
)

// stopAll runs f while no scheduler runs.
func stopAll(c *native.Call, f func()) { epoch.BlockAll(sched.Thread(c.Ctx), f) }

// again yields: the builtin is called again with the same arguments.
func again(c *native.Call) term.Term {
	args := make([]term.Term, c.N)
	for i := range args {
		args[i] = c.Arg(i)
	}
	return c.YieldWith(args...)
}

// codePrepareLoading is erts_internal:prepare_loading(Module, Binary): a
// reference to code that finish_loading/1 takes, or {error, badfile}. Why a
// file was refused goes to the log.
func codePrepareLoading(c *native.Call) term.Term {
	mod := c.Arg(0)
	b, ok := heap.AlignedBytes(c.Arg(1))
	if !mod.IsAtom() || !ok {
		return c.Badarg()
	}
	p, err := loader.Prepare(b)
	if err == nil && p.Module() != mod {
		err = &loader.Error{Module: mod.Atom().String(), Offset: -1, Msg: "the module in the file is " + p.Module().Atom().String()}
		p.Drop()
	}
	if err != nil {
		c.P.LogError("Error loading module ~ts:~n  ~ts~n~n", mod, c.P.Heap.Str(err.Error()))
		return c.ErrorTuple(amBadfile)
	}
	ref, _ := newResource(c, p)
	return ref
}

// prepared returns the code behind a reference, unless it was loaded already.
func prepared(t term.Term) *loader.Prepared {
	p, ok := resourceValue(t).(*loader.Prepared)
	if !ok || p.Taken() {
		return nil
	}
	return p
}

func codeHasPreparedOnLoad(c *native.Call) term.Term {
	if p, ok := resourceValue(c.Arg(0)).(*loader.Prepared); ok {
		return term.Bool(!p.Taken() && p.HasOnLoad())
	}
	return c.Badarg()
}

// codeFinishLoading is erlang:finish_loading(ListOfPreparedCode): ok, or
// {not_purged | duplicated | on_load, Modules}.
func codeFinishLoading(c *native.Call) term.Term {
	var ps []*loader.Prepared
	l := c.Arg(0)
	onLoad := false
	for ; l.IsList(); l = l.Tail() {
		p := prepared(l.Head())
		if p == nil {
			return c.Badarg()
		}
		ps = append(ps, p)
		onLoad = onLoad || p.HasOnLoad()
	}
	if !l.IsNil() {
		return c.Badarg()
	}
	if onLoad && len(ps) > 1 {
		return c.SystemLimit()
	}
	if !code.TryWrite() {
		return again(c)
	}
	o, mods := loader.Commit(ps, func(f func()) { stopAll(c, f) })
	code.EndWrite()
	c.Bump(10 * len(ps))
	tag := map[loader.Outcome]term.Term{
		loader.OnLoad: amOnLoad, loader.NotPurged: term.AmNotPurged, loader.Duplicated: amDuplicated,
	}[o]
	if tag == term.None {
		return term.AmOk
	}
	h := &c.P.Heap
	r := term.Nil
	for _, m := range mods {
		r = h.Cons(m, r)
	}
	return h.Tuple(tag, r)
}

// codeCallOnLoad goes on in the module's on_load function.
func codeCallOnLoad(c *native.Call) term.Term {
	m := code.Pending(c.Arg(0))
	if m == nil || m.OnLoad == 0 {
		return c.Badarg()
	}
	return c.Trap(m.OnLoadExport())
}

// codeFinishAfterOnLoad makes code current whose on_load function returned ok,
// or leaves it to be purged.
func codeFinishAfterOnLoad(c *native.Call) term.Term {
	mod, keep := c.Arg(0), c.Arg(1)
	if !keep.IsBool() {
		return c.Badarg()
	}
	if !code.TryWrite() {
		return again(c)
	}
	defer code.EndWrite()
	if code.Pending(mod) == nil {
		return c.Badarg()
	}
	stopAll(c, func() { code.FinishOnLoad(mod, keep == term.True) })
	return term.True
}

// codeDeleteModule makes current code old: true, or undefined.
func codeDeleteModule(c *native.Call) term.Term {
	mod := c.Arg(0)
	if !mod.IsAtom() {
		return c.Badarg()
	}
	if !code.TryWrite() {
		return again(c)
	}
	defer code.EndWrite()
	if !code.Known(mod) {
		return term.AmUndefined
	}
	if code.Old(mod) != nil {
		c.P.LogError("Module ~w must be purged before deleting\n\n", mod)
		return c.Badarg()
	}
	stopAll(c, func() { code.Delete(mod) })
	return term.True
}
