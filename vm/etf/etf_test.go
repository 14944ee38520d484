package etf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/beamrd/beamrd/internal/wire"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// erlTerms returns terms as real erl encodes them: plain, with minor version 0,
// with minor version 2, and deterministic.
func erlTerms(t testing.TB) (all [][4][]byte) {
	if _, err := exec.LookPath("erl"); err != nil {
		t.Skip("no erl")
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "terms")
	if b, err := exec.Command("erlc", "-o", dir, "testdata/etf_terms.erl").CombinedOutput(); err != nil {
		t.Fatalf("erlc: %v\n%s", err, b)
	}
	if b, err := exec.Command("erl", "-noshell", "-pa", dir, "-run", "etf_terms", "main", out).CombinedOutput(); err != nil {
		t.Fatalf("erl: %v\n%s", err, b)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for len(b) > 0 {
		var e [4][]byte
		for i := range e {
			n := binary.BigEndian.Uint32(b)
			e[i], b = b[4:4+n], b[4+n:]
		}
		all = append(all, e)
	}
	return all
}

func TestRoundTripsOfErl(t *testing.T) {
	opts := [4]Options{{}, {OldFloats: true}, {UTF8Atoms: true}, {Deterministic: true}}
	failed := 0
	for i, e := range erlTerms(t) {
		for j, want := range e {
			var h heap.Heap
			v, n, err := Decode(&h, want[1:], false)
			if err != nil {
				t.Errorf("term %d encoding %d (%.60v…): %v", i, j, want, err)
				failed++
				continue
			}
			if n != len(want)-1 {
				t.Errorf("term %d: %d bytes read of %d", i, n, len(want)-1)
			}
			for k, o := range opts {
				if k == 0 && j != 0 {
					continue
				}
				got := o.Append([]byte{Version}, v)
				if !bytes.Equal(got, e[k]) {
					t.Errorf("term %d from encoding %d to %d:\n got %.200v\nwant %.200v", i, j, k, got, e[k])
					failed++
				}
			}
		}
		if failed > 5 {
			t.Fatal("too many failures")
		}
	}
}

func TestSlices(t *testing.T) {
	for i, e := range erlTerms(t) {
		if i%7 != 0 {
			continue
		}
		var h heap.Heap
		d := NewDecoder(&h, e[0][1:], false)
		for done := false; !done; {
			_, done = d.Step(3)
		}
		v, _, err := d.Result()
		d.Close()
		if err != nil {
			t.Fatal(err)
		}
		x := NewEncoder(Options{})
		x.Start(v)
		for done := false; !done; {
			_, done = x.Step(3)
		}
		if !bytes.Equal(x.Bytes(), e[0]) {
			t.Fatalf("term %d differs when written in slices", i)
		}
		if got, _ := (Options{}).Size(v); got != len(e[0])-1 {
			t.Errorf("size of term %d = %d, want %d", i, got, len(e[0])-1)
		}
		x.Close()
	}
}

func TestMalformed(t *testing.T) {
	for _, s := range []string{
		"", "\x00", "a", "b\x00\x00", "h\x02a\x01", "i\xff\xff\xff\xff", "l\xff\xff\xff\xff", "t\xff\xff\xff\xff",
		"l\x00\x00\x00\x01a\x01", "k\x00\x05abc", "m\xff\xff\xff\xffabc", "m\x00\x00\x00\x05abc",
		"M\x00\x00\x00\x00\x01", "M\x00\x00\x00\x01\x00a", "M\x00\x00\x00\x01\x09a", "n\x05\x00abc", "o\xff\xff\xff\xff\x00",
		"F\x7f\xf0\x00\x00\x00\x00\x00\x00", "F\xff\xf8\x00\x00\x00\x00\x00\x00", "c1.5", "d\x01\x00" + string(make([]byte, 256)),
		"w\x01\xff", "v\x00\x01\xff", "t\x00\x00\x00\x02a\x01a\x01a\x01a\x02", "u\x00\x00\x00\x00", "R\x00",
		"qd\x00\x01ad\x00\x01aa", "qd\x00\x01ad\x00\x01ad\x00\x01a", "qd\x00\x01ad\x00\x01ab\xff\xff\xff\xff",
		"Xd\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00", "Z\x00\x06d\x00\x01a\x00\x00\x00\x00", "Z\x00\x00d\x00\x01a\x00\x00\x00\x00",
		"h\xffh\xffh\xffh\xff" + string(make([]byte, 300)),
	} {
		var h heap.Heap
		v, _, err := Decode(&h, []byte(s), false)
		var e *Error
		if !errors.As(err, &e) || v != term.None {
			t.Errorf("%q: %v, %v", s, v, err)
		}
	}
}

func TestSafe(t *testing.T) {
	for _, s := range []string{"d\x00\x0bno_such_atm", "w\x0bno_such_atm", "qd\x00\x05listsd\x00\x04nonea\x01"} {
		var h heap.Heap
		if _, _, err := Decode(&h, []byte(s), true); err == nil {
			t.Errorf("%q was decoded in safe mode", s)
		}
	}
	var h heap.Heap
	if v, _, err := Decode(&h, []byte("d\x00\x02ok"), true); err != nil || v != term.AmOk {
		t.Errorf("ok in safe mode: %v", err)
	}
}

// Nested containers that all announce what only one could have must not add up.
func TestAnnouncedSizesDoNotAddUp(t *testing.T) {
	var b []byte
	const n = 20000
	for range n {
		b = append(b, wire.TagLargeTuple)
		b = binary.BigEndian.AppendUint32(b, n)
	}
	var h heap.Heap
	if _, _, err := Decode(&h, b, false); err == nil {
		t.Fatal("decoded")
	}
	if h.FragWords > uint64(2*len(b)) {
		t.Errorf("%d words for %d bytes", h.FragWords, len(b))
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"a\x01", "h\x02a\x01j", "l\x00\x00\x00\x02a\x01a\x02j", "t\x00\x00\x00\x01a\x01a\x02", "k\x00\x03abc",
		"m\x00\x00\x00\x01a", "M\x00\x00\x00\x01\x03a", "n\x09\x01123456789", "F?\xf8\x00\x00\x00\x00\x00\x00",
		"Xd\x00\x03a@b\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x03", "Z\x00\x01d\x00\x03a@b\x00\x00\x00\x01\x00\x00\x00\x02",
		"qd\x00\x05listsd\x00\x03mapa\x02", "Yd\x00\x03a@b\x00\x00\x00\x01\x00\x00\x00\x02"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var h heap.Heap
		v, n, err := Decode(&h, b, true)
		defer free(&h)
		if h.FragWords > uint64(64*len(b)+64) {
			t.Fatalf("%d words for %d bytes", h.FragWords, len(b))
		}
		if err != nil {
			return
		}
		if n > len(b) {
			t.Fatal("read beyond the end")
		}
		got := Append(nil, v)
		var h2 heap.Heap
		defer free(&h2)
		v2, _, err := Decode(&h2, got, true)
		if err != nil {
			t.Fatalf("own encoding of %v: %v", b[:n], err)
		}
		if !bytes.Equal(got, Append(nil, v2)) {
			t.Fatalf("encoding is not stable: %v", got)
		}
	})
}

func free(h *heap.Heap) {
	heap.ReleaseOffHeap(&h.Off)
	for f := h.Frags; f != nil; {
		next := f.Next
		f.Free()
		f = next
	}
}

func TestMagicRefsComeBack(t *testing.T) {
	var h heap.Heap
	b := heap.NewMagic("value")
	ref := h.Off.PutMagicRef(h.Alloc(1+term.MagicRefWords), 1|2<<32, 3, b)
	enc := Append(nil, ref)
	got, _, err := Decode(&h, enc, false)
	if err != nil || !got.IsMagicRef() || heap.MagicValue(heap.MagicBin(got)) != "value" {
		t.Fatalf("decoded %#x, %v", got, err)
	}
	free(&h)
	var h2 heap.Heap
	if got, _, err = Decode(&h2, enc, false); err != nil || got.IsMagicRef() || !got.IsRef() {
		t.Errorf("after the end of the binary: %#x, %v", got, err)
	}
}
