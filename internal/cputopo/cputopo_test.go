package cputopo

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []CPU
		err  error
	}{
		{in: "L0", want: []CPU{{-1, 0, -1, 0, 0, 0}}},
		{in: "L0-1c0-1p0", want: []CPU{{-1, 0, -1, 0, 0, 0}, {-1, 0, -1, 1, 0, 1}}},
		{in: "L1-0C0-1", want: []CPU{{-1, 0, -1, 0, 0, 1}, {-1, 0, -1, 1, 0, 0}}},
		{in: "L0t0c0:L1t1c0", want: []CPU{{-1, 0, -1, 0, 0, 0}, {-1, 0, -1, 0, 1, 1}}},
		{in: "L0-1c0-1n3p0", want: []CPU{{-1, 0, 3, 0, 0, 0}, {-1, 0, 3, 1, 0, 1}}},
		{in: "L0-1c0-1p0n3", want: []CPU{{3, 0, -1, 0, 0, 0}, {3, 0, -1, 1, 0, 1}}},
		{in: "L0,2c0-1:", want: []CPU{{-1, 0, -1, 0, 0, 0}, {-1, 0, -1, 1, 0, 2}}},
		{in: "", err: ErrMissing},
		{in: "x0", err: ErrType},
		{in: "-0", err: ErrType},
		{in: "L", err: ErrID},
		{in: "L65536", err: ErrID},
		{in: "L0-", err: ErrRange},
		{in: "c0", err: ErrNoLogical},
		{in: "c0L1", err: ErrHierarchy},
		{in: "L0n0c0", err: ErrHierarchy},
		{in: "L0-2c0-1", err: ErrRange},
		{in: "L0,0c0-1", err: ErrLogical},
		{in: "L0-1c0", err: ErrEntities},
		{in: "L0c0:L1c1n0", err: ErrNodes},
	} {
		got, err := Parse(c.in)
		if err != c.err || err == nil && !slices.Equal(got, c.want) {
			t.Errorf("Parse(%q) = %v, %v; want %v, %v", c.in, got, err, c.want, c.err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("L0-3t0-1c0-1n0p0:L4")
	f.Fuzz(func(t *testing.T, s string) {
		if strings.Count(s, "-") > 4 {
			return // each may stand for 65536 identifiers
		}
		cpus, err := Parse(s)
		if err == nil && Verify(cpus) != nil {
			t.Errorf("Parse(%q) takes what Verify refuses", s)
		}
	})
}

func TestDetect(t *testing.T) {
	dir := t.TempDir()
	cpu := func(folder, pkg, core string) {
		d := filepath.Join(dir, folder, "topology")
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"physical_package_id": pkg, "core_id": core} {
			if err := os.WriteFile(filepath.Join(d, name), []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := Detect(dir); got != nil {
		t.Errorf("an empty folder has %v", got)
	}
	cpu("cpu/cpu0", "0", "0")
	cpu("cpu/cpu1", "0", "0")
	if got, want := Detect(dir), []CPU{{-1, 0, -1, 0, 0, 0}, {-1, 0, -1, 0, 1, 1}}; !slices.Equal(got, want) {
		t.Errorf("without nodes: %v, want %v", got, want)
	}
	cpu("node/node0/cpu0", "0", "0")
	cpu("node/node0/cpu1", "0", "1")
	cpu("node/node1/cpu2", "1", "0")
	cpu("node/node2/cpu3", "1", "0")
	want := []CPU{{-1, 1, 1, 0, 0, 2}, {-1, 1, 2, 0, 0, 3}, {0, 0, -1, 0, 0, 0}, {0, 0, -1, 1, 0, 1}}
	if got := Detect(dir); !slices.Equal(got, want) {
		t.Errorf("with nodes: %v, want %v", got, want)
	}
}
