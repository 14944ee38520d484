package proc

import (
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/replay"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// References are numbered from one counter, of which each scheduler takes
// blocks of 2^18: the low number of a reference is 18 bits wide, as in ERTS.

const refLow = 1 << 18

type refBlock struct {
	mu   sync.Mutex
	high uint64
	low  uint32
	_    [40]byte
}

var (
	refBlocks [64]refBlock
	refHigh   atomic.Uint64
	refSeed   = sync.OnceFunc(func() { refHigh.Store(replay.Uint64() >> 1 &^ 0xFFFFF) })
)

// NewRefKey returns the numbers of a new reference.
func NewRefKey(ctx *Ctx) Key {
	i := int64(0)
	if ctx != nil {
		i = ctx.SchedID & 63
	}
	b := &refBlocks[i]
	b.mu.Lock()
	if b.low == 0 || b.low == refLow {
		refSeed()
		b.high, b.low = refHigh.Add(1), 0
	}
	h, l := b.high, b.low
	b.low++
	b.mu.Unlock()
	return Key{uint64(l) | h<<32, h >> 32}
}

// PutRef writes the reference of a key at a (RefWords+1 words).
func PutRef(a uintptr, k Key) term.Term {
	term.Put(a, 0, term.Header(term.RefWords, term.KRef))
	term.Put(a, 1, k.A)
	term.Put(a, 2, k.B)
	return term.Box(a)
}

// PutPidRef writes an alias at a (PidRefWords+1 words).
func PutPidRef(a uintptr, k Key, pid term.Term) term.Term {
	term.Put(a, 0, term.Header(term.PidRefWords, term.KRef))
	term.Put(a, 1, k.A)
	term.Put(a, 2, k.B)
	term.PutTerm(a, 3, pid)
	return term.Box(a)
}

// NewRef builds a new reference.
func NewRef(h *heap.Heap, ctx *Ctx) term.Term {
	return PutRef(h.Alloc(1+term.RefWords), NewRefKey(ctx))
}

// IsPidRef tells whether t is an alias of this node.
func IsPidRef(t term.Term) bool {
	return t.IsBoxed() && t.Hdr() == term.Header(term.PidRefWords, term.KRef)
}

// Unique integers.

var uniqMono, uniqPlain atomic.Int64

// uniqStart leaves room to count upwards through all smalls and beyond.
const uniqStart = term.MinSmall

// UniqueMonotonic returns the next strictly monotonic unique integer, from 1.
func UniqueMonotonic() int64 { return uniqMono.Add(1) }

// UniquePlain returns the next unique integer, from 1.
func UniquePlain() int64 { return uniqPlain.Add(1) }

// UniqueBase is added to a unique integer that need not be positive.
const UniqueBase = uniqStart
