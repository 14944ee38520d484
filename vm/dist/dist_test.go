package dist

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/beamrd/beamrd/internal/wire"
	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// TestAtoms sends headers through the caches of two sides.
func TestAtoms(t *testing.T) {
	var out [cacheSize]atom.Atom
	var in [cacheSize]term.Term
	long := strings.Repeat("ж", 255)
	for round := range 50 {
		var want []atom.Atom
		for i := range round * 5 {
			want = append(want, atom.Intern(fmt.Sprintf("atom%d", i*37+round%3)))
		}
		if round%7 == 3 {
			want = append(want, atom.Intern(long))
		}
		b := appendAtoms(nil, &out, want)
		got, rest, err := readAtoms(append(b, 1, 2, 3), &in, nil)
		if err != nil || !bytes.Equal(rest, []byte{1, 2, 3}) || len(got) != len(want) {
			t.Fatalf("round %d: %d of %d atoms, rest %v, %v", round, len(got), len(want), rest, err)
		}
		for i := range got {
			if got[i].Atom() != want[i] {
				t.Fatalf("round %d: atom %d is %s, want %s", round, i, got[i].Atom(), want[i])
			}
		}
	}
}

func TestAtomTable(t *testing.T) {
	var a atomTable
	x, y := atom.Intern("x"), atom.Intern("y")
	if i, ok := a.index(x); i != 0 || !ok {
		t.Error("first atom", i, ok)
	}
	if i, ok := a.index(y); i != 1 || !ok {
		t.Error("second atom", i, ok)
	}
	if i, ok := a.index(x); i != 0 || !ok {
		t.Error("first atom again", i, ok)
	}
	a.reset()
	if i, ok := a.index(y); i != 0 || !ok {
		t.Error("after reset", i, ok)
	}
	n := 0
	for i := range 1000 {
		if _, ok := a.index(atom.Intern(fmt.Sprintf("table%d", i))); ok {
			n++
		}
	}
	if n > maxAtoms {
		t.Errorf("%d atoms in a table of %d", n, maxAtoms)
	}
}

// testConn is a connection as good as up, with nobody at the other end.
func testConn(flags uint64) *conn {
	n := &Node{Name: atom.Intern("peer@host")}
	n.bin = heap.NewMagic(n)
	c := n.newConn()
	c.flags, c.ctrl = flags, term.Pid(1<<20)
	if flags&wire.FlagDistHdrAtomCache != 0 {
		c.cache = new([cacheSize]atom.Atom)
	}
	n.state = connected
	return c
}

// TestFragments sends long messages from one connection to another, interleaved
// with a short one.
func TestFragments(t *testing.T) {
	for _, flags := range []uint64{FlagsDefault, FlagsDefault &^ wire.FlagDistHdrAtomCache, FlagsDefault &^ wire.FlagFragments} {
		out := testConn(flags)
		var h heap.Heap
		big := h.Binary(bytes.Repeat([]byte("0123456789"), 100_000))
		out.submit(nil, &signal{op: wire.OpRegSend, a: term.Pid(77), b: term.Intern("nobody"), msg: big}, math.MaxInt)
		out.submit(nil, &signal{op: wire.OpRegSend, a: term.Pid(77), b: term.Intern("nobody"), msg: term.AmOk}, math.MaxInt)
		in := testConn(flags)
		in.rd.packet([]byte{0}) // makes the tables
		parts := len(out.queue)
		for i, p := range out.queue {
			if err := in.rd.packet(bytes.Join(p.bufs, nil)); err != nil {
				t.Fatalf("flags %#x, packet %d: %v", flags, i, err)
			}
		}
		if frag := flags&wire.FlagFragments != 0 && flags&wire.FlagDistHdrAtomCache != 0; frag != (parts > 2) {
			t.Errorf("flags %#x: %d packets", flags, parts)
		}
		in.rd.late.wait()
		if len(in.rd.parts) != 0 || in.rd.held != 0 {
			t.Errorf("flags %#x: %d messages left, %d bytes", flags, len(in.rd.parts), in.rd.held)
		}
	}
}

func TestMain(m *testing.M) {
	proc.SetMax(1024)
	alive.Store(true)
	m.Run()
}

func FuzzPacket(f *testing.F) {
	out := testConn(FlagsDefault)
	var h heap.Heap
	pid := extPid(&h, uint64(term.NodeIndex(atom.Intern("peer@host"), 7)), 42)
	ref := h.Tuple(term.AmOk)
	for _, s := range []signal{
		{op: wire.OpRegSend, a: pid, b: term.Intern("nobody"), msg: term.AmOk},
		{op: wire.OpLink, a: pid, b: term.Pid(3)},
		{op: wire.OpExit, a: pid, b: term.Pid(3), msg: ref},
		{op: wire.OpExit2, a: pid, b: term.Pid(3), msg: ref},
		{op: wire.OpUnlinkID, id: 5, a: pid, b: term.Pid(3)},
		{op: wire.OpGroupLeader, a: pid, b: term.Pid(3)},
	} {
		out.submit(nil, &s, math.MaxInt)
	}
	for _, p := range out.queue {
		f.Add(bytes.Join(p.bufs, nil))
	}
	f.Add(append(fragHeader(nil, wire.TagFragHeader, 1, 3), 0, 104, 0))
	f.Add(append(fragHeader(nil, wire.TagFragCont, 1, 2), 0))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 {
			return
		}
		c := testConn(FlagsDefault)
		c.rd.packet(b)
		c.rd.packet(b)
	})
}

// TestPacketSizes takes signals of many sizes apart into packets whose sizes are
// those of their buffers, and whose bytes are the signal's.
func TestPacketSizes(t *testing.T) {
	for _, n := range []int{0, 10, 1000, 1030, 5000, fragSize - 1, fragSize, 3*fragSize + 17} {
		for _, flags := range []uint64{FlagsDefault, FlagsDefault &^ wire.FlagDistHdrAtomCache} {
			out := testConn(flags)
			var h heap.Heap
			msg := h.Tuple(term.Small(1), h.Binary(make([]byte, n)), h.Binary(make([]byte, n)))
			out.submit(nil, &signal{op: wire.OpRegSend, a: term.Pid(77), b: term.Intern("nobody"), msg: msg}, math.MaxInt)
			sum := 0
			for i, p := range out.queue {
				size := 0
				for _, b := range p.bufs {
					size += len(b)
				}
				if size != p.size {
					t.Errorf("%d bytes, packet %d: size %d, buffers of %d", n, i, p.size, size)
				}
				sum += size
			}
			if sum != out.qsize || sum < 2*n {
				t.Errorf("%d bytes: %d in the queue, %d in packets", n, out.qsize, sum)
			}
			out.detach()
			freeHeap(&h)
		}
	}
}

// TestLong begins a message of more terms than a slice encodes.
func TestLong(t *testing.T) {
	out := testConn(FlagsDefault)
	var h heap.Heap
	l := term.Nil
	for range 2 * sliceTerms {
		l = h.Cons(term.AmOk, l)
	}
	s := signal{op: wire.OpRegSend, a: term.Pid(77), b: term.Intern("nobody"), msg: l}
	if r := out.submit(nil, &s, sliceTerms); r != ocLong || len(out.queue) != 0 {
		t.Errorf("outcome %d, %d packets", r, len(out.queue))
	}
	if r := out.submit(nil, &s, math.MaxInt); r != ocSent || len(out.queue) == 0 {
		t.Errorf("outcome %d, %d packets", r, len(out.queue))
	}
}
