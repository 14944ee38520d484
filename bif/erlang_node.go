package bif

import (
	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// What a node answers while it is not distributed.

var erlangNodeRows = []native.Row{
	{Module: "erlang", Name: "node", Arity: 0, Fn: node0, Flags: native.Guard},
	{Module: "erlang", Name: "node", Arity: 1, Fn: node1, Flags: native.Guard},
	{Module: "erlang", Name: "nodes", Arity: 0, Fn: nodes0},
	{Module: "erlang", Name: "nodes", Arity: 1, Fn: nodes1},
	{Module: "erlang", Name: "nodes", Arity: 2, Fn: nodes2},
	{Module: "erlang", Name: "monitor_node", Arity: 2, Fn: monitorNode2},
	{Module: "erlang", Name: "monitor_node", Arity: 3, Fn: monitorNode3},
	{Module: "net_kernel", Name: "dflag_unicode_io", Arity: 1, Fn: dflagUnicodeIO},
	{Module: "erts_internal", Name: "get_creation", Arity: 0, Fn: getCreation},
	{Module: "erl_tracer", Name: "enabled", Arity: 3, Fn: noTracer, Flags: native.NIF},
	{Module: "erl_tracer", Name: "trace", Arity: 5, Fn: noTracer, Flags: native.NIF},
	{Module: "error_logger", Name: "warning_map", Arity: 0, Fn: warningMap},
	{Module: "io", Name: "printable_range", Arity: 0, Fn: printableRange},
}

func node0(c *native.Call) term.Term { return term.Atom(term.ThisNode().Name) }

func node1(c *native.Call) term.Term {
	t := c.Arg(0)
	switch {
	case t.IsInternalPid(), t.IsInternalPort(), t.Is(term.KRef):
		return node0(c)
	case t.Is(term.KExtPid), t.Is(term.KExtPort), t.Is(term.KExtRef):
		return term.Atom(term.NodeAt(int(t.W(1))).Name)
	}
	return c.Badarg()
}

func nodes0(*native.Call) term.Term { return term.Nil }

var nodeKinds = map[term.Term]bool{term.Intern("visible"): true, term.Intern("hidden"): true, term.Intern("connected"): true, term.Intern("this"): true, term.Intern("known"): true}

// nodeList answers nodes/1: of the kinds this node is `this` and `known`.
func nodeList(c *native.Call, kinds term.Term) (term.Term, bool) {
	this := false
	ask := func(k term.Term) bool {
		this = this || k == term.Intern("this") || k == term.Intern("known")
		return nodeKinds[k]
	}
	if kinds.IsAtom() {
		if !ask(kinds) {
			return term.None, false
		}
	} else {
		for ; kinds.IsList(); kinds = kinds.Tail() {
			if !ask(kinds.Head()) {
				return term.None, false
			}
		}
		if !kinds.IsNil() {
			return term.None, false
		}
	}
	if this {
		return c.P.Heap.List(node0(c)), true
	}
	return term.Nil, true
}

func nodes1(c *native.Call) term.Term {
	l, ok := nodeList(c, c.Arg(0))
	if !ok {
		return c.Badarg()
	}
	return l
}

// nodes2 is nodes/1 with information: pairs of name and a map.
func nodes2(c *native.Call) term.Term {
	l, ok := nodeList(c, c.Arg(0))
	opts := c.Arg(1)
	if !ok || !opts.IsMap() {
		return c.Badarg()
	}
	ct, nt := term.Intern("connection_id"), term.Intern("node_type")
	wantID, wantType := false, false
	good := true
	eachPair(opts, func(k, v term.Term) bool {
		switch {
		case k == ct && v.IsBool():
			wantID = v == term.True
		case k == nt && v.IsBool():
			wantType = v == term.True
		default:
			good = false
		}
		return good
	})
	if !good {
		return c.Badarg()
	}
	if l.IsNil() {
		return l
	}
	var kvs []term.Term
	if wantID {
		kvs = append(kvs, ct, term.AmUndefined)
	}
	if wantType {
		kvs = append(kvs, nt, term.Intern("this"))
	}
	h := &c.P.Heap
	return h.List(h.Tuple(node0(c), flatMap(h, kvs...)))
}

func monitorNode2(c *native.Call) term.Term { return monitorNode(c) }

func monitorNode3(c *native.Call) term.Term {
	l := c.Arg(2)
	for ; l.IsList(); l = l.Tail() {
		if l.Head() != term.Intern("allow_passive_connect") {
			return c.Badarg()
		}
	}
	if !l.IsNil() {
		return c.Badarg()
	}
	return monitorNode(c)
}

// monitorNode on a node that is not alive: monitoring any node but itself is
// notalive.
func monitorNode(c *native.Call) term.Term {
	n, on := c.Arg(0), c.Arg(1)
	if !n.IsAtom() || !on.IsBool() {
		return c.Badarg()
	}
	if n == node0(c) {
		return term.True
	}
	return c.Error(term.Intern("notalive"))
}

// dflagUnicodeIO tells whether a process's node takes Unicode in the I/O
// protocol: this one does.
func dflagUnicodeIO(c *native.Call) term.Term {
	if !c.Arg(0).IsPid() {
		return c.Badarg()
	}
	return term.True
}

func getCreation(c *native.Call) term.Term {
	return term.Small(int64(term.ThisNode().Creation))
}

// noTracer stands for the default tracer module until there is tracing.
func noTracer(c *native.Call) term.Term { return c.Error(term.AmUndef) }

func warningMap(*native.Call) term.Term { return term.Intern(sysconf.C.WarnMap) }

func printableRange(*native.Call) term.Term {
	if sysconf.C.PrintUnicode {
		return term.Intern("unicode")
	}
	return amLatin1
}
