package sock

import (
	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/io/packet"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/term"
)

// readChunk is how much is read at a time.
const readChunk = 64 << 10

// recv asks for n bytes, or for a packet when n is 0.
func (t *tcp) recv(b []byte) port.Reply {
	if !t.isConnected() {
		if t.closedRecv {
			t.closedRecv, t.closedSend = false, false
			if t.resetNext {
				t.resetNext = false
				return errReply(errEconnreset)
			}
			return errReply(errClosed)
		}
		return errReply(unix.ENOTCONN)
	}
	if t.active != passive || len(b) != 8 {
		return errReply(unix.EINVAL)
	}
	ms, n := u32(b), u32(b[4:])
	if t.htype != packet.Raw && n != 0 {
		return errReply(unix.EINVAL)
	}
	if n > maxPacket {
		return errReply(unix.ENOMEM)
	}
	if t.op != nil {
		return errReply(unix.EALREADY)
	}
	o := t.newOp()
	t.op, t.need = o, int(n)
	if !t.deliver() || t.op != o {
		return o.reply()
	}
	t.readMore()
	if t.op != o {
		return o.reply()
	}
	if ms == 0 {
		t.asyncError(amTimeout)
		return o.reply()
	}
	if ms != infinity {
		t.after(o, ms, func() {
			if t.op == o {
				t.wantRead(false)
				t.asyncError(amTimeout)
			}
		})
	}
	t.wantRead(true)
	return o.reply()
}

// wanted tells whether anyone waits for input.
func (t *tcp) wanted() bool { return t.active != passive || t.op != nil }

// readMore reads while there is something to read and someone who wants it.
func (t *tcp) readMore() {
	for t.isConnected() && t.wanted() {
		if len(t.scratch) == 0 {
			t.scratch = make([]byte, readChunk)
		}
		// What recv/2 asked for is read, and no more, so that the peer feels
		// the pace of its reader.
		limit := t.bufsz
		if t.need > 0 && t.op != nil {
			limit = t.need - len(t.in)
		}
		n, err := unix.Read(t.fd, t.scratch[:min(max(limit, 1), readChunk)])
		if err != nil {
			if isBlock(err) {
				return
			}
			if err == unix.ECONNRESET && !t.showReset {
				t.peerClosed()
			} else {
				t.readFailed(err)
			}
			return
		}
		if n == 0 {
			t.peerClosed()
			return
		}
		t.in = append(t.in, t.scratch[:n]...)
		if !t.deliver() {
			return
		}
		if t.active != passive {
			// One read for each event: others get their turn.
			return
		}
	}
	if t.fd >= 0 && !t.wanted() {
		t.wantRead(false)
	}
}

// next returns the length of the packet at the start of the input; 0 when it is
// not complete.
func (t *tcp) next() (n int, bad bool) {
	if t.htype == packet.Raw {
		if t.need > 0 && t.op != nil {
			if len(t.in) >= t.need {
				return t.need, false
			}
			return 0, false
		}
		return len(t.in), false
	}
	if len(t.in) == 0 {
		return 0, false
	}
	n = packet.Length(t.htype, t.in, t.packetOptions(), &t.header)
	switch {
	case n < 0:
		return 0, true
	case n > len(t.in):
		return 0, false
	}
	return n, false
}

// deliver hands over the complete packets while they are wanted. false: the
// socket has ended.
func (t *tcp) deliver() bool {
	for t.wanted() {
		n, bad := t.next()
		if bad {
			t.readFailed(unix.EMSGSIZE)
			return false
		}
		if n == 0 {
			break
		}
		b := t.in[:n]
		t.stat.input(n)
		t.handOver(b)
		if t.fd < 0 {
			return false
		}
		if t.in = t.in[n:]; len(t.in) == 0 {
			t.in = nil
		}
	}
	if !t.wanted() {
		t.wantRead(false)
	}
	return true
}

func (t *tcp) handOver(b []byte) {
	kind, build := t.packetTerm(b)
	switch {
	case t.active == passive:
		t.need = 0
		t.asyncDone(func(h *heap.Heap) term.Term { return h.Tuple(term.AmOk, build(h)) })
		return
	case kind == amSSLTLS: // names the port itself
		t.p.SendRaw(t.p.OwnerLocked(), build)
	case kind == amTCP && t.asPort:
		t.p.SendOwner(func(h *heap.Heap) term.Term { return h.Tuple(amData, build(h)) })
	default:
		t.p.SendRaw(t.p.OwnerLocked(), func(h *heap.Heap) term.Term { return h.Tuple(kind, t.p.ID, build(h)) })
	}
	t.delivered(amTCPPassive)
}

// HTTPTerm and SSLTerm build the terms of a line of HTTP and of a record of TLS,
// {ssl_tls, _, ContentType, Version, Data}; set by the builtins, which know the
// same from erlang:decode_packet/3.
var (
	HTTPTerm func(h *heap.Heap, t packet.Type, line []byte, header *bool) term.Term
	SSLTerm  func(h *heap.Heap, record []byte) term.Term
)

// packetTerm returns what messages with a packet are called and how its term is
// built. The bytes are used until it has been.
func (t *tcp) packetTerm(b []byte) (kind term.Term, build func(h *heap.Heap) term.Term) {
	switch {
	case t.htype.IsHTTP():
		before := t.header
		return amHTTP, func(h *heap.Heap) term.Term {
			t.header = before
			return HTTPTerm(h, t.htype, b, &t.header)
		}
	case t.htype == packet.SSL:
		return amSSLTLS, func(h *heap.Heap) term.Term {
			v := SSLTerm(h, b)
			return h.Tuple(amSSLTLS, t.p.ID, v.El(3), v.El(4), v.El(5))
		}
	}
	body := packet.Body(t.htype, b)
	return amTCP, func(h *heap.Heap) term.Term { return t.bytes(h, body) }
}

func (t *tcp) closedMessage() {
	if t.asPort {
		return
	}
	t.p.SendRaw(t.p.OwnerLocked(), func(h *heap.Heap) term.Term { return h.Tuple(amTCPClosed, t.p.ID) })
}

func (t *tcp) errorMessage(err error) {
	reason := errAtom(err)
	t.p.SendRaw(t.p.OwnerLocked(), func(h *heap.Heap) term.Term { return h.Tuple(amTCPError, t.p.ID, reason) })
}

// closeRead is what a closed peer leaves open with {exit_on_close,false}:
// sending.
func (t *tcp) closeRead() { t.wantRead(false) }

// peerClosed acts on the end of input.
func (t *tcp) peerClosed() {
	blocked := t.state&fBusy != 0
	if blocked {
		t.clearOut()
		t.unbusy(errorAtom("closed"))
	}
	if t.file != nil {
		t.abortSendfile(unix.ENOTCONN)
		blocked = true
	}
	if !blocked {
		t.closedSend = true
	}
	t.in = nil
	if t.active == passive {
		o := t.takeOp()
		if t.exitf {
			t.closeSocket()
		} else {
			t.closeRead()
		}
		if o != nil {
			t.async(o, errorTerm(term.Intern("closed")))
		}
		return
	}
	t.closedMessage()
	if t.exitf {
		t.p.Fail(term.AmNormal)
		return
	}
	t.closeRead()
}

// readFailed acts on an error of input, or a packet that is none.
func (t *tcp) readFailed(err error) {
	if t.state&fBusy != 0 {
		t.clearOut()
		t.unbusy(errorAtom("closed"))
	}
	if t.file != nil {
		t.abortSendfile(err)
	}
	t.in = nil
	if t.active == passive {
		o := t.takeOp()
		if t.exitf {
			t.closeSocket()
		} else {
			t.closeRead()
		}
		if o != nil {
			t.async(o, errorTerm(errAtom(err)))
		}
		return
	}
	t.errorMessage(err)
	t.closedMessage()
	if t.exitf {
		t.p.Fail(errAtom(err))
		return
	}
	t.closeRead()
}

func errorAtom(s string) term.Term { return term.Intern(s) }
