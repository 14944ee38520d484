package matchspec

import (
	"slices"

	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/term"
)

var (
	amAnd     = term.Intern("and")
	amOr      = term.Intern("or")
	amAndalso = term.Intern("andalso")
	amAndthen = term.Intern("andthen")
	amOrelse  = term.Intern("orelse")
	amSelf    = term.Intern("self")
)

// expr compiles one expression. Nesting costs Go stack, so it is bounded.
func (c *compiler) expr(t term.Term) bool {
	if c.depth++; c.depth > maxNesting {
		c.res.Limit = true
		c.fail("Excessive nesting; system limit reached near: %v", t)
		return false
	}
	defer func() { c.depth-- }()
	switch {
	case t.IsImmed():
		return c.exprImmed(t)
	case t.IsList():
		return c.exprList(t)
	case t.IsMap():
		return c.exprMap(t)
	case !t.IsTuple():
		c.emit(eConst, 0, c.p.keep(t))
		return true
	case t.Arity() == 1 && t.El(1).IsTuple():
		return c.exprTuple(t.El(1))
	case t.Arity() >= 1 && t.El(1).IsAtom() && Variable(t.El(1)) < 0:
		return c.call(t)
	}
	return c.fail("%v is neither a function call, nor a tuple (tuples are written {{ ... }}).", t)
}

func (c *compiler) exprImmed(t term.Term) bool {
	switch n := Variable(t); {
	case n >= 0 && !c.bound[n]:
		return c.fail("Variable $%d is unbound.", n)
	case n >= 0:
		c.emit(eVar, c.slots[n], term.None)
	case t == amWhole:
		c.emit(eWhole, 0, term.None)
	case t == amAll:
		c.emit(eAll, 0, term.None)
	default:
		c.emit(eConst, 0, t)
	}
	return true
}

func (c *compiler) exprList(t term.Term) bool {
	n := 0
	for ; t.IsList(); t = t.Tail() {
		if !c.expr(t.Head()) {
			return false
		}
		n++
	}
	if !c.expr(t) {
		return false
	}
	for range n {
		c.emit(eCons, 0, term.None)
	}
	return true
}

func (c *compiler) exprTuple(t term.Term) bool {
	if !c.elements(t, 1) {
		return false
	}
	c.emit(eTuple, t.Arity(), term.None)
	return true
}

func (c *compiler) exprMap(t term.Term) bool {
	ok, n := true, 0
	maps.Each(t, func(k, v term.Term) bool {
		ok = c.expr(k) && c.expr(v)
		n++
		return ok
	})
	c.emit(eMap, n, term.None)
	return ok
}

// call compiles {Function, Args…}: a special form or a function.
func (c *compiler) call(t term.Term) bool {
	switch t.El(1) {
	case amConst:
		if t.Arity() != 2 {
			return c.fail("Special form 'const' called with more than one argument in %v.", t)
		}
		c.emit(eConst, 0, c.p.keep(t.El(2)))
		return true
	case amAnd:
		return c.boolean(t, eAnd, "and")
	case amOr:
		return c.boolean(t, eOr, "or")
	case amAndalso, amAndthen:
		return c.lazy(t, eAndAlso, term.True, "andalso")
	case amOrelse:
		return c.lazy(t, eOrElse, term.False, "orelse")
	case amSelf:
		if t.Arity() != 1 {
			return c.fail("Special form 'self' called with arguments in %v.", t)
		}
		c.emit(eSelf, 0, term.None)
		return true
	}
	if f, ok := traceForms[t.El(1)]; ok {
		return c.traceForm(t, f)
	}
	return c.function(t)
}

func (c *compiler) args(t term.Term) bool { return c.elements(t, 2) }

// elements compiles the elements of a tuple from one on. ERTS compiles the last
// first, which shows in the order of messages.
func (c *compiler) elements(t term.Term, from int) bool {
	start := len(c.res.Messages)
	for i := from; i <= t.Arity(); i++ {
		mark := len(c.res.Messages)
		if !c.expr(t.El(i)) {
			return false
		}
		if m := c.res.Messages; len(m) > mark && mark > start {
			c.res.Messages = append(m[:start:start], append(slices.Clone(m[mark:]), m[start:mark]...)...)
		}
	}
	return true
}

func (c *compiler) boolean(t term.Term, op exprOp, name string) bool {
	if t.Arity() < 2 {
		return c.fail("Special form '%s' called without arguments in %v.", name, t)
	}
	if !c.args(t) {
		return false
	}
	c.emit(op, t.Arity()-1, term.None)
	return true
}

// lazy compiles andalso and orelse: each argument but the last ends it early;
// past the last one stands the value of the form when all were neutral.
func (c *compiler) lazy(t term.Term, op exprOp, neutral term.Term, name string) bool {
	if t.Arity() < 2 {
		return c.fail("Special form '%s' called without arguments in %v.", name, t)
	}
	var jumps []int
	for i := 2; i <= t.Arity(); i++ {
		if !c.expr(t.El(i)) {
			return false
		}
		jumps = append(jumps, len(c.code))
		if i == t.Arity() {
			c.emit(eJump, 0, term.None)
		} else {
			c.emit(op, 0, neutral)
		}
	}
	for _, j := range jumps {
		c.code[j].arg = len(c.code)
	}
	return true
}

func (c *compiler) function(t term.Term) bool {
	name, arity := t.El(1), t.Arity()-1
	f := functions[funcKey{name, arity}]
	switch {
	case f == nil:
		return c.fail("Function %v/%d does_not_exist.", name, arity)
	case f.traceOnly && c.o.Dialect == Table || f.bodyOnly && c.isGuard:
		return c.fail("Function %v/%d cannot be called in this context.", name, arity)
	}
	if f.bodyOnly && !c.o.Lint {
		f = setControlWord
	}
	if !c.args(t) {
		return false
	}
	c.code = append(c.code, exprInstr{op: eCall, arg: arity, fn: f})
	return true
}
