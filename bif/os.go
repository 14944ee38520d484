package bif

import (
	"os"
	"strings"
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/matchspec"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var osRows = []native.Row{
	{Module: "os", Name: "getenv", Arity: 1, Fn: osGetenv},
	{Module: "os", Name: "env", Arity: 0, Fn: osEnv},
	{Module: "os", Name: "putenv", Arity: 2, Fn: osPutenv},
	{Module: "os", Name: "unsetenv", Arity: 1, Fn: osUnsetenv},
	{Module: "os", Name: "getpid", Arity: 0, Fn: osGetpid},
	{Module: "os", Name: "set_signal", Arity: 2, Fn: osSetSignal},
}

func envTerm(h *heap.Heap, s string) term.Term {
	if t, ok := decodedName(h, []byte(s)); ok {
		return t
	}
	return h.Latin1([]byte(s))
}

// emptyEnv is the value of the variable whose name is empty, which the system's
// functions do not take.
var emptyEnv atomic.Pointer[string]

// envArg reads the name of a variable, a string without '=', or a value.
func envArg(t term.Term, name bool) (string, bool) {
	if !t.IsList() && !t.IsNil() {
		return "", false
	}
	s, ok := envText(t)
	return s, ok && !(name && strings.Contains(s, "="))
}

func osGetenv(c *native.Call) term.Term {
	k, ok := envArg(c.Arg(0), true)
	if !ok {
		return c.Badarg()
	}
	v, ok := os.LookupEnv(k)
	if p := emptyEnv.Load(); k == "" && p != nil {
		v, ok = *p, true
	}
	if !ok {
		return term.False
	}
	return envTerm(&c.P.Heap, v)
}

// osEnv lists the environment as pairs of strings.
func osEnv(c *native.Call) term.Term {
	h := &c.P.Heap
	l := term.Nil
	if p := emptyEnv.Load(); p != nil {
		l = h.Cons(h.Tuple(term.Nil, envTerm(h, *p)), l)
	}
	for _, kv := range os.Environ() {
		if k, v, ok := strings.Cut(kv, "="); ok && k != "" {
			l = h.Cons(h.Tuple(envTerm(h, k), envTerm(h, v)), l)
		}
	}
	return l
}

func osPutenv(c *native.Call) term.Term {
	k, ok1 := envArg(c.Arg(0), true)
	v, ok2 := envArg(c.Arg(1), false)
	switch {
	case !ok1 || !ok2:
		return c.Badarg()
	case k == "":
		emptyEnv.Store(&v)
	case os.Setenv(k, v) != nil:
		return c.Badarg()
	}
	return term.True
}

func osUnsetenv(c *native.Call) term.Term {
	k, ok := envArg(c.Arg(0), true)
	switch {
	case !ok:
		return c.Badarg()
	case k == "":
		emptyEnv.Store(nil)
	case os.Unsetenv(k) != nil:
		return c.Badarg()
	}
	return term.True
}

func osGetpid(c *native.Call) term.Term {
	return c.P.Heap.Latin1([]byte(itoa(os.Getpid())))
}

// SetSignal changes what a signal does; set by the node. how is handle, ignore
// or default; false is for a signal it does not know.
var SetSignal func(name, how string) bool

func osSetSignal(c *native.Call) term.Term {
	n, how := c.Arg(0), c.Arg(1)
	if how != term.Intern("ignore") && how != term.Intern("default") && how != term.Intern("handle") {
		return c.BadargCause(amBadopt)
	}
	if !n.IsAtom() || SetSignal == nil || !SetSignal(n.Atom().String(), how.Atom().String()) {
		return c.Badarg()
	}
	return term.AmOk
}

// TraceControlWord is the value of system_flag(trace_control_word, _).
var TraceControlWord = &matchspec.ControlWord

// SystemVersion is the text of system_info(system_version).
func SystemVersion() string { return systemVersion() }
