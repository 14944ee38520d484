// Package bits reads and writes bits at any position of memory outside the Go
// heap: what the bit-syntax instructions and the binary builtins are made of.
//
// A position is a base address and a number of bits from it; bit 0 is the
// highest bit of the first byte. No function touches a byte that holds none of
// the bits it was asked for.
package bits

import (
	"bytes"
	"math/bits"

	"github.com/beamrd/beamrd/internal/offheap"
)

// Flags of a field, as the instructions give them.
const (
	Little = 2
	Signed = 4
	Native = 16 // little, on the machines this runs on
)

// Bytes returns the number of bytes that hold n bits.
func Bytes(n uint64) uintptr { return uintptr((n + 7) / 8) }

// be64 reads 8 bytes, the first the highest.
func be64(a uintptr) uint64 { return bits.ReverseBytes64(offheap.Load(a)) }

// word reads the 64 bits at a position.
func word(base uintptr, off uint64) uint64 {
	p, s := base+uintptr(off>>3), off&7
	v := be64(p)
	if s == 0 {
		return v
	}
	return v<<s | uint64(offheap.LoadByte(p+8))>>(8-s)
}

// Peek reads the n bits (at most 64) at a position as a big-endian number.
func Peek(base uintptr, off, n uint64) uint64 {
	if n == 0 {
		return 0
	}
	p, s := base+uintptr(off>>3), off&7
	nb := (s + n + 7) >> 3
	var v uint64
	if nb >= 8 {
		v = be64(p)
		if nb == 9 {
			extra := s + n - 64
			v = v<<extra | uint64(offheap.LoadByte(p+8))>>(8-extra)
		} else {
			v >>= 64 - s - n
		}
	} else {
		for i := range nb {
			v = v<<8 | uint64(offheap.LoadByte(p+uintptr(i)))
		}
		v >>= nb*8 - s - n
	}
	return v & (^uint64(0) >> (64 - n))
}

// PeekLittle reads the n bits (at most 64) at a position as a little-endian
// number: whole bytes first, then the highest bits.
func PeekLittle(base uintptr, off, n uint64) uint64 {
	v := Peek(base, off, n)
	r := n & 7
	if r == 0 {
		return bits.ReverseBytes64(v) >> ((64 - n) & 63)
	}
	top := v & (1<<r - 1)
	n -= r
	if n == 0 {
		return top
	}
	return top<<n | bits.ReverseBytes64(v>>r)>>(64-n)
}

// poke writes the low n bits (at most 8) of v at a position.
func poke(base uintptr, off, n uint64, v uint64) {
	p, s := base+uintptr(off>>3), off&7
	if s+n <= 8 {
		sh := 8 - s - n
		m := byte(0xFF>>(8-n)) << sh
		offheap.StoreByte(p, offheap.LoadByte(p)&^m|byte(v<<sh)&m)
		return
	}
	lo := s + n - 8 // bits in the second byte
	m := byte(0xFF) >> s
	offheap.StoreByte(p, offheap.LoadByte(p)&^m|byte(v>>lo)&m)
	m = ^byte(0xFF >> lo)
	offheap.StoreByte(p+1, offheap.LoadByte(p+1)&^m|byte(v<<(8-lo))&m)
}

// Poke writes the low n bits (at most 64) of v, highest first, at a position.
func Poke(base uintptr, off, n uint64, v uint64) {
	if h := -off & 7; h != 0 && h < n {
		n -= h
		poke(base, off, h, v>>n)
		off += h
	}
	if off&7 == 0 {
		p := base + uintptr(off>>3)
		for ; n >= 8; n -= 8 {
			offheap.StoreByte(p, byte(v>>(n-8)))
			p++
			off += 8
		}
	}
	if n > 0 {
		poke(base, off, n, v)
	}
}

// Copy copies n bits. The bits around the destination stay as they are. The
// areas must not overlap unless both positions are whole bytes.
func Copy(dst uintptr, doff uint64, src uintptr, soff, n uint64) {
	if (doff|soff|n)&7 == 0 {
		offheap.Copy(dst+uintptr(doff>>3), src+uintptr(soff>>3), uintptr(n>>3))
		return
	}
	if h := -doff & 7; h != 0 {
		h = min(h, n)
		poke(dst, doff, h, Peek(src, soff, h))
		doff, soff, n = doff+h, soff+h, n-h
	}
	if n >= 8 {
		copyBytes(dst+uintptr(doff>>3), src, soff, n>>3)
		k := n &^ 7
		doff, soff, n = doff+k, soff+k, n&7
	}
	if n > 0 {
		poke(dst, doff, n, Peek(src, soff, n))
	}
}

// copyBytes copies n whole bytes from any position.
func copyBytes(d uintptr, src uintptr, soff, n uint64) {
	s := src + uintptr(soff>>3)
	sh := soff & 7
	if sh == 0 {
		offheap.Copy(d, s, uintptr(n))
		return
	}
	for ; n >= 8; n -= 8 {
		offheap.Store(d, bits.ReverseBytes64(be64(s)<<sh|uint64(offheap.LoadByte(s+8))>>(8-sh)))
		d, s = d+8, s+8
	}
	for ; n > 0; n-- {
		offheap.StoreByte(d, offheap.LoadByte(s)<<sh|offheap.LoadByte(s+1)>>(8-sh))
		d, s = d+1, s+1
	}
}

// Compare gives the order of two runs of n bits: negative, 0 or positive.
func Compare(a uintptr, aoff uint64, b uintptr, boff, n uint64) int {
	if (aoff|boff)&7 == 0 {
		nb := uintptr(n >> 3)
		a, b = a+uintptr(aoff>>3), b+uintptr(boff>>3)
		if c := bytes.Compare(offheap.Bytes(a, nb), offheap.Bytes(b, nb)); c != 0 {
			return c
		}
		a, b, aoff, boff, n = a+nb, b+nb, 0, 0, n&7
	}
	for ; n >= 64; n -= 64 {
		if c := order(word(a, aoff), word(b, boff)); c != 0 {
			return c
		}
		aoff, boff = aoff+64, boff+64
	}
	return order(Peek(a, aoff, n), Peek(b, boff, n))
}

func order(x, y uint64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// Equal tells whether two runs of n bits are the same.
func Equal(a uintptr, aoff uint64, b uintptr, boff, n uint64) bool {
	return Compare(a, aoff, b, boff, n) == 0
}
