package bif

import (
	"hash/crc32"

	"github.com/beamrd/beamrd/vm/bits"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var chksumRows = []native.Row{
	{Module: "erlang", Name: "crc32", Arity: 1, Fn: chksum(crcUpdate, 0)},
	{Module: "erlang", Name: "crc32", Arity: 2, Fn: chksum(crcUpdate, 0)},
	{Module: "erlang", Name: "crc32_combine", Arity: 3, Fn: combine(crcCombine)},
	{Module: "erlang", Name: "adler32", Arity: 1, Fn: chksum(adlerUpdate, 1)},
	{Module: "erlang", Name: "adler32", Arity: 2, Fn: chksum(adlerUpdate, 1)},
	{Module: "erlang", Name: "adler32_combine", Arity: 3, Fn: combine(adlerCombine)},
}

// sumWalk walks over iodata for a checksum, binaries in pieces, until its
// budget of bytes is spent.
type sumWalk struct {
	ioWalk
	bytes int // left in this slice
}

func newSumWalk(data term.Term, bytes int) *sumWalk {
	return &sumWalk{ioWalk{cur: data, steps: bytes/16 + 1}, bytes}
}

// run feeds what is left to f. ioMore asks to go on with rest in a new slice.
func (w *sumWalk) run(h *heap.Heap, f func([]byte)) ioState {
	var buf [256]byte
	n := 0
	flush := func() {
		if n == 0 {
			return
		}
		f(buf[:n])
		w.bytes -= n
		n = 0
	}
	for {
		t, st := w.leaf()
		if st != ioDone || t == term.None {
			flush()
			return st
		}
		if t.IsSmall() {
			if buf[n] = byte(t.Small()); n == len(buf)-1 {
				n++
				flush()
				continue
			}
			n++
			continue
		}
		flush()
		s, ok := heap.AlignedBytes(t)
		if !ok {
			return ioBad
		}
		if len(s) > w.bytes {
			k := max(w.bytes, 0)
			f(s[:k])
			if w.cur != term.None {
				w.stack = append(w.stack, w.cur)
			}
			w.cur = bits.Sub(h, t, uint64(k)*8, uint64(len(s)-k)*8)
			return ioMore
		}
		f(s)
		w.bytes -= len(s)
	}
}

// sumBytesPerRed is the bytes that a reduction pays for in crc32 and adler32.
const sumBytesPerRed = 512

// uint32Arg returns an argument that must be within 32 bits.
func uint32Arg(t term.Term) (v uint32, ok bool) {
	if !t.IsSmall() || uint64(t.Small())>>32 != 0 {
		return 0, false
	}
	return uint32(t.Small()), true
}

// chksum makes the row body of a checksum of iodata, alone or after an earlier
// one. It goes on in the form with two arguments: the sum so far and the rest.
func chksum(update func(uint32, []byte) uint32, initial uint32) func(*native.Call) term.Term {
	return func(c *native.Call) term.Term {
		sum, data := initial, c.Arg(0)
		if c.Row.Arity == 2 {
			var ok bool
			if sum, ok = uint32Arg(c.Arg(0)); !ok {
				return c.Badarg()
			}
			data = c.Arg(1)
		}
		if !data.IsList() && !data.IsNil() && !data.IsBitstring() {
			return c.Badarg()
		}
		budget := max(c.Left(), 100) * sumBytesPerRed
		w := newSumWalk(data, budget)
		st := w.run(&c.P.Heap, func(s []byte) { sum = update(sum, s) })
		c.Bump((budget - w.bytes) / sumBytesPerRed)
		switch st {
		case ioBad:
			return c.Badarg()
		case ioMore:
			to := code.GetExport(term.AmErlang, term.Intern(c.Row.Name), 2)
			return c.Trap(to, term.Small(int64(sum)), w.rest(&c.P.Heap))
		}
		return term.Small(int64(sum))
	}
}

func crcUpdate(sum uint32, s []byte) uint32 { return crc32.Update(sum, crc32.IEEETable, s) }

const (
	adlerMod = 65521
	adlerRun = 5552 // bytes before the sums must be reduced
)

func adlerUpdate(sum uint32, s []byte) uint32 {
	a, b := sum&0xFFFF, sum>>16
	for len(s) > 0 {
		q := s[:min(len(s), adlerRun)]
		s = s[len(q):]
		for _, x := range q {
			a += uint32(x)
			b += a
		}
		a %= adlerMod
		b %= adlerMod
	}
	// Without bytes too: a sum given by the program may be out of range.
	return b%adlerMod<<16 | a%adlerMod
}

func combine(f func(a, b, n uint32) uint32) func(*native.Call) term.Term {
	return func(c *native.Call) term.Term {
		a, ok1 := uint32Arg(c.Arg(0))
		b, ok2 := uint32Arg(c.Arg(1))
		n, ok3 := uint32Arg(c.Arg(2))
		if !ok1 || !ok2 || !ok3 {
			return c.Badarg()
		}
		return term.Small(int64(f(a, b, n)))
	}
}

// adlerCombine is the checksum of two texts of which the second has n bytes.
func adlerCombine(x, y, n uint32) uint32 {
	if n == 0 {
		return x
	}
	rem := uint64(n % adlerMod)
	xa, xb := uint64(x&0xFFFF), uint64(x>>16)
	ya, yb := uint64(y&0xFFFF), uint64(y>>16)
	// The second text starts at 1: its sums count that once, and n times.
	a := xa + ya + adlerMod - 1
	b := rem*xa%adlerMod + xb + yb + adlerMod - rem
	return uint32(reduce(b)<<16 | reduce(a))
}

// reduce takes the modulus from a sum of sums, which it passes but a few times.
func reduce(v uint64) uint64 {
	for range 3 {
		if v >= adlerMod {
			v -= adlerMod
		}
	}
	return v
}

// crcCombine moves the first checksum over n zero bytes and adds the second.
// Squaring the operator of one zero bit gives those of 2, 4, 8 … bits.
func crcCombine(x, y, n uint32) uint32 {
	var op [32]uint32
	op[0] = crc32.IEEE
	for i := 1; i < 32; i++ {
		op[i] = 1 << (i - 1)
	}
	for range 3 { // one bit to eight
		op = gfSquare(&op)
	}
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			x = gfTimes(&op, x)
		}
		op = gfSquare(&op)
	}
	return x ^ y
}

func gfTimes(m *[32]uint32, v uint32) (r uint32) {
	for i := 0; v != 0; i, v = i+1, v>>1 {
		if v&1 != 0 {
			r ^= m[i]
		}
	}
	return r
}

func gfSquare(m *[32]uint32) (r [32]uint32) {
	for i := range r {
		r[i] = gfTimes(m, m[i])
	}
	return r
}
