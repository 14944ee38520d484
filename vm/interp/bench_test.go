package interp_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/beamrd/beamrd/internal/fixture"
)

// TestPrograms runs benchmark programs without a boot and logs their times.
// BENCH_SRC is the folder of their sources, BENCH the names, e.g.
//
//	BENCH_SRC=… BENCH=fib,nrev go test -run Programs -v ./vm/interp
func TestPrograms(t *testing.T) {
	dir, names := os.Getenv("BENCH_SRC"), os.Getenv("BENCH")
	if dir == "" || names == "" {
		t.Skip("BENCH_SRC and BENCH are not set")
	}
	tmp := t.TempDir()
	fixture.Compile(t, tmp, filepath.Join(fixture.Root(t), "testdata/harness/fixture_main.erl"))
	fixture.Start(t)
	size := regexp.MustCompile(`define\(BM_SIZE, *(\d+)`)
	for _, n := range strings.Split(names, ",") {
		src := filepath.Join(dir, "bm_"+n+".erl")
		b, err := os.ReadFile(src)
		if err != nil {
			t.Fatal(err)
		}
		m := size.FindSubmatch(b)
		if m == nil {
			t.Fatalf("%s: no size", src)
		}
		sz, _ := strconv.Atoi(string(m[1]))
		fixture.Compile(t, tmp, src)
		fixture.Load(t, tmp, "fixture_main", "bm_"+n)
		var best time.Duration
		for i := range 3 {
			d := fixture.Time(t, "bm_"+n, int64(sz))
			if i == 0 || d < best {
				best = d
			}
		}
		t.Logf("%-12s %8.3f s", n, best.Seconds())
	}
}
