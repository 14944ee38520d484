package bif

import (
	"hash/adler32"
	"hash/crc32"
	"math"
	"sync"

	"github.com/beamrd/beamrd/internal/zlib"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var zlibRows = []native.Row{
	{Module: "zlib", Name: "open_nif", Arity: 0, Fn: zlibOpen, Flags: native.NIF},
	{Module: "zlib", Name: "close_nif", Arity: 1, Fn: zlibClose, Flags: native.NIF},
	{Module: "zlib", Name: "set_controller_nif", Arity: 2, Fn: zlibSetController, Flags: native.NIF},
	{Module: "zlib", Name: "deflateInit_nif", Arity: 6, Fn: zlibDeflateInit, Flags: native.NIF},
	{Module: "zlib", Name: "deflateSetDictionary_nif", Arity: 2, Fn: zlibDeflateSetDictionary, Flags: native.NIF},
	{Module: "zlib", Name: "deflateReset_nif", Arity: 1, Fn: zlibDeflateReset, Flags: native.NIF},
	{Module: "zlib", Name: "deflateEnd_nif", Arity: 1, Fn: zlibDeflateEnd, Flags: native.NIF},
	{Module: "zlib", Name: "deflateParams_nif", Arity: 3, Fn: zlibDeflateParams, Flags: native.NIF},
	{Module: "zlib", Name: "deflate_nif", Arity: 4, Fn: zlibDeflate, Flags: native.NIF},
	{Module: "zlib", Name: "inflateInit_nif", Arity: 3, Fn: zlibInflateInit, Flags: native.NIF},
	{Module: "zlib", Name: "inflateSetDictionary_nif", Arity: 2, Fn: zlibInflateSetDictionary, Flags: native.NIF},
	{Module: "zlib", Name: "inflateGetDictionary_nif", Arity: 1, Fn: zlibInflateGetDictionary, Flags: native.NIF},
	{Module: "zlib", Name: "inflateReset_nif", Arity: 1, Fn: zlibInflateReset, Flags: native.NIF},
	{Module: "zlib", Name: "inflateEnd_nif", Arity: 1, Fn: zlibInflateEnd, Flags: native.NIF},
	{Module: "zlib", Name: "inflate_nif", Arity: 4, Fn: zlibInflate, Flags: native.NIF},
	{Module: "zlib", Name: "crc32_nif", Arity: 1, Fn: zlibCrc32, Flags: native.NIF},
	{Module: "zlib", Name: "getStash_nif", Arity: 1, Fn: zlibGetStash, Flags: native.NIF},
	{Module: "zlib", Name: "clearStash_nif", Arity: 1, Fn: zlibClearStash, Flags: native.NIF},
	{Module: "zlib", Name: "setStash_nif", Arity: 2, Fn: zlibSetStash, Flags: native.NIF},
	{Module: "zlib", Name: "getBufSize_nif", Arity: 1, Fn: zlibGetBufSize, Flags: native.NIF},
	{Module: "zlib", Name: "setBufSize_nif", Arity: 2, Fn: zlibSetBufSize, Flags: native.NIF},
	{Module: "zlib", Name: "enqueue_nif", Arity: 2, Fn: zlibEnqueue, Flags: native.NIF},
}

var (
	amNotOnControllingProcess = term.Intern("not_on_controlling_process")
	amNotInitialized          = term.Intern("not_initialized")
	amAlreadyInitialized      = term.Intern("already_initialized")
	amZContinue               = term.Intern("continue")
	amFinished                = term.Intern("finished")
	amNeedDictionary          = term.Intern("need_dictionary")
	amEmpty                   = term.Intern("empty")
	amStreamEnd               = term.Intern("stream_end")
	amStreamError             = term.Intern("stream_error")
	amDataError               = term.Intern("data_error")
	amMemError                = term.Intern("mem_error")
	amBufError                = term.Intern("buf_error")
	amVersionError            = term.Intern("version_error")
	amUnknownError            = term.Intern("unknown_error")
)

// States of a zstream.
const (
	zsNone = iota
	zsDeflate
	zsInflate
	zsClosed
)

// What to do when more comes after the end of a stream.
const (
	eosError = iota
	eosReset
	eosCut
)

// zstream is what zlib:open/0 gives out.
type zstream struct {
	mu      sync.Mutex
	owner   term.Term
	s       *zlib.Stream
	state   int
	eos     int
	eosSeen bool
	raw     bool
	crcIn   bool // of the plain bytes, on the side where they are
	crcOut  bool
	inCRC   uint32
	outCRC  uint32
	chunk   int // deprecated buffer size, only kept
	queue   ioQueue
	stash   *heap.Stored
	out     []byte
}

// Drop implements heap.Dropper.
func (z *zstream) Drop() {
	z.close()
	z.queue.clear()
}

func (z *zstream) close() {
	if z.s != nil {
		z.s.End()
		z.s = nil
	}
	if z.state != zsClosed {
		z.clearStash()
		z.state = zsClosed
	}
}

func (z *zstream) clearStash() {
	if z.stash != nil {
		z.stash.Free()
		z.stash = nil
	}
}

func (z *zstream) resetInput() {
	z.queue.clear()
	z.clearStash()
}

// zresult is the term of one of the library's codes.
func zresult(c *native.Call, code int) term.Term {
	switch code {
	case zlib.OK:
		return term.AmOk
	case zlib.StreamEnd:
		return amStreamEnd
	case zlib.StreamError:
		return c.Error(amStreamError)
	case zlib.DataError:
		return c.Error(amDataError)
	case zlib.MemError:
		return amMemError
	case zlib.BufError:
		return amBufError
	case zlib.VersionError:
		return amVersionError
	}
	return amUnknownError
}

// onStream calls f with the stream of arg 0, locked, when the caller controls
// it. bad tells that another argument is wrong.
func onStream(c *native.Call, bad bool, f func(z *zstream) term.Term) term.Term {
	z, ok := resourceValue(c.Arg(0)).(*zstream)
	if !ok || bad {
		return c.Badarg()
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.owner != c.P.ID {
		return c.Error(amNotOnControllingProcess)
	}
	return f(z)
}

// inState is onStream for a stream in a state.
func inState(c *native.Call, bad bool, state int, f func(z *zstream) term.Term) term.Term {
	return onStream(c, bad, func(z *zstream) term.Term {
		if z.state != state {
			return c.Error(amNotInitialized)
		}
		return f(z)
	})
}

// intArgs decodes arguments from index from on that are C ints.
func intArgs(c *native.Call, from int) (v []int, ok bool) {
	for i := from; i < c.N; i++ {
		t := c.Arg(i)
		if !t.IsSmall() || t.Small() < math.MinInt32 || t.Small() > math.MaxInt32 {
			return nil, false
		}
		v = append(v, int(t.Small()))
	}
	return v, true
}

func zlibOpen(c *native.Call) term.Term {
	ref, _ := newResource(c, &zstream{owner: c.P.ID, eos: eosCut, chunk: 4000})
	return ref
}

func zlibClose(c *native.Call) term.Term {
	return onStream(c, false, func(z *zstream) term.Term {
		if z.state == zsClosed {
			return c.Error(amNotInitialized)
		}
		z.close()
		return term.AmOk
	})
}

func zlibSetController(c *native.Call) term.Term {
	return onStream(c, !c.Arg(1).IsInternalPid(), func(z *zstream) term.Term {
		z.owner = c.Arg(1)
		return term.AmOk
	})
}

func zlibDeflateInit(c *native.Call) term.Term {
	v, ok := intArgs(c, 1)
	return onStream(c, !ok, func(z *zstream) term.Term {
		if z.state != zsNone {
			return c.Error(amAlreadyInitialized)
		}
		s, code := zlib.NewDeflate(v[0], v[1], v[2], v[3], v[4])
		if code == zlib.OK {
			z.s, z.state, z.eosSeen = s, zsDeflate, false
			z.raw = v[2] < 0
			z.crcIn, z.crcOut, z.inCRC, z.outCRC = z.raw, false, 0, 0
		}
		return zresult(c, code)
	})
}

func zlibInflateInit(c *native.Call) term.Term {
	v, ok := intArgs(c, 1)
	return onStream(c, !ok, func(z *zstream) term.Term {
		if z.state != zsNone {
			return c.Error(amAlreadyInitialized)
		}
		s, code := zlib.NewInflate(v[0])
		if code == zlib.OK {
			z.s, z.state, z.eos, z.eosSeen = s, zsInflate, v[1], false
			z.raw = v[0] < 0
			z.crcIn, z.crcOut, z.inCRC, z.outCRC = false, z.raw, 0, 0
		}
		return zresult(c, code)
	})
}

func zlibDeflateSetDictionary(c *native.Call) term.Term {
	d, ok := iolistBytes(c.Arg(1))
	return inState(c, !ok, zsDeflate, func(z *zstream) term.Term {
		code := z.s.SetDictionary(d)
		if code != zlib.OK {
			return zresult(c, code)
		}
		sum := z.s.Adler()
		if z.raw { // the library keeps none then; ERTS begins at 0, not at 1
			sum = adler0(d)
		}
		return term.Small(int64(int32(sum)))
	})
}

// adler0 is Adler-32 begun with 0.
func adler0(b []byte) uint32 {
	const mod = 65521
	s := adler32.Checksum(b)
	lo, hi := s&0xffff, s>>16
	lo = (lo + mod - 1) % mod
	hi = (hi + mod - uint32(len(b)%mod)) % mod
	return hi<<16 | lo
}

func zlibInflateSetDictionary(c *native.Call) term.Term {
	d, ok := iolistBytes(c.Arg(1))
	return inState(c, !ok, zsInflate, func(z *zstream) term.Term {
		return zresult(c, z.s.SetDictionary(d))
	})
}

func zlibInflateGetDictionary(c *native.Call) term.Term {
	return inState(c, false, zsInflate, func(z *zstream) term.Term {
		d, code := z.s.Dictionary()
		if code < 0 {
			return zresult(c, code)
		}
		return c.P.Heap.Binary(d)
	})
}

func zlibDeflateReset(c *native.Call) term.Term {
	return inState(c, false, zsDeflate, func(z *zstream) term.Term {
		code := z.s.Reset()
		z.inCRC, z.eosSeen = 0, false
		z.resetInput()
		return zresult(c, code)
	})
}

func zlibInflateReset(c *native.Call) term.Term {
	return inState(c, false, zsInflate, func(z *zstream) term.Term {
		code := z.s.Reset()
		z.outCRC, z.eosSeen = 0, false
		z.resetInput()
		return zresult(c, code)
	})
}

// end frees the library's state; what is left over is a data error.
func (z *zstream) end(c *native.Call, left bool) term.Term {
	code := z.s.End()
	z.s = nil
	if code == zlib.OK && left {
		code = zlib.DataError
	}
	z.resetInput()
	z.state = zsNone
	return zresult(c, code)
}

func zlibDeflateEnd(c *native.Call) term.Term {
	return inState(c, false, zsDeflate, func(z *zstream) term.Term {
		return z.end(c, z.queue.size > 0)
	})
}

func zlibInflateEnd(c *native.Call) term.Term {
	return inState(c, false, zsInflate, func(z *zstream) term.Term {
		return z.end(c, !z.eosSeen || z.queue.size > 0)
	})
}

func zlibDeflateParams(c *native.Call) term.Term {
	v, ok := intArgs(c, 1)
	return inState(c, !ok, zsDeflate, func(z *zstream) term.Term {
		code, full := z.s.Params(v[0], v[1])
		if full {
			code = zlib.StreamError
		}
		return zresult(c, code)
	})
}

func zlibCrc32(c *native.Call) term.Term {
	return onStream(c, false, func(z *zstream) term.Term {
		switch z.state {
		case zsDeflate:
			return term.Small(int64(z.inCRC))
		case zsInflate:
			return term.Small(int64(z.outCRC))
		}
		return c.Error(amNotInitialized)
	})
}

func zlibGetStash(c *native.Call) term.Term {
	return onStream(c, false, func(z *zstream) term.Term {
		if z.stash == nil {
			return amEmpty
		}
		return c.Ok(z.stash.Load(&c.P.Heap))
	})
}

func zlibClearStash(c *native.Call) term.Term {
	return onStream(c, false, func(z *zstream) term.Term {
		if z.stash == nil {
			return c.Error(term.AmError)
		}
		z.clearStash()
		return term.AmOk
	})
}

func zlibSetStash(c *native.Call) term.Term {
	return onStream(c, false, func(z *zstream) term.Term {
		if z.stash != nil {
			return c.Error(term.AmError)
		}
		z.stash = heap.Store(c.Arg(1))
		return term.AmOk
	})
}

func zlibGetBufSize(c *native.Call) term.Term {
	return onStream(c, false, func(z *zstream) term.Term { return term.Small(int64(z.chunk)) })
}

func zlibSetBufSize(c *native.Call) term.Term {
	return onStream(c, false, func(z *zstream) term.Term {
		v, ok := intArgs(c, 1)
		if !ok {
			return c.Badarg()
		}
		z.chunk = v[0]
		return term.AmOk
	})
}

func zlibEnqueue(c *native.Call) term.Term {
	return onStream(c, false, func(z *zstream) term.Term {
		if z.state != zsDeflate && z.state != zsInflate {
			return c.Error(amNotInitialized)
		}
		rest, ok := z.queue.addList(c.Arg(1), 256)
		if !ok {
			return c.Badarg()
		}
		if rest.IsList() {
			return c.P.Heap.Tuple(amZContinue, rest)
		}
		return term.AmOk
	})
}

// maxChunk bounds the output buffer of one call.
const maxChunk = 1 << 30

func zlibDeflate(c *native.Call) term.Term {
	v, ok := intArgs(c, 1)
	return inState(c, !ok || v[1] > maxChunk || v[1] < 0 || v[0] <= 0, zsDeflate, func(z *zstream) term.Term {
		return z.codec(c, v[0], v[1], v[2])
	})
}

func zlibInflate(c *native.Call) term.Term {
	v, ok := intArgs(c, 1)
	return inState(c, !ok || v[1] > maxChunk || v[1] < 0 || v[0] <= 0, zsInflate, func(z *zstream) term.Term {
		if z.eosSeen && z.queue.size > 0 {
			switch z.eos {
			case eosError:
				return zresult(c, zlib.DataError)
			case eosReset:
				if code := z.s.Reset(); code != zlib.OK {
					return zresult(c, code)
				}
				z.eosSeen = false
			case eosCut:
				z.resetInput()
			}
		}
		return z.codec(c, v[0], v[1], v[2])
	})
}

// codec takes at most limit bytes from the queue and makes at most room bytes.
func (z *zstream) codec(c *native.Call, limit, room, flush int) term.Term {
	if cap(z.out) < room {
		z.out = make([]byte, room)
	}
	out := z.out[:room]
	code, taken, made := z.flush(c, limit, out, flush)
	left := z.queue.size
	if code < 0 && code != zlib.BufError {
		return zresult(c, code)
	}
	if code == zlib.StreamEnd {
		z.eosSeen = true
	}
	if z.crcOut {
		z.outCRC = crc32.Update(z.outCRC, crc32.IEEETable, out[:made])
	}
	if taken == 0 && made == 0 && left != 0 {
		return zresult(c, zlib.DataError)
	}
	h, l := &c.P.Heap, term.Nil
	if made > 0 {
		l = h.Cons(h.Binary(out[:made]), term.Nil)
	}
	switch {
	case left == 0 && made < room:
		return h.Tuple(amFinished, l)
	case code != zlib.NeedDict:
		return h.Tuple(amZContinue, l)
	}
	return h.Tuple(amNeedDictionary, term.Small(int64(int32(z.s.Adler()))), l)
}

// flush runs the library over the queue, then, when that is empty and there is
// room, with the flush mode.
func (z *zstream) flush(c *native.Call, limit int, out []byte, flush int) (code, taken, made int) {
	for code == zlib.OK && taken < limit && made < len(out) && z.queue.size > 0 {
		in := z.queue.items[0].data
		in = in[:min(len(in), limit)]
		t, m, r := z.s.Run(in, out[made:], zlib.NoFlush)
		code = r
		if z.crcIn {
			z.inCRC = crc32.Update(z.inCRC, crc32.IEEETable, in[:t])
		}
		taken, made = taken+t, made+m
		part := t < len(in)
		z.queue.drop(t)
		c.Bump(40 * max(1, 100*t/limit))
		if c.Left() <= 0 || part {
			break
		}
	}
	if code == zlib.OK && z.queue.size == 0 && made < len(out) {
		_, m, r := z.s.Run(nil, out[made:], flush)
		code, made = r, made+m
	}
	return code, taken, made
}
