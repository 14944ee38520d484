package node

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/beamrd/beamrd/internal/invariants"
)

// beamrd builds the program, for nodes under test: helper programs that a node
// starts are the same binary under other names.
func beamrd(t *testing.T, dir string) string {
	t.Helper()
	args := []string{"build", "-o", filepath.Join(dir, "beamrd")}
	if invariants.Enabled {
		args = append(args, "-tags", "invariants")
	}
	if out, err := exec.Command("go", append(args, "../cmd/beamrd")...).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return filepath.Join(dir, "beamrd")
}

// output runs erl, or what stands for it, and returns what it wrote.
func output(t *testing.T, erl []string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	args = append(append(erl[1:len(erl):len(erl)], "-noshell", "-kernel", "logger_level", "none"), args...)
	cmd := exec.CommandContext(ctx, erl[0], args...)
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Errorf("%s: %v", erl[0], err)
	}
	return out.String()
}

// TestPrograms compares whole programs, which need a booted node and end with
// halt/0, with real erl.
func TestPrograms(t *testing.T) {
	erlc, err := exec.LookPath("erlc")
	if err != nil {
		t.Skip("no erlc")
	}
	src, _ := filepath.Glob("../testdata/code/*.erl")
	dir := t.TempDir()
	ours := []string{beamrd(t, dir), "erl"}
	if out, err := exec.Command(erlc, append([]string{"-o", dir}, src...)...).CombinedOutput(); err != nil {
		t.Fatalf("erlc: %v\n%s", err, out)
	}
	for _, s := range src {
		m := strings.TrimSuffix(filepath.Base(s), ".erl")
		t.Run(m, func(t *testing.T) {
			args := []string{"-pa", dir, "-s", m, "main"}
			want, got := output(t, []string{"erl"}, args...), output(t, ours, args...)
			if got != want {
				t.Errorf("erl:\n%s\nhere:\n%s", want, got)
			}
		})
	}
}
