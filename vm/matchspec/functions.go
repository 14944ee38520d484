package matchspec

import (
	"math"
	"math/big"
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/num"
	"github.com/beamrd/beamrd/vm/term"
)

// function is what a guard or body may call. call returns None when the
// function fails; it builds on h.
type function struct {
	call                func(h *heap.Heap, a []term.Term) term.Term
	traceOnly, bodyOnly bool
}

type funcKey struct {
	name  term.Term
	arity int
}

var functions = makeFunctions()

func makeFunctions() map[funcKey]*function {
	m := map[funcKey]*function{}
	add := func(name string, arity int, f func(h *heap.Heap, a []term.Term) term.Term) {
		m[funcKey{term.Intern(name), arity}] = &function{call: f}
	}
	for name, test := range map[string]func(term.Term) bool{
		"is_atom": term.Term.IsAtom, "is_float": term.Term.IsFloat, "is_integer": term.Term.IsInteger,
		"is_list": isList, "is_number": term.Term.IsNumber, "is_pid": term.Term.IsPid, "is_port": term.Term.IsPort,
		"is_reference": term.Term.IsRef, "is_tuple": term.Term.IsTuple, "is_map": term.Term.IsMap,
		"is_binary": term.Term.IsBinary, "is_function": term.Term.IsFun,
	} {
		add(name, 1, func(_ *heap.Heap, a []term.Term) term.Term { return term.Bool(test(a[0])) })
	}
	for name, cmp := range map[string]func(a, b term.Term) bool{
		">":   func(a, b term.Term) bool { return term.Compare(a, b) > 0 },
		">=":  func(a, b term.Term) bool { return term.Compare(a, b) >= 0 },
		"<":   func(a, b term.Term) bool { return term.Compare(a, b) < 0 },
		"=<":  func(a, b term.Term) bool { return term.Compare(a, b) <= 0 },
		"==":  term.Equal,
		"/=":  func(a, b term.Term) bool { return !term.Equal(a, b) },
		"=:=": term.Same,
		"=/=": func(a, b term.Term) bool { return !term.Same(a, b) },
	} {
		add(name, 2, func(_ *heap.Heap, a []term.Term) term.Term { return term.Bool(cmp(a[0], a[1])) })
	}
	for name, op := range map[string]func(h *heap.Heap, a, b term.Term) term.Term{
		"+": num.Add, "-": num.Sub, "*": num.Mul, "/": num.Divide, "div": num.Div, "rem": num.Rem,
		"band": num.Band, "bor": num.Bor, "bxor": num.Bxor, "bsl": num.Bsl, "bsr": num.Bsr,
	} {
		add(name, 2, func(h *heap.Heap, a []term.Term) term.Term { return op(h, a[0], a[1]) })
	}
	add("+", 1, func(_ *heap.Heap, a []term.Term) term.Term { return ifThen(a[0].IsNumber(), a[0]) })
	add("-", 1, func(h *heap.Heap, a []term.Term) term.Term { return num.Neg(h, a[0]) })
	add("bnot", 1, func(h *heap.Heap, a []term.Term) term.Term { return num.Bnot(h, a[0]) })
	add("not", 1, not)
	add("xor", 2, xor)
	add("abs", 1, abs)
	add("float", 1, float)
	add("round", 1, toInteger(math.Round))
	add("trunc", 1, toInteger(math.Trunc))
	add("node", 0, func(*heap.Heap, []term.Term) term.Term { return term.Atom(term.ThisNode().Name) })
	add("node", 1, node)
	addStructure(add)
	for _, k := range []funcKey{{term.Intern("get_tcw"), 0}, {term.Intern("set_tcw"), 1}} {
		m[k] = &function{call: traceControlWord, traceOnly: true, bodyOnly: k.arity == 1}
	}
	return m
}

// ControlWord is the trace control word.
var ControlWord atomic.Uint32

// traceControlWord is get_tcw/0, and set_tcw/1 in match_spec_test, where
// nothing changes.
func traceControlWord(_ *heap.Heap, a []term.Term) term.Term {
	if len(a) == 1 && (!a[0].IsSmall() || a[0].Small() < 0 || a[0].Small() > math.MaxUint32) {
		return term.None
	}
	return term.Small(int64(ControlWord.Load()))
}

// setControlWord is set_tcw/1; the result is the old value.
var setControlWord = &function{traceOnly: true, bodyOnly: true, call: func(_ *heap.Heap, a []term.Term) term.Term {
	if !a[0].IsSmall() || a[0].Small() < 0 || a[0].Small() > math.MaxUint32 {
		return term.None
	}
	return term.Small(int64(ControlWord.Swap(uint32(a[0].Small()))))
}}

func ifThen(ok bool, t term.Term) term.Term {
	if ok {
		return t
	}
	return term.None
}

// addStructure adds the functions that look into terms.
func addStructure(add func(string, int, func(*heap.Heap, []term.Term) term.Term)) {
	add("element", 2, func(_ *heap.Heap, a []term.Term) term.Term {
		if !a[1].IsTuple() || !a[0].IsSmall() || a[0].Small() < 1 || a[0].Small() > int64(a[1].Arity()) {
			return term.None
		}
		return a[1].El(int(a[0].Small()))
	})
	add("hd", 1, func(_ *heap.Heap, a []term.Term) term.Term {
		if a[0].IsList() {
			return a[0].Head()
		}
		return term.None
	})
	add("tl", 1, func(_ *heap.Heap, a []term.Term) term.Term {
		if a[0].IsList() {
			return a[0].Tail()
		}
		return term.None
	})
	add("length", 1, func(_ *heap.Heap, a []term.Term) term.Term {
		n := properLength(a[0])
		return ifThen(n >= 0, term.Small(int64(n)))
	})
	add("size", 1, func(_ *heap.Heap, a []term.Term) term.Term {
		switch {
		case a[0].IsTuple():
			return term.Small(int64(a[0].Arity()))
		case a[0].IsBitstring():
			return term.Small(int64(a[0].BitSize() / 8))
		}
		return term.None
	})
	add("bit_size", 1, func(h *heap.Heap, a []term.Term) term.Term {
		if !a[0].IsBitstring() {
			return term.None
		}
		return h.Uint(a[0].BitSize())
	})
	add("byte_size", 1, func(_ *heap.Heap, a []term.Term) term.Term {
		if !a[0].IsBitstring() {
			return term.None
		}
		return term.Small(int64((a[0].BitSize() + 7) / 8))
	})
	add("is_record", 3, func(_ *heap.Heap, a []term.Term) term.Term {
		if !a[1].IsAtom() || !a[2].IsSmall() {
			return term.None
		}
		t := a[0]
		return term.Bool(t.IsTuple() && t.Arity() >= 1 && int64(t.Arity()) == a[2].Small() && t.El(1) == a[1])
	})
	add("map_size", 1, func(_ *heap.Heap, a []term.Term) term.Term {
		if !a[0].IsMap() {
			return term.None
		}
		return term.Small(int64(a[0].MapSize()))
	})
	add("map_get", 2, func(_ *heap.Heap, a []term.Term) term.Term {
		if !a[1].IsMap() {
			return term.None
		}
		v, ok := maps.Get(a[1], a[0])
		return ifThen(ok, v)
	})
	add("is_map_key", 2, func(_ *heap.Heap, a []term.Term) term.Term {
		if !a[1].IsMap() {
			return term.None
		}
		_, ok := maps.Get(a[1], a[0])
		return term.Bool(ok)
	})
	add("binary_part", 3, func(h *heap.Heap, a []term.Term) term.Term { return binaryPart(h, a[0], a[1], a[2]) })
	add("binary_part", 2, func(h *heap.Heap, a []term.Term) term.Term {
		if !a[1].IsTuple() || a[1].Arity() != 2 {
			return term.None
		}
		return binaryPart(h, a[0], a[1].El(1), a[1].El(2))
	})
}

// binaryPart copies a part of a binary; a negative length counts backwards.
func binaryPart(h *heap.Heap, b, pos, length term.Term) term.Term {
	if !b.IsBinary() || !pos.IsSmall() || !length.IsSmall() {
		return term.None
	}
	size, p, n := int64(b.BitSize()/8), pos.Small(), length.Small()
	if n < 0 {
		p, n = p+n, -n
	}
	if p < 0 || n < 0 || p > size || n > size-p {
		return term.None
	}
	base, start, _ := heap.Bits(b)
	t, data := h.NewBinary(uintptr(n))
	heap.CopyBits(offheap.Bytes(data, uintptr(n)), base, start+uint64(p)*8, uint64(n)*8)
	return t
}

func not(_ *heap.Heap, a []term.Term) term.Term {
	if !a[0].IsBool() {
		return term.None
	}
	return term.Bool(a[0] == term.False)
}

func xor(_ *heap.Heap, a []term.Term) term.Term {
	if !a[0].IsBool() || !a[1].IsBool() {
		return term.None
	}
	return term.Bool(a[0] != a[1])
}

func abs(h *heap.Heap, a []term.Term) term.Term {
	switch {
	case a[0].IsFloat():
		return h.Float(math.Float64bits(math.Abs(a[0].Float())))
	case !a[0].IsInteger():
		return term.None
	case a[0].IsSmall() && a[0].Small() < 0 || a[0].Is(term.KNegBig):
		return num.Neg(h, a[0])
	}
	return a[0]
}

func float(h *heap.Heap, a []term.Term) term.Term {
	if a[0].IsFloat() {
		return a[0]
	}
	if !a[0].IsInteger() {
		return term.None
	}
	f, ok := num.ToFloat(a[0])
	if !ok {
		return term.None
	}
	return h.Float(math.Float64bits(f))
}

func toInteger(round func(float64) float64) func(*heap.Heap, []term.Term) term.Term {
	return func(h *heap.Heap, a []term.Term) term.Term {
		if a[0].IsInteger() {
			return a[0]
		}
		if !a[0].IsFloat() {
			return term.None
		}
		f := round(a[0].Float())
		if math.Abs(f) < 1<<62 {
			return h.Int(int64(f))
		}
		i, _ := new(big.Float).SetFloat64(f).Int(nil)
		return num.FromBig(h, i)
	}
}

// node is node/1 of a pid, port or reference.
func node(_ *heap.Heap, a []term.Term) term.Term {
	switch t := a[0]; {
	case t.IsInternalPid(), t.IsInternalPort(), t.Is(term.KRef):
		return term.Atom(term.ThisNode().Name)
	case t.Is(term.KExtPid), t.Is(term.KExtPort), t.Is(term.KExtRef):
		return term.Atom(term.NodeAt(int(t.W(1))).Name)
	}
	return term.None
}
