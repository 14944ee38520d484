package interp_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/beamrd/beamrd/internal/invariants"
)

// The machine code of the loop must keep the form that was measured: one
// indirect jump, nothing stored to the Go stack on the way to it, the dispatch
// within one window of 32 bytes, and no calls but the slow paths' helpers.

var (
	instrLine = regexp.MustCompile(`^\s*\S+\s+0x([0-9a-f]+)\s+([0-9a-f]+)\s+(.*?)\s*$`)
	indirect  = regexp.MustCompile(`^JMP (-?0x[0-9a-f]+|0)?\(`)
	stackOp   = regexp.MustCompile(`, (-?0x[0-9a-f]+|0)?\(SP\)$`)
)

type machineInstr struct {
	addr uint64
	size int
	text string
}

func loopCode(t *testing.T) (out []machineInstr) {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "interp.test") // go test strips its own
	if out, err := exec.Command("go", "test", "-c", "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("go test -c: %v\n%s", err, out)
	}
	b, err := exec.Command("go", "tool", "objdump", "-s", `vm/interp\.loop$`, exe).Output()
	if err != nil {
		t.Fatalf("go tool objdump: %v", err)
	}
	for _, l := range strings.Split(string(b), "\n") {
		if m := instrLine.FindStringSubmatch(l); m != nil {
			a, _ := strconv.ParseUint(m[1], 16, 64)
			out = append(out, machineInstr{a, len(m[2]) / 2, m[3]})
		}
	}
	if len(out) == 0 {
		t.Fatal("no code of the loop in the test binary")
	}
	return out
}

func TestLoopCode(t *testing.T) {
	if invariants.Enabled || raceEnabled {
		t.Skip("the form of a plain build is what matters")
	}
	if runtime.GOARCH != "amd64" || testing.Short() {
		t.Skip("amd64 only, and it compiles")
	}
	code := loopCode(t)
	jump := -1
	for i, in := range code {
		if indirect.MatchString(in.text) {
			if jump >= 0 {
				t.Fatalf("two indirect jumps: %#x and %#x", code[jump].addr, in.addr)
			}
			jump = i
		}
		if f, ok := strings.CutPrefix(in.text, "CALL "); ok && !strings.Contains(f, "vm/interp.") &&
			!strings.Contains(f, "runtime.morestack") {
			t.Errorf("%#x calls %s", in.addr, f)
		}
	}
	if jump < 0 {
		t.Fatal("no indirect jump")
	}
	// The dispatch begins where backward jumps of the handlers go.
	targets := map[uint64]int{}
	for _, in := range code {
		if a, ok := strings.CutPrefix(in.text, "JMP 0x"); ok {
			n, _ := strconv.ParseUint(a, 16, 64)
			targets[n]++
		}
	}
	start, most := jump, 0
	for i := jump; i >= 0 && i > jump-12; i-- {
		if n := targets[code[i].addr]; n > most {
			start, most = i, n
		}
	}
	if most < 100 {
		t.Fatalf("no common target of the handlers before the jump (%d)", most)
	}
	lo, hi := code[start].addr, code[jump].addr+uint64(code[jump].size)-1
	if lo/32 != hi/32 {
		t.Errorf("dispatch %#x to %#x crosses a window of 32 bytes: change the padding in vm/op/_gen/expand.go", lo, hi)
	}
	for _, in := range code[start:jump] {
		if strings.HasPrefix(in.text, "MOV") && stackOp.MatchString(in.text) {
			t.Errorf("%#x stores to the stack: %s", in.addr, in.text)
		}
	}
}
