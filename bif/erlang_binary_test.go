package bif

import (
	"bytes"
	"testing"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native/nativetest"
	"github.com/beamrd/beamrd/vm/term"
)

func binRow(t *testing.T, c *nativetest.Caller, name string, args ...term.Term) term.Term {
	t.Helper()
	return c.Apply(nativetest.Find(t, erlangBinaryRows, "erlang", name, len(args)), args...)
}

func bytesOf(t *testing.T, b term.Term) []byte {
	t.Helper()
	s, ok := heap.AlignedBytes(b)
	if !ok {
		t.Fatalf("not a binary: %#x", b)
	}
	return s
}

// deepIolist builds n bytes nested to a depth of n, with binaries between.
func deepIolist(h *heap.Heap, n int) (l term.Term, want []byte) {
	l = term.Nil
	for i := range n {
		b := byte(i)
		l = h.List(l, term.Small(int64(b)), h.Binary([]byte{b, 1}))
		want = append(want, b, b, 1)
	}
	return l, want
}

func TestIolistInSlices(t *testing.T) {
	c := nativetest.New(t, 1)
	c.Reds = 10
	l, want := deepIolist(c.Heap(), 20000)
	if n := binRow(t, c, "iolist_size", l); n != term.Small(int64(len(want))) {
		t.Fatal("size", n.Small(), len(want))
	}
	if c.Slices < 10 {
		t.Fatal("did not yield")
	}
	if b := binRow(t, c, "iolist_to_binary", l); !bytes.Equal(bytesOf(t, b), want) {
		t.Fatal("bytes differ")
	}
	var got []byte
	for v := binRow(t, c, "iolist_to_iovec", l); v.IsList(); v = v.Tail() {
		got = append(got, bytesOf(t, v.Head())...)
	}
	if !bytes.Equal(got, want) {
		t.Fatal("iovec differs")
	}
	b := binRow(t, c, "binary_to_list", c.Heap().Binary(want))
	for i, x := range want {
		if b.Head() != term.Small(int64(x)) {
			t.Fatal("list differs at", i)
		}
		b = b.Tail()
	}
	if !b.IsNil() {
		t.Fatal("list too long")
	}
	bad := c.Heap().List(l, term.Small(256))
	if r := binRow(t, c, "iolist_size", bad); r != term.None || c.Arg(0) != bad {
		t.Fatal("bad iolist accepted, or its argument lost")
	}
}

func TestIovecCuts(t *testing.T) {
	c := nativetest.New(t, 1)
	h := c.Heap()
	z := func(n int) term.Term { return h.Binary(make([]byte, n)) }
	one := term.Small(1)
	l := h.List(z(2000), one, z(255), z(256), z(600), one, one, z(300))
	var got []int
	for v := binRow(t, c, "iolist_to_iovec", l); v.IsList(); v = v.Tail() {
		got = append(got, len(bytesOf(t, v.Head())))
	}
	want := []int{2000, 256, 256, 600, 302} // as erl
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Fatal(got)
		}
	}
}
