package bif

import (
	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/io/esock"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// The native part of the module socket. What the sockets do is in io/esock;
// here arguments are read and results built.

var primSocketRows = []native.Row{
	{Module: "prim_socket", Name: "nif_info", Arity: 0, Fn: psGlobalInfo, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_info", Arity: 1, Fn: psInfo, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_command", Arity: 1, Fn: psCommand, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_supports", Arity: 0, Fn: psSupportsAll, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_supports", Arity: 1, Fn: psSupports, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_open", Arity: 2, Fn: psOpenFD, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_open", Arity: 4, Fn: psOpen, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_bind", Arity: 2, Fn: psBind, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_connect", Arity: 1, Fn: psConnect, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_connect", Arity: 3, Fn: psConnect, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_listen", Arity: 2, Fn: psListen, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_accept", Arity: 2, Fn: psAccept, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_send", Arity: 4, Fn: psSend, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_sendto", Arity: 5, Fn: psSendTo, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_sendmsg", Arity: 5, Fn: psSendMsg, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_sendfile", Arity: 5, Fn: psSendfile, Flags: nifIO},
	{Module: "prim_socket", Name: "nif_sendfile", Arity: 4, Fn: psSendfile, Flags: nifIO},
	{Module: "prim_socket", Name: "nif_sendfile", Arity: 1, Fn: psSendfileClose, Flags: nifIO},
	{Module: "prim_socket", Name: "nif_recv", Arity: 4, Fn: psRecv, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_recvfrom", Arity: 4, Fn: psRecvFrom, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_recvmsg", Arity: 5, Fn: psRecvMsg, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_close", Arity: 1, Fn: psClose, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_finalize_close", Arity: 1, Fn: psFinalizeClose, Flags: nifIO},
	{Module: "prim_socket", Name: "nif_shutdown", Arity: 2, Fn: psShutdown, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_setopt", Arity: 5, Fn: psSetOpt, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_getopt", Arity: 3, Fn: psGetOpt, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_getopt", Arity: 4, Fn: psGetOptNative, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_sockname", Arity: 1, Fn: psSockName, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_peername", Arity: 1, Fn: psPeerName, Flags: native.NIF},
	{Module: "prim_socket", Name: "nif_ioctl", Arity: 2, Fn: psIoctl, Flags: nifIO},
	{Module: "prim_socket", Name: "nif_ioctl", Arity: 3, Fn: psIoctl, Flags: nifIO},
	{Module: "prim_socket", Name: "nif_ioctl", Arity: 4, Fn: psIoctl, Flags: nifIO},
	{Module: "prim_socket", Name: "nif_cancel", Arity: 3, Fn: psCancel, Flags: native.NIF},
}

var (
	amInvalid   = term.Intern("invalid")
	amSelectMsg = term.Intern("select")
	amIov       = term.Intern("iov")
	amIntRange  = term.Intern("integer_range")
	amDomain    = term.Intern("domain")
	amSockType  = term.Intern("type")
	amSockProto = term.Intern("protocol")
	amSockaddr  = term.Intern("sockaddr")
	amUseReg    = term.Intern("use_registry")
	amDebug     = term.Intern("debug")
	amCtrl      = term.Intern("ctrl")
	amFlags     = term.Intern("flags")
	amData      = term.Intern("data")
	amValue     = term.Intern("value")
)

// socketArg is the socket that the first argument refers to.
func socketArg(c *native.Call) (*esock.Socket, bool) {
	s, ok := resourceValue(c.Arg(0)).(*esock.Socket)
	return s, ok
}

// withSocket reads the first argument.
func withSocket(c *native.Call, f func(s *esock.Socket) term.Term) term.Term {
	s, ok := socketArg(c)
	if !ok {
		return c.Badarg()
	}
	return f(s)
}

func invalid(c *native.Call, what term.Term) term.Term { return c.P.Heap.Tuple(amInvalid, what) }

// intRange tells that an integer does not fit, or fails for what is none.
func intRange(c *native.Call, t term.Term) term.Term {
	if !t.IsInteger() {
		return c.Badarg()
	}
	return invalid(c, c.P.Heap.Tuple(amIntRange, t))
}

// psReply builds the term of a reply. With OK there may be a result.
func psReply(c *native.Call, r esock.Reply, result ...term.Term) term.Term {
	h := &c.P.Heap
	switch r.Kind {
	case esock.OK:
		if len(result) > 0 {
			return c.Ok(result[0])
		}
		return term.AmOk
	case esock.Wait:
		return amSelectMsg
	case esock.Part:
		return h.Tuple(amSelectMsg, h.Int(r.N))
	case esock.Written:
		return c.Ok(h.Int(r.N))
	case esock.Rest:
		return h.Tuple(amIov, h.Int(r.N))
	case esock.More:
		return h.Tuple(amMore, result[0])
	case esock.PartBin:
		return h.Tuple(amSelectMsg, result[0])
	case esock.Fail:
		return c.ErrorTuple(r.Reason)
	case esock.Invalid:
		return c.ErrorTuple(invalid(c, r.Reason))
	case esock.BadArg:
		return invalid(c, r.Reason)
	case esock.Raise:
		return c.Error(invalid(c, r.Reason))
	}
	return c.Error(h.Tuple(r.Reason, term.Small(-1)))
}

// boolIn returns a flag of a map of options.
func boolIn(m, key term.Term, otherwise bool) bool {
	v, ok := maps.Get(m, key)
	if !ok || !v.IsBool() {
		return otherwise
	}
	return v == term.True
}

func openOptions(m term.Term) esock.Options {
	return esock.Options{Debug: boolIn(m, amDebug, socketData.socketDebug.Load()),
		UseRegistry: boolIn(m, amUseReg, socketData.useRegistry.Load())}
}

// typeArg reads a type of socket.
func typeArg(t term.Term) (int, bool) {
	for n, a := range typeAtoms {
		if a == t {
			return n, n != unix.SOCK_RDM
		}
	}
	return int32Arg(t)
}

// openDomain reads a domain, for which any int goes to the system.
func openDomain(t term.Term) (int, bool) {
	if d, ok := domainArg(t); ok {
		return d, true
	}
	return int32Arg(t)
}

// psOpen is open(Domain, Type, Protocol, Options).
func psOpen(c *native.Call) term.Term {
	proto, ok := int32Arg(c.Arg(2))
	if !ok {
		return intRange(c, c.Arg(2))
	}
	opts := c.Arg(3)
	if !opts.IsMap() {
		return c.Badarg()
	}
	domain, ok := openDomain(c.Arg(0))
	if !ok {
		return invalid(c, amDomain)
	}
	typ, ok := typeArg(c.Arg(1))
	if !ok {
		return invalid(c, amSockType)
	}
	fd, e := -1, unix.Errno(0)
	open := func() { fd, e = sysnet.Socket(domain, typ, proto) }
	if ns, ok := maps.Get(opts, term.Intern("netns")); ok && ns.IsBinary() {
		path, _ := heap.AlignedBytes(ns)
		if err := InNetNS(string(path), open); err != nil {
			return errnoError(c, err)
		}
	} else {
		open()
	}
	if e != 0 {
		return errnoError(c, e)
	}
	real := proto
	if v, e := sysnet.GetInt(fd, unix.SOL_SOCKET, unix.SO_PROTOCOL); real == 0 && e == 0 {
		real = v
	}
	s := esock.New(c.P, fd, domain, typ, real, openOptions(opts))
	return c.Ok(s.Opened(&c.P.Heap, proto))
}

// psOpenFD is open(FD, Options).
func psOpenFD(c *native.Call) term.Term {
	fd, ok := int32Arg(c.Arg(0))
	if !ok {
		return intRange(c, c.Arg(0))
	}
	opts := c.Arg(1)
	if !opts.IsMap() {
		return c.Badarg()
	}
	ask := func(opt int, key term.Term, read func(term.Term) (int, bool)) (int, bool) {
		if v, e := sysnet.GetInt(fd, unix.SOL_SOCKET, opt); e == 0 {
			return v, true
		}
		v, ok := maps.Get(opts, key)
		if !ok {
			return 0, false
		}
		return read(v)
	}
	domain, ok := ask(unix.SO_DOMAIN, amDomain, openDomain)
	if !ok {
		return invalid(c, amDomain)
	}
	typ, ok := ask(unix.SO_TYPE, amSockType, typeArg)
	if !ok {
		return invalid(c, amSockType)
	}
	proto, _ := ask(unix.SO_PROTOCOL, amSockProto, int32Arg)
	dup := boolIn(opts, term.Intern("dup"), true)
	own := fd
	if dup {
		var err error
		if own, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0); err != nil {
			return errnoError(c, err)
		}
	}
	_ = unix.SetNonblock(own, true)
	s := esock.New(c.P, own, domain, typ, proto, openOptions(opts))
	s.FromFD(fd, dup)
	return c.Ok(s.Opened(&c.P.Heap, proto))
}

func psBind(c *native.Call) term.Term {
	return withSocket(c, func(s *esock.Socket) term.Term {
		var a sysnet.Addr
		if !sockaddrArg(c.Arg(1), &a) {
			return invalid(c, amSockaddr)
		}
		return psReply(c, s.Bind(&a))
	})
}

// psConnect is connect(Socket, Ref, Addr), which begins, and connect(Socket),
// which finishes.
func psConnect(c *native.Call) term.Term {
	return withSocket(c, func(s *esock.Socket) term.Term {
		if c.N == 1 {
			return psReply(c, s.Connect(c.P, term.None, nil))
		}
		if !c.Arg(1).IsRef() {
			return c.Badarg()
		}
		var a sysnet.Addr
		if !sockaddrArg(c.Arg(2), &a) {
			return invalid(c, amSockaddr)
		}
		return psReply(c, s.Connect(c.P, c.Arg(1), &a))
	})
}

func psListen(c *native.Call) term.Term {
	return withSocket(c, func(s *esock.Socket) term.Term {
		n, ok := int32Arg(c.Arg(1))
		if !ok {
			return intRange(c, c.Arg(1))
		}
		return psReply(c, s.Listen(n))
	})
}

func psAccept(c *native.Call) term.Term {
	return withSocket(c, func(s *esock.Socket) term.Term {
		n, r := s.Accept(c.P, c.Arg(1))
		if n == nil {
			return psReply(c, r)
		}
		return c.Ok(n.Opened(&c.P.Heap, n.Protocol))
	})
}

func psClose(c *native.Call) term.Term {
	return withSocket(c, func(s *esock.Socket) term.Term { return psReply(c, s.Close(c.P)) })
}

func psFinalizeClose(c *native.Call) term.Term {
	return withSocket(c, func(s *esock.Socket) term.Term { return psReply(c, s.FinalizeClose(c.P)) })
}

var shutdownHow = map[term.Term]int{
	term.Intern("read"): unix.SHUT_RD, term.Intern("write"): unix.SHUT_WR, term.Intern("read_write"): unix.SHUT_RDWR,
}

func psShutdown(c *native.Call) term.Term {
	return withSocket(c, func(s *esock.Socket) term.Term {
		how, ok := shutdownHow[c.Arg(1)]
		if !ok {
			return c.Error(invalid(c, c.P.Heap.Tuple(term.Intern("how"), c.Arg(1))))
		}
		return psReply(c, s.Shutdown(how))
	})
}

func psName(c *native.Call, name func(fd int, a *sysnet.Addr) unix.Errno) term.Term {
	return withSocket(c, func(s *esock.Socket) term.Term {
		var a sysnet.Addr
		r := s.Do(func(fd int) esock.Reply { return errnoReply(name(fd, &a)) })
		if r.Kind != esock.OK {
			return psReply(c, r)
		}
		return c.Ok(sockaddrTerm(&c.P.Heap, &a))
	})
}

func psSockName(c *native.Call) term.Term { return psName(c, sysnet.Name) }
func psPeerName(c *native.Call) term.Term { return psName(c, sysnet.Peer) }

// errnoReply is ok for 0.
func errnoReply(e unix.Errno) esock.Reply {
	if e != 0 {
		return esock.Failed(e)
	}
	return esock.Reply{}
}

var cancelOps = map[term.Term]esock.Op{
	term.Intern("connect"): esock.OpConnect, term.Intern("accept"): esock.OpAccept,
	term.Intern("recv"): esock.OpRecv, term.Intern("recvfrom"): esock.OpRecv, term.Intern("recvmsg"): esock.OpRecv,
	term.Intern("send"): esock.OpSend, term.Intern("sendto"): esock.OpSend, term.Intern("sendmsg"): esock.OpSend,
	term.Intern("sendfile"): esock.OpSend,
}

// psCancel is cancel(Socket, Op, Ref).
func psCancel(c *native.Call) term.Term {
	return withSocket(c, func(s *esock.Socket) term.Term {
		if !c.Arg(1).IsAtom() || !c.Arg(2).IsRef() {
			return c.Badarg()
		}
		op, ok := cancelOps[c.Arg(1)]
		if !ok {
			if s.Open() {
				return c.Badarg()
			}
			return c.ErrorTuple(term.Intern("closed"))
		}
		t, r := s.Cancel(c.P, op, c.Arg(2))
		if t == term.None {
			return psReply(c, r)
		}
		return t
	})
}
