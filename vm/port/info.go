package port

import (
	"sort"

	"github.com/beamrd/beamrd/vm/term"
)

// Info is what port_info shows.
type Info struct {
	ID, Owner   term.Term
	RegName     term.Term // atom, or None
	Name        string
	Links       []term.Term
	MonitoredBy []term.Term
	In, Out     uint64
	OSPid       int
	Parallelism bool
	Queue       int // bytes
	Memory      int // bytes
}

// portBytes is about what a port takes.
const portBytes = 512

// IsOpen tells whether requests are taken.
func (p *Port) IsOpen() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state == stOpen
}

// Info describes the port, or returns nil when it is closing.
func (p *Port) Info() *Info {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != stOpen {
		return nil
	}
	i := &Info{ID: p.ID, Owner: p.owner, RegName: p.regName, Name: p.Name, In: p.in, Out: p.out,
		OSPid: p.osPid, Parallelism: p.opts.Parallelism, Queue: p.inst.Pending()}
	for l := range p.links {
		if l != term.Pid(0) || p.owner != l {
			i.Links = append(i.Links, l)
		}
	}
	sort.Slice(i.Links, func(a, b int) bool { return i.Links[a] < i.Links[b] })
	for _, w := range p.mons {
		i.MonitoredBy = append(i.MonitoredBy, w.pid)
	}
	i.Memory = portBytes + len(p.Name)
	return i
}

// DriverName returns the name of the port's driver.
func (p *Port) DriverName() string { return p.drv.Name() }
