// Package matchspec compiles and runs match specifications: the patterns,
// guards and bodies of ets:select and of tracing.
//
// A specification is a list of {Head, Guards, Body}. Each becomes a clause of
// two instruction sequences: the head takes the subject apart, the expressions
// compute on a stack. Constants of the specification are copied into the
// program, which therefore owns off-heap memory and is to be freed.
package matchspec

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/term"
)

// Dialect says where a specification is used.
type Dialect uint8

// The dialects.
const (
	Table     Dialect = iota // bodies have a value and no effects
	TraceCall                // the head matches an argument list
)

// headOp is an instruction of a head. Each works on the newest term of the
// stack of terms to be matched, and removes it.
type headOp uint8

const (
	hSkip  headOp = iota
	hBind         // variable arg := the term
	hCmp          // the term is variable arg
	hEq           // the term is the immediate con
	hSame         // the term is con
	hFloat        // the term is a float of the bits of con
	hTuple        // a tuple of arg elements, which replace it, the first on top
	hCons         // a cons; head on top, then tail
	hMap          // a map with the keys con (a tuple), whose values replace it
)

type headInstr struct {
	op  headOp
	arg int
	con term.Term
}

// exprOp is an instruction of an expression.
type exprOp uint8

const (
	eConst exprOp = iota // push con
	eVar                 // push variable arg
	eAll                 // push the list of the bound variables
	eWhole               // push the subject
	eSelf                // push the process
	eCons                // two terms become a cons
	eTuple               // arg terms become a tuple
	eMap                 // arg keys and values become a map
	eCall                // arg terms become the result of fn
	eAnd                 // arg booleans become one
	eOr
	eAndAlso // pop; if false push it and jump to arg
	eOrElse  // pop; if true push it and jump to arg
	eJump
	eTrue   // pop; fail unless true
	eWaste  // pop
	eReturn // pop; the clause's value
	eTrace  // arg terms become the result of the form of tracing con
)

type exprInstr struct {
	op  exprOp
	arg int
	con term.Term
	fn  *function
}

// clause is one {Head, Guards, Body}.
type clause struct {
	head   []headInstr
	guards []exprInstr
	body   []exprInstr
	bound  []int // variables in the order of their numbers
	array  bool  // TraceCall: the head is an argument list, not a variable
}

// Program is a compiled specification.
type Program struct {
	clauses []clause
	vars    int // number of variable slots
	dialect Dialect
	consts  heap.Heap // owns the constants
	freed   bool
}

// Drop implements heap.Dropper: the program is freed.
func (p *Program) Drop() { p.Free() }

// Free gives the program's memory back.
func (p *Program) Free() {
	if p.freed {
		return
	}
	p.freed = true
	freeHeap(&p.consts)
}

func freeHeap(h *heap.Heap) {
	if h.Frags == nil {
		return
	}
	heap.ReleaseOffHeap(&h.Off)
	for f := h.Frags; f != nil; {
		next := f.Next
		f.Free()
		f = next
	}
	*h = heap.Heap{}
}

// keep copies a constant into the program.
func (p *Program) keep(t term.Term) term.Term {
	if t.IsImmed() {
		return t
	}
	a := p.consts.Alloc(heap.Size(t, true))
	return heap.Copy(t, &a, &p.consts.Off, true)
}

// Variable returns the number N of the match variable '$N', or -1.
func Variable(t term.Term) int {
	if !t.IsAtom() {
		return -1
	}
	s := t.Atom().String()
	if len(s) < 2 || s[0] != '$' || len(s) > 2 && s[1] == '0' {
		return -1
	}
	n := 0
	for _, c := range []byte(s[1:]) {
		if c < '0' || c > '9' {
			return -1
		}
		n = min(n*10+int(c-'0'), 1<<40)
	}
	return n
}

var (
	amWildcard = term.Intern("_")
	amWhole    = term.Intern("$_")
	amAll      = term.Intern("$$")
	amConst    = term.Intern("const")
)

// IsWildcard tells whether a pattern is '_'.
func IsWildcard(t term.Term) bool { return t == amWildcard }

// HasVariable tells whether a pattern has variables or wildcards in it.
func HasVariable(t term.Term) bool {
	stack := make([]term.Term, 1, 16)
	stack[0] = t
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case t.IsAtom():
			if t == amWildcard || Variable(t) >= 0 {
				return true
			}
		case t.IsList():
			stack = append(stack, t.Tail(), t.Head())
		case t.IsTuple():
			for i := t.Arity(); i >= 1; i-- {
				stack = append(stack, t.El(i))
			}
		case t.IsMap():
			maps.Each(t, func(k, v term.Term) bool {
				stack = append(stack, k, v)
				return true
			})
		}
	}
	return false
}
