package sock

import (
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/term"
)

// TCP is the driver "tcp_inet": streams.
type TCP struct{}

// Name returns "tcp_inet".
func (TCP) Name() string { return "tcp_inet" }

const (
	highWater = 8192
	lowWater  = 4096
)

type tcp struct {
	desc
	in  inBuf
	out outQueue

	high, low   int
	sendTimeout uint32
	sendClose   bool // send_timeout_close
	delaySend   bool
	showReset   bool

	replyTo    term.Term // the process whose send is being served, or None
	busyCaller term.Term // the process that waits for a shorter queue
	busyTimer  *timer    // ends that wait
	recvTimer  *timer
	connTimer  *timer
	delayTimer *timer

	shutPending int  // 1 + how of a shutdown that waits for the queue
	shutDone    bool // nothing can be sent any more
	closeSent   bool // {tcp_closed,_} was sent
	closedSend  bool // the next send answers {error,closed}
	closedRecv  bool // the next recv does
	resetNext   bool // … {error,econnreset} instead

	accepts []*op // accept requests, oldest first
	file    *sendfile
}

// Open makes a port without a socket.
func (TCP) Open(p *port.Port, o *port.Options) (port.Instance, error) { return newTCP(p, o), nil }

func newTCP(p *port.Port, o *port.Options) *tcp {
	o.NoBusyPort = true
	t := &tcp{high: highWater, low: lowWater, sendTimeout: infinity, busyCaller: term.None, replyTo: term.None}
	t.desc = newDesc(p, t, true)
	return t
}

func (t *tcp) tune(opt byte, v int32) (known, ok bool) {
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
	default:
		return false, false
	}
	return true, true
}

func (t *tcp) value(opt byte) (v int32, known bool) {
	switch opt {
	case optHigh:
		return int32(t.high), true
	case optLow:
		return int32(t.low), true
	case optSendTimeout:
		return int32(t.sendTimeout), true
	case optSendTimeoutEnd:
		return oneIf(t.sendClose), true
	case optDelaySend:
		return oneIf(t.delaySend), true
	case optShowReset:
		return oneIf(t.showReset), true
	}
	return 0, false
}

func (t *tcp) queued() int { return t.out.size }

// activeWhenClosed acts on {active,true} of a socket that was closed while it
// was passive: the owner is told, and the port ends unless exit_on_close is
// false.
func (t *tcp) activeWhenClosed() (gone bool) {
	if t.resetNext {
		t.resetNext = false
		t.errorMessage(unix.ECONNRESET)
	}
	t.closedMessage()
	if t.exitf {
		t.p.Exit(term.AmNormal)
		return true
	}
	t.sel(wantR, false)
	return false
}

// applied acts on changed options: what was read is delivered in the new form.
func (t *tcp) applied(oldPkt byte, oldActive int) {
	if !t.isConnected() {
		return
	}
	if oldActive == passive && (t.active == once || t.active == multi) && t.pkt == oldPkt {
		// Most often there is something to read already.
		if t.recv(0) >= 0 && t.active != passive {
			t.sel(wantR, true)
		}
		return
	}
	if t.active != oldActive {
		t.sel(wantR, t.active != passive)
	}
	if t.active != passive && (oldActive == passive || t.pkt != oldPkt) {
		t.deliver(0)
	}
}

// Pending returns the bytes of output that are not written yet.
func (t *tcp) Pending() int { return t.out.size }

// Flush is called when the port ends: the queue is given up where nothing
// would write it.
func (t *tcp) Flush() {
	if t.want&wantW == 0 || t.lingerZero || t.file != nil {
		t.clearOut()
	}
}

// Stop ends the socket for good.
func (t *tcp) Stop() {
	t.closeCheck()
	t.in.clear()
	t.out.clear()
	t.dropFile()
	t.stopTimers()
	t.closeInet()
	t.release()
}

// stopTimers stops all timers but those of accept requests.
func (t *tcp) stopTimers() {
	stop(&t.busyTimer)
	stop(&t.recvTimer)
	stop(&t.delayTimer)
	stop(&t.connTimer)
}

// closeSocket closes the socket and forgets what is pending; the port stays.
func (t *tcp) closeSocket() {
	t.stopTimers()
	t.in.clear()
	t.clearOut()
	t.closeInet()
}

func (t *tcp) clearOut() {
	t.out.clear()
	t.emptyQueue()
}

// closeCheck answers the requests that a closing socket leaves.
func (t *tcp) closeCheck() {
	switch {
	case t.state&fAcc != 0:
		t.sel(wantR, false)
		t.state = stListening
		for _, o := range t.accepts {
			t.async(o, errorTerm(amClosed))
		}
		t.accepts = nil
	case t.state == stConnecting, t.isConnected():
		t.asyncError(amClosed)
	}
	stop(&t.recvTimer)
	stop(&t.busyTimer)
}

// Control answers port_control/3.
func (t *tcp) Control(req uint32, b []byte) (port.Reply, bool) {
	r, ok := t.control(req-controlMagic, b)
	t.finish()
	return r, ok
}

func (t *tcp) control(req uint32, b []byte) (port.Reply, bool) {
	switch req {
	case reqOpen:
		return t.open(b), true
	case reqFdOpen:
		return t.fdOpen(b), true
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
		return t.recvRequest(b), true
	case reqUnrecv:
		if !t.isConnected() {
			return errReply(unix.ENOTCONN), true
		}
		t.in.push(b)
		if t.active != passive {
			t.deliver(0)
		}
		return okReply(), true
	case reqShutdown:
		return t.shutdown(b), true
	case reqSendfile:
		return t.startSendfile(b), true
	}
	return t.common(req, b)
}

func (t *tcp) listen(b []byte) port.Reply {
	if !t.isOpen() {
		return errReply(errBadPort)
	}
	if len(b) != 2 {
		return errReply(unix.EINVAL)
	}
	if e := sysnet.Listen(t.fd, int(int16(uint16(b[0])<<8|uint16(b[1])))); e != 0 {
		return errReply(e)
	}
	t.state = stListening
	return okReply()
}

// connect begins a connection: Timeout:32 Address.
func (t *tcp) connect(b []byte) port.Reply {
	switch {
	case !t.isOpen():
		return errReply(errBadPort)
	case t.isConnected():
		return errReply(unix.EISCONN)
	case t.isConnecting(), len(b) < 6:
		return errReply(unix.EINVAL)
	}
	ms := u32(b)
	a, _, err := takeAddr(t.fam, b[4:])
	if err != nil {
		return errReply(err)
	}
	t.remote = *a
	e := sysnet.Connect(t.fd, a)
	if e != 0 && e != unix.EINPROGRESS && e != unix.EAGAIN {
		return errReply(e)
	}
	o := t.newOp()
	t.op = o
	if e == 0 {
		t.connected()
		return o.reply()
	}
	t.state = stConnecting
	t.sel(wantW, true)
	if ms != infinity {
		t.connTimer = t.after(ms, func() {
			// What is half connected cannot be used again.
			t.closeSocket()
			t.asyncError(amTimeout)
		})
	}
	return o.reply()
}

// connected answers the connect request.
func (t *tcp) connected() {
	t.state = stConnected
	if t.active != passive {
		t.sel(wantR, true)
	}
	t.asyncDone(constTerm(term.AmOk))
}

// connectDone acts on the end of a connection attempt.
func (t *tcp) connectDone() {
	t.sel(wantW, false)
	stop(&t.connTimer)
	v, e := sysnet.GetInt(t.fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if e == 0 && v != 0 {
		e = syscall.Errno(v)
	}
	if e != 0 {
		t.state = stOpen
		t.asyncError(errAtom(e))
		return
	}
	t.connected()
}

// event is called when the socket is ready.
func (t *tcp) event(read, write bool) {
	if write {
		switch {
		case t.state == stConnecting:
			t.connectDone()
		case t.isConnected():
			t.writeMore()
		default:
			t.sel(wantW, false)
		}
	}
	if read && t.want&wantR != 0 {
		switch {
		case t.state&fAcc != 0:
			t.acceptMore()
		case t.isConnected() && t.carriesDist():
			t.readDist()
		case t.isConnected():
			t.readMore()
		default:
			t.sel(wantR, false)
		}
	}
	if t.out.size == 0 {
		t.p.Drained()
	}
}

// shutdown closes a direction; one that would cut the queue off waits for it.
func (t *tcp) shutdown(b []byte) port.Reply {
	if !t.isConnected() {
		return errReply(unix.ENOTCONN)
	}
	if len(b) != 1 {
		return errReply(unix.EINVAL)
	}
	how := int(b[0])
	if how != unix.SHUT_RD && t.out.size > 0 {
		t.shutPending = 1 + how
		return okReply()
	}
	e := sysnet.Shutdown(t.fd, how)
	if how != unix.SHUT_RD {
		t.shutDone = true
	}
	if e != 0 {
		return errReply(e)
	}
	return okReply()
}
