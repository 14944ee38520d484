package bif

import (
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// portItems are the items of port_info/1, in its order.
var portItems = []string{"registered_name", "name", "links", "id", "connected", "input", "output", "os_pid"}

var portItemFns = map[term.Term]func(c *native.Call, i *port.Info) term.Term{
	term.Intern("registered_name"): func(c *native.Call, i *port.Info) term.Term { return i.RegName },
	term.Intern("name"):            func(c *native.Call, i *port.Info) term.Term { t, _ := decodedNameOrBytes(c, i.Name); return t },
	term.Intern("links"):           func(c *native.Call, i *port.Info) term.Term { return c.P.Heap.List(i.Links...) },
	term.Intern("id"):              func(c *native.Call, i *port.Info) term.Term { return term.Small(int64(i.ID.ID() << 3)) },
	term.Intern("connected"):       func(c *native.Call, i *port.Info) term.Term { return i.Owner },
	term.Intern("input"):           func(c *native.Call, i *port.Info) term.Term { return c.P.Heap.Uint(i.In) },
	term.Intern("output"):          func(c *native.Call, i *port.Info) term.Term { return c.P.Heap.Uint(i.Out) },
	term.Intern("os_pid"): func(c *native.Call, i *port.Info) term.Term {
		if i.OSPid == 0 {
			return term.AmUndefined
		}
		return term.Small(int64(i.OSPid))
	},
	term.Intern("monitors"): func(c *native.Call, i *port.Info) term.Term { return term.Nil },
	term.Intern("monitored_by"): func(c *native.Call, i *port.Info) term.Term {
		return c.P.Heap.List(i.MonitoredBy...)
	},
	term.Intern("parallelism"): func(c *native.Call, i *port.Info) term.Term { return term.Bool(i.Parallelism) },
	term.Intern("queue_size"):  func(c *native.Call, i *port.Info) term.Term { return term.Small(int64(i.Queue)) },
	term.Intern("memory"):      func(c *native.Call, i *port.Info) term.Term { return term.Small(int64(i.Memory)) },
	term.Intern("locking"):     func(c *native.Call, i *port.Info) term.Term { return term.Intern("port_level") },
}

func decodedNameOrBytes(c *native.Call, name string) (term.Term, bool) {
	if t, ok := decodedName(&c.P.Heap, []byte(name)); ok {
		return t, true
	}
	return c.P.Heap.Latin1([]byte(name)), true
}

func portInfo1(c *native.Call) term.Term {
	i, res := portInfoOf(c.Arg(0), term.AmBadarg)
	if i == nil {
		return res
	}
	h := &c.P.Heap
	l := term.Nil
	for n := len(portItems) - 1; n >= 0; n-- {
		key := term.Intern(portItems[n])
		v := portItemFns[key](c, i)
		if v != term.None {
			l = h.Cons(h.Tuple(key, v), l)
		}
	}
	return l
}

// portInfoOf returns the information, or what the builtin answers without.
func portInfoOf(t, bad term.Term) (*port.Info, term.Term) {
	if !t.IsInternalPort() && !t.IsAtom() {
		if t.Is(term.KExtPort) && term.NodeAt(int(t.W(1))) == term.ThisNode() {
			return nil, term.AmUndefined
		}
		return nil, bad
	}
	if t.IsAtom() {
		if t = proc.Whereis(t); !t.IsInternalPort() {
			return nil, term.AmUndefined
		}
	}
	if p := port.Lookup(t); p != nil {
		if i := p.Info(); i != nil {
			return i, term.None
		}
	}
	return nil, term.AmUndefined
}

var amBadtype = term.Intern("badtype")

func portInfo2(c *native.Call) term.Term {
	i, res := portInfoOf(c.Arg(0), amBadtype)
	if i == nil {
		return res
	}
	f := portItemFns[c.Arg(1)]
	if f == nil {
		return term.AmBadarg
	}
	v := f(c, i)
	if v == term.None {
		return term.Nil
	}
	return c.P.Heap.Tuple(c.Arg(1), v)
}
