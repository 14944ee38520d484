package libm

import "math"

// The fast paths: exp and log by table and short polynomial, to some 66 bits.
// When what is known of the error leaves the rounding open, which is once in
// some thousand times, the slow path decides.

const (
	expSteps = 64
	logSteps = 128
)

var (
	expTable = makeExpTable() // 2^(i/64)
	logTable = makeLogTable()
)

func makeExpTable() (t [expSteps]dd) {
	for i := range t {
		t[i] = timesLn2(float64(i) / expSteps).half().expm1().addf(1)
		t[i] = t[i].mul(t[i])
	}
	return t
}

func (a dd) half() dd { return a.scale(0.5) }

// logStep serves the doubles from 1 + i/128 on: inv is near their reciprocal
// and has 8 bits, log is that of its own reciprocal.
type logStep struct {
	inv float64
	log dd
}

func makeLogTable() (t [logSteps]logStep) {
	for i := range t {
		c := 1 + (float64(i)+0.5)/logSteps
		inv := math.Round(256/c) / 256
		if i == 0 || i == logSteps-1 {
			inv = 1 // no cancellation near 1
			if i > 0 {
				inv = 0.5
			}
		}
		t[i] = logStep{inv, log(1 / inv)}
		if inv != 1 && inv != 0.5 {
			t[i].log = log(inv).neg()
		}
	}
	return t
}

// roundTo rounds h + l, known to within e; ok is false when e leaves it open.
func (a dd) roundTo(e float64) (r float64, ok bool) {
	r = a.h + (a.l + e)
	return r, r == a.h+(a.l-e)
}

// expFast is exp(a) = m 2^k, with a relative error below 2^-65 beyond that of a.
func (a dd) expFast() (m dd, k int) {
	n := math.RoundToEven(a.h * (log2e * expSteps))
	hi := math.FMA(-n, ln2a/expSteps, a.h)
	lo := math.FMA(-n, ln2b/expSteps, a.l)
	r := fast2(hi, lo)
	if math.Abs(hi) < math.Abs(lo) {
		r = two(hi, lo)
	}
	x := r.h
	q := x * x * (0.5 + x*(1.0/6+x*(1.0/24+x*(1.0/120+x*(1.0/720+x*(1.0/5040))))))
	i := int(n)
	t := expTable[i&(expSteps-1)]
	p := prod(t.h, x)
	s := fast2(t.h, p.h)
	l := s.l + (p.l + t.h*(r.l+q) + t.l*(1+x))
	return fast2(s.h, l), i >> 6
}

// logFast is the logarithm of a positive normal x, with a relative error below
// 2^-66.
func logFast(x float64) dd {
	b := math.Float64bits(x)
	e := int(b>>52) - 1023
	i := b >> 45 & (logSteps - 1)
	m := math.Float64frombits(b&(1<<52-1) | 1023<<52) // 1 <= m < 2
	s := &logTable[i]
	f := math.FMA(m, s.inv, -1) // exact
	k := float64(e)
	base := s.log
	if i >= 53 { // above sqrt 2: count from the next power of two
		k++
		base = base.add(minusLn2)
	}
	sq := prod(f, f)
	rest := f * f * f * (1.0/3 - f*(1.0/4-f*(1.0/5-f*(1.0/6-f*(1.0/7-f*(1.0/8-f*(1.0/9-f*(1.0/10))))))))
	r := fast2(f, -0.5*sq.h)
	r = fast2(r.h, r.l+(rest-0.5*sq.l))
	if base.h != 0 {
		r = base.add(r)
	}
	if k != 0 {
		r = timesLn2(k).add(r)
	}
	return r
}

var minusLn2 = timesLn2(-1)
