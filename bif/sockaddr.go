package bif

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/term"
)

// Socket addresses of the modules socket and net: maps by family,
//
//	#{family => inet, addr => {A,B,C,D} | any | loopback | broadcast, port => P}
//	#{family => inet6, addr => {A,…,H} | any | loopback, port => P, flowinfo => F, scope_id => S}
//	#{family => local, path => Binary}
//	#{family => packet, protocol, ifindex, hatype, pkttype, addr => Binary}
//	#{family => unspec | Integer, addr => Binary}

var (
	amFamily   = term.Intern("family")
	amAddr     = term.Intern("addr")
	amSockPort = term.Intern("port")
	amFlowinfo = term.Intern("flowinfo")
	amScopeID  = term.Intern("scope_id")
	amPath     = term.Intern("path")
	amInet     = term.Intern("inet")
	amInet6    = term.Intern("inet6")
	amUnspec   = term.Intern("unspec")
	amPacketAF = term.Intern("packet")
	amAny      = term.Intern("any")
	amLoopback = term.Intern("loopback")
	amBcast    = term.Intern("broadcast")
)

// mapOf builds a map of keys and values in turn.
func mapOf(h *heap.Heap, kvs ...term.Term) term.Term {
	m, _ := maps.FromPairs(h, kvs)
	return m
}

func domainTerm(fam int) term.Term {
	switch fam {
	case unix.AF_INET:
		return amInet
	case unix.AF_INET6:
		return amInet6
	case unix.AF_UNIX:
		return amLocal
	case unix.AF_UNSPEC:
		return amUnspec
	}
	return term.Small(int64(fam))
}

func domainArg(t term.Term) (int, bool) {
	switch t {
	case amInet:
		return unix.AF_INET, true
	case amInet6:
		return unix.AF_INET6, true
	case amLocal:
		return unix.AF_UNIX, true
	case amUnspec:
		return unix.AF_UNSPEC, true
	}
	v, ok := intArg(t)
	return int(v), ok && v >= 0 && v <= 0xFFFF
}

var typeAtoms = map[int]term.Term{
	unix.SOCK_STREAM: term.Intern("stream"), unix.SOCK_DGRAM: term.Intern("dgram"), unix.SOCK_RAW: term.Intern("raw"),
	unix.SOCK_SEQPACKET: term.Intern("seqpacket"), unix.SOCK_RDM: term.Intern("rdm"),
}

func typeTerm(typ int) term.Term {
	if t, ok := typeAtoms[typ]; ok {
		return t
	}
	return term.Small(int64(typ))
}

// sockaddrTerm builds the map of an address. What is too short for its family
// shows as bytes.
func sockaddrTerm(h *heap.Heap, a *sysnet.Addr) term.Term {
	n := int(a.N)
	if n == 0 {
		return mapOf(h, amFamily, amUnspec, amAddr, h.Binary(nil))
	}
	if n < 2 {
		return h.Binary(a.B[:n])
	}
	fam := a.Family()
	b := a.B[:n]
	switch {
	case fam == unix.AF_INET && n >= unix.SizeofSockaddrInet4:
		return mapOf(h, amFamily, amInet, amSockPort, term.Small(int64(a.Port())), amAddr, ip4Term(h, b[4:8]))
	case fam == unix.AF_INET6 && n >= unix.SizeofSockaddrInet6:
		return mapOf(h, amFamily, amInet6, amSockPort, term.Small(int64(a.Port())), amAddr, ip6Term(h, b[8:24]),
			amFlowinfo, term.Small(int64(binary.NativeEndian.Uint32(b[4:]))), amScopeID, term.Small(int64(binary.NativeEndian.Uint32(b[24:]))))
	case fam == unix.AF_UNIX:
		return mapOf(h, amFamily, amLocal, amPath, h.Binary(unixPath(b[2:])))
	case fam == unix.AF_PACKET && n >= unix.SizeofSockaddrLinklayer:
		return packetAddrTerm(h, b)
	}
	name := domainTerm(fam)
	if fam == unix.AF_PACKET {
		name = amPacketAF
	}
	return mapOf(h, amFamily, name, amAddr, h.Binary(b[2:]))
}

// unixPath is the path up to a zero byte; abstract names begin with one.
func unixPath(b []byte) []byte {
	for i, c := range b {
		if c == 0 && i > 0 {
			return b[:i]
		} else if c == 0 {
			break
		}
	}
	return b
}

func ip4Term(h *heap.Heap, b []byte) term.Term {
	return h.Tuple(term.Small(int64(b[0])), term.Small(int64(b[1])), term.Small(int64(b[2])), term.Small(int64(b[3])))
}

func ip6Term(h *heap.Heap, b []byte) term.Term {
	els := make([]term.Term, 8)
	for i := range els {
		els[i] = term.Small(int64(binary.BigEndian.Uint16(b[2*i:])))
	}
	return h.Tuple(els...)
}

// hardware names the types of hardware that have a name.
var hardware = map[uint16]string{
	unix.ARPHRD_NETROM: "netrom", unix.ARPHRD_ETHER: "ether", unix.ARPHRD_EETHER: "eether", unix.ARPHRD_AX25: "ax25",
	unix.ARPHRD_PRONET: "pronet", unix.ARPHRD_CHAOS: "chaos", unix.ARPHRD_IEEE802: "ieee802", unix.ARPHRD_ARCNET: "arcnet",
	unix.ARPHRD_APPLETLK: "appletlk", unix.ARPHRD_DLCI: "dlci", unix.ARPHRD_ATM: "atm", unix.ARPHRD_METRICOM: "metricom",
	unix.ARPHRD_IEEE1394: "ieee1394", unix.ARPHRD_EUI64: "eui64", unix.ARPHRD_INFINIBAND: "infiniband",
	unix.ARPHRD_TUNNEL: "tunnel", unix.ARPHRD_TUNNEL6: "tunnel6", unix.ARPHRD_LOOPBACK: "loopback",
	unix.ARPHRD_LOCALTLK: "localtlk", unix.ARPHRD_NONE: "none", unix.ARPHRD_VOID: "void",
}

var packetTypeNames = []string{"host", "broadcast", "multicast", "otherhost", "outgoing", "loopback", "user", "kernel"}

func packetAddrTerm(h *heap.Heap, b []byte) term.Term {
	hw := binary.NativeEndian.Uint16(b[8:])
	ht := term.Small(int64(hw))
	if n, ok := hardware[hw]; ok {
		ht = term.Intern(n)
	}
	pt := term.Small(int64(b[10]))
	if int(b[10]) < len(packetTypeNames) {
		pt = term.Intern(packetTypeNames[b[10]])
	}
	return mapOf(h, amFamily, amPacketAF, term.Intern("protocol"), term.Small(int64(binary.BigEndian.Uint16(b[2:]))),
		term.Intern("ifindex"), term.Small(int64(int32(binary.NativeEndian.Uint32(b[4:])))), term.Intern("hatype"), ht,
		term.Intern("pkttype"), pt, amAddr, h.Binary(b[12:12+min(int(b[11]), len(b)-12)]))
}

// sockaddrArg reads the map of an address.
func sockaddrArg(t term.Term, a *sysnet.Addr) bool {
	get := func(k term.Term) term.Term {
		v, _ := maps.Get(t, k)
		return v
	}
	if !t.IsMap() {
		return false
	}
	fam, ok := domainArg(get(amFamily))
	if !ok {
		return false
	}
	a.SetFamily(fam)
	switch get(amFamily) {
	case amInet, amInet6:
		p, ok := intArg(get(amSockPort))
		if !ok || int64(int32(p)) != p {
			return false
		}
		binary.BigEndian.PutUint16(a.B[2:], uint16(p))
		if fam == unix.AF_INET {
			a.N = unix.SizeofSockaddrInet4
			return ip4Arg(get(amAddr), a.B[4:8])
		}
		flow, ok1 := uint32Arg(get(amFlowinfo))
		scope, ok2 := uint32Arg(get(amScopeID))
		binary.NativeEndian.PutUint32(a.B[4:], flow)
		binary.NativeEndian.PutUint32(a.B[24:], scope)
		a.N = unix.SizeofSockaddrInet6
		return ok1 && ok2 && ip6Arg(get(amAddr), a.B[8:24])
	case amLocal:
		p, ok := heap.AlignedBytes(get(amPath))
		if !ok || len(p) > 108 || len(p) == 108 && p[0] != 0 {
			return false
		}
		a.N = uint32(2 + copy(a.B[2:], p))
		return true
	}
	b, ok := heap.AlignedBytes(get(amAddr))
	if !ok || len(b) > sysnet.MaxAddr-2 {
		return false
	}
	a.N = uint32(2 + copy(a.B[2:], b))
	return true
}

func ip4Arg(t term.Term, b []byte) bool {
	switch t {
	case amAny:
		return true
	case amLoopback:
		copy(b, []byte{127, 0, 0, 1})
		return true
	case amBcast:
		copy(b, []byte{255, 255, 255, 255})
		return true
	}
	if !t.IsTuple() || t.Arity() != 4 {
		return false
	}
	for i := range 4 {
		e := t.El(i + 1)
		if !e.IsSmall() || e.Small() < 0 || e.Small() > 255 {
			return false
		}
		b[i] = byte(e.Small())
	}
	return true
}

func ip6Arg(t term.Term, b []byte) bool {
	switch t {
	case amAny:
		return true
	case amLoopback:
		b[15] = 1
		return true
	}
	if !t.IsTuple() || t.Arity() != 8 {
		return false
	}
	for i := range 8 {
		e := t.El(i + 1)
		if !e.IsSmall() || e.Small() < 0 || e.Small() > 0xFFFF {
			return false
		}
		binary.BigEndian.PutUint16(b[2*i:], uint16(e.Small()))
	}
	return true
}
