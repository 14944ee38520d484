package heap

import (
	"sync"

	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/term"
)

// A magic binary owns a Go value (a prepared module, a NIF resource, atomics,
// a compiled regular expression). The value stays in a Go table; the binary
// holds its index, and the count decides when the value is dropped.

// Dropper is implemented by values that must act when the last reference goes.
type Dropper interface{ Drop() }

var magic struct {
	sync.RWMutex
	vals []any
	free []uint32
}

// NewMagic returns a magic binary of a Go value with a count of 1.
func NewMagic(v any) *Bin {
	b := NewBin(0)
	b.Flags = BinMagic
	magic.Lock()
	defer magic.Unlock()
	if n := len(magic.free); n > 0 {
		b.Magic = magic.free[n-1]
		magic.free = magic.free[:n-1]
		magic.vals[b.Magic] = v
	} else {
		b.Magic = uint32(len(magic.vals))
		magic.vals = append(magic.vals, v)
	}
	return b
}

// MagicValue returns the Go value of a magic binary.
func MagicValue(b *Bin) any {
	magic.RLock()
	defer magic.RUnlock()
	return magic.vals[b.Magic]
}

func dropMagic(b *Bin) {
	magic.Lock()
	v := magic.vals[b.Magic]
	magic.vals[b.Magic] = nil
	magic.free = append(magic.free, b.Magic)
	magic.Unlock()
	if d, ok := v.(Dropper); ok {
		d.Drop()
	}
}

// PutMagicRef writes a magic reference at a (1+term.MagicRefWords words),
// linked into the list, taking over one count of b.
func (o *OffHeap) PutMagicRef(a uintptr, n0n1, n2 uint64, b *Bin) term.Term {
	term.Put(a, 0, term.Header(term.MagicRefWords, term.KRef))
	term.Put(a, 1, n0n1)
	term.Put(a, 2, n2)
	term.Put(a, 3, uint64(offheap.Addr(b)))
	term.Put(a, 4, uint64(o.First))
	o.First = a
	return term.Box(a)
}

// MagicBin returns the binary of a magic reference.
func MagicBin(ref term.Term) *Bin { return offheap.At[Bin](uintptr(ref.W(3))) }

func badCount(b *Bin) { invariants.Failf("binary %p: released twice", b) }
