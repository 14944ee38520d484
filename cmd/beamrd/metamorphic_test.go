package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/beamrd/beamrd/internal/invariants"
)

// settings are the ways to run programs that must make no difference. Those in
// more run with METAMORPHIC=all only; of the others, fixtures run in those in
// quick.
var settings = []struct {
	name, flags, debug string
	more, quick        bool
}{
	{name: "as is"},
	{name: "one scheduler, small heaps", flags: "+S1 +hms 1"},
	{name: "eight schedulers, short slices", flags: "+S8", debug: "reds=50", quick: true},
	{name: "collecting often, small heaps", flags: "+S2 +hms 1", debug: "gcstress=200", quick: true},
	{name: "two schedulers, slices of 1", flags: "+S2", debug: "reds=1", more: true},
	{name: "two schedulers, long slices", flags: "+S2", debug: "reds=4000", more: true},
	{name: "one scheduler, short slices, collecting", flags: "+S1", debug: "reds=50,gcstress=20", more: true},
	{name: "eight schedulers, collecting", flags: "+S8 +hms 1", debug: "gcstress=10", more: true},
	{name: "collecting always", flags: "", debug: "gcstress", more: true},
	{name: "one scheduler, collecting always, short slices", flags: "+S1 +hms 1", debug: "gcstress,reds=50", more: true},
}

// TestMetamorphic runs the programs of testdata/boot on a booted node in
// several ways and expects what erl prints.
func TestMetamorphic(t *testing.T) { metamorphic(t, false, "boot") }

// TestMetamorphicFixtures does so with the fixtures.
func TestMetamorphicFixtures(t *testing.T) {
	metamorphic(t, true, "basic", "binary", "bits", "heap", "maps", "port", "proc", "sock", "trace")
}

func metamorphic(t *testing.T, fixtures bool, areas ...string) {
	needErl(t)
	root, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	files := []string{filepath.Join(root, "boot/boot_main.erl")}
	var mods []string
	for _, a := range areas {
		fs, _ := filepath.Glob(filepath.Join(root, a, "*.erl"))
		for _, f := range fs {
			if m := strings.TrimSuffix(filepath.Base(f), ".erl"); m != "boot_main" {
				files, mods = append(files, f), append(mods, m)
			}
		}
	}
	if only := os.Getenv("FIXTURE"); only != "" {
		mods = slices.DeleteFunc(mods, func(m string) bool { return !strings.Contains(m, only) })
	}
	dir := t.TempDir()
	out, err := exec.Command("erlc", append([]string{"+debug_info", "+export_all", "+nowarn_export_all", "-o", dir}, files...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("erlc: %v\n%s", err, out)
	}
	args := ` -noshell -pa . -kernel logger_level none -eval 'boot_main:run([` + strings.Join(mods, ",") + `]).' </dev/null`
	want := sh(t, dir, "erl"+args)
	if !strings.HasSuffix(want.out, "end\n") {
		t.Fatalf("erl: %s%s", want.out, want.err)
	}
	all := os.Getenv("METAMORPHIC") == "all"
	for _, s := range settings {
		if !all && (s.more || fixtures && !s.quick) || strings.Contains(s.debug, "gcstress") && !invariants.Enabled {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			got := shFor(t, 10*time.Minute, dir, "$E "+s.flags+args, "BEAMRD_DEBUG="+s.debug)
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
