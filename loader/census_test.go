package loader

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// otpRoots returns the OTP trees to load: the installed one, and those that
// BEAMRD_OTP_ROOTS names (colons between).
func otpRoots(t testing.TB) []string {
	var roots []string
	if erl, err := exec.LookPath("erl"); err == nil {
		if p, err := filepath.EvalSymlinks(erl); err == nil {
			roots = append(roots, filepath.Join(filepath.Dir(p), "..", "lib"))
		}
	}
	for _, r := range strings.Split(os.Getenv("BEAMRD_OTP_ROOTS"), ":") {
		if r != "" {
			roots = append(roots, r)
		}
	}
	if len(roots) == 0 {
		t.Skip("no Erlang/OTP installed")
	}
	return roots
}

// TestCensus loads every module of the installed OTP: none may be refused.
func TestCensus(t *testing.T) {
	var out strings.Builder
	r, err := Census(otpRoots(t), &out)
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + out.String())
	if len(r.Failed) > 0 {
		t.Errorf("%d files refused", len(r.Failed))
	}
}
