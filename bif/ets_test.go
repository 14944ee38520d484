package bif

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/beamrd/beamrd/ets"
	"github.com/beamrd/beamrd/vm/etf"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/native/nativetest"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// runErl compiles testdata/<mod>.erl and returns what its main prints, decoded
// from base 64; the test is skipped without erl.
func runErl(t *testing.T, mod string) []byte {
	t.Helper()
	if _, err := exec.LookPath("erlc"); err != nil {
		t.Skip("no erlc on PATH")
	}
	dir := t.TempDir()
	if out, err := exec.Command("erlc", "-o", dir, filepath.Join("testdata", mod+".erl")).CombinedOutput(); err != nil {
		t.Fatalf("erlc: %v\n%s", err, out)
	}
	for range 3 {
		cmd := exec.Command("erl", "-noshell", "-pa", dir, "-run", mod, "main", "x")
		cmd.Env = append(os.Environ(), "ERL_CRASH_DUMP=/dev/null")
		out, err := cmd.Output()
		if err == nil {
			b, err := base64.StdEncoding.DecodeString(string(bytes.TrimSpace(out)))
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
	}
	t.Skip("erl does not run the cases")
	return nil
}

// etsCaller calls rows of ets, following traps.
type etsCaller struct {
	*nativetest.Caller
	rows []native.Row
}

func (c *etsCaller) call(name string, args ...term.Term) term.Term {
	if name == "match_spec_test" {
		return c.callIn("erlang", name, args...)
	}
	return c.callIn("ets", name, args...)
}

func (c *etsCaller) callIn(m, name string, args ...term.Term) term.Term {
	r := c.Apply(nativetest.Find(c.T, c.rows, m, name, len(args)), args...)
	for r == term.None && c.State == native.Trapped {
		f := c.To.MFA
		next := append([]term.Term(nil), c.Ctx.X[:f.Arity]...)
		row := nativetest.Find(c.T, c.rows, f.Module.Atom().String(), f.Function.Atom().String(), int(f.Arity))
		r = c.Apply(row, next...)
	}
	return r
}

// chunks collects the chunks of a limited query.
func (c *etsCaller) chunks(name string, args ...term.Term) term.Term {
	var all []term.Term
	r := c.call(name, args...)
	for r != term.None && r != amEtsEOT {
		all = append(all, r.El(1))
		r = c.call(name, r.El(2))
	}
	if r == term.None {
		return r
	}
	return c.Heap().List(all...)
}

// erlangCall does what functions of ets.erl do.
func (c *etsCaller) erlangCall(name string, args []term.Term) term.Term {
	h := c.Heap()
	switch name {
	case "chunks":
		return c.chunks("select", args...)
	case "rchunks":
		return c.chunks("select_reverse", args...)
	case "mchunks":
		return c.chunks("match", args...)
	case "tab2list":
		return c.call("match_object", args[0], term.Intern("_"))
	case "select_delete":
		return c.call("internal_select_delete", args...)
	case "match_delete":
		spec := h.List(h.Tuple(args[1], term.Nil, h.List(term.True)))
		if c.call("internal_select_delete", args[0], spec) == term.None {
			return term.None
		}
		return term.True
	case "delete_all_objects":
		if c.call("internal_delete_all", args[0], term.AmUndefined) == term.None {
			return term.None
		}
		return term.True
	}
	return c.call(name, args...)
}

func (c *etsCaller) outcome(r term.Term) term.Term {
	if r != term.None {
		return c.Heap().Tuple(term.AmOk, r)
	}
	cause := c.Cause
	if cause == term.None {
		cause = term.Intern("none")
	}
	return c.Heap().Tuple(proc.ClassAtom(c.P.Freason), c.P.Fvalue, cause)
}

func TestEtsAgainstErl(t *testing.T) {
	for _, reds := range []int64{4000, 1} {
		t.Run(fmt.Sprint(reds), func(t *testing.T) { etsAgainstErl(t, reds) })
	}
}

func etsAgainstErl(t *testing.T, reds int64) {
	out := runErl(t, "ets_cases")
	c := &etsCaller{nativetest.New(t, 9), nil}
	c.Reds = reds
	for _, rows := range [][]native.Row{etsRows, etsUpdateRows, etsInfoRows, etsSelectRows, matchSpecRows} {
		c.rows = append(c.rows, rows...)
	}
	cases, _, err := etf.Decode(c.Heap(), out[1:], false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, tab := range ets.Owned(c.P.ID) {
			tab.Delete()
			tab.FreeAll()
		}
	})
	bad, n := 0, 0
	for l := cases; l.IsList(); l = l.Tail() {
		n++
		cs := l.Head()
		var args []term.Term
		for a := cs.El(2); a.IsList(); a = a.Tail() {
			args = append(args, a.Head())
		}
		name := cs.El(1).Atom().String()
		got := c.outcome(c.erlangCall(name, args))
		if !term.Same(got, cs.El(3)) {
			t.Errorf("%s%v:\n got %v\nwant %v", name, cs.El(2), got, cs.El(3))
			if bad++; bad > 30 {
				t.Fatal("too many")
			}
		}
	}
	t.Logf("%d calls", n)
}
