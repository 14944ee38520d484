package etf

import (
	"bytes"
	"math"
)

// Equal tells whether two terms are the same, as =:= does. The order of a map
// does not matter.
func Equal(a, b Term) bool {
	type two struct{ a, b Term }
	stack := []two{{a, b}}
	lists := func(x, y []Term) bool {
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			stack = append(stack, two{x[i], y[i]})
		}
		return true
	}
	for len(stack) > 0 {
		a, b := stack[len(stack)-1].a, stack[len(stack)-1].b
		stack = stack[:len(stack)-1]
		switch x := a.(type) {
		case Tuple:
			if y, ok := b.(Tuple); !ok || !lists(x, y) {
				return false
			}
		case List:
			if y, ok := b.(List); !ok || !lists(x, y) {
				return false
			}
		case Improper:
			y, ok := b.(Improper)
			if !ok || !lists(x.Head, y.Head) {
				return false
			}
			stack = append(stack, two{x.Tail, y.Tail})
		case Map:
			y, ok := b.(Map)
			if !ok || !pairUp(x, y, func(v, w Term) { stack = append(stack, two{v, w}) }) {
				return false
			}
		case *Fun:
			y, ok := b.(*Fun)
			if !ok || x.Module != y.Module || x.Arity != y.Arity || x.Uniq != y.Uniq || x.Index != y.Index || !lists(x.Free, y.Free) {
				return false
			}
		default:
			if !sameLeaf(a, b) {
				return false
			}
		}
	}
	return true
}

// pairUp finds the values of the same keys of two maps and hands them on. false:
// the keys differ. Keys are found by their bytes, except compound ones, which
// may hold maps whose order differs.
func pairUp(x, y Map, found func(v, w Term)) bool {
	if len(x) != len(y) {
		return false
	}
	m := make(map[string]Term, len(x))
	for _, p := range x {
		k, err := Append(nil, p.Key)
		if err != nil {
			return false
		}
		m[string(k)] = p.Value
	}
	for _, p := range y {
		k, err := Append(nil, p.Key)
		if err != nil {
			return false
		}
		v, ok := m[string(k)]
		if !ok && !leaf(p.Key) {
			v, ok = x.Get(p.Key)
		}
		if !ok {
			return false
		}
		found(v, p.Value)
	}
	return true
}

func leaf(t Term) bool {
	switch t.(type) {
	case Tuple, List, Improper, Map, *Fun, float64:
		return false
	}
	return true
}

func sameLeaf(a, b Term) bool {
	if x, ok := bigOf(a); ok {
		y, ok := bigOf(b)
		return ok && x.Cmp(y) == 0
	}
	switch x := a.(type) {
	case Binary:
		y, ok := b.(Binary)
		return ok && bytes.Equal(x, y)
	case BitString:
		y, ok := b.(BitString)
		return ok && x.Bits == y.Bits && bytes.Equal(x.Bytes, y.Bytes)
	case float64:
		// As of OTP 25, 0.0 =:= -0.0.
		y, ok := b.(float64)
		return ok && (x == y || math.IsNaN(x) && math.IsNaN(y))
	case bool:
		y, ok := b.(bool)
		return ok && x == y || b == Atom("true") && x || b == Atom("false") && !x
	case Atom:
		if y, ok := b.(bool); ok {
			return sameLeaf(y, x)
		}
		return b == a
	case Pid, Port, Ref, Export:
		return a == b
	}
	return false
}
