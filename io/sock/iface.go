package sock

import (
	"bufio"
	"encoding/binary"
	"net"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

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

// Flags of interfaces, as the drivers number them.
const (
	iffUp           = 0x01
	iffBroadcast    = 0x02
	iffLoopback     = 0x04
	iffPointToPoint = 0x08
	iffRunning      = 0x10
	iffMulticast    = 0x20
)

func ifaceFlags(i *net.Interface) (f uint32) {
	for _, p := range []struct {
		from net.Flags
		to   uint32
	}{{net.FlagUp, iffUp}, {net.FlagBroadcast, iffBroadcast}, {net.FlagLoopback, iffLoopback},
		{net.FlagPointToPoint, iffPointToPoint}, {net.FlagRunning, iffRunning}, {net.FlagMulticast, iffMulticast}} {
		if i.Flags&p.from != 0 {
			f |= p.to
		}
	}
	return f
}

// putIP writes an address without a port: family, bytes.
func putIP(b []byte, opt byte, ip net.IP) []byte {
	if v4 := ip.To4(); v4 != nil {
		return append(append(b, opt, afInet), v4...)
	}
	if v6 := ip.To16(); v6 != nil {
		return append(append(b, opt, afInet6), v6...)
	}
	return b
}

func putHW(b []byte, hw net.HardwareAddr) []byte {
	if len(hw) == 0 {
		hw = make(net.HardwareAddr, 6)
	}
	b = binary.BigEndian.AppendUint16(append(b, ifHWAddr), uint16(len(hw)))
	return append(b, hw...)
}

func broadcast(n *net.IPNet) net.IP {
	ip := n.IP.To4()
	m := n.Mask
	if ip == nil || len(m) != 4 {
		return nil
	}
	out := make(net.IP, 4)
	for i := range out {
		out[i] = ip[i] | ^m[i]
	}
	return out
}

// interfaces answers getiflist, getifaddrs and ifget.
func interfaces(op uint32, b []byte) port.Reply {
	ifs, err := net.Interfaces()
	if err != nil {
		return errReply(unix.ENOTSUP)
	}
	out := []byte{}
	switch op {
	case reqGetIfList:
		for _, i := range ifs {
			out = append(append(out, i.Name...), 0)
		}
	case reqGetIfAddrs:
		return okReply(ifAddrs(ifs)...)
	case reqIfGet:
		if len(b) < 1 || len(b) < 1+int(b[0]) {
			return errReply(unix.EINVAL)
		}
		name, opts := string(b[1:1+b[0]]), b[1+b[0]:]
		for i := range ifs {
			if ifs[i].Name == name {
				return okReply(ifGet(&ifs[i], opts)...)
			}
		}
	}
	return okReply(out...)
}

// ifAddrs lists, for the link level first and then for each address, the name,
// the flags and what there is.
func ifAddrs(ifs []net.Interface) (out []byte) {
	start := func(i *net.Interface) {
		out = append(append(out, i.Name...), 0)
		out = binary.BigEndian.AppendUint32(append(out, ifFlags), ifaceFlags(i))
	}
	for n := range ifs {
		start(&ifs[n])
		out = append(putHW(out, ifs[n].HardwareAddr), 0)
	}
	for _, v6 := range []bool{false, true} {
		for n := range ifs {
			i := &ifs[n]
			addrs, _ := i.Addrs()
			for _, a := range addrs {
				in, ok := a.(*net.IPNet)
				if !ok || (in.IP.To4() == nil) != v6 {
					continue
				}
				start(i)
				out = putIP(out, ifAddr, in.IP)
				out = putIP(out, ifNetmask, net.IP(in.Mask))
				if bc := broadcast(in); bc != nil && i.Flags&net.FlagBroadcast != 0 {
					out = putIP(out, ifBroadAddr, bc)
				} else if i.Flags&net.FlagPointToPoint != 0 {
					out = putIP(out, ifDstAddr, in.IP)
				}
				out = append(out, 0)
			}
		}
	}
	return out
}

// ifGet answers options of an interface; of addresses, the first of IPv4.
func ifGet(i *net.Interface, opts []byte) (out []byte) {
	var v4 *net.IPNet
	addrs, _ := i.Addrs()
	for _, a := range addrs {
		if in, ok := a.(*net.IPNet); ok && in.IP.To4() != nil && v4 == nil {
			v4 = in
		}
	}
	for _, o := range opts {
		switch {
		case o == ifFlags:
			out = binary.BigEndian.AppendUint32(append(out, o), ifaceFlags(i))
		case o == ifMTU:
			out = binary.BigEndian.AppendUint32(append(out, o), uint32(i.MTU))
		case o == ifHWAddr:
			out = putHW(out, i.HardwareAddr)
		case v4 == nil:
		case o == ifAddr:
			out = putIP(out, o, v4.IP)
		case o == ifNetmask:
			out = putIP(out, o, net.IP(v4.Mask))
		case o == ifBroadAddr && broadcast(v4) != nil:
			out = putIP(out, o, broadcast(v4))
		case o == ifDstAddr:
			out = putIP(out, o, v4.IP)
		}
	}
	return out
}

// services calls f with the entries of /etc/services until it returns false.
func services(f func(name string, port int, proto string, aliases []string) bool) {
	file, err := os.Open("/etc/services")
	if err != nil {
		return
	}
	defer file.Close()
	for s := bufio.NewScanner(file); s.Scan(); {
		line, _, _ := strings.Cut(s.Text(), "#")
		w := strings.Fields(line)
		if len(w) < 2 {
			continue
		}
		num, proto, ok := strings.Cut(w[1], "/")
		n, err := strconv.Atoi(num)
		if ok && err == nil && !f(w[0], n, proto, w[2:]) {
			return
		}
	}
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
	if !ok1 || !ok2 {
		return errReply(unix.EINVAL)
	}
	p := -1
	services(func(n string, num int, pr string, aliases []string) bool {
		hit := n == name
		for _, a := range aliases {
			hit = hit || a == name
		}
		if hit && pr == proto {
			p = num
		}
		return p < 0
	})
	if p < 0 {
		return errReply(unix.EINVAL)
	}
	return okReply(byte(p>>8), byte(p))
}

func servByPort(b []byte) port.Reply {
	if len(b) < 3 {
		return errReply(unix.EINVAL)
	}
	num := int(binary.BigEndian.Uint16(b))
	proto, _, ok := takeString(b[2:])
	if !ok {
		return errReply(unix.EINVAL)
	}
	name := ""
	services(func(n string, p int, pr string, _ []string) bool {
		if p == num && pr == proto {
			name = n
		}
		return name == ""
	})
	if name == "" {
		return errReply(unix.EINVAL)
	}
	return okReply([]byte(name)...)
}
