package bif

import (
	"fmt"
	"testing"

	"github.com/beamrd/beamrd/vm/etf"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/native/nativetest"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

func TestMiscAgainstErl(t *testing.T) {
	out := runErl(t, "misc_cases")
	for _, reds := range []int64{4000, 1} {
		t.Run(fmt.Sprint(reds), func(t *testing.T) { miscAgainstErl(t, out, reds) })
	}
}

func miscAgainstErl(t *testing.T, out []byte, reds int64) {
	c := &etsCaller{nativetest.New(t, 9), nil}
	c.Reds = reds
	for _, rows := range [][]native.Row{listsRows, erlangListRows, erlangTupleRows, erlangTypeRows, erlangOpRows, atomicsRows, persistentTermRows} {
		c.rows = append(c.rows, rows...)
	}
	cases, _, err := etf.Decode(c.Heap(), out[1:], false)
	if err != nil {
		t.Fatal(err)
	}
	env := map[term.Term]term.Term{}
	bad := 0
	for l := cases; l.IsList(); l = l.Tail() {
		cs := l.Head()
		var args []term.Term
		for a := cs.El(3); a.IsList(); a = a.Tail() {
			v := a.Head()
			if v.IsTuple() && v.Arity() == 2 && v.El(1) == term.Intern("ref") {
				v = env[v.El(2)]
			}
			args = append(args, v)
		}
		r := c.callIn(cs.El(1).Atom().String(), cs.El(2).Atom().String(), args...)
		if cs.El(4) != term.Intern("none") {
			env[cs.El(4)] = r
			continue
		}
		got := c.Heap().Tuple(term.AmOk, r)
		if r == term.None {
			got = c.Heap().Tuple(proc.ClassAtom(c.P.Freason), c.P.Fvalue)
		}
		if !term.Same(got, cs.El(5)) {
			t.Errorf("%v:%v%v:\n got %v\nwant %v", cs.El(1), cs.El(2), cs.El(3), got, cs.El(5))
			if bad++; bad > 30 {
				t.Fatal("too many")
			}
		}
	}
}

// TestLongLists walks lists over many slices.
func TestLongLists(t *testing.T) {
	c := &etsCaller{nativetest.New(t, 9), append(append([]native.Row{}, listsRows...), erlangListRows...)}
	c.Reds = 50
	h := c.Heap()
	const n = 100000
	l := term.Nil
	for i := n; i >= 1; i-- {
		l = h.Cons(term.Small(int64(i)), l)
	}
	if c.callIn("lists", "member", term.Small(n), l) != term.True || c.Slices < 20 {
		t.Fatal("member", c.Slices)
	}
	r := c.callIn("lists", "reverse", l, term.Nil)
	if r.Head() != term.Small(n) || listLength(r) != n {
		t.Fatal("reverse")
	}
	r = c.callIn("erlang", "++", l, l)
	if listLength(r) != 2*n || r.Head() != term.Small(1) {
		t.Fatal("++", listLength(r))
	}
	r = c.callIn("erlang", "--", r, l)
	if !term.Same(r, l) {
		t.Fatal("--", listLength(r))
	}
	if c.callIn("erlang", "++", h.Cons(term.Nil, term.AmOk), l) != term.None {
		t.Fatal("++ took an improper list")
	}
}
