package bif

import (
	"strings"

	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/dist"
	"github.com/beamrd/beamrd/vm/etf"
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
	maxRefNumbers = 5
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

// idOwner returns the node that the first number of a printed identifier means:
// 0 is this one, others are the number of their name's atom. ok is false when
// there is no connection to it.
func idOwner(n uint64) (node term.Term, creation uint32, local, ok bool) {
	this := term.ThisNode()
	if n == 0 || n == uint64(this.Name) {
		return term.None, 0, true, true
	}
	if n >= uint64(atom.Count()) {
		return term.None, 0, false, false
	}
	creation, ok = dist.CreationOf(atom.Atom(n))
	return term.Atom(atom.Atom(n)), creation, false, ok
}

func erlangListToPid(c *native.Call) term.Term {
	n, ok := idNumbers(c.Arg(0), "<")
	if !ok || len(n) != 3 {
		return c.Badarg()
	}
	node, creation, local, ok := idOwner(n[0])
	switch {
	case !ok:
	case !local:
		return etf.ExternalPid(&c.P.Heap, node, creation, n[1]&(1<<32-1), n[2]&(1<<32-1))
	case n[1] < 1<<pidNumberBits && n[2] < 1<<pidSerialBits:
		return term.Pid(n[2]<<pidNumberBits | n[1])
	}
	return c.Badarg()
}

func erlangListToPort(c *native.Call) term.Term {
	n, ok := idNumbers(c.Arg(0), "#Port<")
	if !ok || len(n) != 2 {
		return c.Badarg()
	}
	node, creation, local, ok := idOwner(n[0])
	switch {
	case !ok:
	case !local:
		return etf.ExternalPort(&c.P.Heap, node, creation, n[1])
	case n[1] < 1<<portBits:
		return term.Port(n[1])
	}
	return c.Badarg()
}

// erlangListToRef reads a reference; the number printed last is the lowest.
func erlangListToRef(c *native.Call) term.Term {
	n, ok := idNumbers(c.Arg(0), "#Ref<")
	if !ok || len(n) < 2 || len(n) > 1+maxRefNumbers {
		return c.Badarg()
	}
	var nums []uint32
	for i := len(n) - 1; i > 0; i-- {
		if n[i] > 1<<32-1 {
			return c.Badarg()
		}
		nums = append(nums, uint32(n[i]))
	}
	node, creation, local, ok := idOwner(n[0])
	switch {
	case !ok:
	case !local:
		return etf.ExternalRef(&c.P.Heap, node, creation, nums)
	case len(nums) == 3 && nums[0] < 1<<refBits:
		return etf.InternalRef(&c.P.Heap, nums[0], nums[1], nums[2])
	}
	return c.Badarg()
}
