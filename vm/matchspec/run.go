package matchspec

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/term"
)

// Machine runs programs. It may be used again and again, by one thread at a
// time; Close gives its memory back.
type Machine struct {
	Self term.Term // the pid that self() answers
	// Trace, if set, performs the forms of tracing; None is 'EXIT'.
	Trace func(name term.Term, args []term.Term) term.Term
	// ReturnTrace and ExceptionTrace tell that the last run asked for them.
	ReturnTrace, ExceptionTrace bool

	tmp   heap.Heap // what guards and results that are not kept build
	stack []term.Term
	vars  []term.Term
	out   []bool // variables whose value has been copied to dst
	// Of the run in progress:
	dst     *heap.Heap       // where a kept result goes; nil: results are temporary
	whole   func() term.Term // builds the subject on dst
	subject term.Term
	kept    term.Term // the subject on dst, once built
}

// Close gives the machine's memory back; temporary results die.
func (m *Machine) Close() { freeHeap(&m.tmp) }

// Run matches a term. The result is the value of the first clause whose head
// and guards match, or None. It is built on dst, the values of variables being
// copied there; with dst nil it is temporary: it refers to the subject, the
// program and the machine, until the next run. whole, if not nil, builds the
// subject on dst faster than a copy of the term would.
func (m *Machine) Run(p *Program, subject term.Term, dst *heap.Heap, whole func() term.Term) term.Term {
	return m.run(p, subject, nil, dst, whole)
}

// RunArgs is Run for a TraceCall program: the subject is an argument list.
func (m *Machine) RunArgs(p *Program, args []term.Term, dst *heap.Heap) term.Term {
	return m.run(p, term.None, args, dst, nil)
}

func (m *Machine) run(p *Program, subject term.Term, args []term.Term, dst *heap.Heap, whole func() term.Term) term.Term {
	m.subject, m.dst, m.whole, m.kept = subject, dst, whole, term.None
	m.ReturnTrace, m.ExceptionTrace = false, false
	if m.tmp.Frags != nil {
		freeHeap(&m.tmp)
	}
	if cap(m.vars) < p.vars {
		m.vars, m.out = make([]term.Term, p.vars), make([]bool, p.vars)
	}
	m.vars, m.out = m.vars[:p.vars], m.out[:p.vars]
	for i := range p.clauses {
		cl := &p.clauses[i]
		if p.dialect == TraceCall && !m.startArgs(cl, args) {
			continue
		}
		if p.dialect == Table {
			m.stack = append(m.stack[:0], subject)
		}
		if !m.match(cl.head) {
			continue
		}
		if len(cl.guards) > 0 {
			if _, ok := m.eval(cl, cl.guards, true); !ok {
				continue
			}
		}
		clear(m.out)
		r, _ := m.eval(cl, cl.body, false)
		return r
	}
	return term.None
}

// startArgs prepares the subject of a clause of a call trace.
func (m *Machine) startArgs(cl *clause, args []term.Term) bool {
	m.subject = m.tmp.List(args...)
	m.stack = m.stack[:0]
	if !cl.array {
		m.stack = append(m.stack, m.subject)
		return true
	}
	if cl.head[0].arg != len(args) {
		return false
	}
	m.stack = append(m.stack, m.tmp.Tuple(args...))
	return true
}

// match runs a head over the term on the stack.
func (m *Machine) match(head []headInstr) bool {
	s := m.stack
	for i := range head {
		in := &head[i]
		t := s[len(s)-1]
		s = s[:len(s)-1]
		switch in.op {
		case hSkip:
		case hBind:
			m.vars[in.arg] = t
		case hCmp:
			if v := m.vars[in.arg]; v != t && (v.IsImmed() || !term.Same(v, t)) {
				return false
			}
		case hEq:
			if t != in.con {
				return false
			}
		case hSame:
			if t.IsImmed() || !term.Same(in.con, t) {
				return false
			}
		case hFloat:
			if !t.IsFloat() || t.W(1) != in.con.W(1) {
				return false
			}
		case hTuple:
			if !t.IsTuple() || t.Arity() != in.arg {
				return false
			}
			for j := in.arg; j >= 1; j-- {
				s = append(s, t.El(j))
			}
		case hCons:
			if !t.IsList() {
				return false
			}
			s = append(s, t.Tail(), t.Head())
		case hMap:
			if !t.IsMap() || t.MapSize() < in.arg {
				return false
			}
			for j := in.arg; j >= 1; j-- {
				v, ok := maps.Get(t, in.con.El(j))
				if !ok {
					return false
				}
				s = append(s, v)
			}
		}
	}
	m.stack = s[:0]
	return true
}

// eval runs expressions. In a guard a failure ends it (ok false); in a body
// what fails has the value 'EXIT'.
func (m *Machine) eval(cl *clause, code []exprInstr, guard bool) (r term.Term, ok bool) {
	s := m.stack[:0]
	h := &m.tmp
	keep := !guard && m.dst != nil
	if keep {
		h = m.dst
	}
	r = term.True
	for pc := 0; pc < len(code); pc++ {
		in := &code[pc]
		switch in.op {
		case eConst:
			s = append(s, m.constant(in.con, keep))
		case eVar:
			s = append(s, m.variable(in.arg, keep))
		case eAll:
			l := term.Nil
			for i := len(cl.bound) - 1; i >= 0; i-- {
				l = h.Cons(m.variable(cl.bound[i], keep), l)
			}
			s = append(s, l)
		case eWhole:
			s = append(s, m.wholeTerm(keep))
		case eSelf:
			s = append(s, m.Self)
		case eCons:
			n := len(s)
			s[n-2] = h.Cons(s[n-2], s[n-1])
			s = s[:n-1]
		case eTuple:
			n := len(s) - in.arg
			s = append(s[:n], h.Tuple(s[n:]...))
		case eMap:
			n := len(s) - 2*in.arg
			t, _ := maps.FromPairs(h, s[n:])
			s = append(s[:n], t)
		case eCall, eTrace, eAnd, eOr:
			n := len(s) - in.arg
			t := m.apply(in, h, s[n:])
			if t == term.None {
				if guard {
					m.stack = s[:0]
					return term.None, false
				}
				t = term.AmEXIT
			}
			s = append(s[:n], t)
		case eAndAlso, eOrElse:
			t := s[len(s)-1]
			s = s[:len(s)-1]
			switch {
			case t == in.con: // neutral: go on with the next argument
			case t.IsBool():
				s = append(s, t)
				pc = in.arg - 1
			case guard:
				m.stack = s[:0]
				return term.None, false
			default:
				s = append(s, term.AmEXIT)
				pc = in.arg - 1
			}
		case eJump:
			pc = in.arg - 1
		case eTrue:
			t := s[len(s)-1]
			s = s[:len(s)-1]
			if t != term.True {
				m.stack = s[:0]
				return term.None, false
			}
		case eWaste:
			s = s[:len(s)-1]
		case eReturn:
			r = s[len(s)-1]
			s = s[:len(s)-1]
		}
	}
	m.stack = s[:0]
	return r, true
}

func (m *Machine) apply(in *exprInstr, h *heap.Heap, args []term.Term) term.Term {
	switch in.op {
	case eCall:
		return in.fn.call(h, args)
	case eTrace:
		return m.traceCall(in.con, args)
	}
	r := in.op == eAnd
	for _, t := range args {
		if !t.IsBool() {
			return term.None
		}
		if in.op == eAnd {
			r = r && t == term.True
		} else {
			r = r || t == term.True
		}
	}
	return term.Bool(r)
}

func (m *Machine) constant(t term.Term, keep bool) term.Term {
	if t.IsImmed() || !keep {
		return t
	}
	return copyTo(m.dst, t)
}

func (m *Machine) variable(i int, keep bool) term.Term {
	if keep && !m.out[i] {
		m.vars[i] = copyTo(m.dst, m.vars[i])
		m.out[i] = true
	}
	return m.vars[i]
}

func (m *Machine) wholeTerm(keep bool) term.Term {
	if !keep {
		return m.subject
	}
	if m.kept == term.None {
		if m.whole != nil {
			m.kept = m.whole()
		} else {
			m.kept = copyTo(m.dst, m.subject)
		}
	}
	return m.kept
}

func copyTo(h *heap.Heap, t term.Term) term.Term {
	if t.IsImmed() {
		return t
	}
	a := h.Alloc(heap.Size(t, true))
	return heap.Copy(t, &a, &h.Off, true)
}
