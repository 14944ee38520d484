package bif

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/io/esock"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// Control calls on network interfaces. struct ifreq is a name of IFNAMSIZ bytes
// and a union of 24.
const (
	ifreqSize = 40
	ifreqVal  = unix.IFNAMSIZ
)

// ioctlRequest is a request that takes the name of an interface: get builds what
// the union holds, set fills it.
type ioctlRequest struct {
	name string
	num  int
	get  func(h *heap.Heap, b []byte) term.Term
	set  func(t term.Term, b []byte) bool
	what string // that is invalid when set does not like it
}

var ioctlRequests = []ioctlRequest{
	{"gifname", unix.SIOCGIFNAME, nil, nil, ""},
	{"gifindex", unix.SIOCGIFINDEX, ifreqInt, nil, ""},
	{"gifflags", unix.SIOCGIFFLAGS, ifreqFlags, nil, ""},
	{"gifaddr", unix.SIOCGIFADDR, ifreqAddr, nil, ""},
	{"gifdstaddr", unix.SIOCGIFDSTADDR, ifreqAddr, nil, ""},
	{"gifbrdaddr", unix.SIOCGIFBRDADDR, ifreqAddr, nil, ""},
	{"gifnetmask", unix.SIOCGIFNETMASK, ifreqAddr, nil, ""},
	{"gifmtu", unix.SIOCGIFMTU, ifreqInt, nil, ""},
	{"gifhwaddr", unix.SIOCGIFHWADDR, ifreqHwAddr, nil, ""},
	{"gifmap", unix.SIOCGIFMAP, ifreqMap, nil, ""},
	{"giftxqlen", unix.SIOCGIFTXQLEN, ifreqInt, nil, ""},
	{"gifconf", unix.SIOCGIFCONF, nil, nil, ""},
	{"sifflags", unix.SIOCSIFFLAGS, nil, nil, ""},
	{"sifaddr", unix.SIOCSIFADDR, nil, setIfreqAddr, "sockaddr"},
	{"sifdstaddr", unix.SIOCSIFDSTADDR, nil, setIfreqAddr, "sockaddr"},
	{"sifbrdaddr", unix.SIOCSIFBRDADDR, nil, setIfreqAddr, "sockaddr"},
	{"sifmtu", unix.SIOCSIFMTU, nil, setIfreqInt, "mtu"},
	{"siftxqlen", unix.SIOCSIFTXQLEN, nil, setIfreqInt, "txqlen"},
}

// ioctlFlags are the flags of interfaces; those of an interface are listed in
// this order. The ones with 0 are of other systems, and those beyond 16 bits do
// not fit struct ifreq.
var ioctlFlags = []struct {
	name string
	bit  int
}{
	{"up", unix.IFF_UP}, {"broadcast", unix.IFF_BROADCAST}, {"debug", unix.IFF_DEBUG}, {"loopback", unix.IFF_LOOPBACK},
	{"pointopoint", unix.IFF_POINTOPOINT}, {"notrailers", unix.IFF_NOTRAILERS}, {"knowsepoch", 0}, {"running", unix.IFF_RUNNING},
	{"noarp", unix.IFF_NOARP}, {"promisc", unix.IFF_PROMISC}, {"allmulti", unix.IFF_ALLMULTI}, {"master", unix.IFF_MASTER}, {"oactive", 0},
	{"slave", unix.IFF_SLAVE}, {"simplex", 0}, {"multicast", unix.IFF_MULTICAST}, {"link0", 0}, {"link1", 0}, {"link2", 0},
	{"portsel", unix.IFF_PORTSEL}, {"automedia", unix.IFF_AUTOMEDIA}, {"dynamic", unix.IFF_DYNAMIC}, {"cantconfig", 0},
	{"lower_up", unix.IFF_LOWER_UP}, {"ppromisc", 0}, {"dormant", unix.IFF_DORMANT}, {"monitor", 0}, {"echo", unix.IFF_ECHO},
	{"staticarp", 0}, {"dying", 0}, {"renaming", 0}, {"nogroup", 0},
}

func ifreqInt(_ *heap.Heap, b []byte) term.Term { return smallTerm(native32(b)) }

func ifreqFlags(h *heap.Heap, b []byte) term.Term {
	v := int(int16(binary.NativeEndian.Uint16(b)))
	var l []term.Term
	for _, f := range ioctlFlags {
		if v == 0 {
			break
		}
		if f.bit != 0 && v&f.bit == f.bit {
			l = append(l, term.Intern(f.name))
			v = int(int16(v &^ f.bit))
		}
	}
	if v != 0 {
		l = append(l, smallTerm(v))
	}
	return h.List(l...)
}

func ifreqAddr(h *heap.Heap, b []byte) term.Term {
	var a sysnet.Addr
	a.N = uint32(copy(a.B[:], b[:unix.SizeofSockaddrInet4]))
	return sockaddrTerm(h, &a)
}

func ifreqHwAddr(h *heap.Heap, b []byte) term.Term {
	hw := binary.NativeEndian.Uint16(b)
	fam := smallTerm(int(hw))
	if n, ok := hardware[hw]; ok {
		fam = term.Intern(n)
	}
	return mapOf(h, amFamily, fam, amAddr, h.Binary(b[2:16]))
}

func ifreqMap(h *heap.Heap, b []byte) term.Term {
	return mapOf(h, term.Intern("mem_start"), h.Uint(binary.NativeEndian.Uint64(b)), term.Intern("mem_end"), h.Uint(binary.NativeEndian.Uint64(b[8:])),
		term.Intern("base_addr"), smallTerm(int(binary.NativeEndian.Uint16(b[16:]))), term.Intern("irq"), smallTerm(int(b[18])),
		term.Intern("dma"), smallTerm(int(b[19])), amSockPort, smallTerm(int(b[20])))
}

func setIfreqInt(t term.Term, b []byte) bool {
	v, ok := int32Arg(t)
	binary.NativeEndian.PutUint32(b, uint32(v))
	return ok
}

func setIfreqAddr(t term.Term, b []byte) bool {
	var a sysnet.Addr
	if !sockaddrArg(t, &a) {
		return false
	}
	copy(b, a.B[:a.N])
	return true
}

// psIoctl is ioctl(Socket, Request), ioctl(Socket, Request, NameOrIndex) and
// ioctl(Socket, Request, Name, Value).
func psIoctl(c *native.Call) term.Term {
	return withSocket(c, func(s *esock.Socket) term.Term {
		num, ok := uint64Arg(c.Arg(1))
		if !ok {
			return c.Badarg()
		}
		var req *ioctlRequest
		for i := range ioctlRequests {
			if r := &ioctlRequests[i]; uint64(r.num) == num {
				req = r
			}
		}
		var t term.Term
		r := s.Do(func(fd int) (r esock.Reply) {
			t, r = ioctl(c, fd, req)
			return r
		})
		if t != term.None {
			return t
		}
		if r == badIoctl {
			return c.Badarg()
		}
		return psReply(c, r)
	})
}

// badIoctl stands for badarg.
var badIoctl = esock.Reply{Kind: esock.BadArg, Reason: term.AmBadarg}

func ioctl(c *native.Call, fd int, req *ioctlRequest) (term.Term, esock.Reply) {
	switch {
	case req == nil:
	case c.N == 2 && req.num == unix.SIOCGIFCONF:
		return ioctlConf(c, fd)
	case c.N == 3 && req.num == unix.SIOCGIFNAME:
		return ioctlName(c, fd)
	case c.N == 3 && req.get != nil:
		b, ok := ifreqOf(c.Arg(2))
		if !ok {
			return term.None, badIoctl
		}
		if e := sysnet.Ioctl(fd, uint(req.num), b); e != 0 {
			return term.None, esock.Failed(e)
		}
		return c.Ok(req.get(&c.P.Heap, b[ifreqVal:])), esock.Reply{}
	case c.N == 4 && (req.set != nil || req.num == unix.SIOCSIFFLAGS):
		return term.None, ioctlSet(c, fd, req)
	}
	return term.None, esock.Failed(unix.ENOTSUP)
}

// ifreqOf makes struct ifreq of an interface; too long a name is cut.
func ifreqOf(name term.Term) ([]byte, bool) {
	n, ok := listBytes(name)
	b := make([]byte, ifreqSize)
	copy(b[:unix.IFNAMSIZ-1], n)
	return b, ok
}

func ioctlSet(c *native.Call, fd int, req *ioctlRequest) esock.Reply {
	b, ok := ifreqOf(c.Arg(2))
	if !ok {
		return badIoctl
	}
	if req.num == unix.SIOCSIFFLAGS {
		if e := sysnet.Ioctl(fd, unix.SIOCGIFFLAGS, b); e != 0 {
			return esock.Failed(e)
		}
		if !setIfreqFlags(c.Arg(3), b[ifreqVal:]) {
			return badIoctl
		}
	} else if !req.set(c.Arg(3), b[ifreqVal:]) {
		return esock.Reply{Kind: esock.BadArg, Reason: term.Intern(req.what)}
	}
	return errnoReply(sysnet.Ioctl(fd, uint(req.num), b))
}

// setIfreqFlags changes flags by a map of bits to booleans.
func setIfreqFlags(t term.Term, b []byte) bool {
	if !t.IsMap() {
		return false
	}
	v, ok := int(int16(binary.NativeEndian.Uint16(b))), true
	maps.Each(t, func(k, on term.Term) bool {
		var bit int
		if bit, ok = int32Arg(k); !ok {
			return false
		}
		if on == term.True {
			v |= bit
		} else {
			v &^= bit
		}
		return true
	})
	binary.NativeEndian.PutUint16(b, uint16(v))
	return ok
}

func ioctlName(c *native.Call, fd int) (term.Term, esock.Reply) {
	i, ok := int32Arg(c.Arg(2))
	if !ok {
		return term.None, badIoctl
	}
	b := make([]byte, ifreqSize)
	binary.NativeEndian.PutUint32(b[ifreqVal:], uint32(i))
	if e := sysnet.Ioctl(fd, unix.SIOCGIFNAME, b); e != 0 {
		return term.None, esock.Failed(e)
	}
	return c.Ok(c.P.Heap.Latin1(ifreqName(b))), esock.Reply{}
}

func ifreqName(b []byte) []byte {
	n := 0
	for n < unix.IFNAMSIZ && b[n] != 0 {
		n++
	}
	return b[:n]
}

// ioctlConf lists the interfaces that have an IPv4 address.
func ioctlConf(c *native.Call, fd int) (term.Term, esock.Reply) {
	h := &c.P.Heap
	for room := 100; ; room *= 2 {
		b := make([]byte, room*ifreqSize)
		n, e := sysnet.IfConf(fd, b)
		if e != 0 {
			return term.None, esock.Failed(e)
		}
		if n == len(b) {
			continue
		}
		var l []term.Term
		for b = b[:n]; len(b) >= ifreqSize; b = b[ifreqSize:] {
			l = append(l, mapOf(h, term.Intern("name"), h.Latin1(ifreqName(b)), amAddr, ifreqAddr(h, b[ifreqVal:])))
		}
		return c.Ok(h.List(l...)), esock.Reply{}
	}
}
