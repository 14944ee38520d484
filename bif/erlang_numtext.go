package bif

import (
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/num"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangNumTextRows = []native.Row{
	{Module: "erlang", Name: "integer_to_list", Arity: 1, Fn: integerTo((*heap.Heap).Latin1)},
	{Module: "erlang", Name: "integer_to_list", Arity: 2, Fn: integerTo((*heap.Heap).Latin1)},
	{Module: "erlang", Name: "integer_to_binary", Arity: 1, Fn: integerTo((*heap.Heap).Binary)},
	{Module: "erlang", Name: "integer_to_binary", Arity: 2, Fn: integerTo((*heap.Heap).Binary)},
	{Module: "erlang", Name: "list_to_integer", Arity: 1, Fn: listToInteger},
	{Module: "erlang", Name: "list_to_integer", Arity: 2, Fn: listToInteger},
	{Module: "erlang", Name: "binary_to_integer", Arity: 1, Fn: binaryToInteger},
	{Module: "erlang", Name: "binary_to_integer", Arity: 2, Fn: binaryToInteger},
	{Module: "erlang", Name: "float_to_list", Arity: 1, Fn: floatTo((*heap.Heap).Latin1)},
	{Module: "erlang", Name: "float_to_list", Arity: 2, Fn: floatTo((*heap.Heap).Latin1)},
	{Module: "erlang", Name: "float_to_binary", Arity: 1, Fn: floatTo((*heap.Heap).Binary)},
	{Module: "erlang", Name: "float_to_binary", Arity: 2, Fn: floatTo((*heap.Heap).Binary)},
	{Module: "erlang", Name: "list_to_float", Arity: 1, Fn: listToFloat},
	{Module: "erlang", Name: "binary_to_float", Arity: 1, Fn: binaryToFloat},
	{Module: "string", Name: "list_to_integer", Arity: 1, Fn: stringToInteger},
	{Module: "string", Name: "list_to_float", Arity: 1, Fn: stringToFloat},
	{Module: "erts_internal", Name: "dirty_integer_to_list", Arity: 2,
		Fn: dirtyIntegerTo((*heap.Heap).Latin1), Flags: native.Hidden | native.DirtyCPU},
	{Module: "erts_internal", Name: "dirty_integer_to_binary", Arity: 2,
		Fn: dirtyIntegerTo((*heap.Heap).Binary), Flags: native.Hidden | native.DirtyCPU},
	{Module: "erts_internal", Name: "dirty_list_to_integer", Arity: 2,
		Fn: listToIntegerNow, Flags: native.Hidden | native.DirtyCPU},
	{Module: "erts_internal", Name: "dirty_binary_to_integer", Arity: 2,
		Fn: binaryToIntegerNow, Flags: native.Hidden | native.DirtyCPU},
}

// Conversions of numbers that are longer than these would hold a scheduler for
// too long and go to the dirty pool.
const (
	dirtyLimbs  = 512
	dirtyDigits = 10000
	digitPerRed = 64
)

var (
	amDecimals   = term.Intern("decimals")
	amScientific = term.Intern("scientific")
	amCompact    = term.Intern("compact")
	amShort      = term.Intern("short")
	amNoInteger  = term.Intern("no_integer")
	amNoFloat    = term.Intern("no_float")
	amNotAList   = term.Intern("not_a_list")
)

// dirtyTrap goes on in a hidden builtin of erts_internal on the dirty pool.
func dirtyTrap(c *native.Call, name string, args ...term.Term) term.Term {
	return c.Trap(code.GetExport(term.Intern("erts_internal"), term.Intern(name), len(args)), args...)
}

// baseArg returns the base given as argument 1, 10 when there is none.
func baseArg(c *native.Call) (base int, ok bool) {
	if c.Row.Arity == 1 {
		return 10, true
	}
	b := c.Arg(1)
	if !b.IsSmall() || b.Small() < 2 || b.Small() > 36 {
		return 0, false
	}
	return int(b.Small()), true
}

func integerTo(build func(*heap.Heap, []byte) term.Term) func(*native.Call) term.Term {
	return func(c *native.Call) term.Term {
		n := c.Arg(0)
		base, ok := baseArg(c)
		if !ok || !n.IsInteger() {
			return c.Badarg()
		}
		if n.IsBig() && num.Limbs(n) > dirtyLimbs {
			return dirtyTrap(c, "dirty_"+c.Row.Name, n, term.Small(int64(base)))
		}
		var buf [80]byte
		s := num.AppendInt(buf[:0], n, base)
		c.Bump(len(s) / digitPerRed)
		return build(&c.P.Heap, s)
	}
}

func dirtyIntegerTo(build func(*heap.Heap, []byte) term.Term) func(*native.Call) term.Term {
	return func(c *native.Call) term.Term {
		return build(&c.P.Heap, num.AppendInt(nil, c.Arg(0), int(c.Arg(1).Small())))
	}
}

// digitsOf collects the sign and digits at the start of a list; tail is what
// follows. Only the low byte of an element counts, as in ERTS.
func digitsOf(l term.Term, base int) (s []byte, tail term.Term) {
	tail = l
	if hd := l.Head(); hd == term.Small('-') || hd == term.Small('+') {
		s = append(s, byte(hd.Small()))
		tail = l.Tail()
	}
	for tail.IsList() && tail.Head().IsSmall() {
		b := byte(tail.Head().Small())
		if num.DigitValue(b) >= base {
			break
		}
		s = append(s, b)
		tail = tail.Tail()
	}
	return s, tail
}

func listToInteger(c *native.Call) term.Term {
	l := c.Arg(0)
	base, ok := baseArg(c)
	if !ok || !l.IsList() {
		return c.Badarg()
	}
	s, tail := digitsOf(l, base)
	if !tail.IsNil() {
		return c.Badarg()
	}
	if len(s) > dirtyDigits {
		return dirtyTrap(c, "dirty_list_to_integer", l, term.Small(int64(base)))
	}
	return parsedInt(c, s, base)
}

func listToIntegerNow(c *native.Call) term.Term {
	base := int(c.Arg(1).Small())
	s, _ := digitsOf(c.Arg(0), base)
	return parsedInt(c, s, base)
}

func parsedInt(c *native.Call, s []byte, base int) term.Term {
	c.Bump(len(s) / digitPerRed)
	t, ok := num.ParseInt(&c.P.Heap, s, base)
	switch {
	case !ok:
		return c.Badarg()
	case t == term.None:
		return c.SystemLimit()
	}
	return t
}

func binaryToInteger(c *native.Call) term.Term {
	base, ok := baseArg(c)
	if !ok {
		return c.Badarg()
	}
	s, ok := heap.AlignedBytes(c.Arg(0))
	if !ok {
		return c.Badarg()
	}
	if len(s) > dirtyDigits {
		return dirtyTrap(c, "dirty_binary_to_integer", c.Arg(0), term.Small(int64(base)))
	}
	return parsedInt(c, s, base)
}

func binaryToIntegerNow(c *native.Call) term.Term {
	s, _ := heap.AlignedBytes(c.Arg(0))
	return parsedInt(c, s, int(c.Arg(1).Small()))
}

// stringToInteger is string:list_to_integer/1: the integer at the start of a
// list and the rest, or an error tuple.
func stringToInteger(c *native.Call) term.Term {
	l := c.Arg(0)
	if l.IsNil() {
		return c.ErrorTuple(amNoInteger)
	}
	if !l.IsList() {
		return c.ErrorTuple(amNotAList)
	}
	s, tail := digitsOf(l, 10)
	c.Bump(len(s) / digitPerRed)
	t, ok := num.ParseInt(&c.P.Heap, s, 10)
	switch {
	case !ok:
		return c.ErrorTuple(amNoInteger)
	case t == term.None:
		return c.SystemLimit()
	}
	return c.P.Heap.Tuple(t, tail)
}
