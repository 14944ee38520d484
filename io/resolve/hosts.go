// Package resolve looks up names of hosts and services: the hosts and services
// files as the C library reads them, and DNS through Go's resolver. Lookups of
// hosts may take long; callers keep them off the schedulers.
package resolve

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// Code says why a lookup failed.
type Code string

// The codes, as inet_gethost names them.
const (
	OK         Code = ""
	NotFound   Code = "notfound"
	TryAgain   Code = "try_again"
	NoRecovery Code = "no_recovery"
	NotSup     Code = "enotsup"
)

// Host is an answer: addresses of one family, the canonical name first among
// the names.
type Host struct {
	Addrs []netip.Addr
	Names []string
}

// HostsFile and ServicesFile are the files that are read.
var (
	HostsFile    = "/etc/hosts"
	ServicesFile = "/etc/services"
)

// ofFamily turns an address into one of IPv4 or IPv6 as the hosts file allows:
// mapped addresses and the loopback serve IPv4 too.
func ofFamily(a netip.Addr, v6 bool) (netip.Addr, bool) {
	if v6 {
		return a, a.Is6()
	}
	if a == netip.IPv6Loopback() {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), true
	}
	a = a.Unmap()
	return a, a.Is4()
}

// eachLine calls f with the words of each line of a file, comments left out,
// until f returns false.
func eachLine(file string, f func(words []string) bool) {
	in, err := os.Open(file)
	if err != nil {
		return
	}
	defer in.Close()
	for s := bufio.NewScanner(in); s.Scan(); {
		l, _, _ := strings.Cut(s.Text(), "#")
		if w := strings.Fields(l); len(w) >= 2 && !f(w) {
			return
		}
	}
}

// addName appends a name unless it is there.
func (h *Host) addName(n string) {
	for _, o := range h.Names {
		if strings.EqualFold(o, n) {
			return
		}
	}
	h.Names = append(h.Names, n)
}

func (h *Host) addAddr(a netip.Addr) {
	for _, o := range h.Addrs {
		if o == a {
			return
		}
	}
	h.Addrs = append(h.Addrs, a)
}

func fromHostsFile(name string, v6 bool) (h Host) {
	eachLine(HostsFile, func(w []string) bool {
		a, err := netip.ParseAddr(w[0])
		if err != nil {
			return true
		}
		for _, n := range w[1:] {
			if !strings.EqualFold(n, name) {
				continue
			}
			if a, ok := ofFamily(a, v6); ok {
				h.addAddr(a)
				for _, n := range w[1:] {
					h.addName(n)
				}
			}
			break
		}
		return true
	})
	return h
}

// ByName looks a host up by name or numeric address.
func ByName(ctx context.Context, name string, v6 bool) (Host, Code) {
	if a, ok := numeric(name); ok {
		if a.Is6() != v6 {
			return Host{}, NotFound
		}
		return Host{Addrs: []netip.Addr{a}, Names: []string{name}}, OK
	}
	if name == "" {
		return Host{}, NotFound
	}
	if h := fromHostsFile(name, v6); len(h.Addrs) > 0 {
		return h, OK
	}
	network := "ip4"
	if v6 {
		network = "ip6"
	}
	as, err := net.DefaultResolver.LookupNetIP(ctx, network, name)
	if err != nil {
		return Host{}, codeOf(err)
	}
	h := Host{}
	for _, a := range as {
		if a, ok := ofFamily(a, v6); ok {
			h.addAddr(a)
		}
	}
	if len(h.Addrs) == 0 {
		return Host{}, NotFound
	}
	h.Names = []string{name}
	if c, err := net.DefaultResolver.LookupCNAME(ctx, name); err == nil && c != "" {
		if c = strings.TrimSuffix(c, "."); !strings.EqualFold(c, name) {
			h.Names = []string{c, name}
		}
	}
	return h, OK
}

// ByAddr looks a host up by address.
func ByAddr(ctx context.Context, a netip.Addr) (Host, Code) {
	h := Host{Addrs: []netip.Addr{a}}
	eachLine(HostsFile, func(w []string) bool {
		b, err := netip.ParseAddr(w[0])
		if err != nil {
			return true
		}
		if b, ok := ofFamily(b, a.Is6()); ok && b == a {
			h.Names = w[1:]
			return false
		}
		return true
	})
	if len(h.Names) > 0 {
		return h, OK
	}
	names, err := net.DefaultResolver.LookupAddr(ctx, a.String())
	if err != nil {
		return Host{}, codeOf(err)
	}
	for _, n := range names {
		h.addName(strings.TrimSuffix(n, "."))
	}
	if len(h.Names) == 0 {
		return Host{}, NotFound
	}
	return h, OK
}

func codeOf(err error) Code {
	var d *net.DNSError
	switch {
	case errors.As(err, &d) && d.IsNotFound:
		return NotFound
	case errors.As(err, &d) && (d.IsTimeout || d.IsTemporary), errors.Is(err, context.DeadlineExceeded):
		return TryAgain
	}
	return NoRecovery
}

// numeric reads an address in digits, IPv4 also in the short, octal and
// hexadecimal forms of inet_aton.
func numeric(s string) (netip.Addr, bool) {
	if a, err := netip.ParseAddr(s); err == nil {
		return a, true
	}
	parts := strings.Split(s, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	v := uint64(0)
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 0, 32)
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		if err != nil || strings.ContainsAny(p, "_+-oObB") || n >= 1<<bits {
			return netip.Addr{}, false
		}
		v = v<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}), true
}
