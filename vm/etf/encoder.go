package etf

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// spillSize is where an Encoder leaves the Go heap for a binary.
const spillSize = 64 << 10

// NewEncoder returns an encoder of binaries as of term_to_binary.
func NewEncoder(o Options) *Encoder { return &Encoder{Options: o, spill: spillSize} }

// Start begins the encoding of a term, version byte first.
func (e *Encoder) Start(t term.Term) {
	e.stack, e.buf = e.stack[:0], append(e.buf[:0], Version)
	e.pieces, e.extra, e.big = e.pieces[:0], 0, false
	e.term(t)
}

// Begin empties the encoder; Add and Byte write to it. It starts in buf, which
// becomes its own.
func (e *Encoder) Begin(buf []byte) {
	e.stack, e.buf = e.stack[:0], buf[:0]
	e.pieces, e.extra, e.big = e.pieces[:0], 0, false
}

// Add begins the encoding of one more term, without the version byte; Step goes
// on with it.
func (e *Encoder) Add(t term.Term) { e.term(t) }

// Byte writes a byte between two terms.
func (e *Encoder) Byte(b byte) { e.u8(int(b)) }

// Len is how many bytes are written or left out so far.
func (e *Encoder) Len() int { return len(e.buf) + e.extra }

// Depth is the number of terms that Terms returns.
func (e *Encoder) Depth() int { return len(e.stack) + len(e.pieces) }

// Terms writes the terms that the encoder holds to ts, of Depth elements: when
// a collection may come between two steps, keep them where the collector sees
// them, and give them back with SetTerms.
func (e *Encoder) Terms(ts []term.Term) {
	for i := range e.stack {
		ts[i] = e.stack[i].t
	}
	for i := range e.pieces {
		ts[len(e.stack)+i] = e.pieces[i].t
	}
}

// SetTerms takes over the terms of Terms after a collection.
func (e *Encoder) SetTerms(ts []term.Term) {
	for i := range e.stack {
		e.stack[i].t = ts[i]
	}
	for i := range e.pieces {
		e.pieces[i].t = ts[len(e.stack)+i]
	}
}

// Drop is Close, for a state that a process kept.
func (e *Encoder) Drop() { e.Close() }

// Bytes views what is written; valid until the next call.
func (e *Encoder) Bytes() []byte { return e.buf }

// TooBig tells that a binary in the term is too large for the format.
func (e *Encoder) TooBig() bool { return e.big }

// Finish makes a binary of what is written and empties the encoder.
func (e *Encoder) Finish(h *heap.Heap) term.Term {
	b := e.bin
	if b == nil {
		t := h.Binary(e.buf)
		e.buf = e.buf[:0]
		return t
	}
	n := uintptr(len(e.buf))
	if b.Cap-n > b.Cap/4 {
		b.Data = offheap.Realloc(b.Data, b.Cap, n, offheap.Binary)
		b.Cap = n
	}
	b.Size = n
	e.bin, e.buf = nil, nil
	return h.WrapBin(b, 0, uint64(n)*8)
}

// Close frees what an encoder holds; it may be used again.
func (e *Encoder) Close() {
	if e.bin != nil {
		e.bin.Unref()
		e.bin, e.buf = nil, nil
	}
}
