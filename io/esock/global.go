package esock

import (
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/vm/term"
)

// registry is the process that is told of sockets that come and go.
var registry atomic.Uint64

// SetRegistry sets the pid of the process that keeps the registry.
func SetRegistry(pid term.Term) { registry.Store(uint64(pid)) }

// Totals count the open sockets. As in ERTS a socket of the default protocol is
// counted as one of protocol 0 when it is opened and as what it is when it is
// closed, and those of the domain local are counted as of inet6.
type Totals struct {
	Sockets, Dgrams, Streams, SeqPackets, Inet, Inet6, IP, TCP, UDP, SCTP uint64
}

var totals struct {
	sync.Mutex
	Totals
}

// CountSockets returns the totals.
func CountSockets() Totals {
	totals.Lock()
	defer totals.Unlock()
	return totals.Totals
}

func countSocket(domain, typ, protocol, by int) {
	totals.Lock()
	defer totals.Unlock()
	t := &totals.Totals
	add := func(c *uint64) {
		if by > 0 {
			*c++
		} else if *c > 0 {
			*c--
		}
	}
	add(&t.Sockets)
	switch domain {
	case unix.AF_INET:
		add(&t.Inet)
	case unix.AF_INET6, unix.AF_UNIX:
		add(&t.Inet6)
	}
	switch typ {
	case unix.SOCK_STREAM:
		add(&t.Streams)
	case unix.SOCK_DGRAM:
		add(&t.Dgrams)
	case unix.SOCK_SEQPACKET:
		add(&t.SeqPackets)
	}
	switch protocol {
	case unix.IPPROTO_IP:
		add(&t.IP)
	case unix.IPPROTO_TCP:
		add(&t.TCP)
	case unix.IPPROTO_UDP:
		add(&t.UDP)
	case unix.IPPROTO_SCTP:
		add(&t.SCTP)
	}
}
