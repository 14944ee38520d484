package loader

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lib returns the bytes of a module of the installed OTP.
func lib(t testing.TB, app, module string) []byte {
	t.Helper()
	fs, _ := filepath.Glob(filepath.Join(otpRoots(t)[0], "erlang", "lib", app+"-*", "ebin", module+".beam"))
	if len(fs) == 0 {
		fs, _ = filepath.Glob(filepath.Join(otpRoots(t)[0], app+"-*", "ebin", module+".beam"))
	}
	if len(fs) == 0 {
		t.Skipf("no module %s installed", module)
	}
	b, err := os.ReadFile(fs[0])
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDisasm(t *testing.T) {
	b := lib(t, "stdlib", "lists")
	for _, internal := range []bool{false, true} {
		var out strings.Builder
		if err := Disasm(b, "", internal, &out); err != nil {
			t.Fatal(err)
		}
		if s := out.String(); !strings.Contains(s, "lists:keyfind/3\n") || strings.Contains(s, "not understood") {
			t.Errorf("internal %v: not all of it", internal)
		}
		out.Reset()
		if err := Disasm(b, "member/2", internal, &out); err != nil || strings.Count(out.String(), "lists:") != 1 {
			t.Errorf("internal %v: one function: %v\n%s", internal, err, out.String())
		}
	}
	if err := Disasm(b, "nosuch", false, &strings.Builder{}); err == nil {
		t.Error("no error for a function that is not there")
	}
}
