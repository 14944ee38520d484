package proc

import (
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// An alias that left the node as bytes must be an alias when it comes back. The
// table below knows those that did, until they are deactivated.
var aliases struct {
	sync.Mutex
	n     atomic.Int64
	sweep int
	m     map[Key]term.Term
}

// NameAlias makes an alias known by its numbers.
func NameAlias(ref term.Term) {
	aliases.Lock()
	defer aliases.Unlock()
	if aliases.m == nil {
		aliases.m, aliases.sweep = map[Key]term.Term{}, 1024
	}
	aliases.m[RefKey(ref)] = term.Term(ref.W(3))
	if len(aliases.m) >= aliases.sweep {
		// Those that were dead when they were named.
		for k, pid := range aliases.m {
			if Lookup(pid) == nil {
				delete(aliases.m, k)
			}
		}
		aliases.sweep = max(1024, 2*len(aliases.m))
	}
	aliases.n.Store(int64(len(aliases.m)))
}

// AliasRef builds the alias that has these numbers, or returns None.
func AliasRef(h *heap.Heap, n0, n1, n2 uint32) term.Term {
	if aliases.n.Load() == 0 {
		return term.None
	}
	k := Key{uint64(n0) | uint64(n1)<<32, uint64(n2)}
	aliases.Lock()
	pid, ok := aliases.m[k]
	aliases.Unlock()
	if !ok {
		return term.None
	}
	return PutPidRef(h.Alloc(1+term.PidRefWords), k, pid)
}

// forgetAlias is called when an alias is deactivated.
func forgetAlias(k Key) {
	if aliases.n.Load() == 0 {
		return
	}
	aliases.Lock()
	delete(aliases.m, k)
	aliases.n.Store(int64(len(aliases.m)))
	aliases.Unlock()
}

// freeMon frees a node that was taken out of p.mons.
func freeMon(n *Node) {
	if n.flags&nfPidRef != 0 {
		forgetAlias(n.key)
	}
	n.free()
}
