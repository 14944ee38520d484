package bif

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/etf"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var codeInfoRows = []native.Row{
	{Module: "erlang", Name: "get_module_info", Arity: 1, Fn: codeModuleInfo},
	{Module: "erlang", Name: "get_module_info", Arity: 2, Fn: codeModuleInfoItem},
	{Module: "erlang", Name: "module_loaded", Arity: 1, Fn: codeModuleLoaded},
	{Module: "erlang", Name: "check_old_code", Arity: 1, Fn: codeCheckOldCode},
	{Module: "erlang", Name: "pre_loaded", Arity: 0, Fn: codePreLoaded},
	{Module: "erlang", Name: "loaded", Arity: 0, Fn: codeLoaded},
	{Module: "erlang", Name: "function_exported", Arity: 3, Fn: codeFunctionExported},
	{Module: "erlang", Name: "is_builtin", Arity: 3, Fn: codeIsBuiltin},
	{Module: "erlang", Name: "fun_info", Arity: 2, Fn: codeFunInfo},
	{Module: "erlang", Name: "fun_info_mfa", Arity: 1, Fn: codeFunInfoMfa},
	{Module: "erlang", Name: "fun_to_list", Arity: 1, Fn: codeFunToList},
}

var (
	amMd5             = term.Intern("md5")
	amCompile         = term.Intern("compile")
	amAttributes      = term.Intern("attributes")
	amExports         = term.Intern("exports")
	amFunctions       = term.Intern("functions")
	amNifs            = term.Intern("nifs")
	amNativeAddresses = term.Intern("native_addresses")
)

// codeModuleInfo is what Module:module_info() returns.
func codeModuleInfo(c *native.Call) term.Term {
	m := code.Current(c.Arg(0))
	if m == nil {
		return c.Badarg()
	}
	h := &c.P.Heap
	var l []term.Term
	for _, item := range []term.Term{term.AmModule, amExports, amAttributes, amCompile, amMd5} {
		v, _ := moduleItem(h, m, item)
		l = append(l, h.Tuple(item, v))
	}
	c.Bump(len(m.Funcs)/16 + 1)
	return h.List(l...)
}

func codeModuleInfoItem(c *native.Call) term.Term {
	m := code.Current(c.Arg(0))
	if m == nil {
		return c.Badarg()
	}
	v, ok := moduleItem(&c.P.Heap, m, c.Arg(1))
	if !ok {
		return c.Badarg()
	}
	c.Bump(len(m.Funcs)/16 + 1)
	return v
}

func moduleItem(h *heap.Heap, m *code.Module, item term.Term) (v term.Term, ok bool) {
	switch item {
	case term.AmModule:
		return m.Name, true
	case amMd5:
		return h.Binary(m.MD5[:]), true
	case amExports:
		return moduleExports(h, m.Name), true
	case amFunctions:
		l := term.Nil
		for i := len(m.Funcs) - 1; i >= 0; i-- {
			l = h.Cons(nameArity(h, m.Funcs[i].MFA), l)
		}
		return l, true
	case amNifs:
		l := term.Nil
		for i := len(m.Nifs) - 1; i >= 0; i-- {
			l = h.Cons(nameArity(h, m.Nifs[i]), l)
		}
		return l, true
	case amAttributes:
		return stored(h, m.Attr), true
	case amCompile:
		return stored(h, m.Compile), true
	case term.AmNative:
		return term.False, true
	case amNativeAddresses:
		return term.Nil, true
	}
	return term.None, false
}

// stored decodes an Attr or CInf chunk.
func stored(h *heap.Heap, b []byte) term.Term {
	if len(b) < 2 || b[0] != 131 {
		return term.Nil
	}
	t, _, err := etf.Decode(h, b[1:], false)
	if err != nil {
		return term.Nil
	}
	return t
}

func nameArity(h *heap.Heap, f code.MFA) term.Term {
	return h.Tuple(f.Function, term.Small(int64(f.Arity)))
}

// moduleExports lists the exports that lead somewhere, the newest first, as
// ERTS does, without the continuations of builtins.
func moduleExports(h *heap.Heap, m term.Term) term.Term {
	l := term.Nil
	for _, e := range code.ExportsOf(m) {
		if e.Loaded() && !hidden(e) {
			l = h.Cons(nameArity(h, e.MFA), l)
		}
	}
	return l
}

func codeModuleLoaded(c *native.Call) term.Term {
	if !c.Arg(0).IsAtom() {
		return c.Badarg()
	}
	return term.Bool(code.Current(c.Arg(0)) != nil)
}

func codeCheckOldCode(c *native.Call) term.Term {
	if !c.Arg(0).IsAtom() {
		return c.Badarg()
	}
	return term.Bool(code.Old(c.Arg(0)) != nil)
}

// reversed lists modules the newest first, as ERTS does.
func reversed(c *native.Call, ms []term.Term) term.Term {
	l := term.Nil
	for _, m := range ms {
		l = c.P.Heap.Cons(m, l)
	}
	return l
}

func codePreLoaded(c *native.Call) term.Term { return reversed(c, code.Preloaded()) }
func codeLoaded(c *native.Call) term.Term    { return reversed(c, code.LoadedModules()) }

// exportArg finds the export that three arguments name. ok is false when they
// are not atoms and a small.
func exportArg(c *native.Call) (e *code.Export, ok bool) {
	m, f, a := c.Arg(0), c.Arg(1), c.Arg(2)
	if !m.IsAtom() || !f.IsAtom() || !a.IsSmall() {
		return nil, false
	}
	if a.Small() < 0 || a.Small() > 255 {
		return nil, true
	}
	return code.FindExport(m, f, int(a.Small())), true
}

func codeFunctionExported(c *native.Call) term.Term {
	e, ok := exportArg(c)
	if !ok {
		return c.Badarg()
	}
	return term.Bool(e != nil && e.Loaded())
}

func codeIsBuiltin(c *native.Call) term.Term {
	e, ok := exportArg(c)
	if !ok {
		return c.Badarg()
	}
	return term.Bool(e != nil && e.Native >= 0 && !hidden(e))
}

// hidden tells whether e is a continuation of a builtin, which programs do not
// see.
func hidden(e *code.Export) bool {
	return e.Native >= 0 && native.Table[e.Native].Flags&native.Hidden != 0
}

func codeFunToList(c *native.Call) term.Term { return printed(c, c.Arg(0).IsFun()) }

// funMFA returns module, name and arity of a fun. The name is [] when the code
// is not loaded.
func funMFA(f term.Term) (m, name term.Term, arity int64) {
	if f.Kind() == term.KExport {
		e := offheap.At[code.Export](uintptr(f.W(1)))
		return e.MFA.Module, e.MFA.Function, int64(e.MFA.Arity)
	}
	e := offheap.At[code.FunEntry](uintptr(f.W(1)))
	m, name, arity = e.Module, term.Nil, int64(e.Arity)
	if e.Loaded() {
		name = e.Name
	}
	return m, name, arity
}

func codeFunInfoMfa(c *native.Call) term.Term {
	if !c.Arg(0).IsFun() {
		return c.Badarg()
	}
	m, name, arity := funMFA(c.Arg(0))
	return c.P.Heap.Tuple(m, name, term.Small(arity))
}

var (
	amLocal    = term.Intern("local")
	amExternal = term.Intern("external")
	amNewIndex = term.Intern("new_index")
	amNewUniq  = term.Intern("new_uniq")
	amIndex    = term.Intern("index")
	amUniq     = term.Intern("uniq")
	amRefc     = term.Intern("refc")
)

// codeFunInfo is erlang:fun_info(Fun, Item).
func codeFunInfo(c *native.Call) term.Term {
	f, item := c.Arg(0), c.Arg(1)
	if !f.IsFun() {
		return c.Badarg()
	}
	h := &c.P.Heap
	m, name, arity := funMFA(f)
	v := term.None
	switch item {
	case term.AmModule:
		v = m
	case term.AmName:
		v = name
	case term.AmArity:
		v = term.Small(arity)
	default:
		if f.Kind() == term.KExport {
			v = externalFunItem(item)
		} else {
			v = localFunItem(h, f, item)
		}
	}
	switch {
	case v != term.None:
		return h.Tuple(item, v)
	case item == amRefc:
		// Funs are not counted one by one.
		return c.Error(term.AmNotsup)
	}
	return c.Badarg()
}

func externalFunItem(item term.Term) term.Term {
	switch item {
	case amType:
		return amExternal
	case amEnv:
		return term.Nil
	case term.AmPid, amNewIndex, amNewUniq, amIndex, amUniq, amRefc:
		return term.AmUndefined
	}
	return term.None
}

func localFunItem(h *heap.Heap, f, item term.Term) term.Term {
	e := offheap.At[code.FunEntry](uintptr(f.W(1)))
	switch item {
	case amType:
		return amLocal
	case term.AmPid:
		return term.Term(f.W(2))
	case amNewIndex:
		return term.Small(int64(e.Index))
	case amNewUniq:
		return h.Binary(e.Uniq[:])
	case amIndex:
		return term.Small(int64(e.OldIdx))
	case amUniq:
		return term.Small(int64(e.OldUniq))
	case amEnv:
		l := term.Nil
		for i := term.HeaderWords(f.Hdr()); i >= 3; i-- {
			l = h.Cons(term.Term(f.W(i)), l)
		}
		return l
	}
	return term.None
}
