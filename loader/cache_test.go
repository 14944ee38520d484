package loader

import (
	"sync"
	"testing"

	"github.com/beamrd/beamrd/internal/offheap"
)

func prepare(t testing.TB, b []byte) *Prepared {
	t.Helper()
	p, err := Prepare(b)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestKeep gives a prepared module away once.
func TestKeep(t *testing.T) {
	defer dropKept()
	b := lib(t, "stdlib", "queue")
	p := prepare(t, b)
	p.Keep(b)
	if q := prepare(t, b); q != p {
		t.Error("the module that was kept is not found")
	}
	q := prepare(t, b)
	if q == p {
		t.Error("a module is given away twice")
	}
	q.Drop()
	p.Drop()
	p = prepare(t, b)
	p.Keep(b)
	other := append([]byte(nil), lib(t, "stdlib", "sets")...)
	if r := prepare(t, other); r.Module() == p.Module() {
		t.Error("another module's code is found")
	} else {
		r.Drop()
	}
}

// TestKeepMany keeps more than there is room for: all memory comes back.
func TestKeepMany(t *testing.T) {
	dropKept()
	b := lib(t, "stdlib", "erl_parse")
	prepare(t, b).Drop()
	used := func() int64 {
		n, _ := offheap.Usage(offheap.Code)
		return n
	}
	before := used()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			// The bytes after the file's form are no part of it.
			c := append(append([]byte(nil), b...), byte(g))
			for range 20 {
				p, err := Prepare(c)
				if err != nil {
					t.Error(err)
					return
				}
				c = append(c, 0)
				p.Keep(c)
			}
		}()
	}
	wg.Wait()
	if n := used() - before; n > 2*keptBytes {
		t.Errorf("%d bytes are kept", n)
	}
	dropKept()
	if n := used() - before; n != 0 {
		t.Errorf("%d bytes are lost", n)
	}
	if n := keptNow.Load(); n != 0 {
		t.Errorf("%d entries are counted", n)
	}
}

// BenchmarkPrepareKept is BenchmarkPrepare with modules that are in the cache;
// what it costs to prepare them before is not measured.
func BenchmarkPrepareKept(b *testing.B) {
	defer dropKept()
	m := lib(b, "stdlib", "erl_parse")
	b.SetBytes(int64(len(m)))
	p := prepare(b, m)
	for b.Loop() {
		p.Keep(m)
		p = prepare(b, m)
	}
	p.Drop()
}
