// Package sock holds the drivers "tcp_inet" and "udp_inet": the sockets of
// gen_tcp and gen_udp, of the families inet, inet6 and local.
//
// A socket never blocks. What can be done at once is done by the process that
// asks for it; else the poller reports when it can, and the driver goes on under
// the port's lock.
package sock

import (
	"encoding/binary"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/io/file"
	"github.com/beamrd/beamrd/io/packet"
	"github.com/beamrd/beamrd/io/poll"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/term"
)

// State bits, as getstatus shows them.
const (
	fOpen   = 0x01
	fActive = 0x04
	fListen = 0x08
	fCon    = 0x10
	fAcc    = 0x20
	fBusy   = 0x80
	fMulti  = 0x100

	stClosed     = 0
	stOpen       = fOpen
	stConnected  = fOpen | fActive
	stConnecting = fOpen | fCon
	stListening  = fOpen | fListen
	stAccepting  = fOpen | fListen | fAcc
)

// Values of the option active.
const (
	passive = iota
	active
	once
	multi
)

const (
	defBuffer = 1460
	minBuffer = 1
	maxPacket = 0x4000000 // of recv/2
)

// op is a request that will be answered by {inet_async,Port,Ref,Result}.
type op struct {
	ref    uint16
	caller term.Term
	timer  *time.Timer
}

// desc is what TCP and UDP sockets have in common. Everything is guarded by
// the port's lock.
type desc struct {
	p      *port.Port
	fd     int
	pfd    *poll.FD
	fam    int
	stype  int
	stream bool
	state  uint32
	ready  func(read, write bool) // what the poller reports

	wantR, wantW bool
	ignored      bool // inet:ignorefd

	bufsz   int
	bufSet  bool
	hsz     int
	htype   packet.Type
	psize   uint32
	binary  bool
	exitf   bool
	asPort  bool // deliver as {Port,{data,…}}
	active  int
	count   int16
	delim   byte
	cmsg    uint8
	netns   string
	refs    uint16
	op      *op
	peer    unix.Sockaddr
	name    unix.Sockaddr
	remote  unix.Sockaddr
	header  bool // of HTTP parsing
	subs    []term.Term
	stat    stats
	applied func(changed bool) error // after setopts
}

type stats struct {
	recvOct, sendOct          uint64
	recvCnt, sendCnt          uint32
	recvMax, sendMax          uint32
	recvAvg, recvDvi, sendAvg float64
}

func (s *stats) input(n int) {
	s.recvOct += uint64(n)
	s.recvCnt++
	s.recvMax = max(s.recvMax, uint32(n))
	s.recvAvg += (float64(n) - s.recvAvg) / float64(s.recvCnt)
	d := float64(n) - s.recvAvg
	if d < 0 {
		d = -d
	}
	s.recvDvi += (d - s.recvDvi) / float64(s.recvCnt)
}

func (s *stats) output(n int) {
	s.sendOct += uint64(n)
	s.sendCnt++
	s.sendMax = max(s.sendMax, uint32(n))
	s.sendAvg += (float64(n) - s.sendAvg) / float64(s.sendCnt)
}

func newDesc(p *port.Port, stream bool) desc {
	return desc{p: p, fd: -1, stream: stream, bufsz: defBuffer, exitf: true, delim: '\n'}
}

func (d *desc) isOpen() bool      { return d.state&fOpen != 0 }
func (d *desc) isConnected() bool { return d.state&stConnected == stConnected }

// attach makes fd the socket's.
func (d *desc) attach(fd int) error {
	if err := unix.SetNonblock(fd, true); err != nil {
		return err
	}
	unix.CloseOnExec(fd)
	pfd, err := poll.Register(fd, func(r, w bool) {
		d.p.Do(func() {
			if d.fd != fd || d.ignored {
				return
			}
			r, w := r && d.wantR, w && d.wantW
			d.ready(r, w)
			if d.fd == fd {
				d.rearm()
			}
		})
	})
	if err != nil {
		return err
	}
	d.fd, d.pfd = fd, pfd
	return nil
}

// want changes what the poller is to report.
func (d *desc) want(r, w bool) {
	if d.wantR == r && d.wantW == w {
		return
	}
	d.wantR, d.wantW = r, w
	d.rearm()
}

func (d *desc) wantRead(on bool)  { d.want(on, d.wantW) }
func (d *desc) wantWrite(on bool) { d.want(d.wantR, on) }

func (d *desc) rearm() {
	if d.pfd != nil && !d.ignored && (d.wantR || d.wantW) {
		_ = d.pfd.Arm(d.wantR, d.wantW)
	}
}

// closeFd closes the socket; the port stays.
func (d *desc) closeFd() {
	if d.fd < 0 {
		return
	}
	d.pfd.Forget()
	if !d.ignored {
		unix.Close(d.fd)
	}
	d.fd, d.pfd, d.state = -1, nil, stClosed
	d.wantR, d.wantW = false, false
}

// Answers of Control.

const (
	repError = 0
	repOk    = 1
)

func okReply(b ...byte) port.Reply { return port.Reply{Data: append([]byte{repOk}, b...)} }

func errReply(err error) port.Reply {
	return port.Reply{Data: append([]byte{repError}, errName(err)...)}
}

// errName names an error as Erlang does.
func errName(err error) string {
	if x, ok := err.(xerror); ok {
		return string(x)
	}
	return file.ErrnoName(file.Errno(err))
}

func errAtom(err error) term.Term { return term.Intern(errName(err)) }

// Messages.

var (
	amInetAsync  = term.Intern("inet_async")
	amInetReply  = term.Intern("inet_reply")
	amEmptyOutQ  = term.Intern("empty_out_q")
	amTimeout    = term.AmTimeout
	amTCP, amUDP = term.Intern("tcp"), term.Intern("udp")
	amTCPClosed  = term.Intern("tcp_closed")
	amTCPError   = term.Intern("tcp_error")
	amTCPPassive = term.Intern("tcp_passive")
	amUDPPassive = term.Intern("udp_passive")
	amUDPError   = term.Intern("udp_error")
	amData       = term.Intern("data")
	amHTTP       = term.Intern("http")
	amSSLTLS     = term.Intern("ssl_tls")
	amLocal      = term.Intern("local")
	amUnspec     = term.Intern("unspec")
)

// async answers a request: {inet_async,Port,Ref,Result}.
func (d *desc) async(o *op, res func(h *heap.Heap) term.Term) {
	if o.timer != nil {
		o.timer.Stop()
	}
	d.p.SendRaw(o.caller, func(h *heap.Heap) term.Term {
		return h.Tuple(amInetAsync, d.p.ID, term.Small(int64(o.ref)), res(h))
	})
}

func constTerm(t term.Term) func(*heap.Heap) term.Term {
	return func(*heap.Heap) term.Term { return t }
}

func errorTerm(reason term.Term) func(*heap.Heap) term.Term {
	return func(h *heap.Heap) term.Term { return h.Tuple(term.AmError, reason) }
}

// takeOp takes the pending request out.
func (d *desc) takeOp() *op {
	o := d.op
	d.op = nil
	return o
}

// asyncDone answers the pending request, if there is one.
func (d *desc) asyncDone(res func(h *heap.Heap) term.Term) {
	if o := d.takeOp(); o != nil {
		d.async(o, res)
	}
}

func (d *desc) asyncError(reason term.Term) { d.asyncDone(errorTerm(reason)) }

// newOp makes a request of the calling process; its number is the answer of the
// control operation.
func (d *desc) newOp() *op {
	d.refs = (d.refs + 1) & 0x7FFF
	return &op{ref: d.refs, caller: d.p.Caller()}
}

func (o *op) reply() port.Reply { return okReply(byte(o.ref>>8), byte(o.ref)) }

// after runs f under the lock when ms milliseconds have passed, unless o was
// answered.
func (d *desc) after(o *op, ms uint32, f func()) {
	o.timer = time.AfterFunc(time.Duration(ms)*time.Millisecond, func() { d.p.Do(f) })
}

// infinity is the timeout that never comes.
const infinity = 0xFFFFFFFF

// inetReply answers a send: {inet_reply,Port,Result}.
func (d *desc) inetReply(to, res term.Term) {
	d.p.SendRaw(to, func(h *heap.Heap) term.Term { return h.Tuple(amInetReply, d.p.ID, res) })
}

func (d *desc) inetReplyError(to, reason term.Term) {
	d.p.SendRaw(to, func(h *heap.Heap) term.Term {
		return h.Tuple(amInetReply, d.p.ID, h.Tuple(term.AmError, reason))
	})
}

// bytes builds data in the socket's mode: a list, a binary, or a binary with the
// first bytes before it.
func (d *desc) bytes(h *heap.Heap, b []byte) term.Term {
	if !d.binary {
		return h.Latin1(b)
	}
	n := min(d.hsz, len(b))
	t := h.Binary(b[n:])
	for i := n - 1; i >= 0; i-- {
		t = h.Cons(term.Small(int64(b[i])), t)
	}
	return t
}

// delivered counts an active message and makes the socket passive when it was
// the last one asked for. passiveMsg tells the owner.
func (d *desc) delivered(passiveAtom term.Term) {
	switch d.active {
	case once:
		d.active = passive
	case multi:
		if d.count--; d.count == 0 {
			d.active = passive
			d.passiveMsg(passiveAtom)
		}
	}
}

// passiveName is the first word of the message that says that an active count
// has run out.
func (d *desc) passiveName() term.Term {
	if d.stream {
		return amTCPPassive
	}
	return amUDPPassive
}

func (d *desc) passiveMsg(a term.Term) {
	d.p.SendRaw(d.p.OwnerLocked(), func(h *heap.Heap) term.Term { return h.Tuple(a, d.p.ID) })
}

// emptyQueue tells the subscribers that all output is written.
func (d *desc) emptyQueue() {
	for _, pid := range d.subs {
		d.p.SendRaw(pid, func(h *heap.Heap) term.Term { return h.Tuple(amEmptyOutQ, d.p.ID) })
	}
	d.subs = nil
}

func u32(b []byte) uint32 { return binary.BigEndian.Uint32(b) }

func isBlock(err error) bool { return err == syscall.EAGAIN || err == syscall.EINTR }
