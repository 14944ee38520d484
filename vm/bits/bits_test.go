package bits

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/num"
	"github.com/beamrd/beamrd/vm/term"
)

// mem returns n random bytes off the Go heap and their bits as a string of 0 and 1.
func mem(r *rand.Rand, n int) (a uintptr, s []byte) {
	a = offheap.Alloc(uintptr(n), offheap.Misc)
	for i := range n {
		offheap.StoreByte(a+uintptr(i), byte(r.Uint32()))
	}
	return a, bitString(a, n)
}

func bitString(a uintptr, n int) []byte {
	var s []byte
	for i := range n * 8 {
		s = append(s, '0'+offheap.LoadByte(a+uintptr(i/8))>>(7-i%8)&1)
	}
	return s
}

// intOf is the number that a run of bits stands for, by the definition.
func intOf(s []byte, flags uint64) *big.Int {
	if flags&Little != 0 {
		var be []byte
		for i := 0; i < len(s); i += 8 {
			be = append(append([]byte{}, s[i:min(i+8, len(s))]...), be...)
		}
		s = be
	}
	v := new(big.Int)
	for _, b := range s {
		v.Lsh(v, 1).Or(v, big.NewInt(int64(b-'0')))
	}
	if flags&Signed != 0 && len(s) > 0 && s[0] == '1' {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(len(s))))
	}
	return v
}

func fuzzSizes(r *rand.Rand) (off, n uint64) {
	return r.Uint64N(20), r.Uint64N([]uint64{9, 66, 300}[r.IntN(3)])
}

func TestIntRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var h heap.Heap
	for range 20000 {
		a, s := mem(r, 48)
		off, n := fuzzSizes(r)
		flags := uint64([]int{0, Little, Signed, Little | Signed}[r.IntN(4)])
		if r.IntN(4) == 0 { // many zeros or ones
			fill := byte(-r.IntN(2))
			for i := range uintptr(40) {
				offheap.StoreByte(a+i, fill)
			}
			s = bitString(a, 48)
		}
		want := intOf(s[off:off+n], flags)
		got := GetInt(&h, a, off, n, flags)
		if num.ToBig(got).Cmp(want) != 0 {
			t.Fatalf("off %d n %d flags %d: got %v want %v", off, n, flags, num.ToBig(got), want)
		}
		if got.IsSmall() != (want.IsInt64() && term.FitsSmall(want.Int64())) {
			t.Fatal("not normalised")
		}
		b, old := mem(r, 48)
		doff := r.Uint64N(20)
		if !PutInt(b, doff, n, got, flags) {
			t.Fatal("PutInt refused")
		}
		copy(old[doff:doff+n], s[off:off+n])
		if string(bitString(b, 48)) != string(old) {
			t.Fatalf("put off %d n %d flags %d of %v", doff, n, flags, want)
		}
		offheap.Free(a, 48, offheap.Misc)
		offheap.Free(b, 48, offheap.Misc)
	}
}

func TestPutTruncates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	var h heap.Heap
	for range 5000 {
		buf := make([]byte, 1+r.IntN(40))
		for i := range buf {
			buf[i] = byte(r.Uint32())
		}
		v := new(big.Int).SetBytes(buf)
		if r.IntN(2) == 0 {
			v.Neg(v)
		}
		a, _ := mem(r, 48)
		off, n := fuzzSizes(r)
		flags := uint64(r.IntN(2) * Little)
		PutInt(a, off, n, num.FromBig(&h, v), flags)
		want := new(big.Int).And(v, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(n)), big.NewInt(1)))
		if got := GetInt(&h, a, off, n, flags); num.ToBig(got).Cmp(want) != 0 {
			t.Fatalf("off %d n %d flags %d %v: got %v want %v", off, n, flags, v, num.ToBig(got), want)
		}
	}
}

func TestCopyCompare(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range 20000 {
		a, s := mem(r, 48)
		b, d := mem(r, 48)
		soff, n := fuzzSizes(r)
		doff := r.Uint64N(20)
		Copy(b, doff, a, soff, n)
		copy(d[doff:doff+n], s[soff:soff+n])
		if string(bitString(b, 48)) != string(d) {
			t.Fatalf("copy to %d from %d, %d bits", doff, soff, n)
		}
		if !Equal(a, soff, b, doff, n) {
			t.Fatal("copy differs")
		}
		if n > 0 {
			x := doff + r.Uint64N(n)
			p := b + uintptr(x/8)
			offheap.StoreByte(p, offheap.LoadByte(p)^1<<(7-x%8))
			want := 1
			if d[x] == '1' {
				want = -1
			}
			if c := Compare(b, doff, a, soff, n); c != want {
				t.Fatalf("compare at %d and %d, %d bits: %d", doff, soff, n, c)
			}
		}
		offheap.Free(a, 48, offheap.Misc)
		offheap.Free(b, 48, offheap.Misc)
	}
}

func TestHalf(t *testing.T) {
	for i := range 1 << 16 {
		f := fromHalf(uint16(i))
		if math.IsNaN(f) {
			continue
		}
		if toHalf(f) != uint16(i) {
			t.Fatalf("%#x: %g gives %#x", i, f, toHalf(f))
		}
		if i&0x7FFF < 0x7BFF {
			g := fromHalf(uint16(i + 1))
			mid := (f + g) / 2
			if got, want := toHalf(mid), uint16(i+i&1); got != want {
				t.Fatalf("%g: %#x, not %#x", mid, got, want)
			}
		}
	}
	if toHalf(65519.999) != 0x7BFF || toHalf(1e300) != 0x7C00 {
		t.Fatal("overflow")
	}
}

func TestUTF(t *testing.T) {
	a := offheap.Alloc(16, offheap.Misc)
	for c := rune(0); c <= 0x10FFFF; c++ {
		off := uint64(c) & 15
		n := PutUTF8(a, off, term.Small(int64(c)))
		if (n == 0) != !utf8.ValidRune(c) {
			t.Fatal(c)
		}
		if n == 0 {
			continue
		}
		var buf [4]byte
		k := utf8.EncodeRune(buf[:], c)
		var v uint64
		for _, x := range buf[:k] {
			v = v<<8 | uint64(x)
		}
		if n != uint64(k)*8 || Peek(a, off, n) != v {
			t.Fatal(c)
		}
		if g, m := GetUTF8(a, off, n); g != c || m != n {
			t.Fatal(c, g, m)
		}
		if _, m := GetUTF8(a, off, n-1); m != 0 {
			t.Fatal(c)
		}
		for _, fl := range []uint64{0, Little} {
			n := PutUTF16(a, off, term.Small(int64(c)), fl)
			if g, m := GetUTF16(a, off, n, fl); g != c || m != n {
				t.Fatal(c, g, m)
			}
		}
	}
}

func FuzzGetUTF8(f *testing.F) {
	f.Add([]byte("\xed\xa0\x80\xf4\x90\x80\x80"))
	f.Fuzz(func(t *testing.T, b []byte) {
		a := offheap.Alloc(uintptr(len(b)), offheap.Misc)
		defer offheap.Free(a, uintptr(len(b)), offheap.Misc)
		copy(offheap.Bytes(a, uintptr(len(b))), b)
		r, n := utf8.DecodeRune(b)
		g, m := GetUTF8(a, 0, uint64(len(b))*8)
		if ok := n > 0 && (r != utf8.RuneError || n == 3); ok != (m > 0) || ok && (r != g || uint64(n)*8 != m) {
			t.Fatal(b, r, n, g, m)
		}
	})
}

func TestAppend(t *testing.T) {
	var h heap.Heap
	b := h.Binary([]byte("abc"))
	var last term.Term = b
	want := "abc"
	add := func(t term.Term, c byte) term.Term {
		r, base, off := Append(&h, t, 8)
		Poke(base, off, 8, uint64(c))
		return r
	}
	str := func(t term.Term) string { s, _ := heap.AlignedBytes(t); return string(s) }
	var all []term.Term
	for i := range 3000 {
		c := byte('a' + i%26)
		last = add(last, c)
		want += string(c)
		all = append(all, last)
	}
	if str(last) != want {
		t.Fatal("appended differs")
	}
	// An older one is copied, and the newest is not disturbed.
	x := add(all[10], '!')
	if str(x) != want[:3+11]+"!" || str(last) != want {
		t.Fatal("append to an old one")
	}
	// Matching freezes.
	Start(&h, last, 0)
	bin := heap.BinOf(term.Term(last.W(4)))
	if bin.Cap-bin.Size >= 16 {
		t.Fatal("not frozen")
	}
	y := add(last, '?')
	if str(y) != want+"?" || str(last) != want || term.Term(y.W(4)) == term.Term(last.W(4)) {
		t.Fatal("append after match")
	}
	z, base, off := PrivateAppend(&h, y, 3)
	Poke(base, off, 3, 5)
	if z != y || z.BitSize() != uint64(len(want)+1)*8+3 {
		t.Fatal("private append")
	}
	w := NewWritable(&h, 0)
	for i := range 100 {
		w, base, off = PrivateAppend(&h, w, 8)
		Poke(base, off, 8, uint64(i))
	}
	if s := str(w); len(s) != 100 || s[99] != 99 {
		t.Fatal("writable")
	}
}
