package sock

import (
	"encoding/binary"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/io/packet"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/term"
)

// Output sends data; the caller gets {inet_reply,Port,ok}, at once when it was
// taken, or when the queue is short again.
func (t *tcp) Output(data [][]byte) {
	t.replyTo = t.p.Caller()
	t.output(data)
	t.replyTo = term.None
	t.finish()
}

// OutputLent is Output for buffers that are lent. What is not written at once is
// at the end of the queue.
func (t *tcp) OutputLent(data [][]byte, lent port.Lease) {
	before := t.out.gone + uint64(t.out.size)
	t.replyTo = t.p.Caller()
	t.output(data)
	t.replyTo = term.None
	if t.out.size > 0 && t.out.gone+uint64(t.out.size) > before {
		t.out.hold(lent)
	} else {
		lent.Release()
	}
	t.finish()
}

func (t *tcp) output(data [][]byte) {
	switch {
	case !t.isConnected():
		reason := errAtom(unix.ENOTCONN)
		if t.closedSend {
			t.closedSend = false
			if reason = amClosed; t.resetNext {
				reason = errAtom(unix.ECONNRESET)
			}
		}
		t.inetReplyError(t.replyTo, reason)
	case t.shutPending > 0:
		t.sendOrShutdownFailed(unix.EPIPE)
	case t.send(data):
		t.inetReply(t.replyTo, term.AmOk)
	}
}

// send writes or queues data. false: the caller was answered, or will be.
func (t *tcp) send(data [][]byte) bool {
	n := 0
	for _, d := range data {
		n += len(d)
	}
	if hdr := t.lengthHeader(n); hdr != nil {
		data = append([][]byte{hdr}, data...)
		n += len(hdr)
	}
	t.stat.output(n)
	switch {
	case t.file != nil || t.out.size > 0:
		t.out.put(data, 0)
		return t.out.size < t.high || t.waitForLow()
	case n == 0:
		return true
	case t.delaySend && !t.ignored:
		t.out.put(data, 0)
		t.delayTimer = t.after(0, func() {
			if t.isConnected() {
				t.event(false, true)
			}
		})
		return true
	}
	sent := 0
	if !t.ignored {
		var e syscall.Errno
		if sent, e = t.write(data); e != 0 {
			if !isBlock(e) {
				t.sendFailed(e)
				return false
			}
			sent = 0
		}
	}
	if sent < n {
		t.out.put(data, sent)
		t.sel(wantW, true)
	}
	return true
}

// write writes buffers without waiting.
func (t *tcp) write(bufs [][]byte) (int, syscall.Errno) {
	if len(bufs) == 1 {
		return sysnet.SendTo(t.fd, bufs[0], 0, nil)
	}
	return sysnet.SendMsg(t.fd, bufs, nil, 0, nil)
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

// waitForLow makes the sender wait until the queue is short, and whoever sends
// next.
func (t *tcp) waitForLow() bool {
	if t.sendTimeout == 0 {
		t.inetReplyError(t.replyTo, amTimeout)
		return false
	}
	t.state |= fBusy
	t.busyCaller = t.replyTo
	t.p.SetBusy(true)
	if t.sendTimeout != infinity {
		stop(&t.busyTimer)
		t.busyTimer = t.after(t.sendTimeout, func() {
			// The port does not stay busy: those that send next would hang
			// without a timeout.
			t.inetReplyError(t.unbusy(), amTimeout)
			if t.sendClose {
				t.closeSocket()
			}
		})
	}
	return false
}

// unbusy lets senders go on and returns the one that has no answer yet.
func (t *tcp) unbusy() term.Term {
	stop(&t.busyTimer)
	t.state &^= fBusy
	t.p.SetBusy(false)
	to := t.busyCaller
	t.busyCaller = term.None
	return to
}

// checkLow ends the wait of the sender when the queue is short.
func (t *tcp) checkLow() {
	if t.out.size <= t.low && t.state&fBusy != 0 {
		t.inetReply(t.unbusy(), term.AmOk)
	}
}

// writeMore writes what is queued.
func (t *tcp) writeMore() {
	if t.file != nil {
		t.runSendfile()
		return
	}
	for t.out.size > 0 {
		n, e := t.write(t.out.bufs)
		if e != 0 {
			if !isBlock(e) {
				t.sendFailed(e)
				return
			}
			t.sel(wantW, true)
			return
		}
		t.out.drop(n)
		t.checkLow()
	}
	t.queueEmpty()
}

// queueEmpty acts on the end of the queue.
func (t *tcp) queueEmpty() {
	t.sel(wantW, false)
	t.emptyQueue()
	if t.shutPending > 0 {
		how := t.shutPending - 1
		t.shutPending = 0
		if e := sysnet.Shutdown(t.fd, how); e != 0 {
			t.sendOrShutdownFailed(e)
			return
		}
		t.shutDone = true
	}
}

// sendFailed acts on an error of output. A broken pipe that we did not break
// ourselves means that the peer has reset the connection.
func (t *tcp) sendFailed(e syscall.Errno) {
	if e == unix.EPIPE && !t.shutDone {
		e = unix.ECONNRESET
	}
	t.sendOrShutdownFailed(e)
}

// sendOrShutdownFailed ends the connection: all errors mean that it is gone.
func (t *tcp) sendOrShutdownFailed(e syscall.Errno) {
	reset := e == unix.ECONNRESET && t.showReset
	if t.state&fBusy != 0 {
		t.replyTo = t.unbusy()
	}
	reason := amClosed
	if reset {
		reason = errAtom(e)
	}
	answer := func() {
		if t.file == nil {
			t.inetReplyError(t.replyTo, reason)
		}
		t.replyTo = term.None
	}
	if t.active != passive {
		if reset {
			t.errorMessage(e)
		}
		t.closedMessage()
		answer()
		if t.exitf {
			t.clearOut()
			t.p.Exit(term.AmNormal)
		} else {
			t.dropFile()
			t.closeSocket()
		}
		return
	}
	t.closeCheck()
	if t.replyTo == term.None {
		t.closedSend = true
	} else {
		answer()
	}
	t.dropFile()
	t.closeSocket()
	// That way senders may ignore errors and leave them to the next receive.
	t.closedRecv = true
	t.resetNext = t.resetNext || reset
}
