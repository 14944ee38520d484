package libm

import (
	"bufio"
	"math"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var one = map[string]func(float64) float64{"sin": Sin, "cos": Cos, "tan": Tan, "asin": Asin, "acos": Acos, "atan": Atan,
	"sinh": Sinh, "cosh": Cosh, "tanh": Tanh, "asinh": Asinh, "acosh": Acosh, "atanh": Atanh, "exp": Exp, "log": Log,
	"log2": Log2, "log10": Log10, "erf": Erf, "erfc": Erfc}

var twoArgs = map[string]func(x, y float64) float64{"pow": Pow, "atan2": Atan2}

func bitsOf(t *testing.T, s string) float64 {
	u, err := strconv.ParseUint(s, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return math.Float64frombits(u)
}

// Real erl uses the machine's C library. Where that rounds differently, it is
// by a unit or two and seldom.
func TestAgainstErl(t *testing.T) {
	if _, err := exec.LookPath("erl"); err != nil {
		t.Skip("no erl")
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	if b, err := exec.Command("erlc", "-o", dir, "testdata/math_oracle.erl").CombinedOutput(); err != nil {
		t.Fatalf("erlc: %v\n%s", err, b)
	}
	if b, err := exec.Command("erl", "-noshell", "-pa", dir, "-run", "math_oracle", "main", out).CombinedOutput(); err != nil {
		t.Fatalf("erl: %v\n%s", err, b)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	total, differ := map[string]int{}, map[string]int{}
	for s := bufio.NewScanner(f); s.Scan(); {
		w := strings.Fields(s.Text())
		x, y := bitsOf(t, w[1]), bitsOf(t, w[2])
		var got float64
		if f := one[w[0]]; f != nil {
			got = f(x)
		} else {
			got = twoArgs[w[0]](x, y)
		}
		total[w[0]]++
		if w[3] == "error" {
			if !notFinite(got) {
				t.Errorf("%s(%v, %v) = %v, an error in erl", w[0], x, y, got)
			}
			continue
		}
		want := bitsOf(t, w[3])
		d := int64(math.Float64bits(got) - math.Float64bits(want))
		if d != 0 {
			differ[w[0]]++
		}
		if d < -2 || d > 2 {
			t.Errorf("%s(%v, %v) = %v, want %v", w[0], x, y, got, want)
		}
	}
	for n, k := range total {
		if differ[n]*200 > k {
			t.Errorf("%s: %d of %d differ", n, differ[n], k)
		}
	}
	if len(total) < len(one)+len(twoArgs) {
		t.Errorf("only %d functions tried", len(total))
	}
}

func TestReduceBig(t *testing.T) {
	for _, x := range []float64{1e10, 3e10, 1e22, -1e300, math.MaxFloat64, 0x1.6ac5b262ca1ffp+849} {
		r, q := reduceBig(x)
		v := new(big.Float).SetPrec(1300).SetFloat64(x)
		v.Quo(v, halfPi())
		n, _ := v.Int(nil)
		if d := new(big.Int).Sub(n, big.NewInt(int64(q))); new(big.Int).And(d, big.NewInt(3)).Int64()%4 > 1 && r.h > 0 {
			t.Errorf("quadrant of %v is %d", x, q)
		}
		if math.Abs(r.h) > math.Pi/4+1e-9 {
			t.Errorf("%v is reduced to %v", x, r.h)
		}
	}
}

func BenchmarkExp(b *testing.B)   { bench(b, Exp) }
func BenchmarkLog(b *testing.B)   { bench(b, Log) }
func BenchmarkSin(b *testing.B)   { bench(b, Sin) }
func BenchmarkAtan(b *testing.B)  { bench(b, Atan) }
func BenchmarkPow(b *testing.B)   { bench(b, func(x float64) float64 { return Pow(x, 1.7) }) }
func BenchmarkLog10(b *testing.B) { bench(b, Log10) }

func bench(b *testing.B, f func(float64) float64) {
	x := 0.5
	for range b.N {
		x += f(x) * 1e-9
	}
}
