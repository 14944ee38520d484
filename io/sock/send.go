package sock

import (
	"encoding/binary"
	"time"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/io/packet"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/term"
)

// Output sends data; the caller gets {inet_reply,Port,ok}, at once when it was
// taken, or when the queue is short again.
func (t *tcp) Output(data [][]byte) {
	to := t.p.Caller()
	if !t.isConnected() {
		reason := errAtom(unix.ENOTCONN)
		if t.closedSend {
			t.closedSend = false
			reason = term.Intern("closed")
			if t.resetNext {
				reason = errAtom(unix.ECONNRESET)
			}
		}
		t.inetReplyError(to, reason)
		return
	}
	if t.shutPending > 0 {
		t.sendFailed(unix.EPIPE, to)
		return
	}
	n := 0
	for _, d := range data {
		n += len(d)
	}
	if hdr := t.lengthHeader(n); hdr != nil {
		data = append([][]byte{hdr}, data...)
		n += len(hdr)
	}
	t.stat.output(n)
	if t.file != nil || t.outSize > 0 {
		t.enqueue(data, n)
		t.checkHigh(to)
		return
	}
	if n == 0 {
		t.inetReply(to, term.AmOk)
		return
	}
	if t.delaySend || t.ignored {
		t.enqueue(data, n)
		t.inetReply(to, term.AmOk)
		return
	}
	sent, err := unix.Writev(t.fd, data[:min(len(data), 1024)])
	if err != nil {
		if !isBlock(err) {
			t.sendFailed(err, to)
			return
		}
		sent = 0
	}
	if sent < n {
		t.enqueue(data, n)
		t.dequeue(sent)
	}
	t.inetReply(to, term.AmOk)
}

func (t *tcp) lengthHeader(n int) []byte {
	switch t.htype {
	case packet.Len1:
		return []byte{byte(n)}
	case packet.Len2:
		return binary.BigEndian.AppendUint16(nil, uint16(n))
	case packet.Len4:
		return binary.BigEndian.AppendUint32(nil, uint32(n))
	}
	return nil
}

func (t *tcp) enqueue(data [][]byte, n int) {
	t.out = append(t.out, data...)
	t.outSize += n
	t.wantWrite(true)
}

func (t *tcp) dequeue(n int) {
	t.outSize -= n
	for n > 0 {
		if n < len(t.out[0]) {
			t.out[0] = t.out[0][n:]
			return
		}
		n -= len(t.out[0])
		t.out[0] = nil
		t.out = t.out[1:]
	}
	for len(t.out) > 0 && len(t.out[0]) == 0 {
		t.out = t.out[1:]
	}
}

// checkHigh answers a send that was queued: when the queue is long, the answer
// waits, and so does whoever sends next.
func (t *tcp) checkHigh(to term.Term) {
	if t.outSize < t.high {
		t.inetReply(to, term.AmOk)
		return
	}
	if t.sendTimeout == 0 {
		t.inetReplyError(to, amTimeout)
		return
	}
	t.state |= fBusy
	t.busyCaller = to
	t.p.SetBusy(true)
	if t.sendTimeout == infinity {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(time.Duration(t.sendTimeout)*time.Millisecond, func() {
		t.p.Do(func() {
			if t.busyTimer != timer || t.state&fBusy == 0 {
				return
			}
			t.unbusy(amTimeout)
			if t.sendClose {
				t.closeSocket()
			}
		})
	})
	t.busyTimer = timer
}

// unbusy ends the wait of the sender; reason is None for ok.
func (t *tcp) unbusy(reason term.Term) {
	if t.busyTimer != nil {
		t.busyTimer.Stop()
		t.busyTimer = nil
	}
	t.state &^= fBusy
	t.p.SetBusy(false)
	to := t.busyCaller
	t.busyCaller = term.None
	if reason == term.None {
		t.inetReply(to, term.AmOk)
	} else {
		t.inetReplyError(to, reason)
	}
}

// writeMore writes what is queued.
func (t *tcp) writeMore() {
	if t.file != nil {
		t.runSendfile()
		return
	}
	for t.outSize > 0 {
		n, err := unix.Writev(t.fd, t.out[:min(len(t.out), 1024)])
		if err != nil {
			if !isBlock(err) {
				t.sendFailed(err, term.None)
			}
			return
		}
		t.dequeue(n)
		if t.outSize <= t.low && t.state&fBusy != 0 {
			t.unbusy(term.None)
		}
	}
	t.queueEmpty()
}

// queueEmpty acts on the end of the queue.
func (t *tcp) queueEmpty() {
	t.wantWrite(false)
	t.emptyQueue()
	if t.shutPending > 0 {
		how := t.shutPending - 1
		t.shutPending = 0
		if err := unix.Shutdown(t.fd, how); err != nil {
			t.sendFailed(err, term.None)
			return
		}
		t.shutDone = true
	}
	t.p.Drained()
}

// sendFailed acts on an error of output; to is who waits for an answer, or
// None. All errors mean that the connection is gone.
func (t *tcp) sendFailed(err error, to term.Term) {
	if err == unix.EPIPE && !t.shutDone {
		err = unix.ECONNRESET
	}
	reset := err == unix.ECONNRESET && t.showReset
	if t.state&fBusy != 0 {
		to = t.busyCaller
		if t.busyTimer != nil {
			t.busyTimer.Stop()
			t.busyTimer = nil
		}
		t.state &^= fBusy
		t.p.SetBusy(false)
	}
	reason := term.Intern("closed")
	if reset {
		reason = errAtom(err)
	}
	if t.active != passive {
		if reset {
			t.errorMessage(err)
		}
		t.closedMessage()
		if to != term.None && t.file == nil {
			t.inetReplyError(to, reason)
		}
		t.clearOut()
		if t.exitf {
			t.p.Fail(term.AmNormal)
		} else {
			t.closeSocket()
		}
		return
	}
	t.closeCheck()
	if to == term.None {
		t.closedSend = true
	} else if t.file == nil {
		t.inetReplyError(to, reason)
	}
	t.closeSocket()
	t.closedRecv = true
	t.resetNext = reset
}

// sendfile is a file that is being sent.
type sendfile struct {
	fd        int
	off, left int64
	sent      int64
	skip      int // bytes of the queue that go first
	caller    term.Term
}

func (f *sendfile) close() { unix.Close(f.fd) }

func (t *tcp) startSendfile(b []byte) port.Reply {
	switch {
	case len(b) != 20:
		return errReply(unix.EINVAL)
	case !t.isConnected():
		return errReply(unix.ENOTCONN)
	case t.file != nil:
		return errReply(unix.EINVAL)
	}
	fd, err := unix.FcntlInt(uintptr(int32(binary.NativeEndian.Uint32(b))), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return errReply(err)
	}
	t.file = &sendfile{fd: fd, off: int64(binary.BigEndian.Uint64(b[4:])), left: int64(binary.BigEndian.Uint64(b[12:])),
		skip: t.outSize, caller: t.p.Caller()}
	t.runSendfile()
	if t.file != nil {
		t.wantWrite(true)
	}
	return okReply()
}

const sendfileChunk = 1<<30 - 1

func (t *tcp) runSendfile() {
	f := t.file
	for f.skip > 0 {
		n, err := unix.Write(t.fd, t.out[0][:min(len(t.out[0]), f.skip)])
		if err != nil {
			if !isBlock(err) {
				t.abortSendfile(err)
				t.sendFailed(err, term.None)
			}
			return
		}
		f.skip -= n
		t.dequeue(n)
	}
	for f.left > 0 {
		n, err := unix.Sendfile(t.fd, f.fd, &f.off, int(min(f.left, sendfileChunk)))
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			if err != unix.EAGAIN {
				t.abortSendfile(err)
				t.sendFailed(err, term.None)
			}
			return
		}
		if n == 0 {
			break
		}
		f.sent += int64(n)
		f.left -= int64(n)
	}
	t.file = nil
	f.close()
	if t.outSize <= t.low && t.state&fBusy != 0 {
		t.unbusy(term.None)
	}
	t.p.SendRaw(t.p.OwnerLocked(), func(h *heap.Heap) term.Term {
		return h.Tuple(term.Intern("sendfile"), t.p.ID,
			h.Tuple(term.AmOk, term.Small(f.sent&0xFFFFFFFF), term.Small(f.sent>>32)))
	})
	if t.outSize == 0 {
		t.queueEmpty()
	}
}

// abortSendfile reports that a file could not be sent. What ends the
// connection releases it.
func (t *tcp) abortSendfile(err error) {
	reason := errAtom(err)
	switch err {
	case unix.ECONNRESET, unix.ENOTCONN, unix.EPIPE:
		reason = term.Intern("closed")
	}
	t.p.SendRaw(t.p.OwnerLocked(), func(h *heap.Heap) term.Term {
		return h.Tuple(term.Intern("sendfile"), t.p.ID, h.Tuple(term.AmError, reason))
	})
}
