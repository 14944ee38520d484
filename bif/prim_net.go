package bif

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"os"
	"runtime"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/io/file"
	"github.com/beamrd/beamrd/io/resolve"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var primNetRows = []native.Row{
	{Module: "prim_net", Name: "nif_info", Arity: 0, Fn: pnInfo, Flags: native.NIF},
	{Module: "prim_net", Name: "nif_command", Arity: 1, Fn: pnCommand, Flags: native.NIF},
	{Module: "prim_net", Name: "nif_gethostname", Arity: 0, Fn: pnGetHostname, Flags: native.NIF},
	{Module: "prim_net", Name: "nif_getnameinfo", Arity: 2, Fn: pnGetNameInfo, Flags: nifIO},
	{Module: "prim_net", Name: "nif_getaddrinfo", Arity: 3, Fn: pnGetAddrInfo, Flags: nifIO},
	{Module: "prim_net", Name: "nif_getifaddrs", Arity: 1, Fn: pnGetIfAddrs, Flags: nifIO},
	{Module: "prim_net", Name: "nif_get_adapters_addresses", Arity: 1, Fn: pnNotSup, Flags: native.NIF},
	{Module: "prim_net", Name: "nif_get_if_entry", Arity: 1, Fn: pnNotSup, Flags: native.NIF},
	{Module: "prim_net", Name: "nif_get_interface_info", Arity: 1, Fn: pnNotSup, Flags: native.NIF},
	{Module: "prim_net", Name: "nif_get_ip_address_table", Arity: 1, Fn: pnNotSup, Flags: native.NIF},
	{Module: "prim_net", Name: "nif_if_name2index", Arity: 1, Fn: pnIfName2Index, Flags: native.NIF},
	{Module: "prim_net", Name: "nif_if_index2name", Arity: 1, Fn: pnIfIndex2Name, Flags: native.NIF},
	{Module: "prim_net", Name: "nif_if_names", Arity: 0, Fn: pnIfNames, Flags: native.NIF},
}

func errnoError(c *native.Call, err error) term.Term {
	return c.ErrorTuple(term.Intern(file.ErrnoName(file.Errno(err))))
}

// primNetDebug is what net's debug command was told; nothing is traced.
var primNetDebug atomic.Bool

func pnInfo(c *native.Call) term.Term {
	return mapOf(&c.P.Heap, term.Intern("debug"), term.Bool(primNetDebug.Load()))
}

// pnCommand is command({debug, boolean()}).
func pnCommand(c *native.Call) term.Term {
	t := c.Arg(0)
	if !t.IsTuple() || t.Arity() != 2 || t.El(1) != term.Intern("debug") || !t.El(2).IsBool() {
		return c.ErrorTuple(term.Intern("einval"))
	}
	primNetDebug.Store(t.El(2) == term.True)
	return term.AmOk
}

func pnNotSup(c *native.Call) term.Term { return c.Error(term.AmNotsup) }

func pnGetHostname(c *native.Call) term.Term {
	n, err := os.Hostname()
	if err != nil {
		return errnoError(c, err)
	}
	return c.Ok(c.P.Heap.Latin1([]byte(n)))
}

var nameFlagSetters = map[term.Term]func(f *resolve.NameFlags){
	term.Intern("namereqd"):                  func(f *resolve.NameFlags) { f.NameReqd = true },
	term.Intern("dgram"):                     func(f *resolve.NameFlags) { f.Datagram = true },
	term.Intern("nofqdn"):                    func(f *resolve.NameFlags) { f.NoFQDN = true },
	term.Intern("numerichost"):               func(f *resolve.NameFlags) { f.NumericHost = true },
	term.Intern("numericserv"):               func(f *resolve.NameFlags) { f.NumericServ = true },
	term.Intern("idn"):                       func(f *resolve.NameFlags) {},
	term.Intern("idna_allow_unassigned"):     func(f *resolve.NameFlags) {},
	term.Intern("idna_use_std3_ascii_rules"): func(f *resolve.NameFlags) {},
}

func nameFlags(t term.Term) (f resolve.NameFlags, ok bool) {
	if t == term.AmUndefined {
		return f, true
	}
	for ; t.IsList(); t = t.Tail() {
		set := nameFlagSetters[t.Head()]
		if set == nil {
			return f, false
		}
		set(&f)
	}
	return f, t.IsNil()
}

// pnGetNameInfo is getnameinfo(SockAddr, Flags): {ok, #{host, service}}.
func pnGetNameInfo(c *native.Call) term.Term {
	var a sysnet.Addr
	f, ok := nameFlags(c.Arg(1))
	if !ok || !sockaddrArg(c.Arg(0), &a) {
		return c.Badarg()
	}
	h := &c.P.Heap
	host, service, failure := "", "", ""
	ctx := context.Background()
	switch b := a.B[:]; a.Family() {
	case unix.AF_INET:
		host, service, failure = resolve.NameInfo(ctx, netip.AddrFrom4([4]byte(b[4:8])), a.Port(), f)
	case unix.AF_INET6:
		ip := netip.AddrFrom16([16]byte(b[8:24]))
		if z := binary.NativeEndian.Uint32(b[24:]); z != 0 {
			if i, err := net.InterfaceByIndex(int(z)); err == nil {
				ip = ip.WithZone(i.Name)
			}
		}
		host, service, failure = resolve.NameInfo(ctx, ip, a.Port(), f)
	case unix.AF_UNIX:
		n, err := os.Hostname()
		if err != nil {
			return errnoError(c, err)
		}
		host, service = n, string(unixPath(b[2:a.N]))
	default:
		failure = "family"
	}
	if failure != "" {
		return c.ErrorTuple(eaiAtom(failure))
	}
	return c.Ok(mapOf(h, term.Intern("host"), h.Latin1([]byte(host)), term.Intern("service"), h.Latin1([]byte(service))))
}

// eaiAtom names the codes of getaddrinfo and getnameinfo.
func eaiAtom(code string) term.Term {
	switch code {
	case "again":
		return term.Intern("eagain")
	case "memory":
		return term.Intern("emem")
	}
	return term.Intern("e" + code)
}

// stringOrUndefined reads a string, or undefined as nil.
func stringOrUndefined(t term.Term) (*string, bool) {
	if t == term.AmUndefined {
		return nil, true
	}
	b, ok := listBytes(t)
	s := string(b)
	return &s, ok
}

// pnGetAddrInfo is getaddrinfo(Host, Service, Hints): {ok, [#{family, type,
// protocol, addr}]}.
func pnGetAddrInfo(c *native.Call) term.Term {
	host, ok1 := stringOrUndefined(c.Arg(0))
	service, ok2 := stringOrUndefined(c.Arg(1))
	if !ok1 || !ok2 || host == nil && service == nil {
		return c.Badarg()
	}
	infos, failure := resolve.AddrInfos(context.Background(), host, service)
	if failure != "" {
		return c.ErrorTuple(eaiAtom(failure))
	}
	h := &c.P.Heap
	l := term.Nil
	for i := len(infos) - 1; i >= 0; i-- {
		l = h.Cons(addrInfoTerm(h, &infos[i]), l)
	}
	return c.Ok(l)
}

func addrInfoTerm(h *heap.Heap, i *resolve.AddrInfo) term.Term {
	var a sysnet.Addr
	if i.Addr.Is4() {
		a.SetFamily(unix.AF_INET)
		a.N = unix.SizeofSockaddrInet4
		copy(a.B[4:], i.Addr.AsSlice())
	} else {
		a.SetFamily(unix.AF_INET6)
		a.N = unix.SizeofSockaddrInet6
		copy(a.B[8:], i.Addr.AsSlice())
	}
	binary.BigEndian.PutUint16(a.B[2:], uint16(i.Port))
	typ := map[int]int{resolve.ProtoTCP: unix.SOCK_STREAM, resolve.ProtoUDP: unix.SOCK_DGRAM, resolve.ProtoRaw: unix.SOCK_RAW}[i.Proto]
	return mapOf(h, amFamily, domainTerm(a.Family()), term.Intern("type"), typeTerm(typ),
		term.Intern("protocol"), term.Small(int64(i.Proto)), amAddr, sockaddrTerm(h, &a))
}

// ifFlags are the flags of interfaces, in the order of their lists.
var ifFlags = []struct {
	bit  uint32
	name string
}{
	{unix.IFF_UP, "up"}, {unix.IFF_BROADCAST, "broadcast"}, {unix.IFF_DEBUG, "debug"}, {unix.IFF_LOOPBACK, "loopback"},
	{unix.IFF_POINTOPOINT, "pointopoint"}, {unix.IFF_NOTRAILERS, "notrailers"}, {unix.IFF_RUNNING, "running"},
	{unix.IFF_NOARP, "noarp"}, {unix.IFF_PROMISC, "promisc"}, {unix.IFF_MASTER, "master"}, {unix.IFF_SLAVE, "slave"},
	{unix.IFF_MULTICAST, "multicast"}, {unix.IFF_PORTSEL, "portsel"}, {unix.IFF_AUTOMEDIA, "automedia"}, {unix.IFF_DYNAMIC, "dynamic"},
}

// pnGetIfAddrs is getifaddrs(#{netns => Path}).
func pnGetIfAddrs(c *native.Call) term.Term {
	if !c.Arg(0).IsMap() {
		return c.Badarg()
	}
	var list []sysnet.IfAddr
	var err error
	get := func() { list, err = sysnet.IfAddrs() }
	if ns, ok := maps.Get(c.Arg(0), term.Intern("netns")); ok {
		path, ok := listBytes(ns)
		if !ok {
			return c.Badarg()
		}
		if e := InNetNS(string(path), get); e != nil {
			return errnoError(c, e)
		}
	} else {
		get()
	}
	if err != nil {
		return errnoError(c, err)
	}
	h := &c.P.Heap
	l := term.Nil
	for i := len(list) - 1; i >= 0; i-- {
		l = h.Cons(ifAddrTerm(h, &list[i]), l)
	}
	return c.Ok(l)
}

func ifAddrTerm(h *heap.Heap, i *sysnet.IfAddr) term.Term {
	flags := []term.Term{}
	for _, f := range ifFlags {
		if i.Flags&f.bit != 0 {
			flags = append(flags, term.Intern(f.name))
		}
	}
	kvs := []term.Term{term.Intern("name"), h.Latin1([]byte(i.Name)), term.Intern("flags"), h.List(flags...)}
	for _, x := range []struct {
		key string
		a   *sysnet.Addr
	}{{"addr", i.Addr}, {"netmask", i.Netmask}, {"broadaddr", i.Broad}, {"dstaddr", i.Dst}} {
		if x.a != nil {
			kvs = append(kvs, term.Intern(x.key), sockaddrTerm(h, x.a))
		}
	}
	return mapOf(h, kvs...)
}

// InNetNS runs f in a network namespace, named by a file. It holds the thread
// meanwhile.
func InNetNS(path string, f func()) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	old, err := unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(old)
	ns, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	err = unix.Setns(ns, unix.CLONE_NEWNET)
	unix.Close(ns)
	if err != nil {
		return err
	}
	f()
	if err := unix.Setns(old, unix.CLONE_NEWNET); err != nil {
		runtime.LockOSThread() // never to run anything else
		return err
	}
	return nil
}

func pnIfName2Index(c *native.Call) term.Term {
	b, ok := listBytes(c.Arg(0))
	if !ok || len(b) > unix.IFNAMSIZ {
		return c.ErrorTuple(term.Intern("einval"))
	}
	i, err := net.InterfaceByName(string(b))
	if err != nil {
		return c.ErrorTuple(term.Intern("enodev"))
	}
	return c.Ok(term.Small(int64(i.Index)))
}

func pnIfIndex2Name(c *native.Call) term.Term {
	n, ok := uint32Arg(c.Arg(0))
	if !ok {
		return c.Badarg()
	}
	i, err := net.InterfaceByIndex(int(n))
	if err != nil {
		return c.ErrorTuple(term.Intern("enxio"))
	}
	return c.Ok(c.P.Heap.Latin1([]byte(i.Name)))
}

func pnIfNames(c *native.Call) term.Term {
	is, err := net.Interfaces()
	if err != nil {
		return errnoError(c, err)
	}
	h := &c.P.Heap
	l := term.Nil
	for i := len(is) - 1; i >= 0; i-- {
		l = h.Cons(h.Tuple(term.Small(int64(is[i].Index)), h.Latin1([]byte(is[i].Name))), l)
	}
	return c.Ok(l)
}
