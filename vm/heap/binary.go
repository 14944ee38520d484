package heap

import (
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/term"
)

// HeapBitsMax is the largest number of bytes kept in a heap binary; larger
// ones are reference counted.
const HeapBitsMax = 64

// Bin is a reference counted binary. It lies off the Go heap.
type Bin struct {
	refc  int64   // atomic
	Size  uintptr // bytes in use
	Cap   uintptr // bytes at Data
	Data  uintptr // address of the bytes
	Flags uint32
	Magic uint32 // index in the magic table when BinMagic is set
	End   uint64 // of a writable one: where its newest sub-bits ends, in bits
}

// Bits of Bin.Flags.
const (
	BinWritable = 1 << 0 // a writable sub-bits may append in place
	BinMagic    = 1 << 1 // holds a Go value; see NewMagic
	BinAtomics  = 1 << 2 // magic whose data are the values of atomics
	BinCounters = 1 << 3 // magic whose data are the copies of counters
	BinNamed    = 1 << 2 // magic, and known by its reference; see NameMagic
)

const binSize = 48

// NewBin returns a binary of n uninitialised bytes with a count of 1.
func NewBin(n uintptr) *Bin {
	b := offheap.At[Bin](offheap.Alloc(binSize, offheap.Binary))
	*b = Bin{refc: 1, Size: n, Cap: n}
	if n > 0 {
		b.Data = offheap.Alloc(n, offheap.Binary)
	}
	return b
}

// Refs returns the count.
func (b *Bin) Refs() int64 { return atomic.LoadInt64(&b.refc) }

// Ref adds one to the count.
func (b *Bin) Ref() { atomic.AddInt64(&b.refc, 1) }

// TryRef adds one to the count unless it is zero: a binary on its way out, whose
// memory is still there for a lock that Drop of its Go value takes.
func (b *Bin) TryRef() bool {
	for {
		n := atomic.LoadInt64(&b.refc)
		if n == 0 {
			return false
		}
		if atomic.CompareAndSwapInt64(&b.refc, n, n+1) {
			return true
		}
	}
}

// Unref takes one from the count and frees the binary at zero.
func (b *Bin) Unref() {
	if n := atomic.AddInt64(&b.refc, -1); n > 0 {
		return
	} else if n < 0 {
		badCount(b)
	}
	if b.Flags&BinNamed != 0 {
		unname(b)
	}
	if b.Flags&BinMagic != 0 {
		dropMagic(b)
	}
	if b.Cap > 0 {
		offheap.Free(b.Data, b.Cap, offheap.Binary)
	}
	offheap.Free(offheap.Addr(b), binSize, offheap.Binary)
}

// Freeze ends the writability of b, if it has any, and gives back room kept for
// growing: from then on its bytes stay where they are. Whoever hands b to
// another process, or keeps the address of its bytes, freezes it first.
func (b *Bin) Freeze() {
	if b.Flags&BinWritable == 0 {
		return
	}
	b.Flags &^= BinWritable
	if b.Cap-b.Size >= 16 {
		b.Resize(b.Size)
	}
}

// Resize moves b's bytes to a block of n bytes, which must hold b.Size.
func (b *Bin) Resize(n uintptr) {
	switch {
	case b.Cap == 0 && n > 0:
		b.Data = offheap.Alloc(n, offheap.Binary)
	case n == 0 && b.Cap > 0:
		offheap.Free(b.Data, b.Cap, offheap.Binary)
		b.Data = 0
	case n > 0:
		b.Data = offheap.Realloc(b.Data, b.Cap, n, offheap.Binary)
	}
	b.Cap = n
}

// Bytes views the binary's bytes.
func (b *Bin) Bytes() []byte { return offheap.Bytes(b.Data, b.Size) }

// Sizes in words of the objects below.
const (
	SubBitsWords = 5 // header included
	BinRefWords  = 3
)

// HeapBitsWords returns the words, header included, of a heap binary.
func HeapBitsWords(bits uint64) int { return 2 + int((bits+63)/64) }

// NewHeapBits allocates a heap binary; data is the address of its bytes. The
// last word is zeroed, so that padding never holds stale memory.
func (h *Heap) NewHeapBits(bits uint64) (t term.Term, data uintptr) {
	n := HeapBitsWords(bits)
	a := h.Alloc(n)
	term.Put(a, 0, term.Header(n-1, term.KHeapBits))
	if n > 2 {
		term.Put(a, n-1, 0)
	}
	term.Put(a, 1, bits)
	return term.Box(a), a + 16
}

// NewBinary allocates a binary of n bytes, on the heap or reference counted by
// its size; data is the address of its (uninitialised) bytes.
func (h *Heap) NewBinary(n uintptr) (t term.Term, data uintptr) {
	return h.NewBits(uint64(n) * 8)
}

// NewBits is NewBinary for a size in bits. The last byte's unused bits are
// the caller's to zero.
func (h *Heap) NewBits(bits uint64) (t term.Term, data uintptr) {
	n := uintptr(bits+7) / 8
	if n <= HeapBitsMax {
		return h.NewHeapBits(bits)
	}
	b := NewBin(n)
	return h.WrapBin(b, 0, bits), b.Data
}

// Binary builds a binary of the bytes.
func (h *Heap) Binary(s []byte) term.Term {
	t, d := h.NewBinary(uintptr(len(s)))
	copy(offheap.Bytes(d, uintptr(len(s))), s)
	return t
}

// WrapBin builds sub bits over b from bit start to end, taking over one count
// of b.
func (h *Heap) WrapBin(b *Bin, start, end uint64) term.Term {
	a := h.Alloc(BinRefWords + SubBitsWords)
	ref := h.putBinRef(a, b)
	a += BinRefWords * 8
	base := b.Data
	if b.Flags&BinWritable != 0 {
		base = 0
	}
	return PutSubBits(a, base, start, end, ref)
}

// putBinRef writes a bin ref at a, linked into the off-heap list.
func (h *Heap) putBinRef(a uintptr, b *Bin) term.Term {
	return h.Off.PutBinRef(a, b)
}

// PutBinRef writes a bin ref at a (BinRefWords) and links it, taking over one
// count of b.
func (o *OffHeap) PutBinRef(a uintptr, b *Bin) term.Term {
	term.Put(a, 0, term.Header(BinRefWords-1, term.KBinRef))
	term.Put(a, 1, uint64(o.First))
	term.Put(a, 2, uint64(offheap.Addr(b)))
	o.First = a
	o.Words += uint64(b.Size) / 8
	return term.Box(a)
}

// PutSubBits writes sub bits at a (SubBitsWords).
func PutSubBits(a, base uintptr, start, end uint64, orig term.Term) term.Term {
	term.Put(a, 0, term.Header(SubBitsWords-1, term.KSubBits))
	term.Put(a, 1, uint64(base))
	term.Put(a, 2, start)
	term.Put(a, 3, end)
	term.PutTerm(a, 4, orig)
	return term.Box(a)
}

// BinOf returns the Bin of a bin ref.
func BinOf(ref term.Term) *Bin { return offheap.At[Bin](uintptr(ref.W(2))) }

// Bits returns where the bits of a bitstring or match context are: the address
// of the first byte of its original, and the bit positions of start and end.
func Bits(t term.Term) (base uintptr, start, end uint64) {
	if t.Kind() == term.KHeapBits {
		return t.Addr() + 16, 0, t.W(1)
	}
	base = uintptr(t.W(1))
	if base == 0 {
		orig := term.Term(t.W(4))
		if orig.Kind() == term.KHeapBits {
			base = orig.Addr() + 16
		} else {
			base = BinOf(orig).Data
		}
	}
	return base, t.W(2), t.W(3)
}

// AlignedBytes views the bytes of a binary. When it does not start at a byte
// boundary the bytes are copied; ok is false unless t is a binary. The view is
// borrowed: it is valid until the next safe point.
func AlignedBytes(t term.Term) (s []byte, ok bool) {
	if !t.IsBinary() {
		return nil, false
	}
	base, start, end := Bits(t)
	n := uintptr(end-start) / 8
	if start&7 == 0 {
		return offheap.Bytes(base+uintptr(start>>3), n), true
	}
	s = make([]byte, n)
	CopyBits(s, base, start, end-start)
	return s, true
}

// Lend returns the bytes of a binary outside the heaps and what holds them, with
// a count for the caller, who gives it back with Unref; nil for other terms. The
// bytes neither move nor change as long as that count is held. The caller holds
// the token of the process that t is of.
func Lend(t term.Term) (s []byte, b *Bin) {
	if !t.IsBinary() {
		return nil, nil
	}
	orig := t
	if t.Kind() == term.KSubBits {
		orig = term.Term(t.W(4))
	}
	if orig.Kind() != term.KBinRef {
		return nil, nil
	}
	b = BinOf(orig)
	b.Freeze() // what it views may move
	base, start, end := Bits(t)
	if start&7 != 0 {
		return nil, nil
	}
	b.Ref()
	return offheap.Bytes(base+uintptr(start>>3), uintptr(end-start)/8), b
}

// CopyBits copies n bits that start at bit start of base to the beginning of
// dst; the unused bits of the last byte become zero.
func CopyBits(dst []byte, base uintptr, start, n uint64) {
	if n == 0 {
		return
	}
	src := base + uintptr(start>>3)
	sh := uint(start & 7)
	full := int(n / 8)
	if sh == 0 {
		copy(dst[:full], offheap.Bytes(src, uintptr(full)))
		if r := n & 7; r != 0 {
			dst[full] = offheap.LoadByte(src+uintptr(full)) & ^byte(0xFF>>r)
		}
		return
	}
	for i := range full {
		dst[i] = offheap.LoadByte(src+uintptr(i))<<sh | offheap.LoadByte(src+uintptr(i)+1)>>(8-sh)
	}
	if r := uint(n & 7); r != 0 {
		b := offheap.LoadByte(src+uintptr(full)) << sh
		if r > 8-sh {
			b |= offheap.LoadByte(src+uintptr(full)+1) >> (8 - sh)
		}
		dst[full] = b & ^byte(0xFF>>r)
	}
}
