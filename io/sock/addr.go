package sock

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// Address families as the drivers number them.
const (
	afInet      = 1
	afInet6     = 2
	afAny       = 3
	afLoopback  = 4
	afLocal     = 5
	afUndefined = 6
	afUnspec    = 0
)

// family maps a driver's family to the system's.
func family(b byte) (int, bool) {
	switch b {
	case afInet:
		return unix.AF_INET, true
	case afInet6:
		return unix.AF_INET6, true
	case afLocal:
		return unix.AF_UNIX, true
	}
	return 0, false
}

// Errors that are no error numbers.
type xerror string

func (e xerror) Error() string { return string(e) }

const (
	errBadPort     = xerror("exbadport")
	errNoSupport   = xerror("eafnosupport")
	errNoProc      = xerror("noproc")
	errClosed      = xerror("closed")
	errEconnreset  = xerror("econnreset")
	errEinvalAddr  = xerror("einval")
	errUnsupported = xerror("enotsup")
)

// takeAddr reads an address in the drivers' form, for a socket of a family, and
// returns what follows it.
func takeAddr(fam int, b []byte) (unix.Sockaddr, []byte, error) {
	if len(b) < 1 {
		return nil, nil, errEinvalAddr
	}
	switch b[0] {
	case afInet:
		if len(b) < 7 {
			return nil, nil, errEinvalAddr
		}
		if fam == unix.AF_INET6 {
			return nil, nil, errNoSupport
		}
		sa := &unix.SockaddrInet4{Port: int(binary.BigEndian.Uint16(b[1:]))}
		copy(sa.Addr[:], b[3:7])
		return sa, b[7:], nil
	case afInet6:
		if len(b) < 27 {
			return nil, nil, errEinvalAddr
		}
		if fam == unix.AF_INET {
			return nil, nil, errNoSupport
		}
		sa := &unix.SockaddrInet6{Port: int(binary.BigEndian.Uint16(b[1:])), ZoneId: binary.BigEndian.Uint32(b[23:])}
		copy(sa.Addr[:], b[3:19])
		return sa, b[27:], nil
	case afAny, afLoopback:
		if len(b) < 3 {
			return nil, nil, errEinvalAddr
		}
		port := int(binary.BigEndian.Uint16(b[1:]))
		sa, err := wildcard(fam, b[0], port)
		return sa, b[3:], err
	case afLocal:
		if len(b) < 2 || len(b) < 2+int(b[1]) {
			return nil, nil, errEinvalAddr
		}
		n := int(b[1])
		return &unix.SockaddrUnix{Name: string(b[2 : 2+n])}, b[2+n:], nil
	}
	return nil, nil, errNoSupport
}

// wildcard is the address of any interface, or of the loopback.
func wildcard(fam int, kind byte, port int) (unix.Sockaddr, error) {
	switch fam {
	case unix.AF_INET:
		sa := &unix.SockaddrInet4{Port: port}
		if kind == afLoopback {
			sa.Addr = [4]byte{127, 0, 0, 1}
		}
		return sa, nil
	case unix.AF_INET6:
		sa := &unix.SockaddrInet6{Port: port}
		if kind == afLoopback {
			sa.Addr[15] = 1
		}
		return sa, nil
	}
	return nil, errNoSupport
}

// putAddr writes an address in the drivers' form: family, port, bytes.
func putAddr(b []byte, sa unix.Sockaddr) []byte {
	switch a := sa.(type) {
	case *unix.SockaddrInet4:
		b = binary.BigEndian.AppendUint16(append(b, afInet), uint16(a.Port))
		return append(b, a.Addr[:]...)
	case *unix.SockaddrInet6:
		b = binary.BigEndian.AppendUint16(append(b, afInet6), uint16(a.Port))
		return append(b, a.Addr[:]...)
	case *unix.SockaddrUnix:
		n := a.Name
		if len(n) > 255 {
			n = n[:255]
		}
		return append(append(b, afLocal, byte(len(n))), n...)
	case nil:
		return append(b, afUnspec)
	}
	return append(b, afUndefined)
}

// portOf returns the port of an address.
func portOf(sa unix.Sockaddr) int {
	switch a := sa.(type) {
	case *unix.SockaddrInet4:
		return a.Port
	case *unix.SockaddrInet6:
		return a.Port
	}
	return 0
}
