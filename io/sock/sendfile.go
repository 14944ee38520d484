package sock

import (
	"encoding/binary"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/term"
)

// sendfile is a file that is being sent.
type sendfile struct {
	fd        int
	off, left int64
	sent      int64
	skip      int // bytes of the queue that go first
}

// dropFile releases the file.
func (t *tcp) dropFile() {
	if t.file != nil {
		unix.Close(t.file.fd)
		t.file = nil
	}
}

// startSendfile sends a part of a file: Fd (as prim_file hands it out)
// Offset:64 Length:64. The owner gets {sendfile,Port,Result}.
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
		skip: t.out.size}
	t.runSendfile()
	if t.file != nil {
		t.sel(wantW, true)
	}
	return okReply()
}

const sendfileChunk = 1<<30 - 1

// runSendfile sends what can be sent now: first what was queued before the
// file, then the file.
func (t *tcp) runSendfile() {
	f := t.file
	for f.skip > 0 {
		b := t.out.bufs[0]
		n, e := sysnet.SendTo(t.fd, b[:min(len(b), f.skip)], 0, nil)
		switch {
		case e == unix.EAGAIN:
			return
		case e != 0 && e != unix.EINTR:
			t.sendfileFailed(e)
			return
		case e == 0:
			f.skip -= n
			t.out.drop(n)
		}
	}
	for f.left > 0 {
		n, e := sysnet.SendFile(t.fd, f.fd, &f.off, int(min(f.left, sendfileChunk)))
		switch {
		case e == unix.EAGAIN:
			return
		case e != 0 && e != unix.EINTR:
			t.sendfileFailed(e)
			return
		case e == 0 && n == 0:
			f.left = 0
		case e == 0:
			f.sent += int64(n)
			f.left -= int64(n)
		}
	}
	t.dropFile()
	t.checkLow()
	if t.out.size == 0 {
		t.queueEmpty()
	} else {
		t.sel(wantW, true)
	}
	t.toOwner(func(h *heap.Heap) term.Term {
		return h.Tuple(amSendfile, t.p.ID, h.Tuple(term.AmOk, term.Small(f.sent&0xFFFFFFFF), term.Small(f.sent>>32)))
	})
}

func (t *tcp) sendfileFailed(e syscall.Errno) {
	t.abortSendfile(e)
	t.sendFailed(e)
}

// abortSendfile reports that a file could not be sent. What ends the connection
// releases it.
func (t *tcp) abortSendfile(e syscall.Errno) {
	reason := errAtom(e)
	switch e {
	case unix.ECONNRESET, unix.ENOTCONN, unix.EPIPE:
		reason = amClosed
	}
	t.toOwner(func(h *heap.Heap) term.Term { return h.Tuple(amSendfile, t.p.ID, h.Tuple(term.AmError, reason)) })
}
