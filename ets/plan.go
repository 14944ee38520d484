package ets

import (
	"slices"

	"github.com/beamrd/beamrd/vm/matchspec"
	"github.com/beamrd/beamrd/vm/term"
)

// Plan says which part of a table a match specification can be about. Its
// terms are parts of the specification.
type Plan struct {
	None   bool        // nothing can match
	Keys   []term.Term // every head has one of these keys; nil: see below
	Lo, Hi term.Term   // ordered set: patterns of the least and greatest key; Nil: unbounded
}

// boundness of a head's key.
type boundness int

const (
	unbound boundness = iota
	partly
	bound
	impossible
)

// keyOf returns the key of a head and how much of it is known.
func (t *Table) keyOf(head term.Term) (key term.Term, b boundness) {
	if matchspec.IsWildcard(head) || matchspec.Variable(head) >= 0 {
		return term.None, unbound
	}
	if !head.IsTuple() || head.Arity() < t.KeyPos {
		return term.None, impossible
	}
	key = head.El(t.KeyPos)
	switch {
	case !matchspec.HasVariable(key):
		return key, bound
	case matchspec.IsWildcard(key) || matchspec.Variable(key) >= 0 || hasMap(key):
		return key, unbound
	}
	return key, partly
}

// Plan looks at the heads of a specification that has been compiled.
func (t *Table) Plan(spec term.Term) (p Plan) {
	least := impossible
	p.Lo, p.Hi = term.Nil, term.Nil
	heads := 0
	for l := spec; l.IsList(); l = l.Tail() {
		key, b := t.keyOf(l.Head().El(1))
		heads++
		least = min(least, b)
		if b == bound || b == partly {
			p.Keys = append(p.Keys, key)
		}
	}
	switch {
	case least == impossible:
		p.None = true
	case t.Kind != OrderedSet:
		if least != bound {
			p.Keys = nil
		}
	case least == partly && heads == 1:
		p.Lo, p.Hi, p.Keys = p.Keys[0], p.Keys[0], nil
	case least != bound:
		p.Keys = nil
	default:
		slices.SortFunc(p.Keys, term.Compare)
		p.Keys = slices.CompactFunc(p.Keys, term.Equal)
		if len(p.Keys) > 1 {
			p.Lo, p.Hi = p.Keys[0], p.Keys[len(p.Keys)-1]
		}
	}
	return p
}

// hasMap tells whether a map is part of a term outside of maps.
func hasMap(t term.Term) bool {
	stack := []term.Term{t}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case t.IsList():
			stack = append(stack, t.Tail(), t.Head())
		case t.IsTuple():
			for i := range t.Arity() {
				stack = append(stack, t.El(i+1))
			}
		case t.IsMap():
			return true
		}
	}
	return false
}

// comparePartly compares a key pattern with a key as far as it is known before
// its first variable; what follows is equal.
func comparePartly(pattern, key term.Term) int {
	type pair struct{ a, b term.Term }
	stack := make([]pair, 1, 16)
	stack[0] = pair{pattern, key}
	for len(stack) > 0 {
		a, b := stack[len(stack)-1].a, stack[len(stack)-1].b
		stack = stack[:len(stack)-1]
		switch {
		case matchspec.IsWildcard(a) || matchspec.Variable(a) >= 0:
			return 0
		case a == b:
		case a.IsList() && b.IsList():
			stack = append(stack, pair{a.Tail(), b.Tail()}, pair{a.Head(), b.Head()})
		case a.IsTuple() && b.IsTuple() && a.Arity() == b.Arity():
			for i := a.Arity(); i >= 1; i-- {
				stack = append(stack, pair{a.El(i), b.El(i)})
			}
		default:
			if c := term.Compare(a, b); c != 0 {
				return c
			}
		}
	}
	return 0
}

// KeepsKey tells whether the bodies of a specification build tuples with the
// key of the object matched, in a way that can be seen: '$_', or a tuple whose
// key element is the head's, or {element, KeyPos, '$_'}.
func (t *Table) KeepsKey(spec term.Term) bool {
	l := spec
	for ; l.IsList(); l = l.Tail() {
		c := l.Head()
		if !c.IsTuple() || c.Arity() != 3 || !t.bodyKeepsKey(c.El(1), c.El(3)) {
			return false
		}
	}
	return l.IsNil()
}

var (
	amWhole   = term.Intern("$_")
	amAll     = term.Intern("$$")
	amConst   = term.Intern("const")
	amElement = term.Intern("element")
)

func (t *Table) bodyKeepsKey(head, body term.Term) bool {
	if !body.IsList() || !body.Tail().IsNil() {
		return false
	}
	b := body.Head()
	if b == amWhole {
		return true
	}
	if !b.IsTuple() || !head.IsTuple() || head.Arity() < t.KeyPos {
		return false
	}
	con := false
	switch {
	case b.Arity() == 2 && b.El(1) == amConst:
		b, con = b.El(2), true
	case b.Arity() == 1:
		b = b.El(1)
	default:
		return false
	}
	if !b.IsTuple() || b.Arity() < t.KeyPos {
		return false
	}
	key := b.El(t.KeyPos)
	if builds(head.El(t.KeyPos), key, con) {
		return true
	}
	return !con && key.IsTuple() && key.Arity() == 3 && key.El(1) == amElement &&
		key.El(2) == term.Small(int64(t.KeyPos)) && key.El(3) == amWhole
}

// builds tells whether an expression surely builds what a pattern matched; con
// says that it is a constant.
func builds(pattern, expr term.Term, con bool) bool {
	type item struct {
		a, b term.Term
		con  bool
	}
	stack := []item{{pattern, expr, con}}
	for len(stack) > 0 {
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		a, b := it.a, it.b
		switch {
		case b.IsImmed():
			if a != b || matchspec.IsWildcard(a) || a == amAll || a == amWhole || it.con && matchspec.Variable(a) >= 0 {
				return false
			}
		case b.IsList():
			if !a.IsList() {
				return false
			}
			stack = append(stack, item{a.Tail(), b.Tail(), it.con}, item{a.Head(), b.Head(), it.con})
		case b.IsTuple():
			if !it.con {
				switch {
				case b.Arity() == 1 && b.El(1).IsTuple():
					b = b.El(1)
				case b.Arity() == 2 && b.El(1) == amConst:
					stack = append(stack, item{a, b.El(2), true})
					continue
				default:
					return false
				}
			}
			if !a.IsTuple() || a.Arity() != b.Arity() {
				return false
			}
			for i := range a.Arity() {
				stack = append(stack, item{a.El(i + 1), b.El(i + 1), it.con})
			}
		case b.IsMap():
			return false
		default:
			if !term.Same(a, b) {
				return false
			}
		}
	}
	return true
}
