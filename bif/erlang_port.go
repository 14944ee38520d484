package bif

import (
	"syscall"

	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/io/file"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangPortRows = []native.Row{
	{Module: "erts_internal", Name: "open_port", Arity: 2, Fn: openPort},
	{Module: "erts_internal", Name: "port_command", Arity: 3, Fn: portCommand},
	{Module: "erts_internal", Name: "port_control", Arity: 3, Fn: portControl},
	{Module: "erts_internal", Name: "port_call", Arity: 3, Fn: portCall},
	{Module: "erts_internal", Name: "port_close", Arity: 1, Fn: portClose},
	{Module: "erts_internal", Name: "port_connect", Arity: 2, Fn: portConnect},
	{Module: "erts_internal", Name: "port_info", Arity: 1, Fn: portInfo1},
	{Module: "erts_internal", Name: "port_info", Arity: 2, Fn: portInfo2},
	{Module: "erlang", Name: "ports", Arity: 0, Fn: ports0},
	{Module: "erlang", Name: "port_set_data", Arity: 2, Fn: portSetData},
	{Module: "erlang", Name: "port_get_data", Arity: 1, Fn: portGetData},
}

// lendFrom is the size from which a binary is lent to a port rather than copied.
const lendFrom = 64 << 10

// flattenPortData is port.Flatten: what a port is given must not change or move.
// Bytes in a row share a buffer.
func flattenPortData(t term.Term) (out [][]byte, lent port.Lease, ok bool) {
	var f flattener
	if t.IsBitstring() {
		ok = f.leaf(t)
	} else if t.IsList() || t.IsNil() {
		ok = f.list(t)
	}
	if !ok {
		f.lent.Release()
		return nil, nil, false
	}
	f.flush()
	return f.out, f.lent, true
}

// flattener collects the buffers of flattenPortData.
type flattener struct {
	out  [][]byte
	cur  []byte // the buffer at hand
	lent port.Lease
}

func (f *flattener) flush() {
	if len(f.cur) > 0 {
		f.out, f.cur = append(f.out, f.cur), nil
	}
}

// leaf takes a byte or a binary.
func (f *flattener) leaf(e term.Term) bool {
	switch {
	case e.IsSmall():
		v := e.Small()
		if v < 0 || v > 255 {
			return false
		}
		f.cur = append(f.cur, byte(v))
		return true
	case e.IsNil():
		return true
	case e.IsBitstring() && e.BitSize() >= lendFrom*8:
		if b, bin := heap.Lend(e); bin != nil {
			f.flush()
			f.out, f.lent = append(f.out, b), append(f.lent, bin)
			return true
		}
	}
	b, ok := heap.AlignedBytes(e)
	f.cur = append(f.cur, b...)
	return ok
}

func (f *flattener) list(t term.Term) bool {
	stack := []term.Term{t}
	for len(stack) > 0 {
		l := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for l.IsList() {
			hd := l.Head()
			l = l.Tail()
			if hd.IsList() {
				stack = append(stack, l)
				l = hd
			} else if !f.leaf(hd) {
				return false
			}
		}
		if l.IsSmall() || !f.leaf(l) {
			return false
		}
	}
	return true
}

var amBadopt = term.Intern("badopt")

func openPort(c *native.Call) term.Term {
	o := port.Options{UseStdio: true, Parallelism: sysconf.C.PortParallelism}
	if !portSettings(c.Arg(1), &o) {
		return amBadopt
	}
	p, err := startPort(c, c.Arg(0), &o)
	c.Bump(200)
	switch e := err.(type) {
	case nil:
		c.P.LinkedByPort(p.ID)
		return p.ID
	case syscall.Errno:
		return term.Intern(file.ErrnoName(e))
	}
	switch err {
	case port.ErrSystemLimit:
		return term.AmSystemLimit
	case port.ErrEinval:
		return term.Intern("einval")
	}
	return term.AmBadarg
}

// startPort opens what the first argument of open_port/2 names.
func startPort(c *native.Call, name term.Term, o *port.Options) (*port.Port, error) {
	self := c.P.ID
	if name.IsAtom() || name.IsList() {
		s, ok := fileNameArg(name)
		if !ok || o.HasArgs || o.HasArg0 || o.ExitStatus {
			return nil, port.ErrBadarg
		}
		return port.OpenFile(s, self, o)
	}
	if !name.IsTuple() || name.Arity() < 2 {
		return nil, port.ErrBadarg
	}
	switch tag := name.El(1); {
	case (tag == amSpawn || tag == amSpawnDriver || tag == amSpawnExecutable) && name.Arity() == 2:
		o.SpawnType = map[term.Term]port.SpawnType{amSpawn: port.SpawnAny, amSpawnDriver: port.SpawnDriver, amSpawnExecutable: port.SpawnExecutable}[tag]
		if (o.HasArgs || o.HasArg0) && o.SpawnType != port.SpawnExecutable {
			return nil, port.ErrBadarg
		}
		cmd, ok := anyName(name.El(2))
		if !ok {
			return nil, port.ErrBadarg
		}
		return port.OpenSpawn(cmd, self, o)
	case tag == amFd && name.Arity() == 3:
		in, out := name.El(2), name.El(3)
		if !in.IsSmall() || !out.IsSmall() || o.HasArgs || o.HasArg0 || o.ExitStatus {
			return nil, port.ErrBadarg
		}
		o.InFd, o.OutFd = int(int32(in.Small())), int(int32(out.Small()))
		return port.OpenFd(itoa(o.InFd)+"/"+itoa(o.OutFd), self, o)
	}
	return nil, port.ErrBadarg
}

func itoa(n int) string {
	if n < 0 {
		return "-" + itoa(-n)
	}
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

// fileNameArg reads an atom, or a string of bytes.
func fileNameArg(t term.Term) (string, bool) {
	if t.IsAtom() {
		return t.Atom().String(), true
	}
	var b []byte
	for ; t.IsList(); t = t.Tail() {
		v := t.Head()
		if !v.IsSmall() || v.Small() < 0 || v.Small() > 255 {
			return "", false
		}
		b = append(b, byte(v.Small()))
	}
	return string(b), t.IsNil()
}

// anyName reads a name that is an atom, string or binary.
func anyName(t term.Term) (string, bool) {
	if b, ok := heap.AlignedBytes(t); ok {
		return string(b), true
	}
	b, ok := nativeName(t, true)
	return string(b), ok
}

// lookupPort finds an open port by id or registered name.
func lookupPort(t term.Term) *port.Port {
	if t.IsAtom() {
		t = proc.Whereis(t)
	}
	if !t.IsInternalPort() {
		return nil
	}
	p := port.Lookup(t)
	if p == nil || !p.IsOpen() {
		return nil
	}
	return p
}

func portCommand(c *native.Call) term.Term {
	force, nosuspend := false, false
	l := c.Arg(2)
	for ; l.IsList(); l = l.Tail() {
		switch l.Head() {
		case amForce:
			force = true
		case amNosuspend:
			nosuspend = true
		default:
			return amBadopt
		}
	}
	if !l.IsNil() {
		return amBadopt
	}
	p := lookupPort(c.Arg(0))
	if p == nil {
		return term.AmBadarg
	}
	if force {
		// None of the drivers here can be forced while busy.
		return term.AmNotsup
	}
	c.Bump(20)
	switch p.Command(c.P.ID, term.None, c.Arg(1), force) {
	case port.Done:
		return term.True
	case port.Busy:
		if nosuspend {
			return term.False
		}
		p.WaitNotBusy(c.P)
		return c.YieldWith(c.Arg(0), c.Arg(1), c.Arg(2))
	}
	return term.AmBadarg
}

func portOp(t term.Term) (uint32, bool) {
	v, ok := intArg(t)
	return uint32(v), ok && v >= 0 && v <= 1<<32-1
}

func portControl(c *native.Call) term.Term {
	p := lookupPort(c.Arg(0))
	op, ok := portOp(c.Arg(1))
	if p == nil || !ok {
		return term.AmBadarg
	}
	c.Bump(20)
	r, ok := p.Control(c.P.ID, op, c.Arg(2))
	h := &c.P.Heap
	switch {
	case !ok:
		return term.AmBadarg
	case r.Build != nil:
		return r.Build(h)
	case r.Binary:
		return h.Binary(r.Data)
	}
	return h.Latin1(r.Data)
}

func portCall(c *native.Call) term.Term {
	p := lookupPort(c.Arg(0))
	op, ok := portOp(c.Arg(1))
	if p == nil || !ok {
		return term.AmBadarg
	}
	res, ok := p.Call(op, c.Arg(2))
	if !ok {
		return term.AmBadarg
	}
	return c.Ok(res(&c.P.Heap))
}

func portClose(c *native.Call) term.Term {
	p := lookupPort(c.Arg(0))
	if p == nil || !p.Close() {
		return term.AmBadarg
	}
	return handleOwnSignals(c, term.True)
}

func portConnect(c *native.Call) term.Term {
	p := lookupPort(c.Arg(0))
	if p == nil || !p.Connect(c.Arg(1)) {
		return term.AmBadarg
	}
	return term.True
}

func ports0(c *native.Call) term.Term {
	ids := port.IDs()
	c.Bump(len(ids) / 8)
	return c.P.Heap.List(ids...)
}

func portSetData(c *native.Call) term.Term {
	p := lookupPort(c.Arg(0))
	if p == nil || !p.SetData(c.Arg(1)) {
		return c.Badarg()
	}
	return term.True
}

func portGetData(c *native.Call) term.Term {
	p := lookupPort(c.Arg(0))
	if p == nil {
		return c.Badarg()
	}
	t, ok := p.Data(&c.P.Heap)
	if !ok {
		return c.Badarg()
	}
	return t
}

// handleOwnSignals is where signals that the call made reach the caller act
// before it goes on; the engine does that at the next check.
func handleOwnSignals(c *native.Call, r term.Term) term.Term { return r }

// SetPortHooks gives vm/port what only builtins know.
func SetPortHooks() { port.Flatten = flattenPortData }
