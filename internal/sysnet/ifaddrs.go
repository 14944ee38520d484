package sysnet

import (
	"encoding/binary"
	"syscall"

	"golang.org/x/sys/unix"
)

// IfAddr is an address of a network interface, as getifaddrs lists them: first
// the interfaces themselves with their hardware addresses, then the addresses.
type IfAddr struct {
	Name  string
	Flags uint32
	Index int
	MTU   uint32
	// Nil where there is none. Broad and Dst exclude each other.
	Addr, Netmask, Broad, Dst *Addr
}

// IfAddrs lists the addresses of all interfaces.
func IfAddrs() ([]IfAddr, error) {
	links, err := netlink(unix.RTM_GETLINK)
	if err != nil {
		return nil, err
	}
	addrs, err := netlink(unix.RTM_GETADDR)
	if err != nil {
		return nil, err
	}
	var out []IfAddr
	byIndex := map[int]int{}
	for _, m := range links {
		if m.Header.Type == unix.RTM_NEWLINK && len(m.Data) >= unix.SizeofIfInfomsg {
			l := link(&m)
			byIndex[l.Index] = len(out)
			out = append(out, l)
		}
	}
	for _, m := range addrs {
		if m.Header.Type != unix.RTM_NEWADDR || len(m.Data) < unix.SizeofIfAddrmsg {
			continue
		}
		if i, ok := byIndex[int(binary.NativeEndian.Uint32(m.Data[4:]))]; ok {
			out = append(out, address(&m, &out[i]))
		}
	}
	return out, nil
}

func netlink(req int) ([]syscall.NetlinkMessage, error) {
	b, err := syscall.NetlinkRIB(req, unix.AF_UNSPEC)
	if err != nil {
		return nil, err
	}
	return syscall.ParseNetlinkMessage(b)
}

// attrs returns the attributes of a message by type.
func attrs(m *syscall.NetlinkMessage) map[uint16][]byte {
	as, err := syscall.ParseNetlinkRouteAttr(m)
	if err != nil {
		return nil
	}
	r := map[uint16][]byte{}
	for _, a := range as {
		r[a.Attr.Type&0x3FFF] = a.Value
	}
	return r
}

func cString(b []byte) string {
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}

func link(m *syscall.NetlinkMessage) IfAddr {
	n := binary.NativeEndian
	l := IfAddr{Index: int(n.Uint32(m.Data[4:])), Flags: n.Uint32(m.Data[8:])}
	hw := n.Uint16(m.Data[2:])
	a := attrs(m)
	l.Name = cString(a[unix.IFLA_IFNAME])
	if v := a[unix.IFLA_MTU]; len(v) >= 4 {
		l.MTU = n.Uint32(v)
	}
	if v, ok := a[unix.IFLA_ADDRESS]; ok {
		l.Addr = hwAddr(l.Index, hw, v)
	}
	if v, ok := a[unix.IFLA_BROADCAST]; ok && l.Flags&unix.IFF_BROADCAST != 0 {
		l.Broad = hwAddr(l.Index, hw, v)
	}
	return l
}

// hwAddr makes a struct sockaddr_ll.
func hwAddr(index int, hw uint16, b []byte) *Addr {
	a := &Addr{}
	a.SetFamily(unix.AF_PACKET)
	a.N = unix.SizeofSockaddrLinklayer
	binary.NativeEndian.PutUint32(a.B[4:], uint32(index))
	binary.NativeEndian.PutUint16(a.B[8:], hw)
	a.B[11] = byte(copy(a.B[12:20], b))
	return a
}

func address(m *syscall.NetlinkMessage, l *IfAddr) IfAddr {
	fam, prefix := int(m.Data[0]), int(m.Data[1])
	scope := 0
	a := attrs(m)
	r := IfAddr{Name: l.Name, Flags: l.Flags, Index: l.Index}
	if n, ok := a[unix.IFA_LABEL]; ok {
		r.Name = cString(n)
	}
	local, hasLocal := a[unix.IFA_LOCAL]
	addr := a[unix.IFA_ADDRESS]
	if fam == unix.AF_INET6 && len(addr) == 16 && (addr[0] == 0xFE && addr[1]&0xC0 == 0x80 || addr[0] == 0xFF && addr[1]&0xF == 2) {
		scope = l.Index
	}
	if !hasLocal {
		local = addr
	}
	r.Addr = ipAddr(fam, local, scope)
	if r.Addr == nil {
		return r
	}
	mask := make([]byte, len(local))
	for i := range mask {
		mask[i] = byte(uint(0xFF00) >> uint(min(8, max(0, prefix-8*i))))
	}
	r.Netmask = ipAddr(fam, mask, 0)
	if hasLocal && l.Flags&unix.IFF_POINTOPOINT != 0 {
		r.Dst = ipAddr(fam, addr, scope)
	} else if b, ok := a[unix.IFA_BROADCAST]; ok && l.Flags&unix.IFF_BROADCAST != 0 {
		r.Broad = ipAddr(fam, b, scope)
	}
	return r
}

// ipAddr makes a struct sockaddr_in or sockaddr_in6 without a port.
func ipAddr(fam int, b []byte, scope int) *Addr {
	a := &Addr{}
	a.SetFamily(fam)
	switch {
	case fam == unix.AF_INET && len(b) == 4:
		a.N = unix.SizeofSockaddrInet4
		copy(a.B[4:], b)
	case fam == unix.AF_INET6 && len(b) == 16:
		a.N = unix.SizeofSockaddrInet6
		copy(a.B[8:], b)
		binary.NativeEndian.PutUint32(a.B[24:], uint32(scope))
	default:
		return nil
	}
	return a
}
