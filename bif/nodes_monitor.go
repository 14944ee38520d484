package bif

import (
	"sync"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// NodesMonitor is a subscription to nodeup and nodedown messages.
type NodesMonitor struct {
	Pid  term.Term
	Opts NodesOpts
	N    int // how often it was asked for: so many messages are sent
}

// NodesOpts are the options of a subscription.
type NodesOpts struct {
	Visible, Hidden bool // neither: visible nodes, and messages without information
	Reason, InfoMap bool
	ConnID          bool
}

var nodesMonitors struct {
	sync.Mutex
	m map[term.Term]map[NodesOpts]*NodesMonitor
}

// NodesMonitors returns the subscriptions.
func NodesMonitors() (r []NodesMonitor) {
	nodesMonitors.Lock()
	defer nodesMonitors.Unlock()
	for _, byOpts := range nodesMonitors.m {
		for _, m := range byOpts {
			r = append(r, *m)
		}
	}
	return r
}

// nodesOpts reads the options: [] or a map.
func nodesOpts(t term.Term) (o NodesOpts, ok bool) {
	if t.IsNil() {
		return o, true
	}
	if !t.IsMap() {
		return o, false
	}
	o.InfoMap, ok = true, true
	maps.Each(t, func(k, v term.Term) bool {
		switch k {
		case term.Intern("list"):
			o.InfoMap = false
			ok = v == term.True
		case term.Intern("connection_id"):
			o.ConnID = v == term.True
			ok = v.IsBool()
		case term.Intern("nodedown_reason"):
			o.Reason = v == term.True
			ok = v.IsBool()
		case term.Intern("node_type"):
			o.Visible = v == term.Intern("visible") || v == term.Intern("all")
			o.Hidden = v == term.Intern("hidden") || v == term.Intern("all")
			ok = o.Visible || o.Hidden
		default:
			ok = false
		}
		return ok
	})
	return o, ok
}

// setNodesMonitor is process_flag(monitor_nodes, On): it returns how often the
// subscription was there before.
func setNodesMonitor(c *native.Call, on, opts term.Term) term.Term {
	o, ok := nodesOpts(opts)
	if !ok || !on.IsBool() {
		return c.Badarg()
	}
	pid := c.P.ID
	nodesMonitors.Lock()
	defer nodesMonitors.Unlock()
	if nodesMonitors.m == nil {
		nodesMonitors.m = map[term.Term]map[NodesOpts]*NodesMonitor{}
	}
	byOpts := nodesMonitors.m[pid]
	old := 0
	if m := byOpts[o]; m != nil {
		old = m.N
	}
	if on == term.False {
		delete(byOpts, o)
		return term.Small(int64(old))
	}
	if byOpts == nil {
		byOpts = map[NodesOpts]*NodesMonitor{}
		nodesMonitors.m[pid] = byOpts
		proc.OnExit(c.P, func() {
			nodesMonitors.Lock()
			delete(nodesMonitors.m, pid)
			nodesMonitors.Unlock()
		})
	}
	byOpts[o] = &NodesMonitor{pid, o, old + 1}
	return term.Small(int64(old))
}

// SetNodeHooks connects what processes ask of the node.
func SetNodeHooks() {
	MonitorNodes = setNodesMonitor
	setDistHooks()
}

// nodesChanged tells the subscribers that a node came or went. id is the
// connection's, or -1.
func nodesChanged(up bool, node term.Term, id int64, kind, reason term.Term) {
	for _, m := range NodesMonitors() {
		o := m.Opts
		plain := o == NodesOpts{}
		hidden := kind == term.Intern("hidden")
		if hidden && !o.Hidden || !hidden && !o.Visible && o.Hidden {
			continue
		}
		for range m.N {
			var h heap.Heap
			what := term.Intern("nodedown")
			if up {
				what = term.Intern("nodeup")
			}
			var msg term.Term
			if plain {
				msg = h.Tuple(what, node)
			} else {
				msg = h.Tuple(what, node, nodeInfo(&h, &o, up, id, kind, reason))
			}
			proc.SendBuilt(term.None, m.Pid, msg, &h)
		}
	}
}

func nodeInfo(h *heap.Heap, o *NodesOpts, up bool, id int64, kind, reason term.Term) term.Term {
	conn := term.AmUndefined
	if id >= 0 {
		conn = term.Small(id)
	}
	var kvs []term.Term
	if o.ConnID {
		kvs = append(kvs, term.Intern("connection_id"), conn)
	}
	if o.Visible || o.Hidden {
		kvs = append(kvs, term.Intern("node_type"), kind)
	}
	if o.Reason && !up {
		kvs = append(kvs, term.Intern("nodedown_reason"), heap.CopyTo(h, reason))
	}
	if o.InfoMap {
		m, _ := maps.FromPairs(h, kvs)
		return m
	}
	// As ERTS orders it: the identity, the reason, the type.
	l := term.Nil
	for _, k := range []string{"node_type", "nodedown_reason", "connection_id"} {
		for i := 0; i < len(kvs); i += 2 {
			if kvs[i] == term.Intern(k) {
				l = h.Cons(h.Tuple(kvs[i], kvs[i+1]), l)
			}
		}
	}
	return l
}
