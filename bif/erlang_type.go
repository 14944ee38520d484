package bif

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// typeTest makes a row body of a predicate.
func typeTest(f func(term.Term) bool) func(*native.Call) term.Term {
	return func(c *native.Call) term.Term { return term.Bool(f(c.Arg(0))) }
}

var erlangTypeRows = []native.Row{
	{Module: "erlang", Name: "is_atom", Arity: 1, Fn: typeTest(term.Term.IsAtom), Flags: native.Guard},
	{Module: "erlang", Name: "is_binary", Arity: 1, Fn: typeTest(term.Term.IsBinary), Flags: native.Guard},
	{Module: "erlang", Name: "is_bitstring", Arity: 1, Fn: typeTest(term.Term.IsBitstring), Flags: native.Guard},
	{Module: "erlang", Name: "is_boolean", Arity: 1, Fn: typeTest(term.Term.IsBool), Flags: native.Guard},
	{Module: "erlang", Name: "is_float", Arity: 1, Fn: typeTest(term.Term.IsFloat), Flags: native.Guard},
	{Module: "erlang", Name: "is_function", Arity: 1, Fn: typeTest(term.Term.IsFun), Flags: native.Guard},
	{Module: "erlang", Name: "is_function", Arity: 2, Fn: erlangIsFunction2, Flags: native.Guard},
	{Module: "erlang", Name: "is_integer", Arity: 1, Fn: typeTest(term.Term.IsInteger), Flags: native.Guard},
	{Module: "erlang", Name: "is_list", Arity: 1, Fn: typeTest(isListOrNil), Flags: native.Guard},
	{Module: "erlang", Name: "is_map", Arity: 1, Fn: typeTest(term.Term.IsMap), Flags: native.Guard},
	{Module: "erlang", Name: "is_number", Arity: 1, Fn: typeTest(term.Term.IsNumber), Flags: native.Guard},
	{Module: "erlang", Name: "is_pid", Arity: 1, Fn: typeTest(term.Term.IsPid), Flags: native.Guard},
	{Module: "erlang", Name: "is_port", Arity: 1, Fn: typeTest(term.Term.IsPort), Flags: native.Guard},
	{Module: "erlang", Name: "is_record", Arity: 2, Fn: erlangIsRecord2, Flags: native.Guard},
	{Module: "erlang", Name: "is_record", Arity: 3, Fn: erlangIsRecord3, Flags: native.Guard},
	{Module: "erlang", Name: "is_reference", Arity: 1, Fn: typeTest(term.Term.IsRef), Flags: native.Guard},
	{Module: "erlang", Name: "is_tuple", Arity: 1, Fn: typeTest(term.Term.IsTuple), Flags: native.Guard},
	{Module: "erts_internal", Name: "term_type", Arity: 1, Fn: ertsTermType},
}

func isListOrNil(t term.Term) bool { return t.IsList() || t.IsNil() }

// funArity returns the arity of a fun as its caller sees it.
func funArity(f term.Term) int {
	a := uintptr(f.W(1))
	if f.Kind() == term.KExport {
		return int(offheap.At[code.Export](a).MFA.Arity)
	}
	return int(offheap.At[code.FunEntry](a).Arity)
}

// isFunction is is_function/2; ok is false when the arity is no natural number.
// A bignum is one, but no fun has it.
func isFunction(f, arity term.Term) (is, ok bool) {
	if !arity.IsSmall() {
		return false, arity.Is(term.KPosBig)
	}
	n := arity.Small()
	if n < 0 {
		return false, false
	}
	return f.IsFun() && int64(funArity(f)) == n, true
}

func erlangIsFunction2(c *native.Call) term.Term {
	is, ok := isFunction(c.Arg(0), c.Arg(1))
	if !ok {
		return c.Badarg()
	}
	return term.Bool(is)
}

func erlangIsRecord2(c *native.Call) term.Term {
	t, tag := c.Arg(0), c.Arg(1)
	if !tag.IsAtom() {
		return c.Badarg()
	}
	return term.Bool(t.IsTuple() && t.Arity() >= 1 && t.El(1) == tag)
}

func erlangIsRecord3(c *native.Call) term.Term {
	t, tag, size := c.Arg(0), c.Arg(1), c.Arg(2)
	if !tag.IsAtom() || !size.IsSmall() {
		return c.Badarg()
	}
	return term.Bool(t.IsTuple() && int64(t.Arity()) == size.Small() && t.Arity() >= 1 && t.El(1) == tag)
}

var kindNames = map[term.Kind]term.Term{
	term.KTuple:    term.Intern("tuple"),
	term.KPosBig:   term.Intern("bignum"),
	term.KNegBig:   term.Intern("bignum"),
	term.KRef:      term.Intern("reference"),
	term.KFun:      term.Intern("fun"),
	term.KFloat:    term.Intern("hfloat"),
	term.KExport:   term.Intern("export"),
	term.KHeapBits: term.Intern("heap_binary"),
	term.KMatch:    term.Intern("matchstate"),
	term.KExtPid:   term.Intern("external_pid"),
	term.KExtPort:  term.Intern("external_port"),
	term.KExtRef:   term.Intern("external_reference"),
}

// ertsTermType is erts_internal:term_type/1, the name of a representation. A
// slice that covers the whole of a reference counted binary answers as one,
// since ERTS 25 has those as a kind of their own.
func ertsTermType(c *native.Call) term.Term {
	switch t := c.Arg(0); {
	case t.IsList():
		return term.Intern("list")
	case t.IsSmall():
		return term.Intern("fixnum")
	case t.IsInternalPid():
		return term.AmPid
	case t.IsInternalPort():
		return term.AmPort
	case t.IsAtom():
		return term.Intern("atom")
	case t.IsNil():
		return term.AmNil
	case t.Is(term.KMap):
		return term.Intern([...]string{"flatmap", "hashmap_node", "hashmap"}[t.MapKind()])
	case t.Is(term.KHeapBits) && t.BitSize()&7 != 0: // ERTS 25 has only slices of bits
		return term.Intern("sub_binary")
	case t.Is(term.KSubBits):
		if isWholeBinary(t) {
			return term.Intern("refc_binary")
		}
		return term.Intern("sub_binary")
	default:
		return kindNames[t.Kind()]
	}
}
