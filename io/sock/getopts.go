package sock

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/vm/port"
)

// getOpts answers options: each number followed by its value. What the system
// does not answer, or what sockets of the kind do not have, is left out.
func (d *desc) getOpts(b []byte) port.Reply {
	out := []byte{}
	ok := true
	for len(b) > 0 && ok {
		opt := b[0]
		b = b[1:]
		if v, known := d.self.value(opt); known {
			out = putOpt(out, opt, v)
			continue
		}
		switch opt {
		case optRaw:
			out, b, ok = d.getRaw(out, b)
		case optPktOptions:
			out, ok = d.getPktOptions(out)
		default:
			out, ok = d.getOpt(out, opt)
		}
	}
	if !ok || len(out) >= maxReply {
		return errReply(unix.EINVAL)
	}
	return okReply(out...)
}

func putOpt(out []byte, opt byte, v int32) []byte {
	return binary.BigEndian.AppendUint32(append(out, opt), uint32(v))
}

func oneIf(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// getOpt appends an option; ok is false for one that there is not.
func (d *desc) getOpt(out []byte, opt byte) (_ []byte, ok bool) {
	v := int32(0)
	switch opt {
	case optBuffer:
		v = int32(d.bufsz)
	case optHeader:
		v = int32(d.hsz)
	case optMode:
		v = oneIf(d.binary)
	case optDeliver:
		v = oneIf(!d.asPort)
	case optPacket:
		v = int32(d.pkt)
	case optPacketSize:
		v = int32(d.psize)
	case optExitOnClose:
		v = oneIf(d.exitf)
	case optMsgqHigh:
		v = d.msgqHigh
	case optMsgqLow:
		v = d.msgqLow
	case optDebug:
		v = oneIf(d.debug)
	case optHigh, optLow, optSendTimeout, optSendTimeoutEnd, optDelaySend, optShowReset, optReadPackets:
		return out, true
	case optActive:
		out = putOpt(out, opt, int32(d.active))
		if d.active == multi {
			out = binary.BigEndian.AppendUint16(out, uint16(d.count))
		}
		return out, true
	case optNetns:
		if d.netns != "" {
			out = append(putOpt(out, opt, int32(len(d.netns))), d.netns...)
		}
		return out, true
	default:
		return d.getSysOpt(out, opt)
	}
	return putOpt(out, opt, v), true
}

// getSysOpt appends an option of the system.
func (d *desc) getSysOpt(out []byte, opt byte) (_ []byte, ok bool) {
	var b [unix.IFNAMSIZ]byte
	switch opt {
	case optLinger:
		if _, e := sysnet.GetOpt(d.fd, unix.SOL_SOCKET, unix.SO_LINGER, b[:8]); e == 0 {
			out = putOpt(out, opt, int32(binary.NativeEndian.Uint32(b[:])))
			out = binary.BigEndian.AppendUint32(out, binary.NativeEndian.Uint32(b[4:]))
		}
		return out, true
	case optMcastIf:
		return d.getMcastIf(out)
	case optBindToDevice:
		if n, e := sysnet.GetOpt(d.fd, unix.SOL_SOCKET, unix.SO_BINDTODEVICE, b[:]); e == 0 {
			for n > 0 && b[n-1] == 0 {
				n--
			}
			out = append(putOpt(out, opt, int32(n)), b[:n]...)
		}
		return out, true
	}
	o, known := sysOpts[opt]
	if !known {
		return out, false
	}
	if v, e := sysnet.GetInt(d.fd, o.level, o.name); e == 0 {
		out = putOpt(out, opt, int32(v))
	}
	return out, true
}

// getMcastIf appends the interface of multicasts, an address or an index, and
// which of the two it is.
func (d *desc) getMcastIf(out []byte) (_ []byte, ok bool) {
	var b [4]byte
	switch d.fam {
	case unix.AF_INET:
		if _, e := sysnet.GetOpt(d.fd, unix.IPPROTO_IP, unix.IP_MULTICAST_IF, b[:]); e == 0 {
			out = putOpt(out, optMcastIf, int32(u32(b[:])))
			out = binary.BigEndian.AppendUint32(out, afInet)
		}
	case unix.AF_INET6:
		if v, e := sysnet.GetInt(d.fd, unix.IPPROTO_IPV6, unix.IPV6_MULTICAST_IF); e == 0 {
			out = putOpt(out, optMcastIf, int32(v))
			out = binary.BigEndian.AppendUint32(out, afInet6)
		}
	default:
		return out, false
	}
	return out, true
}

// getRaw appends {raw,Level,Name,Value}; asked as Level:32 Name:32 Given:8
// Size:32 [Value].
func (d *desc) getRaw(out, b []byte) (_, rest []byte, ok bool) {
	if len(b) < 13 {
		return out, nil, false
	}
	level, name, given, size := u32(b), u32(b[4:]), b[8] != 0, u32(b[9:])
	b = b[13:]
	if uint64(len(out))+14+uint64(size) > maxReply || given && uint64(len(b)) < uint64(size) {
		return out, nil, false
	}
	val := make([]byte, size)
	if given {
		copy(val, b)
		b = b[size:]
	}
	n, e := sysnet.GetOpt(d.fd, int(int32(level)), int(int32(name)), val)
	if e != 0 {
		return out, b, true
	}
	out = binary.BigEndian.AppendUint32(append(out, optRaw), level)
	out = binary.BigEndian.AppendUint32(out, name)
	out = binary.BigEndian.AppendUint32(out, uint32(n))
	return append(out, val[:n]...), b, true
}

// getPktOptions appends the ancillary data that a stream has received last.
func (d *desc) getPktOptions(out []byte) (_ []byte, ok bool) {
	level, name := 0, 0
	switch d.fam {
	case unix.AF_INET:
		level, name = unix.IPPROTO_IP, unix.IP_PKTOPTIONS
	case unix.AF_INET6:
		level, name = unix.IPPROTO_IPV6, unix.IPV6_2292PKTOPTIONS
	default:
		return out, false
	}
	var b [2 * 24]byte
	n, e := sysnet.GetOpt(d.fd, level, name, b[:])
	if e != 0 {
		return out, true
	}
	var val []byte
	ms, _ := unix.ParseSocketControlMessage(b[:n])
	for _, m := range ms {
		if opt, v, ok := cmsgValue(&m); ok {
			val = putOpt(val, opt, v)
		}
	}
	return append(putOpt(out, optPktOptions, int32(len(val))), val...), true
}

// cmsgValue reads a control message of the kinds that are options too.
func cmsgValue(m *unix.SocketControlMessage) (opt byte, v int32, ok bool) {
	switch {
	case m.Header.Level == unix.IPPROTO_IP && (m.Header.Type == unix.IP_TOS || m.Header.Type == unix.IP_RECVTOS):
		opt = optTos
	case m.Header.Level == unix.IPPROTO_IPV6 && (m.Header.Type == unix.IPV6_TCLASS || m.Header.Type == unix.IPV6_RECVTCLASS):
		opt = optTclass
	case m.Header.Level == unix.IPPROTO_IP && (m.Header.Type == unix.IP_TTL || m.Header.Type == unix.IP_RECVTTL):
		opt = optTTL
	default:
		return 0, 0, false
	}
	switch n := binary.NativeEndian; len(m.Data) {
	case 1:
		v = int32(m.Data[0])
	case 2:
		v = int32(n.Uint16(m.Data))
	case 4:
		v = int32(n.Uint32(m.Data))
	case 8:
		v = int32(n.Uint64(m.Data))
	}
	return opt, v, true
}
