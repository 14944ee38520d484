package sock

import (
	"encoding/binary"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/io/resolve"
	"github.com/beamrd/beamrd/vm/port"
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
	stype, err := d.sockType(b[1])
	if err != nil {
		return errReply(err)
	}
	if d.state != stClosed {
		return errReply(errBadSeq)
	}
	proto := unix.IPPROTO_UDP
	if d.stream {
		proto = unix.IPPROTO_TCP
	}
	if fam == unix.AF_UNIX {
		proto = 0
	}
	fd := -1
	err = d.inNetns(func() error {
		var e syscall.Errno
		if fd, e = sysnet.Socket(fam, stype, proto); e != 0 {
			return e
		}
		return nil
	})
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

// sockType checks the type of socket asked for.
func (d *desc) sockType(b byte) (int, error) {
	switch {
	case b == 1:
		return unix.SOCK_STREAM, nil
	case b == 2 && !d.stream:
		return unix.SOCK_DGRAM, nil
	}
	return 0, unix.EINVAL
}

// inNetns runs f in the socket's network namespace.
func (d *desc) inNetns(f func() error) error {
	if d.netns == "" {
		return f()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	old, err := unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(old)
	ns, err := unix.Open(d.netns, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	err = unix.Setns(ns, unix.CLONE_NEWNET)
	unix.Close(ns)
	if err != nil {
		return err
	}
	err = f()
	if back := unix.Setns(old, unix.CLONE_NEWNET); back != nil {
		runtime.LockOSThread() // this thread must not run anything else
		return back
	}
	return err
}

// fdOpen takes over a descriptor of the user's: Family, Type, Fd:32 [, Bound:32].
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
	var a sysnet.Addr
	if len(b) == 6 || u32(b[6:]) != 0 {
		if e := sysnet.Name(fd, &a); e != 0 {
			return errReply(e)
		}
		if a.Family() != fam {
			return errReply(unix.EINVAL)
		}
	}
	if err := d.attach(fd); err != nil {
		return errReply(err)
	}
	d.state = stOpen
	if stype == unix.SOCK_STREAM && sysnet.Peer(fd, &a) == 0 {
		d.state = stConnected
	}
	d.prebound, d.fam, d.stype = true, fam, stype
	return okReply()
}

// common answers the operations that all sockets have.
func (d *desc) common(req uint32, b []byte) (port.Reply, bool) {
	switch req {
	case reqGetStat:
		return d.getStat(b)
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
		if err != nil || len(b) != 0 {
			return errReply(unix.EINVAL), true
		}
		return okReply([]byte(n)...), true
	case reqPeer, reqName, reqGetPAddrs, reqGetLAddrs:
		return d.names(req, b), true
	case reqSetPeer:
		return d.pretend(&d.fakePeer, b), true
	case reqSetName:
		return d.pretend(&d.fakeMe, b), true
	case reqBind:
		return d.bind(b), true
	case reqGetIfList, reqGetIfAddrs, reqIfGet, reqIfSet:
		if !d.isOpen() {
			return errReply(errBadPort), true
		}
		return d.interfaces(req, b), true
	case reqGetServByName:
		return servByName(b), true
	case reqGetServByPort:
		return servByPort(b), true
	case reqIgnoreFd:
		return d.ignoreFd(b), true
	}
	return errReply(errBadPort), true
}

func (d *desc) getType() port.Reply {
	fam, ok := map[int]uint32{unix.AF_INET: afInet, unix.AF_INET6: afInet6, unix.AF_UNIX: afLocal}[d.fam]
	typ, ok2 := map[int]uint32{unix.SOCK_STREAM: 1, unix.SOCK_DGRAM: 2}[d.stype]
	if !ok || !ok2 {
		return errReply(unix.EINVAL)
	}
	return okReply(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, fam), typ)...)
}

// pretend sets the address that peername or sockname answers, or none.
func (d *desc) pretend(a **sysnet.Addr, b []byte) port.Reply {
	switch {
	case len(b) == 0:
		*a = nil
		return okReply()
	case len(b) < 2:
		return errReply(unix.EINVAL)
	}
	v, _, err := takeAddr(d.fam, b)
	if err != nil {
		return errReply(err)
	}
	*a = v
	return okReply()
}

// names answers peername and sockname.
func (d *desc) names(req uint32, b []byte) port.Reply {
	get, fake := sysnet.Name, d.fakeMe
	if req == reqPeer || req == reqGetPAddrs {
		get, fake = sysnet.Peer, d.fakePeer
	}
	switch req {
	case reqGetPAddrs, reqGetLAddrs:
		fake = nil
		if len(b) != 4 {
			return errReply(unix.EINVAL)
		}
		if !d.isOpen() {
			return errReply(errBadPort)
		}
	case reqPeer:
		if d.state&fActive == 0 {
			return errReply(unix.ENOTCONN)
		}
	}
	if fake == nil {
		fake = &sysnet.Addr{}
		if e := get(d.fd, fake); e != 0 {
			return errReply(e)
		}
	}
	out, ok := putAddr(nil, fake)
	if !ok {
		return errReply(unix.EINVAL)
	}
	return okReply(out...)
}

func (d *desc) bind(b []byte) port.Reply {
	if len(b) < 2 {
		return errReply(unix.EINVAL)
	}
	if d.state != stOpen {
		return errReply(errBadPort)
	}
	a, _, err := takeAddr(d.fam, b)
	if err != nil {
		return errReply(err)
	}
	if e := sysnet.Bind(d.fd, a); e != 0 {
		return errReply(e)
	}
	p := a.Port()
	if p == 0 {
		sysnet.Name(d.fd, a)
		p = a.Port()
	}
	p = max(p, 0)
	return okReply(byte(p>>8), byte(p))
}

// ignoreFd leaves the descriptor to someone else, or takes it back.
func (d *desc) ignoreFd(b []byte) port.Reply {
	if !d.isConnected() {
		return errReply(unix.ENOTCONN)
	}
	if d.stype != unix.SOCK_STREAM || len(b) != 1 || b[0] > 1 || (b[0] == 1) == d.ignored {
		return errReply(unix.EINVAL)
	}
	d.ignored = b[0] == 1
	return okReply()
}

// takeString reads a string with its length before it.
func takeString(b []byte) (s string, rest []byte, ok bool) {
	if len(b) < 1 || len(b) < 1+int(b[0]) {
		return "", nil, false
	}
	return string(b[1 : 1+b[0]]), b[1+b[0]:], true
}

func servByName(b []byte) port.Reply {
	name, b, ok1 := takeString(b)
	proto, _, ok2 := takeString(b)
	if ok1 && ok2 {
		if p, ok := resolve.ServByName(name, proto); ok {
			return okReply(byte(p>>8), byte(p))
		}
	}
	return errReply(unix.EINVAL)
}

func servByPort(b []byte) port.Reply {
	if len(b) >= 3 {
		if proto, _, ok := takeString(b[2:]); ok {
			if n, ok := resolve.ServByPort(int(binary.BigEndian.Uint16(b)), proto); ok {
				return okReply([]byte(n)...)
			}
		}
	}
	return errReply(unix.EINVAL)
}
