package zlib

import (
	"bytes"
	gozlib "compress/zlib"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var rnd []byte
	for range 100000 {
		rnd = append(rnd, byte(r.IntN(1+r.IntN(256))))
	}
	for _, src := range [][]byte{nil, []byte("a"), []byte(strings.Repeat("hello ", 5000)), rnd} {
		for level := -1; level <= 9; level++ {
			c, err := Compress([]byte("pre"), src, level)
			if err != nil || string(c[:3]) != "pre" {
				t.Fatal(level, err)
			}
			zr, err := gozlib.NewReader(bytes.NewReader(c[3:]))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(zr); err != nil || !bytes.Equal(got, src) {
				t.Fatalf("level %d: %v", level, err)
			}
			n := len(c) - 3
			out, taken, err := Uncompress(nil, append(c[3:], "tail"...), len(src))
			if err != nil || taken != n || !bytes.Equal(out, src) {
				t.Fatalf("level %d: taken %d of %d, %v", level, taken, n, err)
			}
			if _, _, err := Uncompress(nil, c[3:], len(src)+1); err == nil {
				t.Fatal("short data accepted")
			}
			if len(src) > 0 {
				if _, _, err := Uncompress(nil, c[3:], len(src)-1); err == nil {
					t.Fatal("long data accepted")
				}
			}
		}
	}
}

func TestDictionary(t *testing.T) {
	d, _ := NewDeflate(9, Deflated, 15, 8, 0)
	if c := d.SetDictionary([]byte("the quick brown fox")); c != OK {
		t.Fatal(c)
	}
	out := make([]byte, 200)
	_, n, c := d.Run([]byte("the quick brown fox jumps"), out, Finish)
	if c != StreamEnd {
		t.Fatal(c)
	}
	d.End()
	i, _ := NewInflate(15)
	res := make([]byte, 100)
	taken, _, c := i.Run(out[:n], res, NoFlush)
	if c != NeedDict {
		t.Fatal(c)
	}
	if c := i.SetDictionary([]byte("the quick brown fox")); c != OK {
		t.Fatal(c)
	}
	_, m, c := i.Run(out[taken:n], res, NoFlush)
	if c != StreamEnd || string(res[:m]) != "the quick brown fox jumps" {
		t.Fatal(c, string(res[:m]))
	}
	i.End()
}

func FuzzUncompress(f *testing.F) {
	c, _ := Compress(nil, []byte("hello hello hello"), 9)
	f.Add(c, 17)
	f.Fuzz(func(t *testing.T, b []byte, n int) {
		if n < 0 || n > 1<<16 {
			return
		}
		out, _, err := Uncompress(nil, b, n)
		if err == nil && len(out) != n {
			t.Fatal(len(out), n)
		}
	})
}
