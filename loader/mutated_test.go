package loader_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/internal/fixture"
	"github.com/beamrd/beamrd/internal/invariants"
	. "github.com/beamrd/beamrd/loader"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/gc"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// mutated are the fixtures whose code is changed: nothing that they call
// reaches beyond their processes.
var mutated = []string{"basic/*", "binary/*", "bits/*", "heap/*", "maps/*"}

// TestMutated changes compiled modules, and runs what the verifier still lets
// pass: it may do anything but break the VM.
//
// BEAMRD_HOSTILE is the number of modules; BEAMRD_SEED repeats a run.
func TestMutated(t *testing.T) {
	n, seed := 300, uint64(1)
	if v, err := strconv.Atoi(os.Getenv("BEAMRD_HOSTILE")); err == nil {
		n = v
	}
	if v, err := strconv.ParseUint(os.Getenv("BEAMRD_SEED"), 10, 64); err == nil {
		seed = v
	}
	beams := mutatedBeams(t)
	gc.Stress, gc.StressEvery = true, 8
	defer func() { gc.Stress, gc.StressEvery = false, 1 }()
	s := seed
	invariants.OnBug = func(msg string, _ []byte) { fmt.Fprintln(os.Stderr, "BEAMRD_SEED", s, msg) }
	defer func() { invariants.OnBug = nil }()
	th := epoch.Pin()
	defer th.Unpin()
	before := map[term.Term]bool{}
	for _, p := range proc.Pids() {
		before[p] = true
	}
	ran := 0
	for ; s < seed+uint64(n); s++ {
		r := rand.New(rand.NewPCG(s, 11))
		b, err := Mutate(beams[r.IntN(len(beams))], fmt.Sprintf("mutated_%d", s), r)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Prepare(b)
		if err != nil {
			continue
		}
		if o, _ := Commit([]*Prepared{p}, func(f func()) { f() }); o != Loaded {
			continue
		}
		ran++
		if os.Getenv("BEAMRD_VERBOSE") != "" {
			fmt.Println("seed", s)
			_ = os.WriteFile(filepath.Join(os.TempDir(), "mutated.beam"), b, 0o600)
		}
		runMutated(p.Module(), r)
		stopAll(t, before, s)
	}
	t.Logf("%d of %d modules ran", ran, n)
	if ran < n/5 {
		t.Error("nearly all were refused")
	}
}

func mutatedBeams(t *testing.T) (bs [][]byte) {
	root, dir := fixture.Root(t), t.TempDir()
	var src, mods []string
	for _, m := range mutated {
		fs, _ := filepath.Glob(filepath.Join(root, "testdata", m+".erl"))
		src = append(src, fs...)
	}
	for _, s := range src {
		mods = append(mods, strings.TrimSuffix(filepath.Base(s), ".erl"))
	}
	fixture.Compile(t, dir, src...)
	fixture.Start(t)
	proc.SetSystemLogger(term.AmUndefined)
	fixture.Load(t, dir, mods...)
	for _, m := range mods {
		b, err := os.ReadFile(filepath.Join(dir, m+".beam"))
		if err != nil {
			t.Fatal(err)
		}
		bs = append(bs, b)
	}
	return bs
}

// runMutated calls main/0 and a few other exported functions.
func runMutated(m term.Term, r *rand.Rand) {
	mod := code.Current(m)
	if mod == nil {
		return
	}
	for i := range 5 {
		e := mod.Exported[r.IntN(len(mod.Exported))].Export
		f, n := e.MFA.Function, int(e.MFA.Arity)
		if i == 0 {
			f, n = term.Intern("main"), 0
		}
		var h heap.Heap
		args := make([]term.Term, n)
		for k := range args {
			args[k] = value(&h, r, 3)
		}
		o := proc.DefaultSpawnOpts()
		o.MaxHeap = term.Small(1 << 20)
		pid, _, _ := proc.Spawn(nil, m, f, args, &o)
		h.Release()
		proc.SendTerm(term.None, pid, term.Intern("hello"))
	}
}

// stopAll gives all processes but those there before some time, and then ends
// them.
func stopAll(t *testing.T, before map[term.Term]bool, seed uint64) {
	end := time.Now().Add(20 * time.Millisecond)
	for n := 0; ; n++ {
		left := 0
		for _, p := range proc.Pids() {
			if !before[p] {
				if left++; time.Now().After(end) {
					proc.SendExit(nil, p, p, term.AmKill)
				}
			}
		}
		switch {
		case left == 0:
			return
		case n == 60000:
			t.Fatalf("seed %d: %d processes do not end", seed, left)
		}
		time.Sleep(500 * time.Microsecond)
	}
}
