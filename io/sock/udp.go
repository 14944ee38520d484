package sock

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/term"
)

// UDP is the driver "udp_inet": datagrams.
type UDP struct{}

// Name returns "udp_inet".
func (UDP) Name() string { return "udp_inet" }

type udp struct {
	desc
	readPackets int
	buf         []byte
	recvTimer   *timer
}

// defReadPackets is how many packets are read at a time.
const defReadPackets = 5

// Open makes a port without a socket.
func (UDP) Open(p *port.Port, o *port.Options) (port.Instance, error) {
	o.NoBusyPort = true
	u := &udp{readPackets: defReadPackets}
	u.desc = newDesc(p, u, false)
	return u, nil
}

func (u *udp) tune(opt byte, v int32) (known, ok bool) {
	if opt != optReadPackets || u.stype == unix.SOCK_STREAM {
		return false, false
	}
	if v <= 0 {
		return true, false
	}
	u.readPackets = int(v)
	return true, true
}

func (u *udp) value(opt byte) (v int32, known bool) {
	return int32(u.readPackets), opt == optReadPackets && u.stype == unix.SOCK_DGRAM
}

func (u *udp) queued() int                   { return 0 }
func (u *udp) activeWhenClosed() (gone bool) { return false }

// applied acts on changed options.
func (u *udp) applied(_ byte, oldActive int) {
	if u.isOpen() && u.active != oldActive {
		u.sel(wantR, u.active != passive)
	}
}

// Pending returns 0: datagrams are sent or dropped at once.
func (u *udp) Pending() int { return 0 }

// Stop ends the socket for good.
func (u *udp) Stop() {
	stop(&u.recvTimer)
	u.asyncError(amClosed)
	u.closeInet()
	u.release()
}

// Control answers port_control/3.
func (u *udp) Control(req uint32, b []byte) (port.Reply, bool) {
	r, ok := u.control(req-controlMagic, b)
	u.finish()
	return r, ok
}

func (u *udp) control(req uint32, b []byte) (port.Reply, bool) {
	switch req {
	case reqOpen, reqFdOpen:
		open := u.open
		if req == reqFdOpen {
			open = u.fdOpen
		}
		r := open(b)
		if r.Data[0] == repOk && u.active != passive {
			u.sel(wantR, true)
		}
		return r, true
	case reqClose:
		u.closeInet()
		return okReply(), true
	case reqConnect:
		return u.connect(b), true
	case reqPacketRecv:
		return u.recv(b), true
	}
	return u.common(req, b)
}

// dissolve ends the association with a peer.
func (u *udp) dissolve() {
	a := sysnet.Addr{N: 16} // of no family
	sysnet.Connect(u.fd, &a)
	u.state &^= fActive
}

// connect sets the peer, or none: Timeout:32 Address. It never takes long, but
// answers like that of a stream.
func (u *udp) connect(b []byte) port.Reply {
	switch {
	case !u.isOpen():
		return errReply(errBadPort)
	case len(b) == 0:
		u.dissolve()
	case len(b) < 6:
		return errReply(unix.EINVAL)
	default:
		a, _, err := takeAddr(u.fam, b[4:])
		if err != nil {
			return errReply(err)
		}
		if u.isConnected() {
			// Linux keeps the source address of the first peer otherwise.
			u.dissolve()
		}
		if e := sysnet.Connect(u.fd, a); e != 0 {
			u.dissolve()
			return errReply(e)
		}
		u.remote = *a
		u.state |= fActive
	}
	o := u.newOp()
	u.async(o, constTerm(term.AmOk))
	return o.reply()
}

// recv asks for a packet: Timeout:32 Length:32.
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
	u.input()
	if ms := u32(b); u.op == o && ms != infinity {
		u.recvTimer = u.after(ms, func() {
			u.sel(wantR, false)
			u.asyncError(amTimeout)
		})
	}
	return o.reply()
}

func (u *udp) event(read, write bool) {
	if read {
		u.input()
	}
}

// input reads what there is, up to a number of packets.
func (u *udp) input() {
	for range u.readPackets {
		if len(u.buf) < u.bufsz {
			u.buf = make([]byte, u.bufsz)
		}
		var from sysnet.Addr
		var oobRoom [128]byte
		var oob []byte
		fp := &from
		if u.state&fActive != 0 {
			from, fp = u.remote, nil
		}
		buf := u.buf[:u.bufsz]
		n, oobn := 0, 0
		var e = unix.Errno(0)
		if u.cmsg == 0 {
			n, e = sysnet.RecvFrom(u.fd, buf, 0, fp)
		} else {
			n, oobn, _, e = sysnet.RecvMsg(u.fd, [][]byte{buf}, oobRoom[:], 0, fp)
			oob = oobRoom[:oobn]
		}
		if e != 0 {
			switch {
			case isBlock(e):
				u.sel(wantR, u.active != passive || u.op != nil)
			case u.active == passive:
				stop(&u.recvTimer)
				u.sel(wantR, false)
				u.asyncError(errAtom(e))
			default:
				u.toOwner(func(h *heap.Heap) term.Term { return h.Tuple(amUDPError, u.p.ID, errAtom(e)) })
			}
			return
		}
		u.stat.input(n)
		if u.active == passive {
			stop(&u.recvTimer)
			u.sel(wantR, false)
			u.answer(&from, buf[:n], oob)
			return
		}
		u.message(&from, buf[:n], oob)
		if u.active == passive {
			u.sel(wantR, false)
			return
		}
	}
}

// answer hands a packet to the waiting request: [Address… | Data], with
// ancillary data {[Address… | Data], [{Option,Value}]}.
func (u *udp) answer(from *sysnet.Addr, b, oob []byte) {
	addr, _ := putAddr(nil, from)
	u.asyncDone(func(h *heap.Heap) term.Term {
		v := u.prefixed(h, addr, b)
		if u.cmsg != 0 {
			v = h.Tuple(v, ancillary(h, oob))
		}
		return h.Tuple(term.AmOk, v)
	})
}

// message sends a packet to the owner: {udp,Port,IP,PortNumber,[Ancillary,]Data}.
func (u *udp) message(from *sysnet.Addr, b, oob []byte) {
	if u.asPort {
		addr, _ := putAddr(nil, from)
		u.p.SendOwner(func(h *heap.Heap) term.Term { return h.Tuple(amData, u.bytes(h, append(addr, b...))) })
	} else {
		u.toOwner(func(h *heap.Heap) term.Term {
			ip, prt := addrTerms(h, from)
			if u.cmsg != 0 {
				return h.Tuple(amUDP, u.p.ID, ip, prt, ancillary(h, oob), u.bytes(h, b))
			}
			return h.Tuple(amUDP, u.p.ID, ip, prt, u.bytes(h, b))
		})
	}
	u.delivered()
}

// ancillary builds [{tos | tclass | ttl, Value}] of control messages.
func ancillary(h *heap.Heap, oob []byte) term.Term {
	ms, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return term.Nil
	}
	l := term.Nil
	for i := len(ms) - 1; i >= 0; i-- {
		if opt, v, ok := cmsgValue(&ms[i]); ok {
			name := map[byte]string{optTos: "tos", optTclass: "tclass", optTTL: "ttl"}[opt]
			l = h.Cons(h.Tuple(term.Intern(name), term.Small(int64(uint32(v)))), l)
		}
	}
	return l
}

// Output sends a packet: Address Length:32 Ancillary Data. The address counts
// for nothing when there is a peer.
func (u *udp) Output(data [][]byte) {
	to := u.p.Caller()
	if err := u.send(joined(data)); err != nil {
		u.inetReplyError(to, errAtom(err))
	} else {
		u.inetReply(to, term.AmOk)
	}
	u.finish()
}

func (u *udp) send(b []byte) error {
	if !u.isOpen() {
		return unix.EINVAL
	}
	a, b, err := takeAddr(u.fam, b)
	if err != nil {
		return err
	}
	if len(b) < 4 || uint64(len(b)-4) < uint64(u32(b)) {
		return unix.EINVAL
	}
	n := int(u32(b))
	oob, ok := controlMessages(b[4 : 4+n])
	if !ok {
		return unix.EINVAL
	}
	b = b[4+n:]
	u.stat.output(len(b))
	if u.state&fActive != 0 {
		a = nil
	}
	e := unix.Errno(0)
	if n == 0 {
		_, e = sysnet.SendTo(u.fd, b, 0, a)
	} else {
		_, e = sysnet.SendMsg(u.fd, [][]byte{b}, oob, 0, a)
	}
	if e != 0 {
		return e
	}
	return nil
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

// maxControl is how many options may go beside a packet.
const maxControl = 2

// controlMessages makes the system's form of ancillary data: options and
// values.
func controlMessages(b []byte) (oob []byte, ok bool) {
	for n := 0; len(b) > 0; n++ {
		if len(b) < 5 || n == maxControl {
			return nil, false
		}
		o := sysOpts[b[0]]
		switch b[0] {
		case optTos, optTclass, optTTL:
		default:
			return nil, false
		}
		m := make([]byte, unix.CmsgSpace(4))
		ne := binary.NativeEndian
		ne.PutUint64(m, uint64(unix.CmsgLen(4)))
		ne.PutUint32(m[8:], uint32(o.level))
		ne.PutUint32(m[12:], uint32(o.name))
		ne.PutUint32(m[16:], u32(b[1:]))
		oob = append(oob, m...)
		b = b[5:]
	}
	return oob, true
}
