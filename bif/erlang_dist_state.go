package bif

import (
	"github.com/beamrd/beamrd/vm/dist"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// What OTP's test suites ask of distribution.

// nodeReferences shows the tables of nodes. Entries are not counted, since they
// stay for the life of this node: only its own, which nothing need refer to, is
// listed.
func nodeReferences(c *native.Call, _ term.Term) term.Term {
	h := &c.P.Heap
	this, zero := node0(c), term.Small(0)
	creation := term.Small(int64(term.ThisNode().Creation))
	return h.Tuple(
		h.Tuple(term.Intern("node_references"), h.List(h.Tuple(h.Tuple(this, creation), zero, term.Nil))),
		h.Tuple(term.Intern("dist_references"), h.List(h.Tuple(this, zero, term.Nil))))
}

// stateDistCtrl returns what carries the connection to a node.
func stateDistCtrl(c *native.Call, name term.Term) term.Term {
	for _, n := range dist.Nodes() {
		if n.Name == name && n.Ctrl != term.None {
			return n.Ctrl
		}
	}
	return term.AmUndefined
}

// stateConnectionID returns the number of a node's last connection.
func stateConnectionID(c *native.Call, name term.Term) term.Term {
	if !name.IsAtom() {
		return c.Badarg()
	}
	id, ok := dist.LastID(name.Atom())
	if !ok {
		return c.Badarg()
	}
	return term.Small(int64(id))
}
