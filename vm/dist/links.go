package dist

import "github.com/beamrd/beamrd/vm/term"

// Link is a connection, or the attempt at one, for people who watch the node.
type Link struct {
	Name    term.Term // of the other node
	Up      bool      // false: it is being made
	Ctrl    term.Term // the port or process that carries it, or None
	Queued  int       // bytes that wait to be sent
	In, Out uint64    // packets
}

// Links lists the connections to other nodes.
func Links() []Link {
	var r []Link
	for _, n := range allNodes() {
		n.mu.Lock()
		if c := n.conn; c != nil && n.state != idle {
			r = append(r, Link{Name: term.Atom(n.Name), Up: n.state == connected, Ctrl: c.ctrl, Queued: c.qsize,
				In: c.in.Load(), Out: c.out.Load()})
		}
		n.mu.Unlock()
	}
	return r
}
