// Package sock holds the drivers "tcp_inet" and "udp_inet": the sockets of
// gen_tcp and gen_udp, of the families inet, inet6 and local.
//
// A socket never blocks. What can be done at once is done by the process that
// asks for it; else the poller reports when it can, and the driver goes on under
// the port's lock. Every entry into the driver (a request, an event, a timer)
// ends with finish, which tells the poller what is wanted next: an interest that
// was given up in the same breath costs no system call.
package sock

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/io/file"
	"github.com/beamrd/beamrd/io/packet"
	"github.com/beamrd/beamrd/io/poll"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/term"
)

// Interest in events.
const (
	wantR = 1 << iota
	wantW
)

// op is a request that will be answered by {inet_async,Port,Ref,Result}.
type op struct {
	ref    uint16
	caller term.Term
	timer  *timer
}

// desc is what TCP and UDP sockets have in common. Everything is guarded by
// the port's lock.
type desc struct {
	p      *port.Port
	self   driver
	fd     int
	reg    *poll.FD
	want   uint8 // events wanted
	armed  uint8 // events that the poller was asked for and has not reported
	fam    int
	stype  int
	stream bool
	state  uint32

	prebound bool // the descriptor was given by the user: never closed here
	ignored  bool // inet:ignorefd: someone else reads and writes
	lingers  bool // closing may block
	// With {linger,{true,0}} a TCP socket drops its queue too when it closes.
	lingerZero bool

	bufsz  int
	bufSet bool
	hsz    uint32
	pkt    byte // the option packet
	htype  packet.Type
	psize  uint32
	delim  byte
	header bool // of HTTP parsing
	binary bool
	exitf  bool
	asPort bool // deliver as {Port,{data,…}}
	active int
	count  int16 // of {active,N}
	cmsg   uint8
	netns  string
	debug  bool

	msgqLow, msgqHigh int32

	refs             uint16
	op               *op
	remote           sysnet.Addr
	fakePeer, fakeMe *sysnet.Addr
	subs             []term.Term
	stat             stats
}

// driver is what TCP and UDP do differently.
type driver interface {
	event(read, write bool)
	tune(opt byte, v int32) (known, ok bool)
	value(opt byte) (v int32, known bool)
	activeWhenClosed() (gone bool)
	applied(oldType byte, oldActive int)
	queued() int
}

func newDesc(p *port.Port, self driver, stream bool) desc {
	return desc{p: p, self: self, fd: -1, stream: stream, stype: -1, fam: -1, bufsz: defBuffer, exitf: true, delim: '\n',
		msgqLow: 4096, msgqHigh: 8192}
}

func (d *desc) isOpen() bool       { return d.state&fOpen != 0 }
func (d *desc) isConnected() bool  { return d.state&stConnected == stConnected }
func (d *desc) isConnecting() bool { return d.state&fCon != 0 }

// attach makes fd the socket's.
func (d *desc) attach(fd int) error {
	if err := unix.SetNonblock(fd, true); err != nil {
		return err
	}
	var reg *poll.FD
	reg, err := poll.Register(fd, func(r, w bool) { d.p.Do(func() { d.ready(reg, r, w) }) })
	if err != nil {
		return err
	}
	d.fd, d.reg, d.armed, d.want = fd, reg, 0, 0
	return nil
}

// ready acts on an event of a registration.
func (d *desc) ready(reg *poll.FD, r, w bool) {
	if d.reg != reg {
		return
	}
	d.armed = 0
	if d.ignored {
		return
	}
	r, w = r && d.want&wantR != 0, w && d.want&wantW != 0
	if r || w {
		d.self.event(r, w)
	}
	d.finish()
}

// sel begins or ends interest in events.
func (d *desc) sel(events uint8, on bool) {
	if on {
		d.want |= events
	} else {
		d.want &^= events
	}
}

// finish asks the poller for what is wanted now.
func (d *desc) finish() {
	if d.reg == nil || d.ignored || d.want&^d.armed == 0 {
		return
	}
	if d.reg.Arm(d.want&wantR != 0, d.want&wantW != 0) == nil {
		d.armed = d.want
	}
}

// release gives the descriptor up.
func (d *desc) release() {
	if d.fd < 0 {
		return
	}
	d.reg.Forget()
	switch fd := d.fd; {
	case d.prebound:
	case d.lingers:
		go unix.Close(fd)
	default:
		unix.Close(fd)
	}
	d.fd, d.reg, d.want, d.armed = -1, nil, 0, 0
}

// closeInet closes the socket; the port stays. A descriptor that the user gave
// is only left alone.
func (d *desc) closeInet() {
	d.subs = nil
	if d.prebound {
		d.want = 0
		return
	}
	if d.isOpen() {
		d.release()
		d.state = stClosed
	}
}

// timer is a callback under the port's lock that can be stopped for sure.
type timer struct {
	t    *time.Timer
	dead bool
}

// after runs f under the lock when ms milliseconds have passed.
func (d *desc) after(ms uint32, f func()) *timer {
	tm := &timer{}
	tm.t = time.AfterFunc(time.Duration(ms)*time.Millisecond, func() {
		defer invariants.Catch()
		d.p.Do(func() {
			if !tm.dead {
				tm.dead = true
				f()
				d.finish()
			}
		})
	})
	return tm
}

func stop(tm **timer) {
	if *tm != nil {
		(*tm).dead = true
		(*tm).t.Stop()
		*tm = nil
	}
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
	amTCP        = term.Intern("tcp")
	amTCPClosed  = term.Intern("tcp_closed")
	amTCPError   = term.Intern("tcp_error")
	amTCPPassive = term.Intern("tcp_passive")
	amUDP        = term.Intern("udp")
	amUDPPassive = term.Intern("udp_passive")
	amUDPError   = term.Intern("udp_error")
	amSSLTLS     = term.Intern("ssl_tls")
	amHTTP       = term.Intern("http")
	amSendfile   = term.Intern("sendfile")
	amData       = term.Intern("data")
	amClosed     = term.Intern("closed")
	amLocal      = term.Intern("local")
	amUnspec     = term.Intern("unspec")
	amUndefined  = term.AmUndefined
	amTimeout    = term.AmTimeout
)

// newRef makes the number of a request.
func (d *desc) newRef() uint16 {
	r := d.refs
	d.refs++
	return r
}

// newOp makes a request of the calling process; its number is the answer of
// the control operation.
func (d *desc) newOp() *op { return &op{ref: d.newRef(), caller: d.p.Caller()} }

func (o *op) reply() port.Reply { return okReply(byte(o.ref>>8), byte(o.ref)) }

// async answers a request: {inet_async,Port,Ref,Result}.
func (d *desc) async(o *op, res func(h *heap.Heap) term.Term) {
	stop(&o.timer)
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

// asyncDone answers the pending request; false when there is none.
func (d *desc) asyncDone(res func(h *heap.Heap) term.Term) bool {
	o := d.op
	d.op = nil
	if o != nil {
		d.async(o, res)
	}
	return o != nil
}

func (d *desc) asyncError(reason term.Term) { d.asyncDone(errorTerm(reason)) }

// inetReply answers a send: {inet_reply,Port,Result}. Nobody asks for it when
// the node's own distribution sends.
func (d *desc) inetReply(to, res term.Term) {
	if to.IsInternalPid() {
		d.p.SendRaw(to, func(h *heap.Heap) term.Term { return h.Tuple(amInetReply, d.p.ID, res) })
	}
}

func (d *desc) inetReplyError(to, reason term.Term) {
	if to.IsInternalPid() {
		d.p.SendRaw(to, func(h *heap.Heap) term.Term {
			return h.Tuple(amInetReply, d.p.ID, h.Tuple(term.AmError, reason))
		})
	}
}

// toOwner sends a message to the controlling process.
func (d *desc) toOwner(build func(h *heap.Heap) term.Term) { d.p.SendRaw(d.p.OwnerLocked(), build) }

// bytes builds data in the socket's mode: a list, a binary, or a binary with the
// first bytes before it.
func (d *desc) bytes(h *heap.Heap, b []byte) term.Term { return d.prefixed(h, nil, b) }

// prefixed is bytes with some bytes in front that always are a list.
func (d *desc) prefixed(h *heap.Heap, front, b []byte) term.Term {
	var t term.Term
	if !d.binary || uint64(d.hsz) > uint64(len(b)) {
		t = h.Latin1(b)
	} else {
		n := int(d.hsz)
		t = cons(h, b[:n], h.Binary(b[n:]))
	}
	return cons(h, front, t)
}

func cons(h *heap.Heap, b []byte, t term.Term) term.Term {
	for i := len(b) - 1; i >= 0; i-- {
		t = h.Cons(term.Small(int64(b[i])), t)
	}
	return t
}

// delivered counts an active message and makes the socket passive when it was
// the last one asked for.
func (d *desc) delivered() {
	switch d.active {
	case once:
		d.active = passive
	case multi:
		if d.count > 0 {
			if d.count--; d.count == 0 {
				d.active = passive
				d.passiveMessage()
			}
		}
	}
}

// passiveMessage says that an active count has run out.
func (d *desc) passiveMessage() {
	a := amUDPPassive
	if d.stream {
		a = amTCPPassive
	}
	d.toOwner(func(h *heap.Heap) term.Term { return h.Tuple(a, d.p.ID) })
}

// emptyQueue tells the subscribers that all output is written.
func (d *desc) emptyQueue() {
	for _, pid := range d.subs {
		d.p.SendRaw(pid, func(h *heap.Heap) term.Term { return h.Tuple(amEmptyOutQ, d.p.ID) })
	}
	d.subs = nil
}

func isBlock(e syscall.Errno) bool { return e == syscall.EAGAIN || e == syscall.EINTR }
