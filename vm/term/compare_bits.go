package term

import (
	"bytes"
	"encoding/binary"
	"unsafe"
)

// BinDataOffset is the offset of the address of the bytes in a heap.Bin.
const BinDataOffset = 24

// BitsOf returns where the bits of a bitstring or match context are: the
// address of the first byte of its original and the bit positions of its start
// and end in it.
func BitsOf(t Term) (base uintptr, start, end uint64) {
	if t.Kind() == KHeapBits {
		return t.Addr() + 16, 0, t.W(1)
	}
	base = uintptr(t.W(1))
	if base == 0 {
		base = originBase(Term(t.W(4)))
	}
	return base, t.W(2), t.W(3)
}

func originBase(orig Term) uintptr {
	if orig.Kind() == KHeapBits {
		return orig.Addr() + 16
	}
	return uintptr(Get(uintptr(orig.W(2))+BinDataOffset, 0))
}

func bytesAt(a uintptr, n uint64) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(nil, a)), n)
}

func byteAt(a uintptr) byte { return *(*byte)(unsafe.Add(nil, a)) }

// cmpBits orders two bitstrings bit by bit; a prefix comes first.
func cmpBits(a, b Term) int {
	ab, as, ae := BitsOf(a)
	bb, bs, be := BitsOf(b)
	na, nb := ae-as, be-bs
	n := min(na, nb)
	if j := CompareBits(ab, as, bb, bs, n); j != 0 {
		return j
	}
	return cmpUint64(na, nb)
}

// CompareBits orders n bits at bit position as of base a against those at
// position bs of base b.
func CompareBits(a uintptr, as uint64, b uintptr, bs, n uint64) int {
	a, as = a+uintptr(as>>3), as&7
	b, bs = b+uintptr(bs>>3), bs&7
	if as|bs == 0 {
		if j := bytes.Compare(bytesAt(a, n>>3), bytesAt(b, n>>3)); j != 0 || n&7 == 0 {
			return j
		}
		i := uintptr(n >> 3)
		sh := 8 - n&7
		return int(byteAt(a+i)>>sh) - int(byteAt(b+i)>>sh)
	}
	for ; n >= 72; n -= 64 {
		x, y := word64(a, as), word64(b, bs)
		if x != y {
			return cmpUint64(x, y)
		}
		a, b = a+8, b+8
	}
	for ; n > 0; n -= min(n, 8) {
		k := min(n, 8)
		x, y := bitsAt(a, as, k), bitsAt(b, bs, k)
		if x != y {
			return int(x) - int(y)
		}
		a, b = a+1, b+1
	}
	return 0
}

// word64 returns the 64 bits at bit s (below 8) of a; byte 8 is read too.
func word64(a uintptr, s uint64) uint64 {
	w := binary.BigEndian.Uint64(bytesAt(a, 8))
	if s == 0 {
		return w
	}
	return w<<s | uint64(byteAt(a+8))>>(8-s)
}

// bitsAt returns k (1 to 8) bits at bit s (below 8) of a, at the low end.
func bitsAt(a uintptr, s, k uint64) byte {
	v := byteAt(a) << s
	if s+k > 8 {
		v |= byteAt(a+1) >> (8 - s)
	}
	return v >> (8 - k)
}
