package resolve

import (
	"context"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// Numbers of the protocols of getaddrinfo's answers.
const (
	ProtoTCP = 6
	ProtoUDP = 17
	ProtoRaw = 0
)

// AddrInfo is one answer of getaddrinfo.
type AddrInfo struct {
	Addr  netip.Addr
	Port  int
	Proto int // ProtoTCP: stream, ProtoUDP: dgram, ProtoRaw: raw
}

// AddrInfos answers getaddrinfo without hints. host or service may be nil. The
// error is the name of the C library's code, without "EAI_", lower case.
func AddrInfos(ctx context.Context, host, service *string) (out []AddrInfo, failure string) {
	type proto struct{ num, port int }
	var protos []proto
	switch port, err := 0, error(nil); {
	case service == nil:
		protos = []proto{{ProtoTCP, 0}, {ProtoUDP, 0}, {ProtoRaw, 0}}
	default:
		if port, err = strconv.Atoi(*service); err == nil && port >= 0 && port <= 65535 {
			protos = []proto{{ProtoTCP, port}, {ProtoUDP, port}, {ProtoRaw, port}}
			break
		}
		if p, ok := ServByName(*service, "tcp"); ok {
			protos = append(protos, proto{ProtoTCP, p})
		}
		if p, ok := ServByName(*service, "udp"); ok {
			protos = append(protos, proto{ProtoUDP, p})
		}
		if protos == nil {
			return nil, "service"
		}
	}
	addrs := []netip.Addr{netip.IPv6Loopback(), netip.AddrFrom4([4]byte{127, 0, 0, 1})}
	if host != nil {
		if addrs, failure = allAddrs(ctx, *host); failure != "" {
			return nil, failure
		}
	}
	for _, a := range addrs {
		for _, p := range protos {
			out = append(out, AddrInfo{a, p.port, p.num})
		}
	}
	return out, ""
}

// allAddrs returns the addresses of both families, the preferred ones first.
func allAddrs(ctx context.Context, host string) ([]netip.Addr, string) {
	if a, ok := numeric(host); ok {
		return []netip.Addr{a}, ""
	}
	if host == "" {
		return nil, "noname"
	}
	v6, v4 := fromHostsFile(host, true), fromHostsFile(host, false)
	if as := append(v6.Addrs, v4.Addrs...); len(as) > 0 {
		return as, ""
	}
	as, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		switch codeOf(err) {
		case NotFound:
			return nil, "noname"
		case TryAgain:
			return nil, "again"
		}
		return nil, "fail"
	}
	for i := range as {
		as[i] = as[i].Unmap()
	}
	return as, ""
}

// NameFlags are the flags of getnameinfo.
type NameFlags struct{ NameReqd, Datagram, NoFQDN, NumericHost, NumericServ bool }

// NameInfo answers getnameinfo for an IP address and port.
func NameInfo(ctx context.Context, a netip.Addr, port int, f NameFlags) (host, service, failure string) {
	if !f.NumericHost {
		if h, code := ByAddr(ctx, a.WithZone("")); code == OK {
			host = h.Names[0]
			if f.NoFQDN {
				host = withoutDomain(host)
			}
		} else if code == TryAgain {
			return "", "", "again"
		}
	}
	if host == "" {
		if f.NameReqd {
			return "", "", "noname"
		}
		host = a.String()
	}
	proto := "tcp"
	if f.Datagram {
		proto = "udp"
	}
	service = strconv.Itoa(port)
	if !f.NumericServ {
		if s, ok := ServByPort(port, proto); ok {
			service = s
		}
	}
	return host, service, ""
}

// withoutDomain drops the domain that this host is in too.
func withoutDomain(name string) string {
	self, err := os.Hostname()
	if err != nil {
		return name
	}
	if _, dom, ok := strings.Cut(self, "."); ok {
		return strings.TrimSuffix(name, "."+dom)
	}
	return name
}
