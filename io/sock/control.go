package sock

import (
	"encoding/binary"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/vm/port"
)

// controlMagic is added to the operations of port_control/3.
const controlMagic = 0x03f1a300

// The operations.
const (
	reqOpen          = 1
	reqClose         = 2
	reqConnect       = 3
	reqPeer          = 4
	reqName          = 5
	reqBind          = 6
	reqSetOpts       = 7
	reqGetOpts       = 8
	reqGetStat       = 11
	reqGetHostname   = 12
	reqFdOpen        = 13
	reqGetFd         = 14
	reqGetType       = 15
	reqGetStatus     = 16
	reqGetServByName = 17
	reqGetServByPort = 18
	reqSetName       = 19
	reqSetPeer       = 20
	reqGetIfList     = 21
	reqIfGet         = 22
	reqSubscribe     = 24
	reqGetIfAddrs    = 25
	reqAccept        = 26
	reqListen        = 27
	reqIgnoreFd      = 28
	reqGetLAddrs     = 29
	reqGetPAddrs     = 30
	reqRecv          = 42
	reqUnrecv        = 43
	reqShutdown      = 44
	reqSendfile      = 45
	reqPacketRecv    = 60
)

// open makes the socket.
func (d *desc) open(b []byte) port.Reply {
	if len(b) != 2 {
		return errReply(unix.EINVAL)
	}
	fam, ok := family(b[0])
	if !ok {
		return errReply(errNoSupport)
	}
	if d.state != stClosed {
		return errReply(errBadPort)
	}
	stype, err := d.sockType(b[1])
	if err != nil {
		return errReply(err)
	}
	fd, err := unix.Socket(fam, stype|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return errReply(err)
	}
	if err := d.attach(fd); err != nil {
		unix.Close(fd)
		return errReply(err)
	}
	d.fam, d.stype, d.state = fam, stype, stOpen
	return okReply()
}

func (d *desc) sockType(b byte) (int, error) {
	switch {
	case b == 1 && d.stream:
		return unix.SOCK_STREAM, nil
	case b == 2 && !d.stream:
		return unix.SOCK_DGRAM, nil
	}
	return 0, unix.EINVAL
}

// fdOpen takes over a descriptor of the caller's.
func (d *desc) fdOpen(b []byte) port.Reply {
	if len(b) != 6 && len(b) != 10 {
		return errReply(unix.EINVAL)
	}
	fam, ok := family(b[0])
	if !ok {
		return errReply(errNoSupport)
	}
	stype, err := d.sockType(b[1])
	if err != nil {
		return errReply(err)
	}
	fd := int(int32(u32(b[2:])))
	got, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	if err != nil {
		return errReply(err)
	}
	if got != stype {
		return errReply(unix.EINVAL)
	}
	if err := d.attach(fd); err != nil {
		return errReply(err)
	}
	d.fam, d.stype, d.state = fam, stype, stOpen
	if sa, err := unix.Getpeername(fd); err == nil && sa != nil {
		d.state = stConnected
	} else if v, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ACCEPTCONN); err == nil && v != 0 {
		d.state = stListening
	}
	return okReply()
}

// common answers the operations that all sockets have.
func (d *desc) common(op uint32, b []byte) (port.Reply, bool) {
	switch op {
	case reqGetStat:
		return d.getStat(b), true
	case reqSubscribe:
		return d.subscribe(b), true
	case reqGetOpts:
		return d.getOpts(b), true
	case reqSetOpts:
		return d.setOpts(b), true
	case reqGetStatus:
		return okReply(binary.BigEndian.AppendUint32(nil, d.state)...), true
	case reqGetType:
		return d.getType(), true
	case reqGetFd:
		if !d.isOpen() {
			return errReply(unix.EINVAL), true
		}
		return okReply(binary.BigEndian.AppendUint32(nil, uint32(d.fd))...), true
	case reqGetHostname:
		n, err := os.Hostname()
		if err != nil {
			return errReply(unix.EINVAL), true
		}
		return okReply([]byte(n)...), true
	case reqPeer, reqName, reqSetPeer, reqSetName, reqGetPAddrs, reqGetLAddrs:
		return d.names(op, b), true
	case reqBind:
		return d.bind(b), true
	case reqGetIfList, reqGetIfAddrs, reqIfGet:
		if !d.isOpen() {
			return errReply(errBadPort), true
		}
		return interfaces(op, b), true
	case reqGetServByName:
		return servByName(b), true
	case reqGetServByPort:
		return servByPort(b), true
	case reqIgnoreFd:
		return d.ignoreFd(b), true
	}
	return port.Reply{}, false
}

func (d *desc) getType() port.Reply {
	fam := map[int]uint32{unix.AF_INET: afInet, unix.AF_INET6: afInet6, unix.AF_UNIX: afLocal}[d.fam]
	if d.state == stClosed && d.fam == 0 {
		return errReply(unix.EINVAL)
	}
	t := uint32(2)
	if d.stream {
		t = 1
	}
	return okReply(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, fam), t)...)
}

// names answers peername, sockname and what pretends them.
func (d *desc) names(op uint32, b []byte) port.Reply {
	switch op {
	case reqSetPeer, reqSetName:
		var sa unix.Sockaddr
		if len(b) > 0 {
			var err error
			if sa, _, err = takeAddr(d.fam, b); err != nil {
				return errReply(err)
			}
		}
		if op == reqSetPeer {
			d.peer = sa
		} else {
			d.name = sa
		}
		return okReply()
	case reqPeer:
		if d.state&fActive == 0 {
			return errReply(unix.ENOTCONN)
		}
		if d.peer != nil {
			return okReply(putAddr(nil, d.peer)...)
		}
	case reqName:
		if !d.isOpen() {
			return errReply(unix.EINVAL)
		}
		if d.name != nil {
			return okReply(putAddr(nil, d.name)...)
		}
	default:
		if len(b) != 4 {
			return errReply(unix.EINVAL)
		}
		if !d.isOpen() {
			return errReply(errBadPort)
		}
	}
	get := unix.Getsockname
	if op == reqPeer || op == reqGetPAddrs {
		get = unix.Getpeername
	}
	sa, err := get(d.fd)
	if err != nil {
		return errReply(err)
	}
	return okReply(putAddr(nil, sa)...)
}

func (d *desc) bind(b []byte) port.Reply {
	if len(b) < 2 {
		return errReply(unix.EINVAL)
	}
	if !d.isOpen() {
		return errReply(errBadPort)
	}
	sa, _, err := takeAddr(d.fam, b)
	if err != nil {
		return errReply(err)
	}
	if err := unix.Bind(d.fd, sa); err != nil {
		return errReply(err)
	}
	p := portOf(sa)
	if p == 0 {
		if got, err := unix.Getsockname(d.fd); err == nil {
			p = portOf(got)
		}
	}
	return okReply(byte(p>>8), byte(p))
}

func (d *desc) ignoreFd(b []byte) port.Reply {
	if len(b) != 1 {
		return errReply(unix.EINVAL)
	}
	if on := b[0] == 1; on != d.ignored {
		if !d.isOpen() {
			return errReply(unix.EINVAL)
		}
		d.ignored = on
		if !on {
			d.rearm()
		}
	}
	return okReply()
}

func (d *desc) getStat(b []byte) port.Reply {
	out := []byte{}
	for _, k := range b {
		out = append(out, k)
		s := &d.stat
		v := uint32(0)
		switch k {
		case 1:
			v = s.recvCnt
		case 2:
			v = s.recvMax
		case 3:
			v = uint32(s.recvAvg)
		case 4:
			v = uint32(s.recvDvi)
		case 5:
			v = s.sendCnt
		case 6:
			v = s.sendMax
		case 7:
			v = uint32(s.sendAvg)
		case 8:
			v = uint32(d.p.PendingLocked())
		case 9:
			out = binary.BigEndian.AppendUint64(out, s.recvOct)
			continue
		case 10:
			out = binary.BigEndian.AppendUint64(out, s.sendOct)
			continue
		default:
			return errReply(unix.EINVAL)
		}
		out = binary.BigEndian.AppendUint32(out, v)
	}
	return okReply(out...)
}

// subscribe answers the length of the queue; when it is not empty, the caller
// is told when it is.
func (d *desc) subscribe(b []byte) port.Reply {
	out := []byte{}
	for _, k := range b {
		if k != 1 {
			return errReply(unix.EINVAL)
		}
		n := d.p.PendingLocked()
		if n > 0 {
			d.subs = append(d.subs, d.p.Caller())
		}
		out = binary.BigEndian.AppendUint32(append(out, k), uint32(n))
	}
	return okReply(out...)
}

// connectErr is the error of a connection attempt that has ended.
func connectErr(fd int) error {
	v, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err != nil {
		return err
	}
	if v != 0 {
		return syscall.Errno(v)
	}
	return nil
}
