package bif

import (
	"slices"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/matchspec"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var matchSpecRows = []native.Row{
	{Module: "ets", Name: "match_spec_compile", Arity: 1, Fn: etsMatchSpecCompile},
	{Module: "ets", Name: "is_compiled_ms", Arity: 1, Fn: etsIsCompiledMs},
	{Module: "ets", Name: "match_spec_run_r", Arity: 3, Fn: etsMatchSpecRun},
	{Module: "erlang", Name: "match_spec_test", Arity: 3, Fn: erlangMatchSpecTest},
}

func etsMatchSpecCompile(c *native.Call) term.Term {
	prog, res := matchspec.Compile(c.Arg(0), matchspec.Options{Dialect: matchspec.Table})
	switch {
	case res.Limit:
		c.ErrMod = amEtsStdlibErrors
		return c.SystemLimit()
	case prog == nil:
		return etsFail(c, term.None)
	}
	k := proc.NewRefKey(c.Ctx)
	return c.P.Heap.Off.PutMagicRef(c.Alloc(1+term.MagicRefWords), k.A, k.B, heap.NewMagic(prog))
}

func etsIsCompiledMs(c *native.Call) term.Term {
	p, _ := etsProgram(c.Arg(0))
	return term.Bool(p != nil)
}

// etsMatchSpecRun is match_spec_run_r(List, Program, Acc): the results in front
// of Acc, last first.
func etsMatchSpecRun(c *native.Call) term.Term {
	l, acc := c.Arg(0), c.Arg(2)
	prog, _ := etsProgram(c.Arg(1))
	if prog == nil || !isListOrNil(l) {
		return etsFail(c, term.None)
	}
	m := etsMachine(c)
	defer func() {
		m.Close()
		etsMachines.Put(m)
	}()
	n, budget := 0, max(c.Left(), 100)
	for ; l.IsList(); l = l.Tail() {
		if n == budget {
			c.Bump(n)
			return c.YieldWith(l, c.Arg(1), acc)
		}
		n++
		if r := m.Run(prog, l.Head(), &c.P.Heap, nil); r != term.None {
			acc = c.P.Heap.Cons(r, acc)
		}
	}
	c.Bump(n)
	if !l.IsNil() {
		return etsFail(c, term.None)
	}
	return acc
}

var (
	amEtsTable          = term.Intern("table")
	amEtsReturnTrace    = term.Intern("return_trace")
	amEtsExceptionTrace = term.Intern("exception_trace")
)

// erlangMatchSpecTest is match_spec_test(Subject, Spec, table | trace):
// {ok, Result, Flags, Warnings} or {error, Messages}.
func erlangMatchSpecTest(c *native.Call) term.Term {
	subject, spec := c.Arg(0), c.Arg(1)
	o := matchspec.Options{Dialect: matchspec.Table, Lint: true}
	switch c.Arg(2) {
	case amEtsTable:
	case term.AmTrace:
		o.Dialect = matchspec.TraceCall
		if !isListOrNil(subject) {
			return c.Badarg()
		}
	default:
		return c.Badarg()
	}
	h := &c.P.Heap
	prog, res := matchspec.Compile(spec, o)
	msgs := term.Nil
	for _, m := range slices.Backward(res.Messages) {
		sev := term.AmError
		if m.Warning {
			sev = term.AmWarning
		}
		msgs = h.Cons(h.Tuple(sev, h.Str(m.Text)), msgs)
	}
	if prog == nil {
		return h.Tuple(term.AmError, msgs)
	}
	defer prog.Free()
	m := etsMachine(c)
	defer func() {
		m.Close()
		etsMachines.Put(m)
	}()
	var r term.Term
	if o.Dialect == matchspec.TraceCall {
		var args []term.Term
		for l := subject; l.IsList(); l = l.Tail() {
			args = append(args, l.Head())
		}
		r = m.RunArgs(prog, args, h)
	} else {
		r = m.Run(prog, subject, h, nil)
	}
	if r == term.None {
		r = term.False
	}
	flags := term.Nil
	if m.ExceptionTrace {
		flags = h.Cons(amEtsExceptionTrace, flags)
	}
	if m.ReturnTrace {
		flags = h.Cons(amEtsReturnTrace, flags)
	}
	return h.Tuple(term.AmOk, r, flags, msgs)
}
