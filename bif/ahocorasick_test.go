package bif

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// firstLongest finds the match that begins first, and of those the longest, by trying.
func firstLongest(s []byte, ps [][]byte) (from, n int) {
	for i := range s {
		for _, p := range ps {
			if bytes.HasPrefix(s[i:], p) && len(p) > n {
				from, n = i, len(p)
			}
		}
		if n > 0 {
			return from, n
		}
	}
	return 0, 0
}

func TestAC(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	word := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = 'a' + byte(r.IntN(3))
		}
		return b
	}
	for range 5000 {
		var ps [][]byte
		for range 2 + r.IntN(5) {
			ps = append(ps, word(1+r.IntN(6)))
		}
		s := word(r.IntN(40))
		big := append(append([][]byte{}, ps...), bytes.Repeat([]byte("z"), acTableMax))
		for _, m := range []*acMachine{newAC(ps), newAC(big)} {
			var a acSearch
			for limit := 3; !a.run(m, s, limit); limit += 3 {
			}
			from, n := firstLongest(s, ps)
			if a.found != (n > 0) || n > 0 && (a.from != from || a.len != n) {
				t.Fatalf("%q in %q: %+v, want %d %d", ps, s, a, from, n)
			}
		}
	}
}
