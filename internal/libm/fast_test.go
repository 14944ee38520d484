package libm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// diff is |a-b| as a part of b.
func diff(a, b dd) float64 { return math.Abs(a.add(b.neg()).round() / b.h) }

// The fast paths are as good as what their callers suppose.
func TestFastPathErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var worstExp, worstLog float64
	for range 200000 {
		x := (r.Float64() - 0.5) * 1400
		if r.IntN(4) == 0 {
			x = r.NormFloat64() * math.Pow(2, -float64(r.IntN(50)))
		}
		m, k := dd{x, 0}.exp()
		f, j := dd{x, 0}.expFast()
		if d := diff(dd{math.Ldexp(f.h, j-k), math.Ldexp(f.l, j-k)}, m); d > worstExp {
			worstExp = d
		}
		y := math.Float64frombits(uint64(r.IntN(2046)+1)<<52 | r.Uint64()>>12)
		if r.IntN(3) == 0 {
			y = 1 + (r.Float64()-0.5)*math.Pow(2, -float64(r.IntN(52)))
		}
		if y == 1 {
			continue
		}
		if d := diff(logFast(y), log(y)); d > worstLog {
			worstLog = d
		}
	}
	t.Logf("exp 2^%.1f, log 2^%.1f", math.Log2(worstExp), math.Log2(worstLog))
	if worstExp > 0x1p-65 || worstLog > 0x1p-66 {
		t.Errorf("errors of exp %g, log %g", worstExp, worstLog)
	}
}
