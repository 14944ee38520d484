package bif

import (
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/dist"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// What a process that carries a connection uses.

var distCtrlRows = []native.Row{
	{Module: "erlang", Name: "dist_get_stat", Arity: 1, Fn: distGetStat},
	{Module: "erlang", Name: "dist_ctrl_input_handler", Arity: 2, Fn: distCtrlInputHandler},
	{Module: "erlang", Name: "dist_ctrl_put_data", Arity: 2, Fn: distCtrlPutData},
	{Module: "erlang", Name: "dist_ctrl_get_data", Arity: 1, Fn: distCtrlGetData},
	{Module: "erlang", Name: "dist_ctrl_get_data_notification", Arity: 1, Fn: distCtrlNotify},
	{Module: "erlang", Name: "dist_ctrl_get_opt", Arity: 2, Fn: distCtrlGetOpt},
	{Module: "erlang", Name: "dist_ctrl_set_opt", Arity: 3, Fn: distCtrlSetOpt},
}

var (
	amGetSize         = term.Intern("get_size")
	amDistCtrlPutData = term.Intern("dist_ctrl_put_data")
)

// carried returns what the caller carries; !ok: an exception is recorded.
func carried(c *native.Call) (dist.Ctrl, bool) {
	k, ok, notSup := dist.Carried(c.P.ID, c.Arg(0))
	switch {
	case notSup:
		c.Error(term.AmNotsup)
	case !ok:
		c.Badarg()
	}
	return k, ok
}

func distGetStat(c *native.Call) term.Term {
	in, out, queued, ok := dist.Stat(c.Arg(0))
	if !ok {
		return c.Badarg()
	}
	h := &c.P.Heap
	return h.Tuple(term.AmOk, h.Uint(in), h.Uint(out), h.Int(int64(queued)))
}

func distCtrlInputHandler(c *native.Call) term.Term {
	k, ok := carried(c)
	if !ok {
		return term.None
	}
	if !c.Arg(1).IsInternalPid() {
		return c.Badarg()
	}
	k.SetInputHandler(c.Arg(1))
	return term.AmOk
}

func distCtrlPutData(c *native.Call) term.Term {
	data := c.Arg(1)
	var b []byte
	switch {
	case data.IsNil():
	case data.IsList():
		return c.Trap(code.GetExport(amErtsInternal, amDistCtrlPutData, 2), c.Arg(0), data)
	default:
		var ok bool
		if b, ok = heap.AlignedBytes(data); !ok {
			return c.Badarg()
		}
	}
	c.Bump(5 + len(b)/1024)
	switch known, mine := dist.Put(c.P.ID, c.Arg(0), b); {
	case !known:
		return c.Badarg()
	case !mine:
		return c.Error(term.AmNotsup)
	}
	return term.AmOk
}

// distCtrlGetData answers none, a list of binaries, or {Size,List}.
func distCtrlGetData(c *native.Call) term.Term {
	k, ok := carried(c)
	if !ok {
		return term.None
	}
	bufs, size, free, ok := k.Next()
	if !ok {
		return amNone
	}
	defer free()
	h := &c.P.Heap
	l := term.Nil
	for i := len(bufs) - 1; i >= 0; i-- {
		l = h.Cons(h.Binary(bufs[i]), l)
	}
	c.Bump(size / 1024)
	if k.GetSize() {
		return h.Tuple(h.Int(int64(size)), l)
	}
	return l
}

func distCtrlNotify(c *native.Call) term.Term {
	k, ok := carried(c)
	if !ok {
		return term.None
	}
	k.Notify()
	return term.AmOk
}

func distCtrlGetOpt(c *native.Call) term.Term {
	k, ok := carried(c)
	if !ok {
		return term.None
	}
	if c.Arg(1) != amGetSize {
		return c.Badarg()
	}
	return term.Bool(k.GetSize())
}

func distCtrlSetOpt(c *native.Call) term.Term {
	k, ok := carried(c)
	if !ok {
		return term.None
	}
	if c.Arg(1) != amGetSize || !c.Arg(2).IsBool() {
		return c.Badarg()
	}
	old := k.GetSize()
	k.SetGetSize(c.Arg(2) == term.True)
	return term.Bool(old)
}
