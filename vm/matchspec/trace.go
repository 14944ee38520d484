package matchspec

import "github.com/beamrd/beamrd/vm/term"

// Special forms of tracing. They are compiled for what they are; what they do
// to a traced process is up to Machine.Trace, without which they only return.

type traceForm struct {
	name     string
	min, max int // arguments
	guard    bool
}

var traceForms = makeTraceForms()

func makeTraceForms() map[term.Term]*traceForm {
	m := map[term.Term]*traceForm{}
	for _, f := range []traceForm{
		{"message", 1, 1, false}, {"is_seq_trace", 0, 0, true}, {"set_seq_token", 2, 2, false},
		{"get_seq_token", 0, 0, false}, {"return_trace", 0, 0, false}, {"exception_trace", 0, 0, false},
		{"display", 1, 1, false}, {"process_dump", 0, 0, false}, {"enable_trace", 1, 2, false},
		{"disable_trace", 1, 2, false}, {"trace", 2, 3, false}, {"caller", 0, 0, false},
		{"caller_line", 0, 0, false}, {"silent", 1, 1, false},
	} {
		m[term.Intern(f.name)] = &f
	}
	return m
}

// callForms are the forms that concern a call.
var callForms = map[string]bool{"return_trace": true, "exception_trace": true, "caller": true, "caller_line": true}

func (c *compiler) traceForm(t term.Term, f *traceForm) bool {
	n := t.Arity() - 1
	switch {
	case c.o.Dialect == Table, c.o.NoOps && f.name != "message" && f.name != "display",
		(c.o.NoCall || c.o.NoOps) && callForms[f.name]:
		return c.fail("Special form '%s' used in wrong dialect.", f.name)
	case c.isGuard && !f.guard:
		return c.fail("Special form '%s' called in guard context.", f.name)
	case n < f.min || n > f.max:
		if f.max == 0 {
			return c.fail("Special form '%s' called with arguments in %v.", f.name, t)
		}
		return c.fail("Special form '%s' called with wrong number of arguments in %v.", f.name, t)
	}
	if !c.args(t) {
		return false
	}
	if f.name == "message" {
		c.emit(eReturn, 0, term.None)
		c.emit(eConst, 0, term.True)
		return true
	}
	c.code = append(c.code, exprInstr{op: eTrace, arg: n, con: t.El(1)})
	return true
}

// traceCall runs a form of tracing; its arguments are the top of the stack.
func (m *Machine) traceCall(name term.Term, args []term.Term) term.Term {
	if m.Trace != nil {
		return m.Trace(name, args)
	}
	switch name.Atom().String() {
	case "return_trace":
		m.ReturnTrace = true
	case "exception_trace":
		m.ExceptionTrace = true
	case "is_seq_trace":
		return term.False
	case "get_seq_token":
		return term.Nil
	case "caller", "caller_line":
		return term.AmUndefined
	}
	return term.True
}
