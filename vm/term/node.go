package term

import (
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/atom"
)

// NodeRef is a node incarnation that external terms refer to by index.
type NodeRef struct {
	Name     atom.Atom
	Creation uint32
}

var (
	nodeMu   sync.RWMutex
	nodes    []NodeRef
	nodeIdx  = map[NodeRef]int{}
	thisNode atomic.Pointer[NodeRef]
)

// NodeIndex returns the index of a node incarnation, entering it if new.
// Entries are never freed.
func NodeIndex(name atom.Atom, creation uint32) int {
	r := NodeRef{name, creation}
	nodeMu.RLock()
	i, ok := nodeIdx[r]
	nodeMu.RUnlock()
	if ok {
		return i
	}
	nodeMu.Lock()
	defer nodeMu.Unlock()
	if i, ok = nodeIdx[r]; ok {
		return i
	}
	nodes = append(nodes, r)
	nodeIdx[r] = len(nodes) - 1
	return len(nodes) - 1
}

// NodeAt returns the node incarnation at an index.
func NodeAt(i int) NodeRef {
	nodeMu.RLock()
	defer nodeMu.RUnlock()
	return nodes[i]
}

// ThisNode returns this node's name and creation.
func ThisNode() NodeRef {
	if p := thisNode.Load(); p != nil {
		return *p
	}
	return NodeRef{atom.NonodeNohost, 0}
}

// SetThisNode changes this node's name and creation.
func SetThisNode(r NodeRef) { thisNode.Store(&r) }
