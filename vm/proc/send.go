package proc

import (
	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// SendRemote sends to a process of another node, or to {Name,Node} there. The
// package dist sets it; without it such messages are lost, as on a node that
// is not alive.
var SendRemote func(p *Process, to, msg term.Term) (ok bool, trap *code.Export)

// Connected tells whether a message to a pid, name or {Name,Node} would go out
// without a connection being set up first. The package dist sets it.
var Connected func(to term.Term) bool

// Busy tells whether who sends to a pid or {Name,Node} would be made to wait for
// the connection. The package dist sets it.
var Busy func(to term.Term) bool

// Send sends msg from p to a pid, port, registered name, {Name,Node} or alias.
// ok is false with the exception recorded in p (badarg). trap is not nil when
// the send must go on in Erlang code with the arguments in p.Ctx.X.
func (p *Process) Send(to, msg term.Term) (ok bool, trap *code.Export) {
	if p.Ctx == nil || p.Ctx.SchedID == 0 {
		defer epoch.Pin().Unpin()
	}
	if p.Traced(TraceSend) {
		Tracing.Send(p, to, msg)
	}
	switch {
	case to.IsInternalPid():
		p.sendPid(to, msg)
		return true, nil
	case to.IsAtom():
		id := Whereis(to)
		if id == term.None {
			break
		}
		if id.IsInternalPort() {
			return Ports.Send(p, id, msg), nil
		}
		p.sendPid(id, msg)
		return true, nil
	case to.IsInternalPort():
		if Ports == nil {
			return true, nil
		}
		return Ports.Send(p, to, msg), nil
	case to.IsBoxed():
		return p.sendBoxed(to, msg)
	}
	p.Raise(ClassError, term.AmBadarg)
	return false, nil
}

func (p *Process) sendBoxed(to, msg term.Term) (ok bool, trap *code.Export) {
	switch {
	case to.Is(term.KRef):
		if IsPidRef(to) {
			p.sendAlias(to, msg)
		}
		return true, nil
	case to.Is(term.KExtRef):
		return p.sendRemote(to, msg)
	case to.IsTuple() && to.Arity() == 2 && to.El(1).IsAtom() && to.El(2).IsAtom():
		if to.El(2) != nodeName() {
			return p.sendRemote(to, msg)
		}
		id := Whereis(to.El(1))
		if id.IsInternalPort() {
			return Ports.Send(p, id, msg), nil
		}
		if id != term.None {
			p.sendPid(id, msg)
		}
		return true, nil
	case to.Is(term.KExtPid):
		return p.sendRemote(to, msg)
	case to.Is(term.KExtPort):
		return true, nil
	}
	p.Raise(ClassError, term.AmBadarg)
	return false, nil
}

func (p *Process) sendRemote(to, msg term.Term) (bool, *code.Export) {
	if SendRemote == nil {
		return true, nil
	}
	return SendRemote(p, to, msg)
}

func (p *Process) sendPid(to, msg term.Term) {
	q := Lookup(to)
	if q == nil {
		return
	}
	if p.SeqToken != term.None {
		Tracing.SeqSend(p, to, msg)
	}
	n := sizeOf(msg, false)
	s := newSignal(sigMessage, n+p.tokenSize())
	s.From = p.ID
	s.Term = s.copyIn(msg, false)
	s.carry(p)
	p.FCalls -= int64(4 + n/32)
	if !q.deliver(p.Ctx, s) {
		s.free()
	}
}

func (p *Process) sendAlias(ref, msg term.Term) {
	q := Lookup(term.Term(ref.W(3)))
	if q == nil {
		return
	}
	if p.SeqToken != term.None {
		Tracing.SeqSend(p, ref, msg)
	}
	s := newSignal(sigAliasMessage, sizeOf(msg, false)+p.tokenSize())
	s.From, s.key = p.ID, RefKey(ref)
	s.Term = s.copyIn(msg, false)
	s.carry(p)
	if !q.deliver(p.Ctx, s) {
		s.free()
	}
}

// SendTerm sends a copy of msg to a pid or registered name of this node. from
// is the pid or port it comes from, or None. Any thread may call it. It tells
// whether there was such a process.
func SendTerm(from, to, msg term.Term) bool {
	g := epoch.Pin()
	defer g.Unpin()
	if to.IsAtom() {
		to = Whereis(to)
	}
	q := Lookup(to)
	if q == nil {
		return false
	}
	s := newSignal(sigMessage, sizeOf(msg, false))
	s.From = from
	s.Term = s.copyIn(msg, false)
	if !q.deliver(nil, s) {
		s.free()
		return false
	}
	return true
}

// Deliver sends msg, which was built in the fragments of h (a Heap without a
// block), to a pid or registered name of this node, without copying it. The
// fragments belong to the receiver afterwards, or are freed when there is
// none (false). Any thread may call it.
func Deliver(from, to term.Term, h *heap.Heap, msg term.Term) bool {
	g := epoch.Pin()
	defer g.Unpin()
	return sendBuilt(nil, from, to, msg, h)
}

func sendBuilt(ctx *Ctx, from, to, msg term.Term, h *heap.Heap) bool {
	if to.IsAtom() {
		to = Whereis(to)
	}
	s := newSignal(sigMessage, 0)
	s.From, s.Term = from, msg
	s.more, s.off = h.Frags, h.Off
	h.Frags, h.FragWords, h.Off = nil, 0, heap.OffHeap{}
	return sendTo(ctx, to, s)
}

// SendBuilt is Deliver in the order from, to, msg, h.
func SendBuilt(from, to, msg term.Term, h *heap.Heap) bool { return Deliver(from, to, h, msg) }
