package heap

import (
	"sync"

	"github.com/beamrd/beamrd/vm/term"
)

// A magic reference that left the node as bytes (term_to_binary, a message to
// another node) must still be magic when it comes back, as long as its binary
// lives. The table below holds no counts.

type refKey struct{ n01, n2 uint64 }

var named struct {
	sync.Mutex
	bins map[refKey]*Bin
	keys map[*Bin]refKey
}

// NameMagic makes the binary of a magic reference known by its numbers.
func NameMagic(ref term.Term) {
	b := MagicBin(ref)
	named.Lock()
	defer named.Unlock()
	if b.Flags&BinNamed != 0 {
		return
	}
	if named.bins == nil {
		named.bins, named.keys = map[refKey]*Bin{}, map[*Bin]refKey{}
	}
	k := refKey{ref.W(1), ref.W(2)}
	b.Flags |= BinNamed
	named.bins[k], named.keys[b] = b, k
}

// FindMagic returns the magic binary known by a reference's numbers (two to the
// first word) with a count for the caller, or nil.
func FindMagic(n01, n2 uint64) *Bin {
	named.Lock()
	defer named.Unlock()
	if b := named.bins[refKey{n01, n2}]; b != nil && b.TryRef() {
		return b
	}
	return nil
}

func unname(b *Bin) {
	named.Lock()
	defer named.Unlock()
	delete(named.bins, named.keys[b])
	delete(named.keys, b)
}
