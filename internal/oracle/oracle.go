// Package oracle asks the real erl, for tests that compare with it.
package oracle

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/beamrd/beamrd/vm/etf"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Eval gives in to an Erlang fun, written as source text, in one run of the
// real erl, and builds what it returns on h. The test is skipped where there
// is no erl.
func Eval(t testing.TB, h *heap.Heap, fun string, in term.Term) term.Term {
	t.Helper()
	erl, err := exec.LookPath("erl")
	if err != nil {
		t.Skip("no erl to compare with")
	}
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.WriteFile(src, etf.Append([]byte{131}, in), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(erl, "-noshell", "-noinput", "-eval", `
		{ok, B} = file:read_file("`+src+`"),
		F = `+fun+`,
		ok = file:write_file("`+dst+`", term_to_binary(F(binary_to_term(B)))),
		halt(0, [{flush, false}]).`)
	cmd.Stdout = nil
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	timer.Stop()
	out, rerr := os.ReadFile(dst)
	if err != nil || rerr != nil {
		t.Fatalf("erl failed: %v, %v\n%s", err, rerr, errs.String())
	}
	r, _, err := etf.Decode(h, out[1:], false)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// List returns the elements of a list.
func List(t term.Term) (els []term.Term) {
	for ; t.IsList(); t = t.Tail() {
		els = append(els, t.Head())
	}
	return els
}
