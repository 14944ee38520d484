package port

import (
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Signals is what vm/proc calls for signals to ports.
type Signals struct{}

var _ proc.PortOps = Signals{}

// Send acts on Port ! Msg. What is no valid message makes the port send badsig
// to its owner.
func (Signals) Send(sender *proc.Process, id, msg term.Term) bool {
	p := Lookup(id)
	if p == nil {
		return true
	}
	if msg.IsTuple() && msg.Arity() == 2 && msg.El(1).IsInternalPid() {
		from, what := msg.El(1), msg.El(2)
		switch {
		case what == amClose:
			p.closeFrom(from)
			return true
		case what.IsTuple() && what.Arity() == 2 && what.El(1) == amCommand:
			p.Command(from, from, what.El(2), false)
			if p.WaitNotBusy(sender) {
				sender.FCalls = 0
			}
			return true
		case what.IsTuple() && what.Arity() == 2 && what.El(1) == amConnect:
			p.connectFrom(from, what.El(2))
			return true
		}
	}
	p.mu.Lock()
	if p.state == stOpen {
		p.badsig()
	}
	p.mu.Unlock()
	return true
}

func (p *Port) closeFrom(from term.Term) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != stOpen {
		return
	}
	if from != p.owner {
		p.badsig()
		return
	}
	p.closed = true
	p.exit(from, term.AmNormal, false)
}

func (p *Port) connectFrom(from, to term.Term) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != stOpen {
		return
	}
	if from != p.owner || !p.connect(to) {
		p.badsig()
		return
	}
	p.send(from, connectedAtom)
}

// Exists tells whether a port is open.
func (Signals) Exists(id term.Term) bool {
	p := Lookup(id)
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state == stOpen
}

// Link links a process with a port.
func (Signals) Link(from, id term.Term) bool {
	p := Lookup(id)
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != stOpen {
		return false
	}
	p.links[from] = true
	return true
}

// Unlink takes a process's link away and acknowledges it.
func (Signals) Unlink(from, id term.Term, n uint64) bool {
	p := Lookup(id)
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != stOpen {
		return false
	}
	delete(p.links, from)
	proc.SendUnlinkAckTo(id, from, n)
	return true
}

// UnlinkAck answers a port's unlink; ports take no links away themselves.
func (Signals) UnlinkAck(from, id term.Term, n uint64) {}

// Exit acts on an exit signal. From a process that is not linked, a link's
// signal is stale.
func (Signals) Exit(from, id, reason term.Term, link bool) {
	p := Lookup(id)
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != stOpen {
		return
	}
	if link {
		if !p.links[from] {
			return
		}
		delete(p.links, from)
	}
	p.exit(from, reason, link)
}

// Monitor makes a process watch a port.
func (Signals) Monitor(from, id term.Term, key proc.Key, pidRef bool) bool {
	p := Lookup(id)
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != stOpen {
		return false
	}
	p.mons[key] = watcher{from, pidRef}
	return true
}

// Demonitor ends a watch.
func (Signals) Demonitor(from, id term.Term, key proc.Key) {
	if p := Lookup(id); p != nil {
		p.mu.Lock()
		delete(p.mons, key)
		p.mu.Unlock()
	}
}

// SetName records a port's registered name.
func (Signals) SetName(id, name term.Term) bool {
	p := Lookup(id)
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != stOpen || p.regName != term.None {
		return false
	}
	p.regName = name
	return true
}

// ClearName forgets it.
func (Signals) ClearName(id term.Term) {
	if p := Lookup(id); p != nil {
		p.mu.Lock()
		p.regName = term.None
		p.mu.Unlock()
	}
}

// NameOf returns a port's registered name, or None.
func (Signals) NameOf(id term.Term) term.Term {
	p := Lookup(id)
	if p == nil {
		return term.None
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.regName
}
