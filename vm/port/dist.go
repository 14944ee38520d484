package port

import "github.com/beamrd/beamrd/vm/term"

// Dist is the node's distribution behind a port that is a connection to another
// node: it gets the packets instead of the owner, and it sends. Its methods are
// called under the port's lock and must not block or call the port back.
type Dist interface {
	// Data takes a packet, without its length. The bytes are valid during the
	// call. false: no more are to come until the port is told to go on.
	Data(packet []byte) (more bool)
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

// DistData gives a packet to the distribution, which is behind the port. Drivers
// call it under the lock for what they would deliver as {Port,{data,_}}. more is
// false when the driver is to stop reading until DistResume.
func (p *Port) DistData(packet []byte) (more bool) {
	p.in.Add(uint64(len(packet)))
	return p.dist.Data(packet)
}

// DistInput is implemented by ports that carry connections: they go on reading.
type DistInput interface{ DistResume() }

// DistResume lets the port read on that the distribution is behind.
func (p *Port) DistResume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if in, ok := p.inst.(DistInput); ok && p.state == stOpen && p.dist != nil {
		in.DistResume()
	}
}

// DistOutput is implemented by the ports that carry connections: it writes
// packets, whose sizes say where in the buffers each ends, without waiting.
// What it cannot write at once it copies.
type DistOutput interface {
	DistOutput(bufs [][]byte, sizes []int)
}

// DistSend sends packets; nobody gets an answer, and it never waits. The buffers
// stay the caller's. ok is false when the port is not open.
func (p *Port) DistSend(bufs [][]byte, sizes []int) (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.DistSendLocked(bufs, sizes)
}

// DistSendLocked is DistSend under the port's lock.
func (p *Port) DistSendLocked(bufs [][]byte, sizes []int) (ok bool) {
	if p.state != stOpen {
		return false
	}
	for _, n := range sizes {
		p.out.Add(uint64(n))
	}
	p.caller = term.None
	p.inst.(DistOutput).DistOutput(bufs, sizes)
	return true
}

// CloseAndWait closes the port and waits until its output is written.
func (p *Port) CloseAndWait() {
	p.mu.Lock()
	p.exit(p.ID, term.AmNormal, false)
	p.mu.Unlock()
	<-p.gone
}

// HasDist tells whether the distribution is behind the port. Drivers call it
// under the lock.
func (p *Port) HasDist() bool { return p.dist != nil }
