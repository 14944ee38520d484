package port

import (
	"bytes"

	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Result is what became of a request to a port.
type Result int

// The results.
const (
	Done Result = iota
	Badarg
	Busy
	NotSup
)

// LogBadValue reports data on a port's input that is no iodata; set by the node.
var LogBadValue func(portName string)

// Flatten makes iodata buffers, with copies of its bytes but for large binaries,
// which are lent: held, until whoever gets the buffers releases them. ok is
// false when it is no iodata; nothing is lent then. It is set by the builtins,
// which own the walk over iolists.
var Flatten func(t term.Term) (data [][]byte, lent Lease, ok bool)

// Lease is what is held for buffers that view binaries; nil when all bytes are
// copies.
type Lease []*heap.Bin

// Release gives back what is held. The buffers must not be used any more.
func (l Lease) Release() {
	for _, b := range l {
		b.Unref()
	}
}

// Borrower is implemented by instances that take buffers that are lent, and
// release them when they have been written.
type Borrower interface {
	OutputLent(data [][]byte, lent Lease)
}

// output gives data to the instance, which gets copies unless it borrows.
func (p *Port) output(data [][]byte, lent Lease) {
	if b, ok := p.inst.(Borrower); ok && lent != nil {
		b.OutputLent(data, lent)
		return
	}
	if lent != nil {
		for i, b := range data {
			data[i] = bytes.Clone(b)
		}
		lent.Release()
	}
	p.inst.Output(data)
}

// Command is port_command: data goes out. from is None for the call, and the
// process named in Port ! {Pid,{command,Data}} for the message; caller is who
// asks.
func (p *Port) Command(caller, from, data term.Term, force bool) Result {
	bufs, lent, ok := Flatten(data)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.caller = caller
	if r, ok := p.mayCommand(from, ok, force); !ok {
		lent.Release()
		return r
	}
	for _, b := range bufs {
		p.out.Add(uint64(len(b)))
	}
	if bufs, ok = p.frame(bufs); !ok {
		lent.Release()
		p.exit(p.ID, term.Intern("einval"), false)
		return Done
	}
	p.output(bufs, lent)
	p.checkBusy()
	return Done
}

// mayCommand tells whether the port takes data, and the result when it does not;
// valid says that it was iodata.
func (p *Port) mayCommand(from term.Term, valid, force bool) (r Result, ok bool) {
	switch {
	case p.state != stOpen:
		return Badarg, false
	case from != term.None && from != p.owner:
		p.badsig()
		return Done, false
	case !valid:
		if LogBadValue != nil {
			LogBadValue(p.Name)
		}
		if from != term.None {
			p.badsig()
		}
		return Badarg, false
	case !p.opts.Write:
		// ERTS's drivers without output fail the command.
		if from != term.None {
			p.badsig()
		}
		return Badarg, false
	case p.busy && !force && from == term.None:
		return Busy, false
	}
	return Done, true
}

// checkBusy sets and clears busy by the bytes that wait.
func (p *Port) checkBusy() {
	if p.opts.NoBusyPort || p.inst == nil {
		return
	}
	high, low := p.opts.High, p.opts.Low
	if high == 0 {
		high, low = 8192, 4096
	}
	n := p.inst.Pending()
	if n >= high {
		p.SetBusy(true)
	} else if n <= low {
		p.SetBusy(false)
	}
}

// Drained tells the port that output was written. Drivers call it under the
// lock.
func (p *Port) Drained() {
	p.checkBusy()
	if p.state == stFlushing && p.inst.Pending() == 0 {
		p.terminate()
	}
}

// badsig sends the owner an exit signal with reason badsig.
func (p *Port) badsig() { proc.SendExit(nil, p.ID, p.owner, amBadsig) }

// Control is port_control/3.
func (p *Port) Control(caller term.Term, op uint32, data term.Term) (Reply, bool) {
	bufs, lent, ok := Flatten(data)
	defer lent.Release()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.caller = caller
	if !ok || p.state != stOpen {
		return Reply{}, false
	}
	return p.inst.Control(op, bytes.Join(bufs, nil))
}

// Caller is implemented by instances that answer port_call/3.
type Caller interface {
	Call(op uint32, t term.Term) (res func(h *heap.Heap) term.Term, ok bool)
}

// Call is port_call/3.
func (p *Port) Call(op uint32, t term.Term) (func(h *heap.Heap) term.Term, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, ok := p.inst.(Caller)
	if !ok || p.state != stOpen {
		return nil, false
	}
	return c.Call(op, t)
}

// Connect is port_connect/2: the new owner is linked, the old one stays so.
func (p *Port) Connect(to term.Term) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.connect(to)
}

func (p *Port) connect(to term.Term) bool {
	if p.state != stOpen || !to.IsInternalPid() {
		return false
	}
	if !p.links[to] {
		if !proc.SendLink(p.ID, to) {
			return false
		}
		p.links[to] = true
	}
	p.owner = to
	return true
}

// Close is port_close/1.
func (p *Port) Close() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != stOpen {
		return false
	}
	p.exit(p.ID, term.AmNormal, false)
	return true
}

// exit ends the port: a normal exit signal acts only when it comes from the
// owner or the port itself. Links and monitors are told at once; what is
// pending is still written, but for the reason kill.
func (p *Port) exit(from, reason term.Term, link bool) {
	if p.state != stOpen {
		return
	}
	if reason == term.AmNormal && from != p.owner && from != p.ID {
		return
	}
	t := epoch.Pin()
	defer t.Unpin()
	kill := reason == term.AmKill && !link
	if kill {
		reason = term.AmKilled
	}
	p.state = stExiting
	if n := p.regName; n != term.None {
		p.regName = term.None
		// The registry locks the other way round; nobody else acts on a port
		// that is exiting.
		p.mu.Unlock()
		proc.ForgetName(n)
		p.mu.Lock()
	}
	for pid := range p.links {
		if !link || pid != from {
			proc.SendLinkExit(nil, p.ID, pid, reason)
		}
	}
	clear(p.links)
	for k, w := range p.mons {
		proc.SendDown(nil, w.pid, k, w.pidRef, true, p.ID, reason)
	}
	clear(p.mons)
	p.state = stFlushing
	p.SetBusy(false)
	if d := p.dist; d != nil {
		p.dist = nil
		d.PortClosed(reason)
	}
	if f, ok := p.inst.(Flusher); ok {
		f.Flush()
	}
	if kill || p.inst.Pending() == 0 {
		p.terminate()
	}
}

// terminate releases the driver and the number.
func (p *Port) terminate() {
	p.state = stClosed
	p.inst.Stop()
	if p.closed {
		p.SendOwner(func(*heap.Heap) term.Term { return amClosed })
	}
	if p.data != nil {
		p.data.free()
		p.data = nil
	}
	leave(p)
	close(p.gone)
}

// SetData is port_set_data/2.
func (p *Port) SetData(t term.Term) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != stOpen {
		return false
	}
	if p.data != nil {
		p.data.free()
	}
	p.data = save(t)
	return true
}

// Data is port_get_data/1.
func (p *Port) Data(h *heap.Heap) (term.Term, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.state != stOpen:
		return term.None, false
	case p.data == nil:
		return term.AmUndefined, true
	case p.data.t.IsImmed():
		return p.data.t, true
	}
	a := h.Alloc(heap.Size(p.data.t, true))
	return heap.Copy(p.data.t, &a, &h.Off, true), true
}

// CloseAll ends all ports but the heart's and waits until their output is
// written or the channel is closed. It is how halt flushes; the heart is to see
// the end of the node after that.
func CloseAll(stop <-chan struct{}) {
	var ps []*Port
	for _, p := range all() {
		if p.RegName() != amHeartPort {
			ps = append(ps, p)
		}
	}
	for _, p := range ps {
		p.mu.Lock()
		p.exit(p.ID, term.AmNormal, false)
		p.mu.Unlock()
	}
	for _, p := range ps {
		select {
		case <-p.gone:
		case <-stop:
			return
		}
	}
}
