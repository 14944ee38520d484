package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/beamrd/beamrd/internal/invariants"
)

// settings are the ways to run programs that must make no difference. Those in
// more run with METAMORPHIC=all only.
var settings = []struct {
	name, flags, debug string
	more               bool
}{
	{name: "as is"},
	{name: "one scheduler, small heaps", flags: "+S1 +hms 1"},
	{name: "eight schedulers, short slices", flags: "+S8", debug: "reds=50"},
	{name: "collecting often, small heaps", flags: "+S2 +hms 1", debug: "gcstress=200"},
	{name: "two schedulers, slices of 1", flags: "+S2", debug: "reds=1", more: true},
	{name: "one scheduler, short slices, collecting", flags: "+S1", debug: "reds=50,gcstress=20", more: true},
	{name: "eight schedulers, collecting", flags: "+S8 +hms 1", debug: "gcstress=10", more: true},
	{name: "collecting always", flags: "", debug: "gcstress", more: true},
}

// TestMetamorphic runs the programs of testdata/boot on a booted node in
// several ways and expects what erl prints.
func TestMetamorphic(t *testing.T) {
	needErl(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(root, "testdata/boot/*.erl"))
	dir := t.TempDir()
	out, err := exec.Command("erlc", append([]string{"-o", dir}, files...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("erlc: %v\n%s", err, out)
	}
	var mods []string
	for _, f := range files {
		if m := strings.TrimSuffix(filepath.Base(f), ".erl"); m != "boot_main" {
			mods = append(mods, m)
		}
	}
	args := ` -noshell -pa . -kernel logger_level none -eval 'boot_main:run([` + strings.Join(mods, ",") + `]).' </dev/null`
	want := sh(t, dir, "erl"+args)
	if !strings.HasSuffix(want.out, "end\n") {
		t.Fatalf("erl: %s%s", want.out, want.err)
	}
	for _, s := range settings {
		if s.more && os.Getenv("METAMORPHIC") != "all" || strings.Contains(s.debug, "gcstress") && !invariants.Enabled {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			got := sh(t, dir, "$E "+s.flags+args, "BEAMRD_DEBUG="+s.debug)
			compare(t, got, want)
		})
	}
}

// compare reports the lines that differ, where they do.
func compare(t *testing.T, got, want outcome) {
	t.Helper()
	if got.code != want.code {
		t.Errorf("exit code %d, erl's is %d: %.3000s", got.code, want.code, got.err)
	}
	g, w := strings.Split(got.out, "\n"), strings.Split(want.out, "\n")
	for i, l := range w {
		switch {
		case i >= len(g):
			t.Errorf("nothing for %.60s", l)
		case g[i] != l:
			at := 0
			for at < len(l) && at < len(g[i]) && l[at] == g[i][at] {
				at++
			}
			lo := max(0, at-100)
			t.Errorf("%.30s differs at %d\n got …%.300s\nwant …%.300s", l, at, g[i][min(lo, len(g[i])):], l[lo:])
		}
	}
}
