package bif

import (
	"sort"

	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Drivers of C cannot be loaded; the linked-in ones are all there are.

var erlDdllRows = []native.Row{
	{Module: "erl_ddll", Name: "loaded_drivers", Arity: 0, Fn: ddllLoaded},
	{Module: "erl_ddll", Name: "try_load", Arity: 3, Fn: ddllTryLoad},
	{Module: "erl_ddll", Name: "try_unload", Arity: 2, Fn: ddllTryUnload},
	{Module: "erl_ddll", Name: "info", Arity: 2, Fn: ddllInfo},
	{Module: "erl_ddll", Name: "format_error_int", Arity: 1, Fn: ddllFormatError},
	{Module: "erl_ddll", Name: "monitor", Arity: 2, Fn: ddllMonitor},
	{Module: "erl_ddll", Name: "demonitor", Arity: 1, Fn: ddllDemonitor},
}

func ddllLoaded(c *native.Call) term.Term {
	names := port.Drivers()
	sort.Strings(names)
	h := &c.P.Heap
	l := term.Nil
	for i := len(names) - 1; i >= 0; i-- {
		l = h.Cons(h.Latin1([]byte(names[i])), l)
	}
	return c.Ok(l)
}

func linkedIn(name string) bool {
	return name == "fd" || name == "spawn" || port.FindDriver(name) != nil
}

func ddllTryLoad(c *native.Call) term.Term {
	if _, ok := anyName(c.Arg(0)); !ok {
		return c.Badarg()
	}
	name, ok := anyName(c.Arg(1))
	if !ok || !properList(c.Arg(2)) {
		return c.Badarg()
	}
	if linkedIn(name) {
		return c.ErrorTuple(term.Intern("linked_in_driver"))
	}
	return c.ErrorTuple(c.P.Heap.Tuple(term.Intern("open_error"), term.Small(ddllNoDynamic)))
}

func properList(l term.Term) bool {
	for l.IsList() {
		l = l.Tail()
	}
	return l.IsNil()
}

// ddllNoDynamic is the error number of what try_load/3 refuses.
const ddllNoDynamic = -10

func ddllTryUnload(c *native.Call) term.Term {
	name, ok := anyName(c.Arg(0))
	if !ok || !properList(c.Arg(1)) {
		return c.Badarg()
	}
	if linkedIn(name) {
		return c.ErrorTuple(term.Intern("linked_in_driver"))
	}
	return c.ErrorTuple(term.Intern("not_loaded"))
}

func ddllInfo(c *native.Call) term.Term {
	name, ok := anyName(c.Arg(0))
	if !ok || !linkedIn(name) {
		return c.Badarg()
	}
	switch c.Arg(1) {
	case term.Intern("linked_in_driver"):
		return term.True
	case term.Intern("permanent"):
		return term.False
	case term.Intern("processes"), term.Intern("driver_options"), term.Intern("port_count"),
		term.Intern("awaiting_load"), term.Intern("awaiting_unload"):
		return term.Intern("linked_in_driver")
	}
	return c.Badarg()
}

var ddllErrors = map[string]string{
	"inconsistent":               "Driver name and/or driver options are inconsistent with currently loaded driver",
	"permanent":                  "Driver is statically linked and cannot be loaded/unloaded",
	"not_loaded":                 "Driver is not loaded",
	"pending_reload":             "Driver reloading is already pending",
	"pending_process":            "Driver is being used by other processes",
	"linked_in_driver":           "Driver is statically linked and cannot be loaded/unloaded",
	"not_loaded_by_this_process": "Driver is not loaded by this process",
	"bad_driver_name":            "Bad driver name",
}

func ddllFormatError(c *native.Call) term.Term {
	r := c.Arg(0)
	if r.IsAtom() {
		if s, ok := ddllErrors[r.Atom().String()]; ok {
			return c.P.Heap.Latin1([]byte(s))
		}
		return c.P.Heap.Latin1([]byte("Unspecified error"))
	}
	if r.IsTuple() && r.Arity() == 2 && r.El(1) == term.Intern("open_error") {
		return c.P.Heap.Latin1([]byte("dynamically loaded drivers are not supported"))
	}
	return c.P.Heap.Latin1([]byte("Unspecified error"))
}

// ddllMonitor reports at once: a driver is loaded for good, or will never be.
func ddllMonitor(c *native.Call) term.Term {
	tag, what := c.Arg(0), c.Arg(1)
	if tag != term.Intern("driver") || !what.IsTuple() || what.Arity() != 2 {
		return c.Badarg()
	}
	name, ok := anyName(what.El(1))
	if !ok {
		return c.Badarg()
	}
	h := &c.P.Heap
	ref := proc.NewRef(h, c.Ctx)
	if w := what.El(2); w != term.Intern("loaded") && w != term.Intern("unloaded") && w != term.Intern("unloaded_only") {
		return c.Badarg()
	}
	msg := h.Tuple(term.AmDOWN, ref, tag, what.El(1), term.Intern("unloaded"))
	if linkedIn(name) {
		msg = h.Tuple(term.Intern("UP"), ref, tag, what.El(1), term.Intern("permanent"))
	}
	proc.SendTerm(term.None, c.P.ID, msg)
	return ref
}

func ddllDemonitor(c *native.Call) term.Term {
	if !c.Arg(0).IsRef() {
		return c.Badarg()
	}
	return term.True
}
