// Package sysnet makes the system calls on sockets with addresses as the
// system has them, so that every family and every length passes: golang.org/x/sys
// knows only some. Descriptors are expected not to block, so most calls do not
// tell Go's scheduler. An errno of 0 is success.
package sysnet

import (
	"encoding/binary"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// MaxAddr is the size of the largest socket address.
const MaxAddr = 128

// Addr is a socket address: the family in the first two bytes, N bytes valid.
type Addr struct {
	B [MaxAddr]byte
	N uint32
}

// Family returns the address family; AF_UNSPEC when there is no address.
func (a *Addr) Family() int {
	if a.N < 2 {
		return unix.AF_UNSPEC
	}
	return int(binary.NativeEndian.Uint16(a.B[:]))
}

// SetFamily starts an address.
func (a *Addr) SetFamily(f int) {
	*a = Addr{N: 2}
	binary.NativeEndian.PutUint16(a.B[:], uint16(f))
}

// Port returns the port of an IPv4 or IPv6 address, -1 for others.
func (a *Addr) Port() int {
	switch a.Family() {
	case unix.AF_INET, unix.AF_INET6:
		return int(a.B[2])<<8 | int(a.B[3])
	}
	return -1
}

// Socket makes a socket that does not block and is closed on exec.
func Socket(domain, typ, proto int) (fd int, e syscall.Errno) {
	r, _, e := unix.RawSyscall(unix.SYS_SOCKET, uintptr(domain), uintptr(typ)|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, uintptr(proto))
	return int(r), e
}

// Bind gives a socket its address.
func Bind(fd int, a *Addr) syscall.Errno {
	_, _, e := unix.Syscall(unix.SYS_BIND, uintptr(fd), uintptr(unsafe.Pointer(&a.B[0])), uintptr(a.N))
	return e
}

// Connect begins a connection, or sets the peer of a datagram socket.
func Connect(fd int, a *Addr) syscall.Errno {
	_, _, e := unix.Syscall(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&a.B[0])), uintptr(a.N))
	return e
}

// Listen makes a socket take connections.
func Listen(fd, backlog int) syscall.Errno {
	_, _, e := unix.RawSyscall(unix.SYS_LISTEN, uintptr(fd), uintptr(backlog), 0)
	return e
}

// Accept takes a connection; the new socket does not block.
func Accept(fd int, a *Addr) (nfd int, e syscall.Errno) {
	a.N = MaxAddr
	r, _, e := unix.RawSyscall6(unix.SYS_ACCEPT4, uintptr(fd), uintptr(unsafe.Pointer(&a.B[0])),
		uintptr(unsafe.Pointer(&a.N)), unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0, 0)
	clip(a)
	return int(r), e
}

// clip keeps what fits: the system reports the full length.
func clip(a *Addr) { a.N = min(a.N, MaxAddr) }

// Name returns a socket's own address.
func Name(fd int, a *Addr) syscall.Errno {
	a.N = MaxAddr
	_, _, e := unix.RawSyscall(unix.SYS_GETSOCKNAME, uintptr(fd), uintptr(unsafe.Pointer(&a.B[0])), uintptr(unsafe.Pointer(&a.N)))
	clip(a)
	return e
}

// Peer returns the peer's address.
func Peer(fd int, a *Addr) syscall.Errno {
	a.N = MaxAddr
	_, _, e := unix.RawSyscall(unix.SYS_GETPEERNAME, uintptr(fd), uintptr(unsafe.Pointer(&a.B[0])), uintptr(unsafe.Pointer(&a.N)))
	clip(a)
	return e
}

// Shutdown closes one or both directions: SHUT_RD, SHUT_WR, SHUT_RDWR.
func Shutdown(fd, how int) syscall.Errno {
	_, _, e := unix.RawSyscall(unix.SYS_SHUTDOWN, uintptr(fd), uintptr(how), 0)
	return e
}

// SendTo sends bytes; a may be nil. No signal is raised for a closed pipe.
func SendTo(fd int, b []byte, flags int, a *Addr) (n int, e syscall.Errno) {
	flags |= unix.MSG_NOSIGNAL
	if a == nil {
		r, _, e := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), uintptr(flags), 0, 0)
		return int(r), e
	}
	r, _, e := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)),
		uintptr(flags), uintptr(unsafe.Pointer(&a.B[0])), uintptr(a.N))
	return int(r), e
}

// RecvFrom receives bytes; a may be nil.
func RecvFrom(fd int, b []byte, flags int, a *Addr) (n int, e syscall.Errno) {
	if a == nil {
		r, _, e := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), uintptr(flags), 0, 0)
		return int(r), e
	}
	a.N = MaxAddr
	r, _, e := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)),
		uintptr(flags), uintptr(unsafe.Pointer(&a.B[0])), uintptr(unsafe.Pointer(&a.N)))
	clip(a)
	return int(r), e
}

// maxIov is the most buffers that the system takes at once.
const maxIov = 1024

func iovecs(bufs [][]byte, room []unix.Iovec) []unix.Iovec {
	v := room[:0]
	for _, b := range bufs {
		if len(b) == 0 {
			continue
		}
		if len(v) == maxIov {
			break
		}
		iv := unix.Iovec{Base: &b[0]}
		iv.SetLen(len(b))
		v = append(v, iv)
	}
	return v
}

// SendMsg sends the buffers as one message (the first 1024 that are not empty),
// with control data and to an address, if given.
func SendMsg(fd int, bufs [][]byte, oob []byte, flags int, a *Addr) (n int, e syscall.Errno) {
	var room [8]unix.Iovec
	v := iovecs(bufs, room[:])
	var h unix.Msghdr
	if len(v) > 0 {
		h.Iov = &v[0]
		h.SetIovlen(len(v))
	}
	if len(oob) > 0 {
		h.Control = &oob[0]
		h.SetControllen(len(oob))
	}
	if a != nil {
		h.Name, h.Namelen = &a.B[0], a.N
	}
	r, _, e := unix.RawSyscall(unix.SYS_SENDMSG, uintptr(fd), uintptr(unsafe.Pointer(&h)), uintptr(flags|unix.MSG_NOSIGNAL))
	return int(r), e
}

// RecvMsg receives one message into the buffers, with control data into oob;
// a may be nil. rflags are the flags of the message.
func RecvMsg(fd int, bufs [][]byte, oob []byte, flags int, a *Addr) (n, oobn, rflags int, e syscall.Errno) {
	var room [8]unix.Iovec
	v := iovecs(bufs, room[:])
	var h unix.Msghdr
	if len(v) > 0 {
		h.Iov = &v[0]
		h.SetIovlen(len(v))
	}
	if len(oob) > 0 {
		h.Control = &oob[0]
		h.SetControllen(len(oob))
	}
	if a != nil {
		h.Name, h.Namelen = &a.B[0], MaxAddr
	}
	r, _, e := unix.RawSyscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&h)), uintptr(flags))
	if e != 0 {
		return -1, 0, 0, e
	}
	if a != nil {
		a.N = min(h.Namelen, MaxAddr)
	}
	return int(r), int(h.Controllen), int(h.Flags), 0
}

// GetOpt reads an option into b and returns how many bytes it has.
func GetOpt(fd, level, opt int, b []byte) (n int, e syscall.Errno) {
	l := uint32(len(b))
	_, _, e = unix.RawSyscall6(unix.SYS_GETSOCKOPT, uintptr(fd), uintptr(level), uintptr(opt), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(unsafe.Pointer(&l)), 0)
	return int(l), e
}

// SetOpt sets an option.
func SetOpt(fd, level, opt int, b []byte) syscall.Errno {
	_, _, e := unix.RawSyscall6(unix.SYS_SETSOCKOPT, uintptr(fd), uintptr(level), uintptr(opt), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), 0)
	return e
}

// GetInt reads an option that is an int; shorter ones are widened.
func GetInt(fd, level, opt int) (int, syscall.Errno) {
	var b [4]byte
	if _, e := GetOpt(fd, level, opt, b[:]); e != 0 {
		return 0, e
	}
	return int(int32(binary.NativeEndian.Uint32(b[:]))), 0
}

// SetInt sets an option that is an int.
func SetInt(fd, level, opt, v int) syscall.Errno {
	var b [4]byte
	binary.NativeEndian.PutUint32(b[:], uint32(v))
	return SetOpt(fd, level, opt, b[:])
}

// Ioctl makes a control call whose argument is the address of b.
func Ioctl(fd int, req uint, b []byte) syscall.Errno {
	_, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(req), uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	return e
}

// ifconf is struct ifconf.
type ifconf struct {
	n   int32
	buf *byte
}

// IfConf fills b with the interfaces that have an IPv4 address (SIOCGIFCONF) and
// returns how many bytes there are.
func IfConf(fd int, b []byte) (int, syscall.Errno) {
	c := ifconf{n: int32(len(b)), buf: &b[0]}
	_, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCGIFCONF, uintptr(unsafe.Pointer(&c)))
	return int(c.n), e
}

// SendFile copies from a file to a socket and moves *off.
func SendFile(out, in int, off *int64, n int) (int, syscall.Errno) {
	r, _, e := unix.Syscall6(unix.SYS_SENDFILE, uintptr(out), uintptr(in), uintptr(unsafe.Pointer(off)), uintptr(n), 0, 0)
	return int(r), e
}
