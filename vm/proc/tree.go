package proc

import (
	"unsafe"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/term"
)

// Node is a link, one half of a monitor, an alias or a suspension, in a tree
// of its process. The trees are treaps: the order of priorities, which are a
// hash of the key, keeps them balanced, and no node knows its parent.
type Node struct {
	left, right *Node
	key         Key
	prio        uint32
	kind        nodeKind
	flags       uint8
	other       term.Term // the other end: pid or port
	name        term.Term // registered name monitored, or None
	x           uint64    // link: id of the unlink under way; suspension: count
	tag         term.Term // instead of 'DOWN', or None
	block       *Signal   // owns tag, name and other, where these are not immediate
}

const nodeSize = unsafe.Sizeof(Node{})

type nodeKind uint8

const (
	nodeLink nodeKind = iota
	nodeMonitor
	nodeAlias // an alias without a monitor
	nodeTimeOffset
	nodeSuspend
	nodePort  // monitor of a port
	nodeSpawn // request to another node; name: tag of the answer, x: what was asked
)

// Bits of Node.flags.
const (
	nfAlias      = 1 << iota // messages to the reference are accepted
	nfDemonitor              // … until the monitor goes
	nfReplyDemon             // … until the monitor goes or the first one came
	nfExplicit               // … until unalias/1
	nfReply                  // alias([reply]): until the first one came
	nfPidRef                 // the reference holds the pid
	nfByName
)

func newNode(kind nodeKind, key Key, other term.Term) *Node {
	n := offheap.At[Node](offheap.Alloc(nodeSize, offheap.Proc))
	h := (key.A ^ key.B*0x9E3779B97F4A7C15) * 0xD6E8FEB86659FD93
	*n = Node{key: key, kind: kind, other: other, prio: uint32(h >> 32), name: term.None, tag: term.None}
	return n
}

func (n *Node) free() {
	if n.block != nil {
		n.block.free()
	}
	offheap.Free(offheap.Addr(n), nodeSize, offheap.Proc)
}

// find returns the node of a key, or nil.
func find(t *Node, k Key) *Node {
	for t != nil && t.key != k {
		if k.less(t.key) {
			t = t.left
		} else {
			t = t.right
		}
	}
	return t
}

// insert adds n, whose key is not in the tree.
func insert(root **Node, n *Node) {
	t := root
	for *t != nil && (*t).prio >= n.prio {
		if n.key.less((*t).key) {
			t = &(*t).left
		} else {
			t = &(*t).right
		}
	}
	// Split what is below at n's key.
	rest := *t
	*t = n
	l, r := &n.left, &n.right
	for rest != nil {
		if rest.key.less(n.key) {
			*l = rest
			l = &rest.right
			rest = rest.right
		} else {
			*r = rest
			r = &rest.left
			rest = rest.left
		}
	}
	*l, *r = nil, nil
}

// remove takes the node of a key out and returns it, or nil.
func remove(root **Node, k Key) *Node {
	t := root
	for *t != nil && (*t).key != k {
		if k.less((*t).key) {
			t = &(*t).left
		} else {
			t = &(*t).right
		}
	}
	n := *t
	if n == nil {
		return nil
	}
	a, b := n.left, n.right
	for a != nil && b != nil {
		if a.prio >= b.prio {
			*t = a
			t = &a.right
			a = a.right
		} else {
			*t = b
			t = &b.left
			b = b.left
		}
	}
	if a != nil {
		*t = a
	} else {
		*t = b
	}
	n.left, n.right = nil, nil
	return n
}

// takeMin takes the least node out of a non-empty tree.
func takeMin(root **Node) *Node {
	t := root
	for (*t).left != nil {
		t = &(*t).left
	}
	n := *t
	*t = n.right
	n.right = nil
	return n
}

// each calls f with the nodes in the order of their keys. f must not change
// the tree.
func each(root *Node, f func(n *Node)) {
	var stack []*Node
	for t := root; t != nil || len(stack) > 0; {
		for t != nil {
			stack = append(stack, t)
			t = t.left
		}
		t = stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		f(t)
		t = t.right
	}
}
