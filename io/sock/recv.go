package sock

import (
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/io/packet"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/term"
)

// HTTPTerm and SSLTerm build the terms of a line of HTTP and of a record of
// TLS ({ssl_tls,[],Type,{Major,Minor},Data}); set by the builtins, which know
// the same from erlang:decode_packet/3.
var (
	HTTPTerm func(h *heap.Heap, t packet.Type, line []byte, header *bool) term.Term
	SSLTerm  func(h *heap.Heap, record []byte) term.Term
)

// recvRequest asks for n bytes, or for a packet when n is 0: Timeout:32 N:32.
func (t *tcp) recvRequest(b []byte) port.Reply {
	if !t.isConnected() {
		if t.closedRecv {
			t.closedRecv, t.closedSend = false, false
			if t.resetNext {
				t.resetNext = false
				return errReply(unix.ECONNRESET)
			}
			return errReply(errClosed)
		}
		return errReply(unix.ENOTCONN)
	}
	if t.active != passive || len(b) != 8 {
		return errReply(unix.EINVAL)
	}
	ms, n := u32(b), int(int32(u32(b[4:])))
	switch {
	case t.htype != packet.Raw && n != 0:
		return errReply(unix.EINVAL)
	case n > maxPacket:
		return errReply(unix.ENOMEM)
	case t.op != nil:
		return errReply(unix.EALREADY)
	}
	o := t.newOp()
	t.op = o
	if t.ignored || t.recv(n) == 0 {
		if ms == 0 {
			t.asyncError(amTimeout)
			return o.reply()
		}
		if ms != infinity {
			t.recvTimer = t.after(ms, func() {
				t.sel(wantR, false)
				t.in.remain = 0
				t.asyncError(amTimeout)
			})
		}
		t.sel(wantR, true)
	}
	return o.reply()
}

// readsAtOnce bounds how often an active socket is read for one event.
const readsAtOnce = 8

// readMore reads what there is. A socket that fills the buffer each time is
// read again before the poller is asked.
func (t *tcp) readMore() {
	for range readsAtOnce {
		if t.recv(0) <= 0 || !t.in.full || t.active == passive || !t.isConnected() || t.want&wantR == 0 {
			return
		}
	}
}

// recv reads once, for a request of n bytes (0: what comes), and delivers. It
// returns how many packets were delivered, negative when the socket has ended.
func (t *tcp) recv(n int) int {
	i := &t.in
	i.full = false
	room := 0
	switch {
	case !i.on:
		room = t.bufsz
		if n > 0 {
			room = n
		}
		i.alloc(room)
		i.remain = n
	case n > 0:
		if i.size() >= n {
			return t.deliver(n)
		}
		i.expand(n)
		i.remain = n - i.size()
		room = i.remain
	case i.remain == 0:
		size, more, exact, ok := t.next()
		switch {
		case !ok:
			return t.readFailed(unix.EMSGSIZE)
		case size > 0:
			return t.deliver(size)
		}
		if exact {
			i.remain = more
		}
		room = more
	default:
		room = i.remain
	}
	into := i.room(room)
	k, e := sysnet.RecvFrom(t.fd, into, 0, nil)
	switch {
	case isBlock(e):
		return 0
	case e == unix.ECONNRESET && !t.showReset:
		return t.peerClosed()
	case e != 0:
		return t.readFailed(e)
	case k == 0:
		return t.peerClosed()
	}
	i.full = k == len(into)
	i.end += k
	if i.remain > 0 {
		if i.remain -= k; i.remain == 0 {
			return t.deliver(i.size())
		}
		return 0
	}
	size, more, exact, ok := t.next()
	switch {
	case !ok:
		return t.readFailed(unix.EMSGSIZE)
	case size > 0:
		return t.deliver(size)
	case exact:
		i.remain = more
	}
	return 0
}

// next looks for a packet at the start of the input: size is its length when it
// is complete. Else more is how much to read, exact when that completes it. Not
// ok: there can be none.
func (t *tcp) next() (size, more int, exact, ok bool) {
	i := &t.in
	n := i.size()
	o := packet.Options{Max: t.psize, Line: uint32(i.limit), Delimiter: t.delim}
	l := packet.Length(t.htype, i.data(), &o, &t.header)
	switch {
	case l < 0:
		return 0, 0, false, false
	case l > 0 && l <= n:
		return l, 0, false, true
	case l > 0:
		i.expand(l)
		return 0, l - n, true, true
	}
	i.compact()
	if n >= i.limit {
		if int64(t.psize) <= int64(n) {
			return 0, 0, false, false
		}
		i.expand(int(t.psize))
	}
	return 0, i.limit - n, false, true
}

// deliver hands over packets while they are wanted; size is the length of the
// first, or 0 to look for one. It returns how many, or negative when the input
// is no packet or the socket has ended.
func (t *tcp) deliver(size int) (count int) {
	i := &t.in
	if size == 0 {
		if !i.on || i.remain > 0 {
			return 0
		}
		n, more, exact, ok := t.next()
		if !ok {
			return -1
		}
		if size = n; size == 0 && exact {
			i.remain = more
		}
	}
	for size > 0 {
		t.stat.input(size)
		b := i.b[i.start : i.start+size]
		i.start += size
		i.remain = 0
		fd := t.fd
		if !t.handOver(b) || t.fd != fd {
			return -1
		}
		if i.size() == 0 {
			full := i.full
			i.clear()
			i.full = full
		}
		count++
		size = 0
		if t.active == passive {
			stop(&t.recvTimer)
			t.sel(wantR, false)
			i.compact()
		} else if i.on {
			n, more, exact, ok := t.next()
			if !ok {
				return -1
			}
			i.compact()
			if size = n; size == 0 && exact {
				i.remain = more
			}
		}
	}
	return count
}

// handOver sends a packet; false when nobody waits for it.
func (t *tcp) handOver(b []byte) bool {
	if t.asPort {
		body := packet.Body(t.htype, b)
		if t.p.HasDist() {
			if !t.p.DistData(body) {
				t.sel(wantR, false)
			}
		} else {
			t.p.SendOwner(func(h *heap.Heap) term.Term { return h.Tuple(amData, t.bytes(h, body)) })
		}
		t.delivered()
		return true
	}
	tag, whole, build := t.packetTerm(b)
	if t.active == passive {
		return t.asyncDone(func(h *heap.Heap) term.Term { return h.Tuple(term.AmOk, build(h)) })
	}
	t.toOwner(func(h *heap.Heap) term.Term {
		v := build(h)
		if whole {
			return v
		}
		return h.Tuple(tag, t.p.ID, v)
	})
	t.delivered()
	return true
}

// packetTerm returns how a packet is built, and its tag; whole: the term has
// the tag and the port already.
func (t *tcp) packetTerm(b []byte) (tag term.Term, whole bool, build func(h *heap.Heap) term.Term) {
	switch {
	case t.htype.IsHTTP():
		return amHTTP, false, func(h *heap.Heap) term.Term { return HTTPTerm(h, t.htype, b, &t.header) }
	case t.htype == packet.SSL:
		return amSSLTLS, true, func(h *heap.Heap) term.Term {
			v := SSLTerm(h, b)
			return h.Tuple(amSSLTLS, t.p.ID, v.El(3), v.El(4), v.El(5))
		}
	}
	body := packet.Body(t.htype, b)
	return amTCP, false, func(h *heap.Heap) term.Term { return t.bytes(h, body) }
}

func (t *tcp) closedMessage() {
	if !t.closeSent {
		t.closeSent = true
		t.toOwner(func(h *heap.Heap) term.Term { return h.Tuple(amTCPClosed, t.p.ID) })
	}
}

func (t *tcp) errorMessage(err error) {
	reason := errAtom(err)
	t.toOwner(func(h *heap.Heap) term.Term { return h.Tuple(amTCPError, t.p.ID, reason) })
}

// peerClosed acts on the end of input.
func (t *tcp) peerClosed() int {
	blocked := t.unblock()
	if t.file != nil {
		t.abortSendfile(unix.ENOTCONN)
		blocked = true
	}
	if !blocked {
		t.closedSend = true
	}
	t.endInput(amClosed, 0)
	return -1
}

// readFailed acts on an error of input, or on input that is no packet.
func (t *tcp) readFailed(e syscall.Errno) int {
	t.unblock()
	if t.file != nil {
		t.abortSendfile(e)
	}
	t.endInput(errAtom(e), e)
	return -1
}

// unblock ends the wait of a sender whose peer is gone.
func (t *tcp) unblock() bool {
	if t.state&fBusy == 0 {
		return false
	}
	t.clearOut()
	t.inetReplyError(t.unbusy(), amClosed)
	return true
}

// endInput tells of the end of input: the waiting request, or the owner of an
// active socket. e is the error, or 0 for a close by the peer.
func (t *tcp) endInput(reason term.Term, e syscall.Errno) {
	t.in.clear()
	if t.active == passive {
		stop(&t.recvTimer)
		stop(&t.busyTimer)
		o := t.op
		t.op = nil
		if t.exitf {
			t.closeSocket()
		} else {
			t.sel(wantR, false)
		}
		if o != nil {
			t.async(o, errorTerm(reason))
		}
		return
	}
	if e != 0 {
		t.errorMessage(e)
	}
	t.closedMessage()
	if !t.exitf {
		t.sel(wantR, false)
		return
	}
	if e == 0 {
		reason = term.AmNormal
	}
	t.p.Exit(reason)
}
