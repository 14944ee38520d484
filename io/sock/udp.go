package sock

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/term"
)

// UDP is the driver "udp_inet".
type UDP struct{}

// Name returns "udp_inet".
func (UDP) Name() string { return "udp_inet" }

type udp struct {
	desc
	readPackets int
	buf         []byte
}

// defReadPackets is how many packets are read at a time.
const defReadPackets = 5

// Open makes a port without a socket; INET_REQ_OPEN makes that.
func (UDP) Open(p *port.Port, o *port.Options) (port.Instance, error) {
	o.NoBusyPort = true
	u := &udp{desc: newDesc(p, false), readPackets: defReadPackets}
	u.bufsz = 8 * 1024
	u.desc.ready = u.event
	u.desc.applied = u.applied
	return u, nil
}

func (u *udp) tune(opt byte, v int32) bool {
	if opt == optReadPackets {
		if v <= 0 {
			return false
		}
		u.readPackets = int(v)
	}
	return true
}

func (u *udp) value(opt byte) int32 {
	if opt == optReadPackets {
		return int32(u.readPackets)
	}
	return 0
}

func (u *udp) activeOnClosed() bool { return false }

// applied acts on changed options: an active socket is read.
func (u *udp) applied(changed bool) error {
	if u.active != passive {
		u.wantRead(true)
	} else if u.op == nil {
		u.wantRead(false)
	}
	return nil
}

func (u *udp) Pending() int { return 0 }

func (u *udp) Stop() { u.closeFd() }

func (u *udp) Control(op uint32, b []byte) (port.Reply, bool) {
	op -= controlMagic
	switch op {
	case reqOpen, reqFdOpen:
		r := port.Reply{}
		if op == reqOpen {
			r = u.open(b)
		} else {
			r = u.fdOpen(b)
		}
		if u.isOpen() && u.active != passive {
			u.wantRead(true)
		}
		return r, true
	case reqClose:
		u.closeFd()
		return okReply(), true
	case reqConnect:
		return u.connect(b), true
	case reqListen:
		return errReply(errBadPort), true
	case reqPacketRecv:
		return u.recv(b), true
	}
	return u.common(op, b)
}

// dissolve ends the association with a peer.
func (u *udp) dissolve() {
	_ = connectUnspec(u.fd)
	u.state &^= fActive
}

func (u *udp) connect(b []byte) port.Reply {
	if !u.isOpen() {
		return errReply(errBadPort)
	}
	if len(b) == 0 {
		u.dissolve()
		o := u.newOp()
		u.async(o, constTerm(term.AmOk))
		return o.reply()
	}
	if len(b) < 6 {
		return errReply(unix.EINVAL)
	}
	sa, _, err := takeAddr(u.fam, b[4:])
	if err != nil {
		return errReply(err)
	}
	if u.isConnected() {
		// Linux keeps the source address of the first peer otherwise.
		u.dissolve()
	}
	if err := unix.Connect(u.fd, sa); err != nil {
		u.dissolve()
		return errReply(err)
	}
	u.remote = sa
	u.state |= fActive
	o := u.newOp()
	u.async(o, constTerm(term.AmOk))
	return o.reply()
}

func (u *udp) recv(b []byte) port.Reply {
	switch {
	case !u.isOpen():
		return errReply(errBadPort)
	case u.active != passive || len(b) != 8:
		return errReply(unix.EINVAL)
	case u.op != nil:
		return errReply(unix.EALREADY)
	}
	o := u.newOp()
	u.op = o
	if u.input() == 0 && u.op == o {
		if ms := u32(b); ms != infinity {
			u.after(o, ms, func() {
				if u.op == o {
					u.wantRead(false)
					u.asyncError(amTimeout)
				}
			})
		}
		u.wantRead(true)
	}
	return o.reply()
}

func (u *udp) event(read, write bool) {
	if read {
		u.input()
	}
}

// input reads what there is, up to a number of packets, and returns how many
// were delivered.
func (u *udp) input() (n int) {
	for n < u.readPackets {
		if u.active == passive && u.op == nil {
			u.wantRead(false)
			return n
		}
		if len(u.buf) < u.bufsz {
			u.buf = make([]byte, u.bufsz)
		}
		var oob [256]byte
		k, oobn, _, from, err := unix.Recvmsg(u.fd, u.buf[:u.bufsz], oob[:], 0)
		if err != nil {
			if isBlock(err) {
				return n
			}
			if u.active == passive {
				u.wantRead(false)
				u.asyncError(errAtom(err))
			} else {
				u.failed(err)
			}
			return n
		}
		u.stat.input(k)
		if from == nil && u.isConnected() {
			from = u.remote
		}
		u.deliver(from, u.buf[:k], u.ancillary(oob[:oobn]))
		n++
		if u.fd < 0 {
			return n
		}
	}
	return n
}

// failed reports an error of an active socket.
func (u *udp) failed(err error) {
	reason := errAtom(err)
	u.p.SendRaw(u.p.OwnerLocked(), func(h *heap.Heap) term.Term { return h.Tuple(amUDPError, u.p.ID, reason) })
}

// ancillary returns what was asked for of the data beside a packet.
func (u *udp) ancillary(oob []byte) (pairs []anc) {
	if u.cmsg == 0 {
		return nil
	}
	pairs = []anc{}
	ms, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return pairs
	}
	for _, m := range ms {
		v := 0
		switch {
		case len(m.Data) >= 4:
			v = int(int32(binary.NativeEndian.Uint32(m.Data)))
		case len(m.Data) >= 1:
			v = int(m.Data[0])
		}
		switch {
		case m.Header.Level == unix.IPPROTO_IP && m.Header.Type == unix.IP_TOS && u.cmsg&cmsgTos != 0:
			pairs = append(pairs, anc{term.Intern("tos"), v})
		case m.Header.Level == unix.IPPROTO_IPV6 && m.Header.Type == unix.IPV6_TCLASS && u.cmsg&cmsgTclass != 0:
			pairs = append(pairs, anc{term.Intern("tclass"), v})
		case m.Header.Level == unix.IPPROTO_IP && m.Header.Type == unix.IP_TTL && u.cmsg&cmsgTTL != 0:
			pairs = append(pairs, anc{term.Intern("ttl"), v})
		}
	}
	return pairs
}

type anc struct {
	key term.Term
	val int
}

func ancTerm(h *heap.Heap, pairs []anc) term.Term {
	l := term.Nil
	for i := len(pairs) - 1; i >= 0; i-- {
		l = h.Cons(h.Tuple(pairs[i].key, term.Small(int64(pairs[i].val))), l)
	}
	return l
}

// deliver hands a packet to whoever waits, or to the owner.
func (u *udp) deliver(from unix.Sockaddr, b []byte, extra []anc) {
	raw := func(h *heap.Heap) term.Term {
		t := u.bytes(h, b)
		a := putAddr(nil, from)
		for i := len(a) - 1; i >= 0; i-- {
			t = h.Cons(term.Small(int64(a[i])), t)
		}
		return t
	}
	switch {
	case u.active == passive:
		u.wantRead(false)
		u.asyncDone(func(h *heap.Heap) term.Term {
			t := raw(h)
			if extra != nil {
				t = h.Tuple(t, ancTerm(h, extra))
			}
			return h.Tuple(term.AmOk, t)
		})
		return
	case u.asPort:
		u.p.SendOwner(func(h *heap.Heap) term.Term { return h.Tuple(amData, raw(h)) })
	default:
		u.p.SendRaw(u.p.OwnerLocked(), func(h *heap.Heap) term.Term {
			ip, prt := addrTerms(h, from)
			if extra != nil {
				return h.Tuple(amUDP, u.p.ID, ip, prt, ancTerm(h, extra), u.bytes(h, b))
			}
			return h.Tuple(amUDP, u.p.ID, ip, prt, u.bytes(h, b))
		})
	}
	u.delivered(amUDPPassive)
}

// addrTerms builds an address and port: {A,B,C,D} and 80, {local,Path} and 0.
func addrTerms(h *heap.Heap, sa unix.Sockaddr) (ip, prt term.Term) {
	switch a := sa.(type) {
	case *unix.SockaddrInet4:
		els := make([]term.Term, 4)
		for i, v := range a.Addr {
			els[i] = term.Small(int64(v))
		}
		return h.Tuple(els...), term.Small(int64(a.Port))
	case *unix.SockaddrInet6:
		els := make([]term.Term, 8)
		for i := range els {
			els[i] = term.Small(int64(binary.BigEndian.Uint16(a.Addr[2*i:])))
		}
		return h.Tuple(els...), term.Small(int64(a.Port))
	case *unix.SockaddrUnix:
		return h.Tuple(amLocal, h.Binary([]byte(a.Name))), term.Small(0)
	}
	return h.Tuple(amUnspec, h.Binary(nil)), term.Small(0)
}

// Output sends a packet: address, ancillary data with its length, data.
func (u *udp) Output(data [][]byte) {
	to := u.p.Caller()
	b := joined(data)
	if !u.isOpen() {
		u.inetReplyError(to, errAtom(unix.EINVAL))
		return
	}
	sa, b, err := takeAddr(u.fam, b)
	if err != nil {
		u.inetReplyError(to, errAtom(err))
		return
	}
	if len(b) < 4 || len(b)-4 < int(u32(b)) {
		u.inetReplyError(to, errAtom(unix.EINVAL))
		return
	}
	n := int(u32(b))
	oob, ok := u.controlMsg(b[4 : 4+n])
	if !ok {
		u.inetReplyError(to, errAtom(unix.EINVAL))
		return
	}
	b = b[4+n:]
	u.stat.output(len(b))
	if u.state&fActive != 0 {
		sa = nil
	}
	if _, err := unix.SendmsgN(u.fd, b, oob, sa, 0); err != nil {
		u.inetReplyError(to, errAtom(err))
		return
	}
	u.inetReply(to, term.AmOk)
}

func joined(data [][]byte) []byte {
	if len(data) == 1 {
		return data[0]
	}
	var b []byte
	for _, d := range data {
		b = append(b, d...)
	}
	return b
}

// controlMsg makes the system's form of ancillary data: options and values.
func (u *udp) controlMsg(b []byte) (oob []byte, ok bool) {
	for len(b) > 0 {
		if len(b) < 5 {
			return nil, false
		}
		o := sysOpts[b[0]]
		switch b[0] {
		case optTos, optTclass, optTTL:
		default:
			return nil, false
		}
		oob = append(oob, cmsgInt(o.level, o.name, int32(u32(b[1:])))...)
		b = b[5:]
	}
	return oob, true
}
