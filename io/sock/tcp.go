package sock

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/io/packet"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/term"
)

// TCP is the driver "tcp_inet": streams.
type TCP struct{}

// Name returns "tcp_inet".
func (TCP) Name() string { return "tcp_inet" }

type tcp struct {
	desc

	in   []byte // read and not delivered
	need int    // bytes that recv/2 asked for; 0: a packet

	out         [][]byte // to be written
	outSize     int
	high, low   int
	sendTimeout uint32
	sendClose   bool // send_timeout_close
	busyCaller  term.Term
	busyTimer   *time.Timer
	delaySend   bool
	showReset   bool
	lingerZero  bool

	shutPending int // 1 + how of a shutdown that waits for the queue
	shutDone    bool
	closedSend  bool // the next send answers {error,closed}
	closedRecv  bool // the next recv does
	resetNext   bool // … {error,econnreset} instead

	accepts []*op // accept requests, oldest first
	file    *sendfile
	scratch []byte
}

const (
	highWater = 8192
	lowWater  = 4096
)

// Open makes a port without a socket.
func (TCP) Open(p *port.Port, o *port.Options) (port.Instance, error) { return newTCP(p, o), nil }

func newTCP(p *port.Port, o *port.Options) *tcp {
	o.NoBusyPort = true
	t := &tcp{desc: newDesc(p, true), high: highWater, low: lowWater, sendTimeout: infinity, busyCaller: term.None}
	t.desc.ready = t.event
	t.desc.applied = t.applied
	return t
}

func (t *tcp) tune(opt byte, v int32) bool {
	switch opt {
	case optHigh:
		t.high = int(max(v, 0))
		t.low = min(t.low, t.high)
	case optLow:
		t.low = int(max(v, 0))
		t.high = max(t.low, t.high)
	case optSendTimeout:
		t.sendTimeout = uint32(v)
	case optSendTimeoutEnd:
		t.sendClose = v != 0
	case optDelaySend:
		t.delaySend = v != 0
	case optShowReset:
		t.showReset = v != 0
	}
	return true
}

func (t *tcp) value(opt byte) int32 {
	b := false
	switch opt {
	case optHigh:
		return int32(t.high)
	case optLow:
		return int32(t.low)
	case optSendTimeout:
		return int32(t.sendTimeout)
	case optSendTimeoutEnd:
		b = t.sendClose
	case optDelaySend:
		b = t.delaySend
	case optShowReset:
		b = t.showReset
	}
	if b {
		return 1
	}
	return 0
}

// activeOnClosed acts on {active,true} of a socket that the peer has closed:
// the owner is told, and the port ends unless exit_on_close is false.
func (t *tcp) activeOnClosed() (gone bool) {
	if t.resetNext {
		t.resetNext = false
		t.errorMessage(unix.ECONNRESET)
	}
	t.closedMessage()
	if t.exitf {
		t.p.Fail(term.AmNormal)
		return true
	}
	return false
}

// applied acts on changed options: what was read is delivered in the new form.
func (t *tcp) applied(changed bool) error {
	if !t.isConnected() {
		return nil
	}
	if t.active != passive {
		if t.deliver() && t.isConnected() && t.active != passive {
			t.wantRead(true)
		}
	} else if t.op == nil {
		t.wantRead(false)
	}
	return nil
}

func (t *tcp) Pending() int {
	if t.lingerZero || t.file != nil || !t.wantW && t.fd < 0 {
		return 0
	}
	return t.outSize
}

// Stop ends the socket for good.
func (t *tcp) Stop() {
	t.endTimers()
	for _, o := range t.accepts {
		if o.timer != nil {
			o.timer.Stop()
		}
	}
	if t.file != nil {
		t.file.close()
		t.file = nil
	}
	t.closeFd()
}

func (t *tcp) endTimers() {
	if t.busyTimer != nil {
		t.busyTimer.Stop()
		t.busyTimer = nil
	}
	if t.op != nil && t.op.timer != nil {
		t.op.timer.Stop()
	}
}

// closeSocket closes the socket and forgets what is pending; the port stays.
func (t *tcp) closeSocket() {
	t.endTimers()
	t.clearOut()
	if t.file != nil {
		t.file.close()
		t.file = nil
	}
	t.closeFd()
}

func (t *tcp) clearOut() {
	t.out, t.outSize = nil, 0
	t.emptyQueue()
}

func (t *tcp) Control(op uint32, b []byte) (port.Reply, bool) {
	op -= controlMagic
	switch op {
	case reqOpen:
		return t.open(b), true
	case reqFdOpen:
		r := t.fdOpen(b)
		if t.isConnected() && t.active != passive {
			t.wantRead(true)
		}
		return r, true
	case reqClose:
		t.closeCheck()
		t.closeSocket()
		return okReply(), true
	case reqListen:
		return t.listen(b), true
	case reqConnect:
		return t.connect(b), true
	case reqAccept:
		return t.accept(b), true
	case reqRecv:
		return t.recv(b), true
	case reqUnrecv:
		if !t.isConnected() {
			return errReply(unix.ENOTCONN), true
		}
		t.in = append(append([]byte(nil), b...), t.in...)
		if t.active != passive {
			t.deliver()
		}
		return okReply(), true
	case reqShutdown:
		return t.shutdown(b), true
	case reqSendfile:
		return t.startSendfile(b), true
	}
	return t.common(op, b)
}

func (t *tcp) listen(b []byte) port.Reply {
	if !t.isOpen() {
		return errReply(errBadPort)
	}
	if len(b) != 2 {
		return errReply(unix.EINVAL)
	}
	if err := unix.Listen(t.fd, int(b[0])<<8|int(b[1])); err != nil {
		return errReply(err)
	}
	t.state = stListening
	return okReply()
}

func (t *tcp) connect(b []byte) port.Reply {
	switch {
	case !t.isOpen():
		return errReply(errBadPort)
	case t.isConnected():
		return errReply(unix.EISCONN)
	case t.state&stConnecting == stConnecting, len(b) < 6:
		return errReply(unix.EINVAL)
	}
	ms := u32(b)
	sa, _, err := takeAddr(t.fam, b[4:])
	if err != nil {
		return errReply(err)
	}
	t.remote = sa
	switch err := unix.Connect(t.fd, sa); err {
	case nil:
		o := t.newOp()
		t.op = o
		t.connected()
		return o.reply()
	case unix.EINPROGRESS, unix.EAGAIN:
	default:
		return errReply(err)
	}
	t.state = stConnecting
	o := t.newOp()
	t.op = o
	if ms != infinity {
		t.after(o, ms, func() {
			if t.op == o {
				// What is half connected cannot be used again.
				t.closeSocket()
				t.asyncError(amTimeout)
			}
		})
	}
	t.wantWrite(true)
	return o.reply()
}

// connected answers the connect request.
func (t *tcp) connected() {
	t.state = stConnected
	if t.active != passive {
		t.wantRead(true)
	}
	t.asyncDone(constTerm(term.AmOk))
}

// event is called by the poller.
func (t *tcp) event(read, write bool) {
	if write && t.state == stConnecting {
		t.wantWrite(false)
		if err := connectErr(t.fd); err != nil {
			t.state = stOpen
			t.asyncError(errAtom(err))
			return
		}
		t.connected()
		return
	}
	if read && t.state&fListen != 0 {
		t.acceptMore()
		return
	}
	if write && t.isConnected() {
		t.writeMore()
	}
	if read && t.isConnected() {
		t.readMore()
	}
}

// closeCheck answers the requests that a closing socket leaves.
func (t *tcp) closeCheck() {
	switch {
	case t.state&fListen != 0:
		for _, o := range t.accepts {
			t.async(o, errorTerm(term.Intern("closed")))
		}
		t.accepts = nil
	case t.state == stConnecting:
		t.asyncError(term.Intern("closed"))
	case t.isConnected():
		t.asyncError(term.Intern("closed"))
	}
}

func (t *tcp) shutdown(b []byte) port.Reply {
	if !t.isConnected() {
		return errReply(unix.ENOTCONN)
	}
	if len(b) != 1 {
		return errReply(unix.EINVAL)
	}
	how := int(b[0])
	if how != unix.SHUT_RD && t.outSize > 0 {
		t.shutPending = 1 + how
		return okReply()
	}
	err := unix.Shutdown(t.fd, how)
	if how != unix.SHUT_RD {
		t.shutDone = true
	}
	if err != nil {
		return errReply(err)
	}
	return okReply()
}

// packetOptions bounds packets as the options say.
func (t *tcp) packetOptions() *packet.Options {
	return &packet.Options{Max: t.psize, Line: uint32(max(t.bufsz, int(t.psize))), Delimiter: t.delim}
}
