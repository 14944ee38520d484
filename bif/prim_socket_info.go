package bif

import (
	"sync/atomic"

	"github.com/beamrd/beamrd/io/esock"
	"github.com/beamrd/beamrd/io/resolve"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// socketData is what holds for all sockets. The flags of debugging are kept and
// shown; nothing is traced.
var socketData struct{ debug, socketDebug, useRegistry, iow atomic.Bool }

// primSocketLoaded takes the load information of prim_socket.
func primSocketLoaded(info term.Term) bool {
	if !info.IsMap() {
		return false
	}
	pid, ok := maps.Get(info, term.Intern("registry"))
	if !ok || !pid.IsInternalPid() {
		return false
	}
	esock.SetRegistry(pid)
	socketData.useRegistry.Store(boolIn(info, amUseReg, true))
	socketData.iow.Store(boolIn(info, term.Intern("iow"), false))
	socketData.debug.Store(boolIn(info, amDebug, false))
	socketData.socketDebug.Store(boolIn(info, term.Intern("socket_debug"), false))
	return true
}

// kvs makes the keys and values of a map of numbers.
func numbers(c *native.Call, names []string, vals []uint64) (kvs []term.Term) {
	for i, n := range names {
		kvs = append(kvs, term.Intern(n), c.P.Heap.Uint(vals[i]))
	}
	return kvs
}

var totalNames = []string{"num_cnt_bits", "num_sockets", "num_tdgrams", "num_tstreams", "num_tseqpkgs", "num_dlocal",
	"num_dinet", "num_dinet6", "num_pip", "num_ptcp", "num_pudp", "num_psctp"}

// psGlobalInfo is info().
func psGlobalInfo(c *native.Call) term.Term {
	t := esock.CountSockets()
	counters := mapOf(&c.P.Heap, numbers(c, totalNames, []uint64{64, t.Sockets, t.Dgrams, t.Streams, t.SeqPackets, 0,
		t.Inet, t.Inet6, t.IP, t.TCP, t.UDP, t.SCTP})...)
	return mapOf(&c.P.Heap, amDebug, term.Bool(socketData.debug.Load()), term.Intern("socket_debug"), term.Bool(socketData.socketDebug.Load()),
		amUseReg, term.Bool(socketData.useRegistry.Load()), term.Intern("iow"), term.Bool(socketData.iow.Load()),
		term.Intern("counters"), counters, term.Intern("iov_max"), term.Small(iovMax))
}

var counterNames = []string{"read_byte", "read_fails", "read_pkg", "read_pkg_max", "read_tries", "read_waits",
	"write_byte", "write_fails", "write_pkg", "write_pkg_max", "write_tries", "write_waits",
	"acc_success", "acc_fails", "acc_tries", "acc_waits"}

var sendfileNames = []string{"sendfile", "sendfile_byte", "sendfile_fails", "sendfile_max", "sendfile_pkg",
	"sendfile_pkg_max", "sendfile_tries", "sendfile_waits"}

func countersTerm(c *native.Call, n *esock.Counters) term.Term {
	kvs := numbers(c, counterNames, []uint64{n.ReadBytes, n.ReadFails, n.ReadPkgs, n.ReadPkgMax, n.ReadTries, n.ReadWaits,
		n.WriteBytes, n.WriteFails, n.WritePkgs, n.WritePkgMax, n.WriteTries, n.WriteWaits,
		n.AccSuccess, n.AccFails, n.AccTries, n.AccWaits})
	if n.HasSendfile {
		kvs = append(kvs, numbers(c, sendfileNames, []uint64{n.File, n.FileBytes, n.FileFails, n.FileMax, n.FilePkgs,
			n.FilePkgMax, n.FileTries, n.FileWaits})...)
	}
	return mapOf(&c.P.Heap, kvs...)
}

var stateNames = []struct {
	bit  uint32
	name string
}{
	{esock.StBound, "bound"}, {esock.StListening, "listening"}, {esock.StAccepting, "accepting"}, {esock.StConnecting, "connecting"},
	{esock.StConnected, "connected"}, {esock.StSelected, "selected"}, {esock.StClosing, "closing"}, {esock.StClosed, "closed"},
}

func stateTerm(c *native.Call, st uint32) term.Term {
	var l []term.Term
	for _, n := range stateNames {
		if st&n.bit != 0 {
			l = append(l, term.Intern(n.name))
		}
	}
	return c.P.Heap.List(l...)
}

// psInfo is info(Socket).
func psInfo(c *native.Call) term.Term {
	return withSocket(c, func(s *esock.Socket) term.Term {
		h := &c.P.Heap
		i := s.Info()
		owner := i.Owner
		if owner == term.None {
			owner = term.AmUndefined
		}
		ctype := term.Intern("normal")
		if s.OrigFD > 0 {
			ctype = term.Intern("fromfd")
			if s.Dup() {
				ctype = h.Tuple(ctype, smallTerm(s.OrigFD))
			}
		}
		return mapOf(h, amDomain, domainTerm(s.Domain), amSockType, sockTypeTerm(s.Type), amSockProto, smallTerm(s.Protocol),
			term.Intern("owner"), owner, term.Intern("ctype"), ctype, term.Intern("counters"), countersTerm(c, &i.Counters),
			term.Intern("rstates"), stateTerm(c, i.ReadState), term.Intern("wstates"), stateTerm(c, i.WriteState),
			term.Intern("num_readers"), smallTerm(i.Readers), term.Intern("num_writers"), smallTerm(i.Writers),
			term.Intern("num_acceptors"), smallTerm(i.Acceptors))
	})
}

// psCommand is command(#{command => Command, data => Boolean}).
func psCommand(c *native.Call) term.Term {
	v, ok := mapFields(c.Arg(0), term.Intern("command"), amData)
	if !ok {
		return c.Badarg()
	}
	flag := map[term.Term]*atomic.Bool{amDebug: &socketData.debug, term.Intern("socket_debug"): &socketData.socketDebug,
		amUseReg: &socketData.useRegistry}[v[0]]
	h := &c.P.Heap
	switch {
	case flag == nil:
		return c.Error(invalid(c, h.Tuple(term.Intern("command"), v[0])))
	case !v[1].IsBool():
		return c.Error(invalid(c, h.Tuple(amData, v[1])))
	}
	flag.Store(v[1] == term.True)
	return term.AmOk
}

// psSupportsAll is supports().
func psSupportsAll(c *native.Call) term.Term {
	h := &c.P.Heap
	var l []term.Term
	for _, n := range []string{"sctp", "ipv6", "local", "netns", "sendfile"} {
		l = append(l, h.Tuple(term.Intern(n), term.True))
	}
	return h.List(l...)
}

// psSupports is supports(Key).
func psSupports(c *native.Call) term.Term {
	h := &c.P.Heap
	pair := func(name string, v int) term.Term { return h.Tuple(term.Intern(name), smallTerm(v)) }
	var l []term.Term
	switch c.Arg(0) {
	case term.Intern("msg_flags"):
		for _, f := range msgFlags {
			l = append(l, pair(f.name, f.bit))
		}
	case term.Intern("ioctl_flags"):
		for _, f := range ioctlFlags {
			l = append(l, pair(f.name, f.bit))
		}
	case term.Intern("ioctl_requests"):
		for _, r := range ioctlRequests {
			l = append(l, pair(r.name, r.num))
		}
	case term.Intern("protocols"):
		l = protocolsTerms(c)
	case term.Intern("options"):
		l = optionsTerms(c)
	}
	return h.List(l...)
}

// protocolsTerms lists {Names, Number}: of two with the same number or name the
// one that comes later counts.
func protocolsTerms(c *native.Call) (l []term.Term) {
	h := &c.P.Heap
	add := func(n int, names ...string) {
		var ns []term.Term
		for _, s := range names {
			ns = append(ns, term.Intern(s))
		}
		l = append([]term.Term{h.Tuple(h.List(ns...), smallTerm(n))}, l...)
	}
	resolve.Protocols(func(n int, names []string) { add(n, names...) })
	add(0, "ip")
	add(41, "ipv6")
	add(6, "tcp")
	add(17, "udp")
	add(132, "sctp")
	return l
}

// optionsTerms lists {Level, [{Name, Number} or Name]}.
func optionsTerms(c *native.Call) (l []term.Term) {
	h := &c.P.Heap
	for _, lv := range sockOptLevels {
		var os []term.Term
		for _, o := range lv.opts {
			if o.optCodec == nil {
				os = append(os, term.Intern(o.name))
			} else {
				os = append(os, h.Tuple(term.Intern(o.name), smallTerm(o.opt)))
			}
		}
		l = append(l, h.Tuple(levelTerm(lv.level), h.List(os...)))
	}
	return l
}
