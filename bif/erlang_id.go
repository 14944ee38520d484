package bif

import (
	"strings"

	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangIDRows = []native.Row{
	{Module: "erlang", Name: "pid_to_list", Arity: 1, Fn: erlangPidToList},
	{Module: "erlang", Name: "port_to_list", Arity: 1, Fn: erlangPortToList},
	{Module: "erlang", Name: "ref_to_list", Arity: 1, Fn: erlangRefToList},
	{Module: "erlang", Name: "list_to_pid", Arity: 1, Fn: erlangListToPid},
	{Module: "erlang", Name: "list_to_port", Arity: 1, Fn: erlangListToPort},
	{Module: "erlang", Name: "list_to_ref", Arity: 1, Fn: erlangListToRef},
}

// Limits of the numbers in identifiers of OTP 25.
const (
	pidNumberBits = 15
	pidSerialBits = 13
	portBits      = 28
	refBits       = 18 // of the number printed last
)

func printed(c *native.Call, ok bool) term.Term {
	if !ok {
		return c.Badarg()
	}
	return c.P.Heap.Latin1([]byte(c.Arg(0).String()))
}

func erlangPidToList(c *native.Call) term.Term  { return printed(c, c.Arg(0).IsPid()) }
func erlangPortToList(c *native.Call) term.Term { return printed(c, c.Arg(0).IsPort()) }
func erlangRefToList(c *native.Call) term.Term  { return printed(c, c.Arg(0).IsRef()) }

// idNumbers reads "prefix N.N… >": the numbers of a printed identifier.
func idNumbers(l term.Term, prefix string) (n []uint64, ok bool) {
	var room [64]byte
	b := room[:0]
	for ; l.IsList(); l = l.Tail() {
		h := l.Head()
		if !h.IsSmall() || uint64(h.Small()) > 255 || len(b) == len(room) {
			return nil, false
		}
		b = append(b, byte(h.Small()))
	}
	s, ok := strings.CutPrefix(string(b), prefix)
	if !ok || !l.IsNil() {
		return nil, false
	}
	if s, ok = strings.CutSuffix(s, ">"); !ok {
		return nil, false
	}
	for _, p := range strings.Split(s, ".") {
		var v uint64
		for _, d := range []byte(p) {
			if d < '0' || d > '9' || v > 1<<59 {
				return nil, false
			}
			v = v*10 + uint64(d-'0')
		}
		if p == "" {
			return nil, false
		}
		n = append(n, v)
	}
	return n, true
}

// Only this node's identifiers (node number 0) can be read back so far: others
// need the distribution's table of nodes.

func erlangListToPid(c *native.Call) term.Term {
	n, ok := idNumbers(c.Arg(0), "<")
	if !ok || len(n) != 3 || n[0] != 0 || n[1] >= 1<<pidNumberBits || n[2] >= 1<<pidSerialBits {
		return c.Badarg()
	}
	return term.Pid(n[2]<<pidNumberBits | n[1])
}

func erlangListToPort(c *native.Call) term.Term {
	n, ok := idNumbers(c.Arg(0), "#Port<")
	if !ok || len(n) != 2 || n[0] != 0 || n[1] >= 1<<portBits {
		return c.Badarg()
	}
	return term.Port(n[1])
}

func erlangListToRef(c *native.Call) term.Term {
	n, ok := idNumbers(c.Arg(0), "#Ref<")
	if !ok || len(n) != 4 || n[0] != 0 || n[3] >= 1<<refBits || n[1]|n[2] > 1<<32-1 {
		return c.Badarg()
	}
	a := c.Alloc(1 + term.RefWords)
	term.Put(a, 0, term.Header(term.RefWords, term.KRef))
	term.Put(a, 1, n[3]|n[2]<<32)
	term.Put(a, 2, n[1])
	return term.Box(a)
}
