package num

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// randInt returns an integer near the boundaries of smalls and limbs.
func randInt(r *rand.Rand) *big.Int {
	v := new(big.Int)
	switch r.IntN(4) {
	case 0:
		v.SetInt64(r.Int64N(200) - 100)
	case 1:
		v.Lsh(big.NewInt(1), uint([]int{58, 59, 60, 62, 63, 64, 127, 128, 192}[r.IntN(9)]))
		v.Add(v, big.NewInt(r.Int64N(5)-2))
	default:
		n := 1 + r.IntN(8)
		for range n {
			v.Lsh(v, 64)
			var w uint64
			switch r.IntN(4) {
			case 0:
			case 1:
				w = ^uint64(0)
			default:
				w = r.Uint64()
			}
			v.Or(v, new(big.Int).SetUint64(w))
		}
		v.Rsh(v, uint(r.IntN(64)))
	}
	if r.IntN(2) == 0 {
		v.Neg(v)
	}
	return v
}

func checkInt(t *testing.T, what string, got term.Term, want *big.Int) {
	t.Helper()
	if got == term.None {
		t.Fatalf("%s: no result, want %v", what, want)
	}
	if g := ToBig(got); g.Cmp(want) != 0 {
		t.Fatalf("%s = %v, want %v", what, g, want)
	}
	if want.IsInt64() && term.FitsSmall(want.Int64()) != got.IsSmall() {
		t.Fatalf("%s = %v: not normalised", what, want)
	}
	if got.IsBig() {
		if w := limbsOf(got); w[len(w)-1] == 0 {
			t.Fatalf("%s: leading zero limb", what)
		}
	}
}

func TestIntsAgainstBig(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var h heap.Heap
	for range 20000 {
		x, y := randInt(r), randInt(r)
		a, b := FromBig(&h, x), FromBig(&h, y)
		z := func() *big.Int { return new(big.Int) }
		s := x.String() + " ? " + y.String()
		checkInt(t, "+ "+s, Add(&h, a, b), z().Add(x, y))
		checkInt(t, "- "+s, Sub(&h, a, b), z().Sub(x, y))
		checkInt(t, "* "+s, Mul(&h, a, b), z().Mul(x, y))
		checkInt(t, "band "+s, Band(&h, a, b), z().And(x, y))
		checkInt(t, "bor "+s, Bor(&h, a, b), z().Or(x, y))
		checkInt(t, "bxor "+s, Bxor(&h, a, b), z().Xor(x, y))
		checkInt(t, "bnot "+s, Bnot(&h, a), z().Not(x))
		checkInt(t, "neg "+s, Neg(&h, a), z().Neg(x))
		checkInt(t, "abs "+s, Abs(&h, a), z().Abs(x))
		n := r.IntN(200)
		checkInt(t, "bsl "+s, Bsl(&h, a, term.Small(int64(n))), z().Lsh(x, uint(n)))
		checkInt(t, "bsr "+s, Bsr(&h, a, term.Small(int64(n))), z().Rsh(x, uint(n)))
		checkInt(t, "bsl -"+s, Bsl(&h, a, term.Small(int64(-n))), z().Rsh(x, uint(n)))
		if y.Sign() == 0 {
			if Div(&h, a, b) != term.None || Rem(&h, a, b) != term.None {
				t.Fatal("division by zero gave a result")
			}
			continue
		}
		q, m := z().QuoRem(x, y, z())
		checkInt(t, "div "+s, Div(&h, a, b), q)
		checkInt(t, "rem "+s, Rem(&h, a, b), m)
	}
}

func TestLimits(t *testing.T) {
	var h heap.Heap
	one := term.Small(1)
	top := Bsl(&h, one, term.Small(int64(MaxLimbs)*64-1))
	if top == term.None {
		t.Fatal("the largest power of two is refused")
	}
	for _, r := range []term.Term{
		Bsl(&h, one, term.Small(int64(MaxLimbs)*64)),
		Bsl(&h, one, term.Small(1<<58)),
		Bsl(&h, one, top),
		Bsr(&h, one, Neg(&h, top)),
		Add(&h, top, top),
		Mul(&h, top, top),
		Mul(&h, top, term.Small(2)),
	} {
		if r != term.None {
			t.Error("a number beyond the limit was built")
		}
	}
	if Bsr(&h, top, top) != term.Small(0) || Bsr(&h, Neg(&h, top), top) != term.Small(-1) {
		t.Error("bsr by a bignum")
	}
	if !Limit(OpAdd, top, top) || Limit(OpDiv, top, term.Small(0)) || Limit(OpAdd, term.Nil, top) {
		t.Error("Limit")
	}
}

func TestParseInt(t *testing.T) {
	var h heap.Heap
	r := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		v, base := randInt(r), 2+r.IntN(35)
		a := FromBig(&h, v)
		s := AppendInt(nil, a, base)
		b, ok := ParseInt(&h, s, base)
		if !ok {
			t.Fatalf("%s in base %d is refused", s, base)
		}
		checkInt(t, string(s), b, v)
	}
	for _, s := range []string{"", "+", "-", "1a", "--1", "1 ", " 1", "1_0", "0x1"} {
		if _, ok := ParseInt(&h, []byte(s), 10); ok {
			t.Errorf("%q is taken for an integer", s)
		}
	}
}

func TestParseFloat(t *testing.T) {
	for s, want := range map[string]float64{"1.5": 1.5, "-0.25": -0.25, "+1.0e3": 1000, "1,5": 1.5, "1.5\x00x": 1.5, "1.0E-400": 0} {
		if f, ok := ParseFloat([]byte(s)); !ok || f != want {
			t.Errorf("%q = %v, %v", s, f, ok)
		}
	}
	for _, s := range []string{"", "1", "1.", ".5", "1.5e", "1.5e+", "1.0e400", "0x1.0p3", "inf", "1_0.5", "1.5 "} {
		if f, ok := ParseFloat([]byte(s)); ok {
			t.Errorf("%q = %v", s, f)
		}
	}
}
