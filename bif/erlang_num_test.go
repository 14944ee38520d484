package bif

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/etf"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/native/nativetest"
	"github.com/beamrd/beamrd/vm/num"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// oracle runs a module of testdata in real erl, which writes length-prefixed
// terms to a file, and calls f with each.
func oracle(t *testing.T, module string, args []string, f func(enc []byte)) {
	if _, err := exec.LookPath("erl"); err != nil {
		t.Skip("no erl")
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	if b, err := exec.Command("erlc", "-o", dir, "testdata/"+module+".erl").CombinedOutput(); err != nil {
		t.Fatalf("erlc: %v\n%s", err, b)
	}
	cmd := append([]string{"-noshell", "-pa", dir, "-run", module, "main", out}, args...)
	if b, err := exec.Command("erl", cmd...).CombinedOutput(); err != nil {
		t.Fatalf("erl: %v\n%s", err, b)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for len(b) > 0 {
		n := binary.BigEndian.Uint32(b)
		f(b[4 : 4+n])
		b = b[4+n:]
	}
}

// show prints the terms of these tests.
func show(t term.Term) string {
	switch {
	case t.IsAtom():
		return t.Atom().String()
	case t.IsInteger():
		return string(num.AppendInt(nil, t, 10))
	case t.IsFloat():
		return fmt.Sprintf("%v(%x)", t.Float(), t.W(1))
	case t.IsNil():
		return "[]"
	case t.IsList():
		return "[" + show(t.Head()) + "|" + show(t.Tail()) + "]"
	case t.IsBinary():
		s, _ := heap.AlignedBytes(t)
		return fmt.Sprintf("<<%v>>", s)
	case t.IsTuple():
		s := "{"
		for i := range t.Arity() {
			s += show(t.El(i+1)) + ","
		}
		return s + "}"
	}
	return fmt.Sprintf("%#x", uint64(t))
}

// follow calls a row, and the builtins that it traps to.
func follow(c *nativetest.Caller, row *native.Row, args ...term.Term) term.Term {
	for {
		r := c.Apply(row, args...)
		if r != term.None || c.State != native.Trapped {
			return r
		}
		row = nil
		for _, rows := range [][]native.Row{erlangNumTextRows, chksumRows, md5Rows, erlangEtfRows} {
			for i := range rows {
				if x := &rows[i]; c.To.MFA.String() == x.Module+":"+x.Name+"/"+string(rune('0'+x.Arity)) {
					row = x
				}
			}
		}
		if row == nil {
			c.T.Fatalf("trap to %v", c.To.MFA)
		}
		args = slices.Clone(c.Ctx.X[:row.Arity])
	}
}

func TestNumbersAgainstErl(t *testing.T) {
	rows := slices.Concat(erlangNumRows, erlangNumTextRows, mathRows, chksumRows, md5Rows, erlangEtfRows)
	n, bad := 0, 0
	oracle(t, "numeric_oracle", []string{"1000"}, func(enc []byte) {
		c := nativetest.New(t, 1)
		if n++; n%3 == 0 {
			c.Reds = 50
		}
		v, _, err := etf.Decode(c.Heap(), enc[1:], false)
		if err != nil {
			t.Fatal(err)
		}
		var args []term.Term
		for l := v.El(3); l.IsList(); l = l.Tail() {
			args = append(args, l.Head())
		}
		row := nativetest.Find(t, rows, v.El(1).Atom().String(), v.El(2).Atom().String(), len(args))
		r := follow(c, row, args...)
		out := term.None
		switch {
		case r != term.None:
			out = c.Heap().Tuple(term.AmOk, r)
		case c.State == native.Raised:
			out = c.Heap().Tuple(proc.ClassAtom(c.P.Freason), c.P.Fvalue)
		default:
			t.Fatalf("state %v", c.State)
		}
		got, want := etf.Append(nil, out), etf.Append(nil, v.El(4))
		if !bytes.Equal(got, want) {
			t.Errorf("%.300s\n got %.300s\nwant %.300s", show(v.El(1))+":"+show(v.El(2))+" "+show(v.El(3)), show(out), show(v.El(4)))
			if bad++; bad > 10 {
				t.FailNow()
			}
		}
	})
	t.Logf("%d calls", n)
}

// slicesOf calls a row until it has a result. Between the slices it drops the
// states saved earlier, as collections do.
func slicesOf(c *nativetest.Caller, row *native.Row, arg term.Term) (r term.Term, n int) {
	var saved []term.Term
	for {
		c.Ctx.X[0] = arg
		c.Row, c.N, c.Args = row, row.Arity, offheap.Addr(c.Ctx)
		c.State = native.Raised
		c.P.FCalls = c.Reds
		if r = row.Fn(&c.Call); r != term.None || c.State != native.Yielded {
			return r, n
		}
		n++
		for _, t := range saved {
			heap.MagicValue(heap.BinOf(t.El(1))).(heap.Dropper).Drop()
		}
		arg = c.Ctx.X[0]
		saved = []term.Term{arg}
	}
}

func TestSlicedETF(t *testing.T) {
	c := nativetest.New(t, 1)
	c.Reds = 100
	l := term.Nil
	for i := range 100000 {
		l = c.Heap().Cons(c.Heap().Tuple(term.Small(int64(i)), c.Heap().Binary(make([]byte, 65))), l)
	}
	b, n := slicesOf(c, nativetest.Find(t, erlangEtfRows, "erlang", "term_to_binary", 1), l)
	if n < 10 {
		t.Errorf("encoded in %d slices", n)
	}
	r, n := slicesOf(c, nativetest.Find(t, erlangEtfRows, "erlang", "binary_to_term", 1), b)
	if n < 10 {
		t.Errorf("decoded in %d slices", n)
	}
	s, _ := heap.AlignedBytes(b)
	if !bytes.Equal(s[1:], etf.Append(nil, r)) {
		t.Error("the term changed")
	}
}
