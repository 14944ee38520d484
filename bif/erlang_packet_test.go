package bif

import (
	"testing"

	"github.com/beamrd/beamrd/vm/etf"
	"github.com/beamrd/beamrd/vm/native/nativetest"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

func TestPacketAgainstErl(t *testing.T) {
	out := runErl(t, "packet_cases")
	c := nativetest.New(t, 9)
	h := c.Heap()
	cases, _, err := etf.Decode(h, out[1:], false)
	if err != nil {
		t.Fatal(err)
	}
	row := nativetest.Find(t, packetRows, "erlang", "decode_packet", 3)
	bad, n := 0, 0
	for l := cases; l.IsList(); l = l.Tail() {
		cs := l.Head()
		n++
		r := c.Apply(row, cs.El(1), cs.El(2), cs.El(3))
		got := h.Tuple(term.AmOk, r)
		if r == term.None {
			got = h.Tuple(proc.ClassAtom(c.P.Freason), c.P.Fvalue)
		}
		if !term.Same(got, cs.El(4)) {
			t.Errorf("%v %v %v:\n got %v\nwant %v", cs.El(1), cs.El(2), cs.El(3), got, cs.El(4))
			if bad++; bad > 30 {
				t.Fatal("too many")
			}
		}
	}
	t.Logf("%d calls", n)
}
