package port

import (
	"sort"
	"time"

	"github.com/beamrd/beamrd/vm/heap"
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

// What port_info counts for links, monitors, the data of port_set_data and the
// buffer for lines, in bytes, as ERTS on 64 bits does.
const (
	linkBytes    = 40
	monitorBytes = 24
	dataBytes    = 40
	lineBytes    = 32
)

var amHeartPort = term.Intern("heart_port")

// RegName returns the port's registered name, or None.
func (p *Port) RegName() term.Term {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.regName
}

// WarnHeart tells the heart, if there is one, that the node is going to write a
// crash dump. It waits a while for the message to be written.
func WarnHeart() bool {
	const preparingCrash = 8
	for _, p := range all() {
		if p.RegName() != amHeartPort {
			continue
		}
		p.mu.Lock()
		if data, ok := p.frame([][]byte{{preparingCrash}}); ok && p.state == stOpen {
			p.inst.Output(data)
		}
		p.mu.Unlock()
		for i := 0; i < 100; i++ {
			p.mu.Lock()
			n := p.PendingLocked()
			p.mu.Unlock()
			if n == 0 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		return true
	}
	return false
}

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
	i := &Info{ID: p.ID, Owner: p.owner, RegName: p.regName, Name: p.Name, In: p.in.Load(), Out: p.out.Load(),
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
	i.Memory = p.memory()
	return i
}

func (p *Port) memory() int {
	n := linkBytes*len(p.links) + monitorBytes*len(p.mons)
	if p.data != nil && !p.data.t.IsImmed() {
		n += dataBytes + 8*int(heap.Size(p.data.t, true))
	}
	if p.opts.Line > 0 {
		n += lineBytes + p.opts.Line
	}
	return n
}

// DriverName returns the name of the port's driver.
func (p *Port) DriverName() string { return p.drv.Name() }
