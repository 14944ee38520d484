package sock

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/vm/port"
)

// Options of interfaces.
const (
	ifAddr      = 1
	ifBroadAddr = 2
	ifDstAddr   = 3
	ifMTU       = 4
	ifNetmask   = 5
	ifFlags     = 6
	ifHWAddr    = 7
)

// Flags of interfaces: the drivers' bit and the system's.
var ifFlagBits = [][2]uint32{{0x01, unix.IFF_UP}, {0x02, unix.IFF_BROADCAST}, {0x04, unix.IFF_LOOPBACK},
	{0x08, unix.IFF_POINTOPOINT}, {0x10, unix.IFF_RUNNING}, {0x20, unix.IFF_MULTICAST}}

// Bits that ifset uses to clear flags.
const (
	iffDown           = 0x0100
	iffNoBroadcast    = 0x0200
	iffNoPointToPoint = 0x0800
)

const ifReqSize = 40 // sizeof(struct ifreq): name, then a union

func flagsOf(sys uint32) (f uint32) {
	for _, b := range ifFlagBits {
		if sys&b[1] != 0 {
			f |= b[0]
		}
	}
	return f
}

// interfaces answers what is asked about network interfaces.
func (d *desc) interfaces(req uint32, b []byte) port.Reply {
	switch req {
	case reqGetIfList:
		return d.ifList()
	case reqGetIfAddrs:
		return d.ifAddrs()
	}
	if len(b) == 0 || int(b[0]) > len(b)-1 {
		return errReply(unix.EINVAL)
	}
	var ifr [ifReqSize]byte
	copy(ifr[:unix.IFNAMSIZ-1], b[1:1+b[0]])
	if b = b[1+b[0]:]; req == reqIfSet {
		return d.ifSet(&ifr, b)
	}
	return d.ifGet(&ifr, b)
}

// ifList lists the names of the interfaces that have an IPv4 address.
func (d *desc) ifList() port.Reply {
	buf := make([]byte, 100*ifReqSize)
	n, e := sysnet.IfConf(d.fd, buf)
	for ; e == 0 && n == len(buf); n, e = sysnet.IfConf(d.fd, buf) {
		buf = make([]byte, 2*len(buf))
	}
	if e != 0 {
		return errReply(e)
	}
	var out []byte
	for ; n >= ifReqSize; n, buf = n-ifReqSize, buf[ifReqSize:] {
		if fam := binary.NativeEndian.Uint16(buf[unix.IFNAMSIZ:]); fam == unix.AF_INET || fam == unix.AF_INET6 {
			out = append(append(out, cString(buf[:unix.IFNAMSIZ])...), 0)
		}
	}
	return okReply(out...)
}

func cString(b []byte) []byte {
	for i, c := range b {
		if c == 0 {
			return b[:i]
		}
	}
	return b
}

// putIfAddr appends an option with an address: the family and the address
// itself, for the link level its length and bytes.
func putIfAddr(out []byte, opt byte, a *sysnet.Addr) []byte {
	switch {
	case a == nil:
	case a.Family() == unix.AF_INET:
		out = append(append(out, opt, afInet), a.B[4:8]...)
	case a.Family() == unix.AF_INET6:
		out = append(append(out, opt, afInet6), a.B[8:24]...)
	case a.Family() == unix.AF_PACKET && opt == ifAddr:
		n := a.B[11]
		out = append(append(out, ifHWAddr, 0, n), a.B[12:12+min(n, 8)]...)
	}
	return out
}

// ifAddrs lists, first for the link level and then for each address, the name,
// the flags and what there is.
func (d *desc) ifAddrs() port.Reply {
	var list []sysnet.IfAddr
	err := d.inNetns(func() (err error) {
		list, err = sysnet.IfAddrs()
		return err
	})
	if err != nil {
		return errReply(err)
	}
	var out []byte
	for i := range list {
		a := &list[i]
		for _, r := range a.Name { // as Latin-1
			out = append(out, string(r)...)
		}
		out = putOpt(append(out, 0), ifFlags, int32(flagsOf(a.Flags)))
		if a.Addr != nil {
			out = putIfAddr(out, ifAddr, a.Addr)
			out = putIfAddr(out, ifNetmask, a.Netmask)
			if a.Dst != nil {
				out = putIfAddr(out, ifDstAddr, a.Dst)
			} else {
				out = putIfAddr(out, ifBroadAddr, a.Broad)
			}
		}
		out = append(out, 0)
	}
	return okReply(out...)
}

// Requests of ifget and ifset by option: 0 where there is none.
var ifGetReq = map[byte]uint{ifAddr: unix.SIOCGIFADDR, ifBroadAddr: unix.SIOCGIFBRDADDR, ifDstAddr: unix.SIOCGIFDSTADDR,
	ifNetmask: unix.SIOCGIFNETMASK, ifMTU: unix.SIOCGIFMTU, ifHWAddr: unix.SIOCGIFHWADDR, ifFlags: unix.SIOCGIFFLAGS}

var ifSetReq = map[byte]uint{ifAddr: unix.SIOCSIFADDR, ifBroadAddr: unix.SIOCSIFBRDADDR, ifDstAddr: unix.SIOCSIFDSTADDR,
	ifNetmask: unix.SIOCSIFNETMASK, ifMTU: unix.SIOCSIFMTU, ifHWAddr: unix.SIOCSIFHWADDR, ifFlags: unix.SIOCSIFFLAGS}

// ifGet answers options of an interface.
func (d *desc) ifGet(ifr *[ifReqSize]byte, opts []byte) port.Reply {
	var out []byte
	n := binary.NativeEndian
	val := ifr[unix.IFNAMSIZ:]
	for _, o := range opts {
		req, known := ifGetReq[o]
		if !known {
			return errReply(unix.EINVAL)
		}
		e := sysnet.Ioctl(d.fd, req, ifr[:])
		switch o {
		case ifFlags:
			f := uint32(0)
			if e == 0 {
				f = flagsOf(uint32(n.Uint16(val)))
			}
			out = putOpt(out, o, int32(f))
		case ifMTU:
			if e == 0 {
				out = putOpt(out, o, int32(n.Uint32(val)))
			}
		case ifHWAddr:
			if e == 0 {
				out = append(append(out, o, 0, 6), val[2:8]...)
			}
		default:
			if e == 0 && n.Uint16(val) == unix.AF_INET {
				out = append(append(out, o, afInet), val[4:8]...)
			}
		}
	}
	return okReply(out...)
}

// ifSet changes options of an interface. Failures of the system are not
// reported, as they never were.
func (d *desc) ifSet(ifr *[ifReqSize]byte, b []byte) port.Reply {
	n := binary.NativeEndian
	val := ifr[unix.IFNAMSIZ:]
	for len(b) > 0 {
		o := b[0]
		b = b[1:]
		size := 0
		switch o {
		case ifAddr, ifBroadAddr, ifDstAddr, ifNetmask:
			if size = 5; len(b) >= size && b[0] == afInet {
				clear(val)
				n.PutUint16(val, unix.AF_INET)
				copy(val[4:8], b[1:5])
			} else {
				return errReply(unix.EINVAL)
			}
		case ifMTU, ifFlags:
			if size = 4; len(b) < size {
				return errReply(unix.EINVAL)
			}
			if o == ifMTU {
				n.PutUint32(val, u32(b))
			} else if !d.changeFlags(ifr, u32(b)) {
				b = b[size:]
				continue
			}
		case ifHWAddr:
			if len(b) < 2 || len(b) < 2+int(binary.BigEndian.Uint16(b)) {
				return errReply(unix.EINVAL)
			}
			size = 2 + int(binary.BigEndian.Uint16(b))
			clear(val[2:])
			copy(val[2:], b[2:size])
		default:
			return errReply(unix.EINVAL)
		}
		sysnet.Ioctl(d.fd, ifSetReq[o], ifr[:])
		b = b[size:]
	}
	return okReply()
}

// changeFlags puts the changed flags of an interface into ifr.
func (d *desc) changeFlags(ifr *[ifReqSize]byte, f uint32) (changed bool) {
	val := ifr[unix.IFNAMSIZ:]
	old := uint32(0)
	if sysnet.Ioctl(d.fd, unix.SIOCGIFFLAGS, ifr[:]) == 0 {
		old = uint32(binary.NativeEndian.Uint16(val))
	}
	now := old
	for _, c := range []struct{ set, unset, bit uint32 }{{0x01, iffDown, unix.IFF_UP},
		{0x02, iffNoBroadcast, unix.IFF_BROADCAST}, {0x08, iffNoPointToPoint, unix.IFF_POINTOPOINT}} {
		if f&c.set != 0 {
			now |= c.bit
		}
		if f&c.unset != 0 {
			now &^= c.bit
		}
	}
	binary.NativeEndian.PutUint16(val, uint16(now))
	return now != old
}
