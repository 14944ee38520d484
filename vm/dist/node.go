package dist

import (
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

type state uint8

const (
	idle state = iota
	pending
	connected
)

// Node is another node that this one has heard of. There is one for a name, for
// as long as this node lives.
type Node struct {
	Name atom.Atom

	mu       sync.Mutex // guards what follows and the connection
	state    state
	id       uint32 // of the present or last connection
	conn     *conn  // nil when idle
	creation uint32 // of the node's incarnation when last connected
	ends     int    // connections whose end is being told
	bin      *heap.Bin
}

var nodes struct {
	sync.RWMutex
	m    map[atom.Atom]*Node
	list []*Node // oldest first
}

// Find returns the entry of a name, making it if need be.
func Find(name atom.Atom) *Node {
	nodes.RLock()
	n := nodes.m[name]
	nodes.RUnlock()
	if n != nil {
		return n
	}
	nodes.Lock()
	defer nodes.Unlock()
	if n = nodes.m[name]; n != nil {
		return n
	}
	if nodes.m == nil {
		nodes.m = map[atom.Atom]*Node{}
	}
	n = &Node{Name: name}
	n.bin = heap.NewMagic(n)
	nodes.m[name] = n
	nodes.list = append(nodes.list, n)
	return n
}

// lookup returns the entry of a name, or nil.
func lookup(name atom.Atom) *Node {
	nodes.RLock()
	defer nodes.RUnlock()
	return nodes.m[name]
}

// CreationOf returns the creation of a connected node; ok is false when there is
// no connection to it.
func CreationOf(name atom.Atom) (creation uint32, ok bool) {
	n := lookup(name)
	if n == nil {
		return 0, false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.creation, n.state == connected
}

func allNodes() []*Node {
	nodes.RLock()
	defer nodes.RUnlock()
	return append([]*Node(nil), nodes.list...)
}

// Info is what nodes/2 tells of a node.
type Info struct {
	Name   term.Term
	Type   term.Term // visible, hidden, or known when there is no connection
	ConnID int64     // -1: none
	Ctrl   term.Term // None when there is no connection
}

var (
	amVisible = term.Intern("visible")
	amHidden  = term.Intern("hidden")
	amKnown   = term.Intern("known")
)

// Nodes lists the other nodes, the newest first.
func Nodes() []Info {
	all := allNodes()
	r := make([]Info, 0, len(all))
	for i := len(all) - 1; i >= 0; i-- {
		n := all[i]
		if n.Name == term.ThisNode().Name {
			continue
		}
		n.mu.Lock()
		in := Info{Name: term.Atom(n.Name), Type: amKnown, ConnID: -1, Ctrl: term.None}
		if n.state == connected {
			in.Type, in.ConnID, in.Ctrl = n.conn.kind(), int64(n.id), n.conn.ctrl
		}
		n.mu.Unlock()
		r = append(r, in)
	}
	return r
}

// Handle builds {ConnectionId, Ref} of a connection.
func (n *Node) Handle(h *heap.Heap, id uint32) term.Term {
	n.bin.Ref()
	k := proc.NewRefKey(nil)
	r := h.Off.PutMagicRef(h.Alloc(1+term.MagicRefWords), k.A, k.B, n.bin)
	return h.Tuple(term.Small(int64(id)), r)
}

// FromHandle returns what a handle names, or nil.
func FromHandle(t term.Term) (n *Node, id uint32) {
	if !t.IsTuple() || t.Arity() != 2 || !t.El(1).IsSmall() || !t.El(2).IsMagicRef() {
		return nil, 0
	}
	n, _ = heap.MagicValue(heap.MagicBin(t.El(2))).(*Node)
	return n, uint32(t.El(1).Small())
}

// alive is set while this node has a name; kernel is its net_kernel then.
var (
	alive  atomic.Bool
	kernel atomic.Uint64
)

var (
	amNetKernel           = term.Intern("net_kernel")
	amAutoConnect         = term.Intern("auto_connect")
	amDistCtrlr           = term.Intern("dist_ctrlr")
	amNodeup              = term.Intern("nodeup")
	amNodedown            = term.Intern("nodedown")
	amConnectionClosed    = term.Intern("connection_closed")
	amNetKernelTerminated = term.Intern("net_kernel_terminated")
	amShutdown            = term.Intern("shutdown")
)

// Alive tells whether this node has a name.
func Alive() bool { return alive.Load() }

// NodesChanged is called when a node, this one included, comes or goes, for
// net_kernel:monitor_nodes. id is -1 for this node. The builtins set it.
var NodesChanged func(up bool, node term.Term, id int64, kind, reason term.Term)

func nodesChanged(up bool, node term.Term, id int64, kind, reason term.Term) {
	if NodesChanged != nil {
		NodesChanged(up, node, id, kind, reason)
	}
}

// SetNode gives this node its name; false: it has one, or there is no
// net_kernel.
func SetNode(name term.Term, creation uint32) bool {
	k := proc.Whereis(amNetKernel)
	if !k.IsInternalPid() || !alive.CompareAndSwap(false, true) {
		return false
	}
	kernel.Store(uint64(k))
	term.SetThisNode(term.NodeRef{Name: name.Atom(), Creation: creation})
	nodesChanged(true, name, -1, amVisible, term.Nil)
	return true
}

// Kernel returns net_kernel while the node has a name, else None.
func Kernel() term.Term {
	if !alive.Load() {
		return term.None
	}
	return term.Term(kernel.Load())
}

// Exiting is one of proc's ExitHooks: the end of net_kernel ends distribution,
// and the end of a process that carries a connection ends that.
func Exiting(p *proc.Process, reason term.Term) {
	if carriers.n.Load() > 0 {
		carriers.Lock()
		c := carriers.m[p.ID]
		delete(carriers.m, p.ID)
		carriers.n.Store(int64(len(carriers.m)))
		carriers.Unlock()
		if c != nil {
			if reason.IsTuple() && reason.Arity() == 2 && reason.El(1) == amShutdown {
				reason = reason.El(2)
			}
			c.down(reason)
		}
	}
	if alive.Load() && term.Term(kernel.Load()) == p.ID {
		kernel.Store(uint64(term.None))
		go stop()
	}
}

// carriers are the processes that carry connections.
var carriers struct {
	sync.Mutex
	n atomic.Int64
	m map[term.Term]*conn
}

// stop ends all connections, and then the node has no name any more.
func stop() {
	for _, n := range allNodes() {
		n.mu.Lock()
		c := n.conn
		n.mu.Unlock()
		if c != nil {
			c.kill(amNetKernelTerminated)
		}
	}
	for _, n := range allNodes() {
		n.mu.Lock()
		c := n.conn
		n.mu.Unlock()
		if c != nil {
			<-c.told
		}
	}
	this := term.Atom(term.ThisNode().Name)
	nodesChanged(false, this, -1, amVisible, amNetKernelTerminated)
	term.SetThisNode(term.NodeRef{Name: atom.NonodeNohost})
	alive.Store(false)
}
