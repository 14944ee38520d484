package node

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Tell sends {Tag, N} to a registered process of the node; false if there is
// none of that name.
func (n *Node) Tell(name, tag string, v int64) bool {
	if !n.Has(name) {
		return false
	}
	to := term.Intern(name)
	var h heap.Heap
	proc.SendBuilt(term.None, to, h.Tuple(term.Intern(tag), h.Int(v)), &h)
	return true
}

// Has tells whether a process of the node is registered under a name.
func (n *Node) Has(name string) bool { return proc.Whereis(term.Intern(name)) != term.None }

// Signal reports a signal of the system to erl_signal_server, as if the node
// had got it: "sigterm" stops it in an orderly way.
func (n *Node) Signal(name string) { notifySignalServer(name) }

// Exit ends the program at once, after what was asked for with AtExit.
func Exit(code int) {
	haltOnce.Lock() // kept for good
	exitNow(code)
}
