package bif

import (
	"github.com/beamrd/beamrd/internal/wire"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/dist"
	"github.com/beamrd/beamrd/vm/etf"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangDistRows = []native.Row{
	{Module: "erlang", Name: "nodes", Arity: 0, Fn: nodes0},
	{Module: "erlang", Name: "nodes", Arity: 1, Fn: nodes1},
	{Module: "erlang", Name: "nodes", Arity: 2, Fn: nodes2},
	{Module: "erlang", Name: "monitor_node", Arity: 2, Fn: monitorNode2},
	{Module: "erlang", Name: "monitor_node", Arity: 3, Fn: monitorNode3},
	{Module: "erlang", Name: "setnode", Arity: 2, Fn: setnode2},
	{Module: "net_kernel", Name: "dflag_unicode_io", Arity: 1, Fn: dflagUnicodeIO},
	{Module: "erts_internal", Name: "get_creation", Arity: 0, Fn: getCreation},
	{Module: "erts_internal", Name: "get_dflags", Arity: 0, Fn: getDflags},
	{Module: "erts_internal", Name: "new_connection", Arity: 1, Fn: newConnection},
	{Module: "erts_internal", Name: "abort_pending_connection", Arity: 2, Fn: abortPendingConnection},
	{Module: "erts_internal", Name: "create_dist_channel", Arity: 3, Fn: createDistChannel},
	{Module: "erts_internal", Name: "dist_spawn_request", Arity: 4, Fn: distSpawnRequest},
}

var (
	amConnectionID        = term.Intern("connection_id")
	amNodeType            = term.Intern("node_type")
	amAllowPassiveConnect = term.Intern("allow_passive_connect")
	amNotalive            = term.Intern("notalive")
	amErtsDflags          = term.Intern("erts_dflags")
	amSpawnRequest        = term.Intern("spawn_request")
	amDmonitorNode        = term.Intern("dmonitor_node")
	amThis                = term.Intern("this")
)

func setDistHooks() {
	proc.Dist = dist.Ops{}
	proc.SendRemote = dist.SendRemote
	proc.Connected = dist.Connected
	proc.Busy = dist.Busy
	proc.ExitHooks = append(proc.ExitHooks, dist.Exiting)
	etf.LocalRef = proc.AliasRef
	etf.NameAlias = proc.NameAlias
	dist.NodesChanged = nodesChanged
	dist.SpawnOptions = func(l term.Term) (proc.SpawnOpts, bool, bool) {
		s := parseSpawnOpts(l, false)
		return s.o, s.bad == amBadoptSpawn, s.bad != term.AmBadarg
	}
	dist.BusyPort = func(pid, ctrl term.Term) {
		SystemMonitor.Lock()
		to, on := SystemMonitor.Pid, SystemMonitor.BusyDistPort
		SystemMonitor.Unlock()
		if on && to != term.None && to != pid {
			var h heap.Heap
			proc.SendBuilt(term.None, to, h.Tuple(term.Intern("monitor"), pid, term.Intern("busy_dist_port"), ctrl), &h)
		}
	}
}

// nodeKind is a set of what nodes/1 can list.
type nodeKind uint8

const (
	kindVisible nodeKind = 1 << iota
	kindHidden
	kindKnown
	kindThis
)

var nodeKinds = map[term.Term]nodeKind{
	term.Intern("visible"):   kindVisible,
	term.Intern("hidden"):    kindHidden,
	term.Intern("known"):     kindVisible | kindHidden | kindKnown | kindThis,
	term.Intern("this"):      kindThis,
	term.Intern("connected"): kindVisible | kindHidden,
}

func nodeKindsOf(t term.Term) (k nodeKind, ok bool) {
	if t.IsAtom() {
		k, ok = nodeKinds[t]
		return k, ok
	}
	for ; t.IsList(); t = t.Tail() {
		one, ok := nodeKinds[t.Head()]
		if !ok {
			return 0, false
		}
		k |= one
	}
	return k, t.IsNil()
}

// nodeList lists nodes of kinds, in the order of ERTS's answer reversed.
func nodeList(c *native.Call, k nodeKind) (r []dist.Info) {
	if k&kindThis != 0 {
		r = append(r, dist.Info{Name: node0(c), Type: amThis, ConnID: -1})
	}
	others := dist.Nodes()
	for _, want := range []struct {
		kind nodeKind
		typ  term.Term
	}{{kindVisible, term.Intern("visible")}, {kindHidden, term.Intern("hidden")}, {kindKnown, term.Intern("known")}} {
		for _, n := range others {
			if k&want.kind != 0 && n.Type == want.typ {
				r = append(r, n)
			}
		}
	}
	return r
}

func nodeNames(c *native.Call, k nodeKind) term.Term {
	l := term.Nil
	for _, n := range nodeList(c, k) {
		l = c.P.Heap.Cons(n.Name, l)
	}
	return l
}

func nodes0(c *native.Call) term.Term { return nodeNames(c, kindVisible) }

func nodes1(c *native.Call) term.Term {
	k, ok := nodeKindsOf(c.Arg(0))
	if !ok {
		return c.Badarg()
	}
	return nodeNames(c, k)
}

// nodes2 is nodes/1 with information: pairs of name and a map.
func nodes2(c *native.Call) term.Term {
	k, ok := nodeKindsOf(c.Arg(0))
	opts := c.Arg(1)
	if !ok || !opts.IsMap() {
		return c.Badarg()
	}
	wantID, wantType := false, false
	maps.Each(opts, func(k, v term.Term) bool {
		switch {
		case k == amConnectionID && v.IsBool():
			wantID = v == term.True
		case k == amNodeType && v.IsBool():
			wantType = v == term.True
		default:
			ok = false
		}
		return ok
	})
	if !ok {
		return c.Badarg()
	}
	h := &c.P.Heap
	l := term.Nil
	for _, n := range nodeList(c, k) {
		var kvs []term.Term
		if wantID {
			id := term.AmUndefined
			if n.ConnID >= 0 {
				id = term.Small(n.ConnID)
			}
			kvs = append(kvs, amConnectionID, id)
		}
		if wantType {
			kvs = append(kvs, amNodeType, n.Type)
		}
		m, _ := maps.FromPairs(h, kvs)
		l = h.Cons(h.Tuple(n.Name, m), l)
	}
	return l
}

func monitorNode2(c *native.Call) term.Term { return monitorNode(c, term.Nil, true) }

func monitorNode3(c *native.Call) term.Term {
	connect := true
	l := c.Arg(2)
	for ; l.IsList(); l = l.Tail() {
		if l.Head() != amAllowPassiveConnect {
			return c.BadargCause(amBadoptSpawn)
		}
		connect = false
	}
	if !l.IsNil() {
		return c.BadargCause(amBadoptSpawn)
	}
	return monitorNode(c, c.Arg(2), connect)
}

// monitorNode counts the monitors of a node. connect: a connection is asked for
// without waiting; else Erlang code sees to it first.
func monitorNode(c *native.Call, opts term.Term, connect bool) term.Term {
	n, on := c.Arg(0), c.Arg(1)
	this := node0(c)
	switch {
	case !n.IsAtom():
		return c.Badarg()
	case n != term.AmNonodeNohost && !nodeAlive(c):
		return c.Error(amNotalive)
	case !on.IsBool():
		return c.Badarg()
	case on == term.False:
		dist.DemonitorNode(c.P, n)
	case n != this && !dist.MonitorNode(c.P, n, connect):
		return c.Trap(code.GetExport(term.Intern("erlang"), amDmonitorNode, 3), n, on, opts)
	}
	return term.True
}

var amDynamicNodeName = term.Intern("dynamic_node_name")

// nodeAlive tells whether this node has a name, or gets one with its first
// connection.
func nodeAlive(c *native.Call) bool {
	if node0(c) != term.AmNonodeNohost {
		return true
	}
	v := persistentLookup(c.P.Heap.Tuple(amErtsInternal, amDynamicNodeName))
	return v != term.None && v != term.False
}

// isNodeName tells whether an atom is NAME@HOST.
func isNodeName(t term.Term) bool {
	if !t.IsAtom() {
		return false
	}
	s := t.Atom().String()
	at := 0
	for i, r := range s {
		switch {
		case r == '@':
			if at != 0 || i == 0 {
				return false
			}
			at = i
		case at == 0 && !(r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'):
			return false
		}
	}
	return at > 0 && at+1 < len(s)
}

func setnode2(c *native.Call) term.Term {
	creation, ok := uint32Arg(c.Arg(1))
	if !ok || !isNodeName(c.Arg(0)) || c.Arg(0) == term.AmNonodeNohost || !dist.SetNode(c.Arg(0), creation) {
		return c.Badarg()
	}
	return term.True
}

// dflagUnicodeIO tells whether a process's node takes Unicode in the I/O
// protocol.
func dflagUnicodeIO(c *native.Call) term.Term {
	switch pid := c.Arg(0); {
	case pid.IsInternalPid():
		return term.True
	case pid.Is(term.KExtPid):
		return term.Bool(dist.Flags(pid)&wire.FlagUnicodeIO != 0)
	}
	return c.Badarg()
}

func getCreation(*native.Call) term.Term {
	if cr := term.ThisNode().Creation; cr != 0 {
		return term.Small(int64(cr))
	}
	return term.AmUndefined
}

func getDflags(c *native.Call) term.Term {
	f := func(v int64) term.Term { return term.Small(v) }
	return c.P.Heap.Tuple(amErtsDflags, f(dist.FlagsDefault), f(dist.FlagsMandatory), f(dist.FlagsAddable),
		f(dist.FlagsRejectable), f(dist.FlagsStrictOrder))
}

func newConnection(c *native.Call) term.Term {
	name := c.Arg(0)
	if !isNodeName(name) || name == node0(c) {
		return c.Badarg()
	}
	n := dist.Find(name.Atom())
	return n.Handle(&c.P.Heap, n.NewConnection())
}

func abortPendingConnection(c *native.Call) term.Term {
	n, id := dist.FromHandle(c.Arg(1))
	if n == nil || !c.Arg(0).IsAtom() || n.Name != c.Arg(0).Atom() || c.Arg(0) == node0(c) {
		return c.Badarg()
	}
	return term.Bool(n.Abort(id))
}

func createDistChannel(c *native.Call) term.Term {
	name, ctrl, opts := c.Arg(0), c.Arg(1), c.Arg(2)
	if !isNodeName(name) || !ctrl.IsInternalPid() && !ctrl.IsInternalPort() || !opts.IsTuple() || opts.Arity() != 2 ||
		name == node0(c) || dist.Kernel() == term.None {
		return term.AmBadarg
	}
	flags := opts.El(1)
	creation, ok := uint32Arg(opts.El(2))
	if !ok || !flags.IsSmall() || flags.Small() < 0 || ^flags.Small()&dist.FlagsMandatory != 0 {
		return term.AmBadarg
	}
	n := dist.Find(name.Atom())
	id, r := n.Up(ctrl, uint64(flags.Small()), creation, c.P.ID)
	switch r {
	case dist.UpWait:
		return c.YieldWith(name, ctrl, opts)
	case dist.UpBadarg:
		return term.AmBadarg
	}
	return c.Ok(n.Handle(&c.P.Heap, id))
}

func distCtrls(c *native.Call) term.Term {
	l := term.Nil
	for _, n := range dist.Nodes() {
		if n.Ctrl != term.None {
			l = c.P.Heap.Cons(c.P.Heap.Tuple(n.Name, n.Ctrl), l)
		}
	}
	return l
}

// distSpawnRequest asks another node for a process: Node, {M,F,A}, Opts, and
// spawn_request or spawn_opt, which say what to answer.
func distSpawnRequest(c *native.Call) term.Term {
	node, mfa := c.Arg(0), c.Arg(1)
	request := c.Arg(3) == amSpawnRequest
	if !node.IsAtom() || node == node0(c) || !mfa.IsTuple() || mfa.Arity() != 3 || !mfa.El(1).IsAtom() || !mfa.El(2).IsAtom() {
		return term.AmBadarg
	}
	n, l := 0, mfa.El(3)
	for ; l.IsList(); l = l.Tail() {
		n++
	}
	if !l.IsNil() {
		return term.AmBadarg
	}
	o := distSpawnOpts{tag: term.AmSpawnReply, mon: proc.MonitorOpts{AliasMode: term.None, Tag: term.None}}
	if !o.parse(c.Arg(2), request) {
		return term.AmBadarg
	}
	h := &c.P.Heap
	if o.bad {
		ref := proc.NewRef(h, c.Ctx)
		if o.flags&proc.SpawnNoError == 0 {
			c.P.SelfMessage(h.Tuple(o.tag, ref, term.AmError, amBadoptSpawn))
		}
		return ref
	}
	ref := c.P.PendingSpawn(&o.mon, o.tag, o.flags)
	m := h.Tuple(mfa.El(1), mfa.El(2), term.Small(int64(n)))
	c.Bump(20 + n)
	if !dist.SpawnRequest(c.P, node, ref, m, mfa.El(3), h.List(o.rest...)) {
		c.P.DropSpawn(ref)
		if o.flags&proc.SpawnNoError == 0 {
			c.P.SelfMessage(h.Tuple(o.tag, ref, term.AmError, term.AmNoconnection))
		}
	}
	if request {
		return ref
	}
	return h.Tuple(ref, term.Bool(o.flags&proc.SpawnMonitor != 0))
}

// distSpawnOpts are the options of a spawn on another node, which checks most of
// them.
type distSpawnOpts struct {
	tag   term.Term
	mon   proc.MonitorOpts
	flags int
	rest  []term.Term // what is for the other node
	bad   bool
}

// parse reads the options; false is badarg.
func (o *distSpawnOpts) parse(l term.Term, request bool) bool {
	for ; l.IsList(); l = l.Tail() {
		t := l.Head()
		switch {
		case t == term.AmLink:
			o.flags |= proc.SpawnLink
		case t == term.AmMonitor:
			o.flags |= proc.SpawnMonitor
		case t.IsTuple() && t.Arity() == 2:
			forUs, ok := o.pair(t.El(1), t.El(2), request)
			if !ok && !request {
				return false
			}
			o.bad = o.bad || !ok
			if forUs {
				continue
			}
		}
		o.rest = append(o.rest, t)
	}
	return l.IsNil()
}

func (o *distSpawnOpts) pair(k, v term.Term, request bool) (forUs, ok bool) {
	switch k {
	case term.AmReplyTag:
		o.tag = v
		return true, request
	case term.AmReply:
		o.flags &^= proc.SpawnNoError | proc.SpawnNoSuccess
		switch v {
		case amErrorOnly:
			o.flags |= proc.SpawnNoSuccess
		case amSuccessOnly:
			o.flags |= proc.SpawnNoError
		case amNo:
			o.flags |= proc.SpawnNoError | proc.SpawnNoSuccess
		case amYes:
		default:
			return true, false
		}
		return true, request
	case term.AmMonitor:
		m, ok := parseMonitorOpts(v)
		if !ok {
			return true, false
		}
		o.mon = m
		if o.flags&proc.SpawnMonitor == 0 {
			o.rest = append(o.rest, term.AmMonitor)
		}
		o.flags |= proc.SpawnMonitor
		return true, true
	}
	return false, true
}
