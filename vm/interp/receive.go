package interp

import (
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Messages: send, receive, timeouts.

// opSend: X0 is the receiver, X1 the message, which becomes the result.
func opSend(c *proc.Ctx, p *proc.Process, w uint64) {
	to, msg := c.X[0], c.X[1]
	ok, trap := p.Send(to, msg)
	p.FCalls -= 3
	ret := p.IP + uintptr(w>>16&0xffff)*8
	switch {
	case trap != nil:
		st(p.E, uint64(ret))
		jump(c, p, trap.Load())
	case !ok:
		f := fault{mfa: sendMFA, args: p.Heap.List(to, msg), pc: p.IP}
		f.info = errorInfo(p, sendMFA.Module, term.None, term.None)
		raise(c, p, f)
	default:
		c.X[0] = msg
		p.IP = ret
		if wantsGC(p) {
			collect(c, p, 1, 0, nil)
		}
	}
}

// loopRecSlow looks for a message that has not been received yet. The branch's
// address is in Args.
func loopRecSlow(x uintptr) {
	c, p := at(x)
	m := p.PeekMessage()
	switch {
	case m != term.None:
		st(c.Dst, uint64(m))
		p.IP = c.NextIP
	case p.FCalls <= 0:
		// The signals handled used up the slice. Not after the branch: a
		// message received between two slices must be seen here.
		leave(c, p, proc.Yielded, 0)
	default:
		p.FCalls-- // code that comes back without a wait is a loop, too
		p.IP = uintptr(c.Args[0])
	}
}

func yieldInReceive(x uintptr) {
	c, p := at(x)
	leave(c, p, proc.Yielded, 0)
}

// opRemoveMessage takes the message whose pattern matched. X0 and others may
// hold parts of it: its fragment becomes part of the heap.
func opRemoveMessage(c *proc.Ctx, p *proc.Process, w uint64) {
	p.RemoveMessage()
	next(p, w)
}

// opWait: branch to loop_rec, where the process goes on when it is woken.
func opWait(c *proc.Ctx, p *proc.Process, _ uint64) {
	branch(p, 1)
	wait(c, p)
}

// wait ends the slice unless there is something to look at. Looking in vain
// costs, for code that never takes a message.
func wait(c *proc.Ctx, p *proc.Process) {
	p.Live = 0
	if p.PrepareWait() {
		c.Exit = uint64(proc.Waiting) + 1
		return
	}
	if p.FCalls--; p.FCalls <= 0 {
		leave(c, p, proc.Yielded, 0)
	}
}

// opWaitTimeout: branch to loop_rec, timeout. It goes on when the time is over.
func opWaitTimeout(c *proc.Ctx, p *proc.Process, w uint64) {
	expired, bad := p.SetReceiveTimer(src(c, p, 2))
	switch {
	case bad:
		p.ResetSave() // the next receive starts at the first message
		raiseError(c, p, term.AmTimeoutValue)
	case expired:
		next(p, w)
	default:
		branch(p, 1)
		wait(c, p)
	}
}

var amClockService, amTimeout = term.Intern("clock_service"), term.Intern("timeout")

func opTimeout(_ *proc.Ctx, p *proc.Process, w uint64) {
	if p.Traced(proc.TraceReceive) {
		proc.Tracing.Receive(p, amClockService, amTimeout)
	}
	p.ResetSave()
	next(p, w)
}

func opRecvMarkerReserve(c *proc.Ctx, p *proc.Process, w uint64) {
	setDst(c, p, 1, p.MarkerReserve())
	next(p, w)
}

func opRecvMarkerBind(c *proc.Ctx, p *proc.Process, w uint64) {
	p.MarkerBind(src(c, p, 1), src(c, p, 2))
	next(p, w)
}

func opRecvMarkerClear(c *proc.Ctx, p *proc.Process, w uint64) {
	p.MarkerClear(src(c, p, 1))
	next(p, w)
}

func opRecvMarkerUse(c *proc.Ctx, p *proc.Process, w uint64) {
	p.MarkerUse(src(c, p, 1))
	next(p, w)
}
