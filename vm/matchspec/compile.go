package matchspec

import (
	"fmt"
	"slices"

	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/term"
)

// Options say how to compile.
type Options struct {
	Dialect Dialect
	// Lint collects all messages instead of stopping at the first error.
	Lint bool
	// NoCall refuses the forms that concern a call (for the event send), NoOps
	// all that have an effect on a process or look at it (for receive).
	NoCall, NoOps bool
}

// Message is what is wrong with a specification, or a warning.
type Message struct {
	Text    string
	Warning bool
}

// Result is what Compile found out.
type Result struct {
	Messages []Message
	// Limit tells that the specification nests too deep (system_limit).
	Limit bool
}

// maxNesting bounds the nesting of expressions.
const maxNesting = 10000

type compiler struct {
	p       *Program
	o       Options
	res     *Result
	slots   map[int]int // variable number to slot
	bound   map[int]bool
	cl      *clause
	isGuard bool
	depth   int
	failed  bool
	code    []exprInstr
}

// fail notes an error. It returns true when compilation is to go on, for the
// sake of further messages.
func (c *compiler) fail(format string, args ...any) bool {
	c.failed = true
	if c.o.Lint {
		c.res.Messages = append(c.res.Messages, Message{Text: fmt.Sprintf(format, args...)})
	}
	return c.o.Lint
}

func (c *compiler) warn(format string, args ...any) {
	if c.o.Lint {
		c.res.Messages = append(c.res.Messages, Message{fmt.Sprintf(format, args...), true})
	}
}

// Compile compiles a specification, a non-empty list of {Head, Guards, Body};
// nil when there is an error.
func Compile(spec term.Term, o Options) (*Program, *Result) {
	c := &compiler{p: &Program{dialect: o.Dialect}, o: o, res: &Result{}, slots: map[int]int{}}
	c.compile(spec)
	c.p.vars = len(c.slots)
	if c.failed {
		c.p.Free()
		return nil, c.res
	}
	return c.p, c.res
}

func (c *compiler) compile(spec term.Term) {
	if !spec.IsList() {
		c.fail("Match programs are not in a list.")
		return
	}
	l := spec
	for l.IsList() {
		l = l.Tail()
	}
	if !l.IsNil() {
		c.fail("Match programs are not in a proper list.")
		return
	}
	for l = spec; l.IsList(); l = l.Tail() {
		t := l.Head()
		if !t.IsTuple() || t.Arity() != 3 {
			c.fail("Match program part is not a tuple of arity 3.")
			return
		}
		if h := t.El(1); c.o.Dialect == TraceCall && isList(h) && properLength(h) < 0 {
			c.fail("Match expression part %v is not a proper list.", h)
			return
		}
	}
	for l = spec; l.IsList(); l = l.Tail() {
		t := l.Head()
		if !c.clause(t.El(1), t.El(2), t.El(3)) {
			c.failed = true
			return
		}
	}
}

func isList(t term.Term) bool { return t.IsList() || t.IsNil() }

func properLength(l term.Term) (n int) {
	for ; l.IsList(); l = l.Tail() {
		n++
	}
	if !l.IsNil() {
		return -1
	}
	return n
}

func (c *compiler) clause(head, guards, body term.Term) bool {
	var cl clause
	c.cl, c.bound = &cl, map[int]bool{}
	if c.o.Dialect == TraceCall && head != amWildcard && Variable(head) < 0 {
		if !isList(head) && !head.IsTuple() {
			c.fail("Match head is invalid in this context.")
			return false
		}
		cl.array = true
	}
	if !c.head(head) {
		return false
	}
	for n := range c.bound {
		cl.bound = append(cl.bound, n)
	}
	slices.Sort(cl.bound)
	c.isGuard = true
	if !c.expressions(guards) {
		return false
	}
	cl.guards = c.code
	c.isGuard = false
	if c.o.Dialect == Table && !body.IsList() {
		c.fail("Body clause does not return anything.")
		return false
	}
	if !c.expressions(body) {
		return false
	}
	cl.body = c.code
	for i, n := range cl.bound {
		cl.bound[i] = c.slots[n]
	}
	c.p.clauses = append(c.p.clauses, cl)
	return true
}

// head lays out a pattern; every instruction consumes one term of the stack.
func (c *compiler) head(pattern term.Term) bool {
	stack := []term.Term{pattern}
	if c.cl.array && !pattern.IsTuple() { // a list of arguments is matched as a tuple
		stack = stack[:0]
		n := 0
		for l := pattern; l.IsList(); l = l.Tail() {
			stack = append(stack, l.Head())
			n++
		}
		slices.Reverse(stack)
		c.emitHead(hTuple, n, term.None)
	}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case t.IsImmed():
			c.headImmed(t)
		case t.IsList():
			c.emitHead(hCons, 0, term.None)
			stack = append(stack, t.Tail(), t.Head())
		case t.IsTuple():
			c.emitHead(hTuple, t.Arity(), term.None)
			for i := t.Arity(); i >= 1; i-- {
				stack = append(stack, t.El(i))
			}
		case t.IsMap():
			var ok bool
			if stack, ok = c.headMap(t, stack); !ok {
				return false
			}
		case t.IsFloat():
			c.emitHead(hFloat, 0, c.p.keep(t))
		default:
			c.emitHead(hSame, 0, c.p.keep(t))
		}
	}
	return true
}

func (c *compiler) emitHead(op headOp, arg int, con term.Term) {
	c.cl.head = append(c.cl.head, headInstr{op, arg, con})
}

func (c *compiler) headImmed(t term.Term) {
	n := Variable(t)
	switch {
	case t == amWildcard:
		c.emitHead(hSkip, 0, term.None)
	case n < 0:
		c.emitHead(hEq, 0, t)
	case c.bound[n]:
		c.emitHead(hCmp, c.slot(n), term.None)
	default:
		c.bound[n] = true
		c.emitHead(hBind, c.slot(n), term.None)
	}
}

func (c *compiler) slot(n int) int {
	s, ok := c.slots[n]
	if !ok {
		s = len(c.slots)
		c.slots[n] = s
	}
	return s
}

// headMap matches the values of a map's keys; the keys are constants.
func (c *compiler) headMap(t term.Term, stack []term.Term) ([]term.Term, bool) {
	var keys, vals []term.Term
	ok := true
	maps.Each(t, func(k, v term.Term) bool {
		switch {
		case k == amWildcard:
			ok = c.fail("Underscore found in map key.") && false
		case Variable(k) >= 0:
			ok = c.fail("Variable found in map key.") && false
		}
		keys = append(keys, k)
		vals = append(vals, v)
		return ok
	})
	if !ok {
		return stack, false
	}
	for i, k := range keys {
		keys[i] = c.p.keep(k)
	}
	c.emitHead(hMap, len(keys), c.p.consts.Tuple(keys...))
	slices.Reverse(vals)
	return append(stack, vals...), true
}

// expressions compiles a list of guards or a body into c.code.
func (c *compiler) expressions(list term.Term) bool {
	c.code = nil
	if list.IsNil() {
		return true
	}
	if !list.IsList() {
		return c.fail("Match expression is not a list.")
	}
	for ; list.IsList(); list = list.Tail() {
		if !c.expr(list.Head()) {
			return false
		}
		if c.isGuard {
			c.emit(eTrue, 0, term.None)
		} else {
			c.emit(eWaste, 0, term.None)
		}
	}
	if !list.IsNil() {
		return c.fail("Match expression is not a proper list.")
	}
	if !c.isGuard && c.o.Dialect == Table {
		c.code[len(c.code)-1].op = eReturn
	}
	return true
}

func (c *compiler) emit(op exprOp, arg int, con term.Term) {
	c.code = append(c.code, exprInstr{op: op, arg: arg, con: con})
}
