package bif

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Exceptions and the builtins that call: error, exit, throw, raise, apply,
// make_fun, hibernate.

var amErrorInfo = term.Intern("error_info")

var erlangExcRows = []native.Row{
	{Module: "erlang", Name: "error", Arity: 1, Fn: excError1},
	{Module: "erlang", Name: "error", Arity: 2, Fn: excError2},
	{Module: "erlang", Name: "error", Arity: 3, Fn: excError3},
	{Module: "erlang", Name: "exit", Arity: 1, Fn: excExit},
	{Module: "erlang", Name: "throw", Arity: 1, Fn: excThrow},
	{Module: "erlang", Name: "nif_error", Arity: 1, Fn: excError1},
	{Module: "erlang", Name: "nif_error", Arity: 2, Fn: excError2},
	{Module: "erlang", Name: "raise", Arity: 3, Fn: excRaise},
	// The calls of these four are instructions; the rows make them builtins.
	{Module: "erlang", Name: "apply", Arity: 2, Fn: excInline},
	{Module: "erlang", Name: "apply", Arity: 3, Fn: excInline},
	{Module: "erlang", Name: "hibernate", Arity: 3, Fn: excInline},
	{Module: "erlang", Name: "make_fun", Arity: 3, Fn: excMakeFun},
}

func excInline(c *native.Call) term.Term { return c.Error(term.AmUndef) }

func excError1(c *native.Call) term.Term { return c.Error(c.Arg(0)) }

func excExit(c *native.Call) term.Term { return c.Raise(proc.ClassExit, c.Arg(0)) }

func excThrow(c *native.Call) term.Term { return c.Raise(proc.ClassThrow, c.Arg(0)) }

// withArgs raises error:reason in the caller's name, with its arguments.
func withArgs(c *native.Call, reason, args term.Term) term.Term {
	c.Error(reason)
	c.P.Freason |= proc.ExcArgs
	c.P.FaultArgs = term.True // no arguments, but the arity
	if isListOrNil(args) {
		c.P.FaultArgs = args
	}
	return term.None
}

func excError2(c *native.Call) term.Term { return withArgs(c, c.Arg(0), c.Arg(1)) }

// excError3 is error(Reason, Args, Options): [{error_info, Map}] goes into the
// first item of the stack trace. The last of several counts; with any other
// option, or an improper list of them, none does.
func excError3(c *native.Call) term.Term {
	info, opts := term.None, c.Arg(2)
	for ; opts.IsList(); opts = opts.Tail() {
		o := opts.Head()
		if !o.IsTuple() || o.Arity() != 2 || o.El(1) != amErrorInfo || !o.El(2).IsMap() {
			break
		}
		info = o.El(2)
	}
	if opts.IsNil() {
		c.Cause = info
	}
	return withArgs(c, c.Arg(0), c.Arg(1))
}

// excRaise is raise(Class, Reason, Stacktrace). It returns badarg when the
// arguments are none of an exception.
func excRaise(c *native.Call) term.Term {
	var class uint64
	switch c.Arg(0) {
	case term.AmError:
		class = proc.ClassError
	case term.AmExit:
		class = proc.ClassExit
	case term.AmThrow:
		class = proc.ClassThrow
	default:
		return term.AmBadarg
	}
	trace, ok := cutTrace(&c.P.Heap, c.Arg(2))
	if !ok {
		return term.AmBadarg
	}
	c.Raise(class, c.Arg(1))
	c.P.Freason = class | proc.ExcHasTrace
	c.P.Ftrace = trace
	return term.None
}

// cutTrace checks a stack trace and returns at most as much of it as a trace
// may be long.
func cutTrace(h *heap.Heap, l term.Term) (term.Term, bool) {
	var items []term.Term
	for ; l.IsList(); l = l.Tail() {
		it, ok := traceItem(h, l.Head())
		if !ok {
			return term.None, false
		}
		items = append(items, it)
	}
	if !l.IsNil() {
		return term.None, false
	}
	if n := max(proc.BacktraceDepth(), 1); len(items) > n {
		items = items[:n]
	}
	return h.List(items...), true
}

// traceItem checks {M,F,A[,Location]} and {Fun,Args[,Location]}, adding an
// empty location to those without. A is not looked at, as in ERTS.
func traceItem(h *heap.Heap, t term.Term) (term.Term, bool) {
	if !t.IsTuple() {
		return t, false
	}
	n := t.Arity()
	if n < 2 || n > 4 {
		return t, false
	}
	named := t.El(1).IsAtom() && t.El(2).IsAtom()
	switch {
	case n == 2 && t.El(1).IsFun():
		return h.Tuple(t.El(1), t.El(2), term.Nil), true
	case n == 3 && t.El(1).IsFun():
		return t, t.El(3).IsList() || t.El(3).IsNil()
	case n == 3 && named:
		return h.Tuple(t.El(1), t.El(2), t.El(3), term.Nil), true
	case n == 4 && named:
		return t, t.El(4).IsList() || t.El(4).IsNil()
	}
	return t, false
}

func excMakeFun(c *native.Call) term.Term {
	m, f, a := c.Arg(0), c.Arg(1), c.Arg(2)
	if !m.IsAtom() || !f.IsAtom() || !a.IsSmall() || a.Small() < 0 || a.Small() > 255 {
		return c.Badarg()
	}
	return exportFun(&c.P.Heap, code.GetExport(m, f, int(a.Small())))
}

// exportFun builds a fun that refers to an export.
func exportFun(h *heap.Heap, e *code.Export) term.Term {
	a := h.Alloc(2)
	term.Put(a, 0, term.Header(1, term.KExport))
	term.Put(a, 1, uint64(offheap.Addr(e)))
	return term.Box(a)
}
