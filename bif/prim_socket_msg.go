package bif

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/io/file"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/term"
)

// Control messages and flags of messages. A control message is a map with
// level, type and data; with value where the type is known when it was received,
// and with value instead of data where it is to be sent by value.

// cmsgSpec is a type of control message. decode is nil for those that cannot be
// sent by value.
type cmsgSpec struct {
	level, typ int
	name       term.Term
	encode     func(h *heap.Heap, b []byte) (term.Term, bool)
	decode     func(t term.Term) ([]byte, bool)
}

var cmsgSpecs = []cmsgSpec{
	{unix.SOL_SOCKET, unix.SCM_CREDENTIALS, term.Intern("credentials"), nil, nil},
	{unix.SOL_SOCKET, unix.SCM_RIGHTS, term.Intern("rights"), nil, nil},
	{unix.SOL_SOCKET, unix.SO_TIMESTAMP, term.Intern("timestamp"), timevalTerm, timevalArg},
	{unix.SOL_IP, unix.IP_TOS, term.Intern("tos"), cmsgTos, tosBytes},
	{unix.SOL_IP, unix.IP_TTL, term.Intern("ttl"), cmsgInt, intBytes},
	{unix.SOL_IP, unix.IP_RECVTTL, term.Intern("recvttl"), cmsgByte, nil},
	{unix.SOL_IP, unix.IP_PKTINFO, term.Intern("pktinfo"), cmsgPktInfo, nil},
	{unix.SOL_IP, unix.IP_RECVORIGDSTADDR, term.Intern("origdstaddr"), cmsgSockaddr, nil},
	{unix.SOL_IP, unix.IP_RECVTOS, term.Intern("recvtos"), cmsgTos, nil},
	{unix.SOL_IP, unix.IP_RECVERR, term.Intern("recverr"), cmsgRecvErr, nil},
	{unix.SOL_IPV6, unix.IPV6_PKTINFO, term.Intern("pktinfo"), cmsgPktInfo6, nil},
	{unix.SOL_IPV6, unix.IPV6_HOPLIMIT, term.Intern("hoplimit"), cmsgInt, intBytes},
	{unix.SOL_IPV6, unix.IPV6_TCLASS, term.Intern("tclass"), cmsgInt, intBytes},
	{unix.SOL_IPV6, unix.IPV6_RECVTCLASS, term.Intern("recvtclass"), cmsgInt, nil},
	{unix.SOL_IPV6, unix.IPV6_RECVERR, term.Intern("recverr"), cmsgRecvErr, nil},
}

func findCmsg(is func(*cmsgSpec) bool) *cmsgSpec {
	for i := range cmsgSpecs {
		if is(&cmsgSpecs[i]) {
			return &cmsgSpecs[i]
		}
	}
	return nil
}

func native32(b []byte) int { return int(int32(binary.NativeEndian.Uint32(b))) }

func intBytes(t term.Term) ([]byte, bool) {
	v, ok := int32Arg(t)
	return binary.NativeEndian.AppendUint32(nil, uint32(v)), ok
}

func cmsgInt(_ *heap.Heap, b []byte) (term.Term, bool) {
	if len(b) < 4 {
		return term.None, false
	}
	return term.Small(int64(native32(b))), true
}

func cmsgByte(_ *heap.Heap, b []byte) (term.Term, bool) {
	if len(b) < 1 {
		return term.None, false
	}
	return term.Small(int64(b[0])), true
}

func cmsgTos(_ *heap.Heap, b []byte) (term.Term, bool) {
	if len(b) < 1 {
		return term.None, false
	}
	return tosTerm(int(b[0])), true
}

func tosBytes(t term.Term) ([]byte, bool) {
	v, ok := tosArg(t)
	return binary.NativeEndian.AppendUint32(nil, uint32(v)), ok
}

var (
	amSec     = term.Intern("sec")
	amUsec    = term.Intern("usec")
	amIfIndex = term.Intern("ifindex")
	amLevel   = term.Intern("level")
)

func timevalTerm(h *heap.Heap, b []byte) (term.Term, bool) {
	if len(b) < 16 {
		return term.None, false
	}
	return mapOf(h, amSec, h.Int(int64(binary.NativeEndian.Uint64(b))), amUsec, h.Int(int64(binary.NativeEndian.Uint64(b[8:])))), true
}

func timevalArg(t term.Term) ([]byte, bool) {
	s, ok1 := maps.Get(t, amSec)
	u, ok2 := maps.Get(t, amUsec)
	if !t.IsMap() || !ok1 || !ok2 {
		return nil, false
	}
	sec, ok1 := intArg(s)
	usec, ok2 := intArg(u)
	return binary.NativeEndian.AppendUint64(binary.NativeEndian.AppendUint64(nil, uint64(sec)), uint64(usec)), ok1 && ok2
}

func cmsgPktInfo(h *heap.Heap, b []byte) (term.Term, bool) {
	if len(b) < 12 {
		return term.None, false
	}
	return mapOf(h, amIfIndex, term.Small(int64(binary.NativeEndian.Uint32(b))), term.Intern("spec_dst"), ip4Term(h, b[4:8]),
		amAddr, ip4Term(h, b[8:12])), true
}

func cmsgPktInfo6(h *heap.Heap, b []byte) (term.Term, bool) {
	if len(b) < 20 {
		return term.None, false
	}
	return mapOf(h, amAddr, ip6Term(h, b[:16]), amIfIndex, term.Small(int64(native32(b[16:])))), true
}

func cmsgSockaddr(h *heap.Heap, b []byte) (term.Term, bool) {
	var a sysnet.Addr
	a.N = uint32(copy(a.B[:], b))
	return sockaddrTerm(h, &a), true
}

// Origins of errors, of linux/errqueue.h.
var errOrigins = []string{"none", "local", "icmp", "icmp6", "txstatus", "zerocopy", "txtime"}

// Types and codes of ICMP and ICMPv6 that have names; the codes are those of
// the type dest_unreach.
var (
	icmpTypes  = map[byte]string{3: "dest_unreach", 11: "time_exceeded"}
	icmpCodes  = map[byte]string{0: "net_unreach", 1: "host_unreach", 3: "port_unreach", 4: "frag_needed", 6: "net_unknown", 7: "host_unknown"}
	icmp6Types = map[byte]string{1: "dest_unreach", 2: "pkt_toobig", 3: "time_exceeded"}
	icmp6Codes = map[byte]string{0: "noroute", 1: "adm_prohibited", 2: "not_neighbour", 3: "addr_unreach", 4: "port_unreach", 5: "policy_fail", 6: "reject_route"}
)

func nameOr(names map[byte]string, v byte) term.Term {
	if n, ok := names[v]; ok {
		return term.Intern(n)
	}
	return term.Small(int64(v))
}

// cmsgRecvErr reads struct sock_extended_err, with the offender's address behind.
func cmsgRecvErr(h *heap.Heap, b []byte) (term.Term, bool) {
	const size = 16
	if len(b) < size {
		return term.None, false
	}
	var types, codes map[byte]string
	origin, typ, code := b[4], b[5], b[6]
	originTerm := term.Small(int64(origin))
	if int(origin) < len(errOrigins) {
		originTerm = term.Intern(errOrigins[origin])
	}
	switch origin {
	case 2:
		types = icmpTypes
		if typ == 3 {
			codes = icmpCodes
		}
	case 3:
		types = icmp6Types
		if typ == 1 {
			codes = icmp6Codes
		}
	}
	kvs := []term.Term{term.AmError, term.Intern(file.ErrnoName(unix.Errno(binary.NativeEndian.Uint32(b)))), term.Intern("origin"), originTerm,
		amSockType, nameOr(types, typ), term.Intern("code"), nameOr(codes, code), term.Intern("info"), term.Small(int64(native32(b[8:]))),
		amData, term.Small(int64(native32(b[12:])))}
	if len(b) > size {
		a, _ := cmsgSockaddr(h, b[size:])
		kvs = append(kvs, term.Intern("offender"), a)
	}
	return mapOf(h, kvs...), true
}

func levelTerm(l int) term.Term {
	if l == unix.SOL_SOCKET {
		return amSocketLevel
	}
	return term.Small(int64(l))
}

var amSocketLevel = term.Intern("socket")

func levelArg(t term.Term) (int, bool) {
	if t == amSocketLevel {
		return unix.SOL_SOCKET, true
	}
	return int32Arg(t)
}

// cmsgsTerm lists the control messages of a buffer.
func cmsgsTerm(h *heap.Heap, b []byte) term.Term {
	var l []term.Term
	for len(b) >= unix.SizeofCmsghdr {
		n := int(binary.NativeEndian.Uint64(b))
		if n < unix.SizeofCmsghdr {
			break
		}
		if n > len(b) {
			l = append(l, term.Intern("bad_data"))
			break
		}
		l = append(l, cmsgTerm(h, native32(b[8:]), native32(b[12:]), b[unix.SizeofCmsghdr:n]))
		b = b[min(len(b), unix.CmsgSpace(n-unix.SizeofCmsghdr)):]
	}
	return h.List(l...)
}

func cmsgTerm(h *heap.Heap, level, typ int, data []byte) term.Term {
	kvs := []term.Term{amLevel, levelTerm(level), amData, h.Binary(data), amSockType, term.Small(int64(typ))}
	if spec := findCmsg(func(s *cmsgSpec) bool { return s.level == level && s.typ == typ }); spec != nil {
		kvs[5] = spec.name
		if spec.encode != nil {
			if v, ok := spec.encode(h, data); ok {
				kvs = append(kvs, amValue, v)
			}
		}
	}
	return mapOf(h, kvs...)
}

// cmsgsArg reads a list of control messages that take up to room bytes.
func cmsgsArg(l term.Term, room int) (b []byte, ok bool) {
	for ; l.IsList(); l = l.Tail() {
		level, typ, data, ok := cmsgArg(l.Head())
		if !ok {
			return nil, false
		}
		n := len(b)
		b = append(b, make([]byte, unix.CmsgSpace(len(data)))...)
		if len(b) > room {
			return nil, false
		}
		binary.NativeEndian.PutUint64(b[n:], uint64(unix.CmsgLen(len(data))))
		binary.NativeEndian.PutUint32(b[n+8:], uint32(level))
		binary.NativeEndian.PutUint32(b[n+12:], uint32(typ))
		copy(b[n+unix.SizeofCmsghdr:], data)
	}
	return b, l.IsNil()
}

func cmsgArg(m term.Term) (level, typ int, data []byte, ok bool) {
	if !m.IsMap() {
		return 0, 0, nil, false
	}
	lt, ok1 := maps.Get(m, amLevel)
	tt, ok2 := maps.Get(m, amSockType)
	if !ok1 || !ok2 {
		return 0, 0, nil, false
	}
	if level, ok = levelArg(lt); !ok {
		return 0, 0, nil, false
	}
	spec := findCmsg(func(s *cmsgSpec) bool { return s.level == level && s.name == tt })
	d, byData := maps.Get(m, amData)
	v, byValue := maps.Get(m, amValue)
	if byData == byValue {
		return 0, 0, nil, false
	}
	if byValue {
		if spec == nil || spec.decode == nil {
			return 0, 0, nil, false
		}
		data, ok = spec.decode(v)
		return level, spec.typ, data, ok
	}
	if spec != nil {
		typ = spec.typ
	} else if typ, ok = int32Arg(tt); !ok {
		return 0, 0, nil, false
	}
	data, ok = bytesIntOrBool(d)
	return level, typ, data, ok
}

// bytesIntOrBool reads a binary as it is, an integer or a boolean as an int.
func bytesIntOrBool(t term.Term) ([]byte, bool) {
	if b, ok := heap.AlignedBytes(t); ok {
		return b, true
	}
	if t.IsBool() {
		t = term.Small(b2i(t == term.True))
	}
	return intBytes(t)
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// msgFlags are the flags of messages; those of a message are listed in this
// order.
var msgFlags = []struct {
	name string
	bit  int
}{
	{"cmsg_cloexec", unix.MSG_CMSG_CLOEXEC}, {"confirm", unix.MSG_CONFIRM}, {"ctrunc", unix.MSG_CTRUNC}, {"dontroute", unix.MSG_DONTROUTE},
	{"eor", unix.MSG_EOR}, {"errqueue", unix.MSG_ERRQUEUE}, {"more", unix.MSG_MORE}, {"nosignal", unix.MSG_NOSIGNAL},
	{"oob", unix.MSG_OOB}, {"peek", unix.MSG_PEEK}, {"trunc", unix.MSG_TRUNC},
}

func msgFlagsTerm(h *heap.Heap, flags int) term.Term {
	var l []term.Term
	for _, f := range msgFlags {
		if flags&f.bit != 0 {
			l = append(l, term.Intern(f.name))
			flags &^= f.bit
		}
	}
	if flags != 0 {
		l = append(l, term.Small(int64(int32(flags))))
	}
	return h.List(l...)
}
