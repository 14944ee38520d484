package port

import "github.com/beamrd/beamrd/vm/term"

// Dist is the node's distribution behind a port that is a connection to another
// node: it gets the packets instead of the owner, and it sends. Its methods are
// called under the port's lock and must not block or call the port back.
type Dist interface {
	// Data takes a packet, without its length. The bytes are valid during the call.
	Data(packet []byte)
	// PortBusy tells that the port began or ceased to be busy.
	PortBusy(busy bool)
	// PortClosed tells that the port ends.
	PortClosed(reason term.Term)
}

// SetDist makes the port a connection of the distribution, or an ordinary port
// again (nil). false: it is not open.
func (p *Port) SetDist(d Dist) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != stOpen {
		return false
	}
	p.dist = d
	return true
}

// DistData gives a packet to the distribution; false when it is not behind the
// port. Drivers call it under the lock for what they would deliver as
// {Port,{data,_}}.
func (p *Port) DistData(packet []byte) bool {
	if p.dist == nil {
		return false
	}
	p.in.Add(uint64(len(packet)))
	p.dist.Data(packet)
	return true
}

// DistSend sends a packet, in buffers that become the port's; nobody gets an
// answer. It never waits; busy tells that the sender should. ok is false when
// the port is not open.
func (p *Port) DistSend(bufs [][]byte) (busy, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != stOpen {
		return false, false
	}
	for _, b := range bufs {
		p.out.Add(uint64(len(b)))
	}
	p.caller = term.None
	p.inst.Output(bufs)
	return p.busy, true
}
