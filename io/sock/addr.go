package sock

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Address families as the drivers number them.
const (
	afUnspec    = 0
	afInet      = 1
	afInet6     = 2
	afAny       = 3
	afLoopback  = 4
	afLocal     = 5
	afUndefined = 6
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
	errBadPort   = xerror("exbadport")
	errBadSeq    = xerror("exbadseq")
	errNoSupport = xerror("eafnosupport")
	errNoProc    = xerror("noproc")
	errClosed    = xerror("closed")
	errAddr      = xerror("einval")
)

// takeAddr reads an address in the drivers' form, for a socket of a family, and
// returns what follows it.
//
//	Inet Port:16 A B C D
//	Inet6 Port:16 Address:128 Flowinfo:32 Scope:32
//	(Any | Loopback) Port:16
//	Local Length:8 Path
func takeAddr(fam int, b []byte) (a *sysnet.Addr, rest []byte, err error) {
	if len(b) < 1 {
		return nil, nil, errAddr
	}
	tag, b := b[0], b[1:]
	a = &sysnet.Addr{}
	switch tag {
	case afInet:
		if len(b) < 6 {
			return nil, nil, errAddr
		}
		inetAddr(a, unix.AF_INET, b, b[2:6])
		return a, b[6:], nil
	case afInet6:
		if len(b) < 26 {
			return nil, nil, errAddr
		}
		inetAddr(a, unix.AF_INET6, b, b[2:18])
		binary.NativeEndian.PutUint32(a.B[4:], u32(b[18:]))
		binary.NativeEndian.PutUint32(a.B[24:], u32(b[22:]))
		return a, b[26:], nil
	case afAny, afLoopback:
		if len(b) < 2 {
			return nil, nil, errAddr
		}
		if !wildcard(a, fam, tag, b) {
			return nil, nil, errAddr
		}
		return a, b[2:], nil
	case afLocal:
		if len(b) < 1 || len(b) < 1+int(b[0]) {
			return nil, nil, errAddr
		}
		path := b[1 : 1+b[0]]
		// A path ends with a zero; the names that begin with one do not.
		if n := len(path); n > 108 || n == 108 && path[0] != 0 {
			return nil, nil, errAddr
		}
		a.SetFamily(unix.AF_UNIX)
		a.N += uint32(copy(a.B[2:], path))
		return a, b[1+len(path):], nil
	}
	return nil, nil, errNoSupport
}

// inetAddr makes an IPv4 or IPv6 address.
func inetAddr(a *sysnet.Addr, fam int, port, ip []byte) {
	a.SetFamily(fam)
	copy(a.B[2:4], port)
	if fam == unix.AF_INET {
		copy(a.B[4:8], ip)
		a.N = unix.SizeofSockaddrInet4
		return
	}
	copy(a.B[8:24], ip)
	a.N = unix.SizeofSockaddrInet6
}

// wildcard makes the address of any interface, or of the loopback.
func wildcard(a *sysnet.Addr, fam int, tag byte, port []byte) bool {
	switch fam {
	case unix.AF_INET:
		ip := []byte{0, 0, 0, 0}
		if tag == afLoopback {
			ip = []byte{127, 0, 0, 1}
		}
		inetAddr(a, fam, port, ip)
	case unix.AF_INET6:
		ip := make([]byte, 16)
		if tag == afLoopback {
			ip[15] = 1
		}
		inetAddr(a, fam, port, ip)
	default:
		return false
	}
	return true
}

// localPath is the path or name of a local address.
func localPath(a *sysnet.Addr) []byte {
	p := a.B[2:max(a.N, 2)]
	for i, c := range p {
		if c == 0 && i > 0 {
			return p[:i]
		}
		if c == 0 {
			break
		}
	}
	return p
}

// putAddr writes an address in the drivers' form; ok is false for one of a
// family that they do not know.
func putAddr(b []byte, a *sysnet.Addr) (out []byte, ok bool) {
	switch fam := a.Family(); {
	case fam == unix.AF_INET && a.N >= unix.SizeofSockaddrInet4:
		return append(append(append(b, afInet), a.B[2:4]...), a.B[4:8]...), true
	case fam == unix.AF_INET6 && a.N >= unix.SizeofSockaddrInet6:
		return append(append(append(b, afInet6), a.B[2:4]...), a.B[8:24]...), true
	case fam == unix.AF_UNIX:
		p := localPath(a)
		return append(append(b, afLocal, byte(len(p))), p...), true
	case fam == unix.AF_UNSPEC:
		return append(b, afUnspec), false
	}
	return append(b, afUndefined), false
}

// addrTerms builds an address and port: {A,B,C,D} and 80, {local,Path} and 0.
func addrTerms(h *heap.Heap, a *sysnet.Addr) (ip, port term.Term) {
	small := func(v int) term.Term { return term.Small(int64(v)) }
	switch fam := a.Family(); {
	case fam == unix.AF_INET && a.N >= unix.SizeofSockaddrInet4:
		b := a.B[4:8]
		return h.Tuple(small(int(b[0])), small(int(b[1])), small(int(b[2])), small(int(b[3]))), small(a.Port())
	case fam == unix.AF_INET6 && a.N >= unix.SizeofSockaddrInet6:
		var els [8]term.Term
		for i := range els {
			els[i] = small(int(binary.BigEndian.Uint16(a.B[8+2*i:])))
		}
		return h.Tuple(els[:]...), small(a.Port())
	case fam == unix.AF_UNIX:
		return h.Tuple(amLocal, h.Binary(localPath(a))), small(0)
	case fam == unix.AF_UNSPEC:
		return h.Tuple(amUnspec, h.Binary(nil)), small(0)
	}
	return h.Tuple(amUndefined, h.Binary(nil)), small(0)
}

func u32(b []byte) uint32 { return binary.BigEndian.Uint32(b) }
