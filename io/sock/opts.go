package sock

import (
	"encoding/binary"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/io/packet"
	"github.com/beamrd/beamrd/vm/port"
)

// Options of setopts and getopts.
const (
	optReuseAddr      = 0
	optKeepalive      = 1
	optDontroute      = 2
	optLinger         = 3
	optBroadcast      = 4
	optOobInline      = 5
	optSndbuf         = 6
	optRcvbuf         = 7
	optPriority       = 8
	optTos            = 9
	optNodelay        = 10
	optMcastIf        = 11
	optMcastTTL       = 12
	optMcastLoop      = 13
	optAddMember      = 14
	optDropMember     = 15
	optV6Only         = 16
	optBuffer         = 20
	optHeader         = 21
	optActive         = 22
	optPacket         = 23
	optMode           = 24
	optDeliver        = 25
	optExitOnClose    = 26
	optHigh           = 27
	optLow            = 28
	optSendTimeout    = 30
	optDelaySend      = 31
	optPacketSize     = 32
	optReadPackets    = 33
	optRaw            = 34
	optSendTimeoutEnd = 35
	optMsgqHigh       = 36
	optMsgqLow        = 37
	optNetns          = 38
	optShowReset      = 39
	optLineDelim      = 40
	optTclass         = 41
	optBindToDevice   = 42
	optRecvTos        = 43
	optRecvTclass     = 44
	optPktOptions     = 45
	optTTL            = 46
	optRecvTTL        = 47
	optNopush         = 48
	optDebug          = 99
)

// Ancillary data that is asked for.
const (
	cmsgTos = 1 << iota
	cmsgTclass
	cmsgTTL
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
	optV6Only:     {unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, false, 0},
}

// setOpts reads options and their values until the buffer ends.
func (d *desc) setOpts(b []byte) port.Reply {
	oldType, oldActive := d.htype, d.active
	for len(b) >= 5 {
		opt, v := b[0], int32(u32(b[1:]))
		b = b[5:]
		rest, gone, ok := d.setOpt(opt, v, b)
		if gone {
			return okReply()
		}
		if !ok {
			return errReply(unix.EINVAL)
		}
		b = rest
	}
	if len(b) > 0 {
		return errReply(unix.EINVAL)
	}
	if d.applied != nil && d.isOpen() {
		_ = d.applied(d.htype != oldType || d.active != oldActive)
	}
	return okReply()
}

// setOpt sets one option; rest is what follows its value. gone tells that the
// port has ended.
func (d *desc) setOpt(opt byte, v int32, b []byte) (rest []byte, gone, ok bool) {
	switch opt {
	case optHeader:
		d.hsz = int(v)
	case optMode:
		d.binary = v == 1
	case optDeliver:
		d.asPort = v == 0
	case optBuffer:
		d.bufsz, d.bufSet = max(int(v), minBuffer), true
	case optActive:
		return d.setActive(v, b)
	case optPacket:
		d.htype = packet.Type(v)
	case optPacketSize:
		d.psize = uint32(v)
	case optExitOnClose:
		d.exitf = v != 0
	case optLineDelim:
		d.delim = byte(v)
	case optMsgqHigh, optMsgqLow:
		return b, false, v >= 1
	case optNetns:
		if v < 0 || len(b) < int(v) {
			return nil, false, false
		}
		d.netns = string(b[:v])
		return b[v:], false, true
	case optDebug:
	case optHigh, optLow, optSendTimeout, optSendTimeoutEnd, optDelaySend, optShowReset, optReadPackets:
		return b, false, d.p.Instance().(tuner).tune(opt, v)
	default:
		if !d.isOpen() && d.fd < 0 {
			// Options of the system on a socket that is not there fail, where
			// failures are reported at all.
			return d.skipOpt(opt, v, b)
		}
		return d.setSysOpt(opt, v, b)
	}
	return b, false, true
}

// tuner is implemented by both kinds of sockets: options that are theirs.
type tuner interface {
	tune(opt byte, v int32) bool
	value(opt byte) int32
	activeOnClosed() (gone bool)
}

func (d *desc) setActive(v int32, b []byte) (rest []byte, gone, ok bool) {
	d.active = int(v)
	if v == multi {
		if len(b) < 2 {
			return nil, false, false
		}
		n := int(d.count) + int(int16(binary.BigEndian.Uint16(b)))
		b = b[2:]
		if n > 32767 || n < -32768 {
			return nil, false, false
		}
		if d.count = int16(max(n, 0)); d.count == 0 {
			d.active = passive
			d.passiveMsg(d.passiveName())
		}
	} else {
		d.count = 0
	}
	if d.stream && d.active != passive && d.state == stClosed {
		return b, d.p.Instance().(tuner).activeOnClosed(), true
	}
	return b, false, true
}

// skipOpt passes over an option's value.
func (d *desc) skipOpt(opt byte, v int32, b []byte) (rest []byte, gone, ok bool) {
	n := 0
	switch opt {
	case optLinger:
		n = 4
	case optRaw:
		if len(b) < 8 {
			return nil, false, false
		}
		n = 8 + int(u32(b[4:]))
	case optBindToDevice:
		n = int(v)
	case optAddMember, optDropMember:
		n = 12
		if v == afInet6 {
			n = 20
		}
	}
	if len(b) < n {
		return nil, false, false
	}
	return b[n:], false, !sysOpts[opt].report
}

func (d *desc) setSysOpt(opt byte, v int32, b []byte) (rest []byte, gone, ok bool) {
	switch opt {
	case optLinger:
		if len(b) < 4 {
			return nil, false, false
		}
		l := unix.Linger{Onoff: v, Linger: int32(u32(b))}
		_ = unix.SetsockoptLinger(d.fd, unix.SOL_SOCKET, unix.SO_LINGER, &l)
		return b[4:], false, true
	case optRaw:
		if len(b) < 8 || len(b) < 8+int(u32(b[4:])) {
			return nil, false, false
		}
		name, val := int(u32(b)), b[8:8+int(u32(b[4:]))]
		err := unix.SetsockoptString(d.fd, int(v), name, string(val))
		return b[8+len(val):], false, err == nil
	case optBindToDevice:
		if v < 0 || len(b) < int(v) || int(v) > unix.IFNAMSIZ {
			return nil, false, false
		}
		err := unix.BindToDevice(d.fd, string(b[:v]))
		return b[v:], false, err == nil
	case optMcastIf:
		return b, false, d.mcastIf(v)
	case optAddMember, optDropMember:
		return d.membership(opt == optAddMember, v, b)
	}
	o, known := sysOpts[opt]
	if !known {
		return nil, false, false
	}
	if opt == optRcvbuf && !d.bufSet {
		if v > 1<<16 && !d.stream {
			d.bufsz = 1 << 16
		} else {
			d.bufsz = max(d.bufsz, int(v))
		}
	}
	if opt == optV6Only && d.fam != unix.AF_INET6 {
		return b, false, true
	}
	err := unix.SetsockoptInt(d.fd, o.level, o.name, int(v))
	if err == nil && o.cmsg != 0 {
		d.cmsg &^= o.cmsg
		if v != 0 {
			d.cmsg |= o.cmsg
		}
	}
	return b, false, err == nil || !o.report
}

func (d *desc) mcastIf(v int32) bool {
	switch d.fam {
	case unix.AF_INET:
		var a [4]byte
		binary.BigEndian.PutUint32(a[:], uint32(v))
		return unix.SetsockoptInet4Addr(d.fd, unix.IPPROTO_IP, unix.IP_MULTICAST_IF, a) == nil
	case unix.AF_INET6:
		return unix.SetsockoptInt(d.fd, unix.IPPROTO_IPV6, unix.IPV6_MULTICAST_IF, int(v)) == nil
	}
	return false
}

func (d *desc) membership(add bool, dom int32, b []byte) (rest []byte, gone, ok bool) {
	switch {
	case dom == afInet && d.fam == unix.AF_INET && len(b) >= 12:
		m := unix.IPMreqn{Ifindex: int32(u32(b))}
		copy(m.Multiaddr[:], b[4:8])
		copy(m.Address[:], b[8:12])
		name := unix.IP_DROP_MEMBERSHIP
		if add {
			name = unix.IP_ADD_MEMBERSHIP
		}
		return b[12:], false, unix.SetsockoptIPMreqn(d.fd, unix.IPPROTO_IP, name, &m) == nil
	case dom == afInet6 && d.fam == unix.AF_INET6 && len(b) >= 20:
		m := unix.IPv6Mreq{Interface: u32(b)}
		copy(m.Multiaddr[:], b[4:20])
		name := unix.IPV6_DROP_MEMBERSHIP
		if add {
			name = unix.IPV6_ADD_MEMBERSHIP
		}
		return b[20:], false, unix.SetsockoptIPv6Mreq(d.fd, unix.IPPROTO_IPV6, name, &m) == nil
	}
	return nil, false, false
}

// getOpts answers options: each number followed by its value. What the system
// does not answer is left out.
func (d *desc) getOpts(b []byte) port.Reply {
	out := []byte{}
	put := func(opt byte, v int32) { out = binary.BigEndian.AppendUint32(append(out, opt), uint32(v)) }
	for len(b) > 0 {
		opt := b[0]
		b = b[1:]
		switch opt {
		case optRaw:
			rest, val, ok := d.getRaw(b)
			if !ok {
				return errReply(unix.EINVAL)
			}
			b = rest
			out = append(out, val...)
		case optActive:
			put(opt, int32(d.active))
			if d.active == multi {
				out = binary.BigEndian.AppendUint16(out, uint16(d.count))
			}
		case optNetns:
			put(opt, int32(len(d.netns)))
			out = append(out, d.netns...)
		case optPktOptions:
			out = append(out, d.pktOptions()...)
		case optBindToDevice:
			if s, err := unix.GetsockoptString(d.fd, unix.SOL_SOCKET, unix.SO_BINDTODEVICE); err == nil {
				put(opt, int32(len(s)))
				out = append(out, s...)
			}
		default:
			v, ok, bad := d.getOpt(opt)
			if bad {
				return errReply(unix.EINVAL)
			}
			if ok {
				put(opt, v)
				switch opt {
				case optLinger:
					l, _ := lingerOf(d.fd)
					out = binary.BigEndian.AppendUint32(out, uint32(l))
				case optMcastIf:
					dom := uint32(afInet)
					if d.fam == unix.AF_INET6 {
						dom = afInet6
					}
					out = binary.BigEndian.AppendUint32(out, dom)
				}
			}
		}
	}
	return okReply(out...)
}

// lingerOf returns the seconds of SO_LINGER and whether it is on.
func lingerOf(fd int) (secs int32, on bool) {
	b, err := getsockopt(fd, unix.SOL_SOCKET, unix.SO_LINGER, 8)
	if err != nil || len(b) < 8 {
		return 0, false
	}
	return int32(binary.NativeEndian.Uint32(b[4:])), binary.NativeEndian.Uint32(b) != 0
}

// getOpt returns an option's value; ok is false when there is none to give.
func (d *desc) getOpt(opt byte) (v int32, ok, bad bool) {
	b2i := func(b bool) int32 {
		if b {
			return 1
		}
		return 0
	}
	switch opt {
	case optBuffer:
		return int32(d.bufsz), true, false
	case optHeader:
		return int32(d.hsz), true, false
	case optMode:
		return b2i(d.binary), true, false
	case optDeliver:
		return b2i(!d.asPort), true, false
	case optPacket:
		return int32(d.htype), true, false
	case optPacketSize:
		return int32(d.psize), true, false
	case optExitOnClose:
		return b2i(d.exitf), true, false
	case optLineDelim:
		return int32(d.delim), true, false
	case optMsgqHigh:
		return 8192, true, false
	case optMsgqLow:
		return 4096, true, false
	case optDebug:
		return 0, true, false
	case optHigh, optLow, optSendTimeout, optSendTimeoutEnd, optDelaySend, optShowReset, optReadPackets:
		return d.p.Instance().(tuner).value(opt), true, false
	case optLinger:
		_, on := lingerOf(d.fd)
		return b2i(on), d.fd >= 0, false
	case optMcastIf:
		if d.fam == unix.AF_INET6 {
			n, err := unix.GetsockoptInt(d.fd, unix.IPPROTO_IPV6, unix.IPV6_MULTICAST_IF)
			return int32(n), err == nil, false
		}
		a, err := unix.GetsockoptInet4Addr(d.fd, unix.IPPROTO_IP, unix.IP_MULTICAST_IF)
		return int32(u32(a[:])), err == nil, false
	}
	o, known := sysOpts[opt]
	if !known {
		return 0, false, true
	}
	if d.fd < 0 {
		return 0, false, false
	}
	n, err := unix.GetsockoptInt(d.fd, o.level, o.name)
	if err != nil {
		switch opt {
		case optPriority, optTos, optNopush:
			return 0, true, false
		}
		return 0, false, false
	}
	return int32(n), true, false
}

// getRaw answers {raw,Level,Name,Size|Value}.
func (d *desc) getRaw(b []byte) (rest, out []byte, ok bool) {
	if len(b) < 13 {
		return nil, nil, false
	}
	level, name := u32(b), u32(b[4:])
	n := int(u32(b[9:]))
	size := n
	if b[8] == 1 {
		if len(b) < 13+n {
			return nil, nil, false
		}
		rest = b[13+n:]
	} else {
		rest = b[13:]
	}
	val, err := getsockopt(d.fd, int(level), int(name), size)
	if err != nil {
		return rest, nil, err != syscall.EBADF
	}
	out = binary.BigEndian.AppendUint32([]byte{optRaw}, level)
	out = binary.BigEndian.AppendUint32(out, name)
	out = binary.BigEndian.AppendUint32(out, uint32(len(val)))
	return rest, append(out, val...), true
}

// pktOptions answers what ancillary data is known of a stream: none is kept.
func (d *desc) pktOptions() []byte {
	return binary.BigEndian.AppendUint32([]byte{optPktOptions}, 0)
}
