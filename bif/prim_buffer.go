package bif

import (
	"bytes"
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var primBufferRows = []native.Row{
	{Module: "prim_buffer", Name: "new", Arity: 0, Fn: pbNew, Flags: native.NIF},
	{Module: "prim_buffer", Name: "size", Arity: 1, Fn: pbSize, Flags: native.NIF},
	{Module: "prim_buffer", Name: "peek_head", Arity: 1, Fn: pbPeekHead, Flags: native.NIF},
	{Module: "prim_buffer", Name: "copying_read", Arity: 2, Fn: pbCopyingRead, Flags: native.NIF},
	{Module: "prim_buffer", Name: "write", Arity: 2, Fn: pbWrite, Flags: native.NIF},
	{Module: "prim_buffer", Name: "skip", Arity: 2, Fn: pbSkip, Flags: native.NIF},
	{Module: "prim_buffer", Name: "find_byte_index", Arity: 2, Fn: pbFindByte, Flags: native.NIF},
	{Module: "prim_buffer", Name: "try_lock", Arity: 1, Fn: pbTryLock, Flags: native.NIF},
	{Module: "prim_buffer", Name: "unlock", Arity: 1, Fn: pbUnlock, Flags: native.NIF},
}

// primBuffer is a queue of bytes. Small writes gather in the last block.
type primBuffer struct {
	mu     sync.Mutex
	blocks [][]byte
	size   int
	locked atomic.Bool
}

// gatherMax is the size up to which writes share a block.
const gatherMax = 1 << 10

func (b *primBuffer) add(d []byte) {
	b.size += len(d)
	if n := len(b.blocks); n > 0 {
		last := b.blocks[n-1]
		if cap(last)-len(last) >= len(d) {
			b.blocks[n-1] = append(last, d...)
			return
		}
	}
	if len(d) == 0 {
		return
	}
	blk := make([]byte, 0, max(len(d), gatherMax))
	b.blocks = append(b.blocks, append(blk, d...))
}

func (b *primBuffer) skip(n int) {
	b.size -= n
	for n > 0 {
		if n < len(b.blocks[0]) {
			b.blocks[0] = b.blocks[0][n:]
			return
		}
		n -= len(b.blocks[0])
		b.blocks[0] = nil
		b.blocks = b.blocks[1:]
	}
}

// withBuffer runs op under the buffer's lock.
func withBuffer(c *native.Call, op func(b *primBuffer) term.Term) term.Term {
	b, ok := resourceValue(c.Arg(0)).(*primBuffer)
	if !ok {
		return c.Badarg()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return op(b)
}

func pbNew(c *native.Call) term.Term {
	ref, _ := newResource(c, &primBuffer{})
	return ref
}

func pbSize(c *native.Call) term.Term {
	return withBuffer(c, func(b *primBuffer) term.Term { return term.Small(int64(b.size)) })
}

func pbPeekHead(c *native.Call) term.Term {
	return withBuffer(c, func(b *primBuffer) term.Term {
		if len(b.blocks) == 0 {
			return c.Badarg()
		}
		c.Bump(len(b.blocks[0]) / ioBytesPerRed)
		return c.P.Heap.Binary(b.blocks[0])
	})
}

// sizeArg reads argument 1 as a number of bytes that the buffer has.
func sizeArg(c *native.Call, b *primBuffer) (int, bool) {
	n, ok := intArg(c.Arg(1))
	return int(n), ok && n >= 0 && n <= int64(b.size)
}

func pbCopyingRead(c *native.Call) term.Term {
	return withBuffer(c, func(b *primBuffer) term.Term {
		n, ok := sizeArg(c, b)
		if !ok {
			return c.Badarg()
		}
		out := make([]byte, 0, n)
		for i := 0; len(out) < n; i++ {
			blk := b.blocks[i]
			out = append(out, blk[:min(len(blk), n-len(out))]...)
		}
		b.skip(n)
		c.Bump(n / ioBytesPerRed)
		return c.P.Heap.Binary(out)
	})
}

func pbWrite(c *native.Call) term.Term {
	return withBuffer(c, func(b *primBuffer) term.Term {
		n := 0
		l := c.Arg(1)
		for ; l.IsList(); l = l.Tail() {
			if !l.Head().IsBinary() {
				return c.Badarg()
			}
		}
		if !l.IsNil() {
			return c.Badarg()
		}
		for l = c.Arg(1); l.IsList(); l = l.Tail() {
			d, _ := heap.AlignedBytes(l.Head())
			b.add(d)
			n += len(d)
		}
		c.Bump(n / ioBytesPerRed)
		return term.AmOk
	})
}

func pbSkip(c *native.Call) term.Term {
	return withBuffer(c, func(b *primBuffer) term.Term {
		n, ok := sizeArg(c, b)
		if !ok {
			return c.Badarg()
		}
		b.skip(n)
		return term.AmOk
	})
}

var amNotFound = term.Intern("not_found")

func pbFindByte(c *native.Call) term.Term {
	return withBuffer(c, func(b *primBuffer) term.Term {
		v, ok := int32Arg(c.Arg(1))
		if !ok || v < 0 || v > 255 {
			return c.Badarg()
		}
		off := 0
		for _, blk := range b.blocks {
			if i := bytes.IndexByte(blk, byte(v)); i >= 0 {
				c.Bump((off + i) / ioBytesPerRed)
				return c.Ok(term.Small(int64(off + i)))
			}
			off += len(blk)
		}
		c.Bump(off / ioBytesPerRed)
		return amNotFound
	})
}

func pbTryLock(c *native.Call) term.Term {
	b, ok := resourceValue(c.Arg(0)).(*primBuffer)
	if !ok {
		return c.Badarg()
	}
	if b.locked.CompareAndSwap(false, true) {
		return term.Intern("acquired")
	}
	return term.Intern("busy")
}

func pbUnlock(c *native.Call) term.Term {
	b, ok := resourceValue(c.Arg(0)).(*primBuffer)
	if !ok {
		return c.Badarg()
	}
	if !b.locked.CompareAndSwap(true, false) {
		return c.Raise(0, term.Intern("lock_order_violation"))
	}
	return term.AmOk
}
