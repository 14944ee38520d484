package daemon

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestControl compiles the control module and compares: what is embedded must
// be what its source says. Another release's compiler writes other bytes.
func TestControl(t *testing.T) {
	erlc, err := exec.LookPath("erlc")
	if err != nil {
		t.Skip("no erlc")
	}
	out, err := exec.Command("erl", "-noshell", "-eval", `io:put_chars(erlang:system_info(otp_release)),halt().`).Output()
	if err != nil || strings.TrimSpace(string(out)) != "25" {
		t.Skip("not OTP 25")
	}
	dir := t.TempDir()
	if out, err := exec.Command(erlc, "+deterministic", "-o", dir, "control/beamrd.erl").CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("erlc: %v\n%s", err, out)
	}
	b, err := os.ReadFile(filepath.Join(dir, "beamrd.beam"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b, controlBeam) {
		t.Error("control/beamrd.beam is not up to date: run go generate ./daemon")
	}
}
