package port

// PacketStats are the counters of a socket, as inet:getstat/1 shows them.
type PacketStats struct {
	RecvBytes, RecvCount, RecvMax uint64
	RecvAvg, RecvDeviation        float64 // bytes
	SendBytes, SendCount, SendMax uint64
	SendAvg                       float64 // bytes
	SendPending                   int     // bytes
}

// PacketCounter is implemented by instances that count packets. Packets is
// called under the port's lock.
type PacketCounter interface{ Packets() PacketStats }

// Packets returns the counters of the port; ok is false when it is not open or
// counts no packets.
func (p *Port) Packets() (s PacketStats, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, ok := p.inst.(PacketCounter)
	if !ok || p.state != stOpen {
		return s, false
	}
	return c.Packets(), true
}
