package sock

import (
	"encoding/binary"
	"math"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/io/packet"
	"github.com/beamrd/beamrd/vm/port"
)

// sysOpt is an option of the system with an integer value. Errors of some are
// not reported, as they never were.
type sysOpt struct {
	level, name int
	report      bool
	cmsg        uint8
}

var sysOpts = map[byte]sysOpt{
	optReuseAddr:  {unix.SOL_SOCKET, unix.SO_REUSEADDR, false, 0},
	optKeepalive:  {unix.SOL_SOCKET, unix.SO_KEEPALIVE, false, 0},
	optDontroute:  {unix.SOL_SOCKET, unix.SO_DONTROUTE, false, 0},
	optBroadcast:  {unix.SOL_SOCKET, unix.SO_BROADCAST, false, 0},
	optOobInline:  {unix.SOL_SOCKET, unix.SO_OOBINLINE, false, 0},
	optSndbuf:     {unix.SOL_SOCKET, unix.SO_SNDBUF, false, 0},
	optRcvbuf:     {unix.SOL_SOCKET, unix.SO_RCVBUF, false, 0},
	optPriority:   {unix.SOL_SOCKET, unix.SO_PRIORITY, true, 0},
	optTos:        {unix.IPPROTO_IP, unix.IP_TOS, true, 0},
	optTclass:     {unix.IPPROTO_IPV6, unix.IPV6_TCLASS, true, 0},
	optTTL:        {unix.IPPROTO_IP, unix.IP_TTL, true, 0},
	optRecvTos:    {unix.IPPROTO_IP, unix.IP_RECVTOS, true, cmsgTos},
	optRecvTclass: {unix.IPPROTO_IPV6, unix.IPV6_RECVTCLASS, true, cmsgTclass},
	optRecvTTL:    {unix.IPPROTO_IP, unix.IP_RECVTTL, true, cmsgTTL},
	optNodelay:    {unix.IPPROTO_TCP, unix.TCP_NODELAY, false, 0},
	optNopush:     {unix.IPPROTO_TCP, unix.TCP_CORK, false, 0},
	optMcastTTL:   {unix.IPPROTO_IP, unix.IP_MULTICAST_TTL, false, 0},
	optMcastLoop:  {unix.IPPROTO_IP, unix.IP_MULTICAST_LOOP, false, 0},
	optV6Only:     {unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, true, 0},
}

// packetTypes are the values of the option packet.
var packetTypes = []packet.Type{packet.Raw, packet.Len1, packet.Len2, packet.Len4, packet.ASN1, packet.SunRM, packet.CDR,
	packet.FCGI, packet.Line, packet.TPKT, packet.HTTP, packet.HTTPHeader, packet.SSL, packet.HTTPBin, packet.HTTPHeaderBin}

// setOpts sets options, each a number and its value.
func (d *desc) setOpts(b []byte) port.Reply {
	oldPkt, oldActive := d.pkt, d.active
	for len(b) >= 5 {
		rest, gone, ok := d.setOpt(b[0], int32(u32(b[1:])), b[5:])
		if gone {
			return okReply()
		}
		if !ok {
			return errReply(unix.EINVAL)
		}
		b = rest
	}
	d.self.applied(oldPkt, oldActive)
	return okReply()
}

// setOpt sets one option; b is what follows the first four bytes of its value,
// rest what follows all of it. gone tells that the port has ended.
func (d *desc) setOpt(opt byte, v int32, b []byte) (rest []byte, gone, ok bool) {
	if known, ok := d.self.tune(opt, v); known {
		return b, false, ok
	}
	switch opt {
	case optHeader:
		d.hsz = uint32(v)
	case optMode:
		d.binary = v == 1
	case optDeliver:
		d.asPort = v == 0
	case optBuffer:
		d.bufsz, d.bufSet = max(int(v), minBuffer), true
	case optActive:
		return d.setActive(v, b)
	case optPacket:
		if v < 0 || int(v) >= len(packetTypes) {
			return b, false, false
		}
		d.pkt, d.htype = byte(v), packetTypes[v]
	case optPacketSize:
		d.psize = uint32(v)
	case optExitOnClose:
		d.exitf = v != 0
	case optLineDelim:
		d.delim = byte(v)
	case optMsgqHigh, optMsgqLow:
		if v < 1 {
			return b, false, false
		}
		if opt == optMsgqHigh {
			d.msgqHigh, d.msgqLow = v, min(d.msgqLow, v)
		} else {
			d.msgqLow, d.msgqHigh = v, max(d.msgqHigh, v)
		}
	case optHigh, optLow, optSendTimeout, optSendTimeoutEnd, optDelaySend, optShowReset, optReadPackets:
		// Of the other kind of socket.
	case optNetns:
		if v < 0 || len(b) < int(v) {
			return nil, false, false
		}
		d.netns = string(b[:v])
		return b[v:], false, true
	case optDebug:
		d.debug = v != 0
	default:
		rest, ok = d.setSysOpt(opt, v, b)
		return rest, false, ok
	}
	return b, false, true
}

func (d *desc) setActive(v int32, b []byte) (rest []byte, gone, ok bool) {
	if v < passive || v > multi {
		return nil, false, false
	}
	d.active = int(v)
	if v == multi {
		if len(b) < 2 {
			return nil, false, false
		}
		n := int(d.count) + int(int16(binary.BigEndian.Uint16(b)))
		b = b[2:]
		if n > math.MaxInt16 || n < math.MinInt16 {
			return nil, false, false
		}
		if d.count = int16(max(n, 0)); d.count == 0 {
			d.active = passive
			d.passiveMessage()
		}
	} else {
		d.count = 0
	}
	if d.stype == unix.SOCK_STREAM && d.active != passive && d.state == stClosed {
		return b, d.self.activeWhenClosed(), true
	}
	return b, false, true
}

// setSysOpt sets an option of the system.
func (d *desc) setSysOpt(opt byte, v int32, b []byte) (rest []byte, ok bool) {
	switch opt {
	case optLinger:
		if len(b) < 4 {
			return nil, false
		}
		return b[4:], d.setLinger(v, int32(u32(b)))
	case optRaw:
		if len(b) < 8 || uint64(len(b)) < 8+uint64(u32(b[4:])) {
			return nil, false
		}
		name, val := int(int32(u32(b))), b[8:8+int(u32(b[4:]))]
		d.setSock(int(v), name, val)
		return b[8+len(val):], true
	case optBindToDevice:
		if v < 0 || len(b) < int(v) || v > unix.IFNAMSIZ {
			return nil, false
		}
		var name [unix.IFNAMSIZ]byte
		copy(name[:], b[:v])
		return b[v:], d.setSock(unix.SOL_SOCKET, unix.SO_BINDTODEVICE, name[:]) == 0
	case optMcastIf:
		return b, d.mcastIf(v)
	case optAddMember, optDropMember:
		return d.membership(opt == optAddMember, v, b)
	}
	o, known := sysOpts[opt]
	if !known {
		return nil, false
	}
	if opt == optRcvbuf && !d.bufSet {
		if v > 1<<16 && d.stype == unix.SOCK_DGRAM {
			d.bufsz = 1 << 16
		} else {
			d.bufsz = max(d.bufsz, int(v))
		}
	}
	e := d.setSockInt(o.level, o.name, int(v))
	if e == 0 && o.cmsg != 0 {
		d.cmsg &^= o.cmsg
		if v != 0 {
			d.cmsg |= o.cmsg
		}
	}
	return b, e == 0 || !o.report
}

func (d *desc) setSockInt(level, name, v int) syscall.Errno {
	return d.setSock(level, name, binary.NativeEndian.AppendUint32(nil, uint32(v)))
}

// setSock sets an option and leaves priority and type of service as they were:
// Linux changes one with the other, and users count on their independence.
func (d *desc) setSock(level, name int, val []byte) syscall.Errno {
	if d.fam == unix.AF_UNIX {
		return sysnet.SetOpt(d.fd, level, name, val)
	}
	prio, ep := sysnet.GetInt(d.fd, unix.SOL_SOCKET, unix.SO_PRIORITY)
	tos, et := sysnet.GetInt(d.fd, unix.IPPROTO_IP, unix.IP_TOS)
	e := sysnet.SetOpt(d.fd, level, name, val)
	isPrio := level == unix.SOL_SOCKET && name == unix.SO_PRIORITY
	isTos := level == unix.IPPROTO_IP && name == unix.IP_TOS
	if e != 0 || isPrio {
		return e
	}
	if et == 0 && !isTos {
		if now, _ := sysnet.GetInt(d.fd, unix.IPPROTO_IP, unix.IP_TOS); now != tos {
			e = sysnet.SetInt(d.fd, unix.IPPROTO_IP, unix.IP_TOS, tos)
		}
	}
	if e == 0 && ep == 0 {
		if now, _ := sysnet.GetInt(d.fd, unix.SOL_SOCKET, unix.SO_PRIORITY); now != prio {
			// Some priorities that the system gave cannot be given back.
			if e = sysnet.SetInt(d.fd, unix.SOL_SOCKET, unix.SO_PRIORITY, prio); e == unix.EPERM {
				e = 0
			}
		}
	}
	return e
}

func (d *desc) setLinger(on, secs int32) bool {
	d.lingers, d.lingerZero = on != 0 && secs > 0, on != 0 && secs == 0
	v := binary.NativeEndian.AppendUint32(binary.NativeEndian.AppendUint32(nil, uint32(on)), uint32(secs))
	d.setSock(unix.SOL_SOCKET, unix.SO_LINGER, v)
	return true
}

func (d *desc) mcastIf(v int32) bool {
	switch d.fam {
	case unix.AF_INET:
		d.setSock(unix.IPPROTO_IP, unix.IP_MULTICAST_IF, binary.BigEndian.AppendUint32(nil, uint32(v)))
	case unix.AF_INET6:
		d.setSockInt(unix.IPPROTO_IPV6, unix.IPV6_MULTICAST_IF, int(v))
	default:
		return false
	}
	return true
}

// membership joins or leaves a group: Index:32, then addresses of the group
// and, for IPv4, of the interface.
func (d *desc) membership(add bool, dom int32, b []byte) (rest []byte, ok bool) {
	n := binary.NativeEndian
	switch {
	case dom == afInet && d.fam == unix.AF_INET && len(b) >= 12:
		name := unix.IP_DROP_MEMBERSHIP
		if add {
			name = unix.IP_ADD_MEMBERSHIP
		}
		mreq := n.AppendUint32(append([]byte(nil), b[4:12]...), u32(b)) // struct ip_mreqn
		d.setSock(unix.IPPROTO_IP, name, mreq)
		return b[12:], true
	case dom == afInet6 && d.fam == unix.AF_INET6 && len(b) >= 20:
		name := unix.IPV6_DROP_MEMBERSHIP
		if add {
			name = unix.IPV6_ADD_MEMBERSHIP
		}
		mreq := n.AppendUint32(append([]byte(nil), b[4:20]...), u32(b)) // struct ipv6_mreq
		d.setSock(unix.IPPROTO_IPV6, name, mreq)
		return b[20:], true
	}
	return nil, false
}
