package sock

import (
	"encoding/binary"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/io/packet"
	"github.com/beamrd/beamrd/vm/term"
)

// A socket that carries a connection of the distribution is read in large
// pieces, into a buffer that is shared among all, and what does not fit the
// socket is copied: the sender's buffers stay its own.

// distRoom is how much is read at a time.
const distRoom = 256 << 10

var distBufs = sync.Pool{New: func() any { return new([distRoom]byte) }}

// carriesDist tells whether the fast path is good for the socket's settings.
func (t *tcp) carriesDist() bool {
	return t.asPort && t.htype == packet.Len4 && t.active == active && t.p.HasDist()
}

// readDist reads what there is and hands the packets over.
func (t *tcp) readDist() {
	buf := distBufs.Get().(*[distRoom]byte)
	defer distBufs.Put(buf)
	for range readsAtOnce {
		if !t.readDistOnce(buf[:]) {
			return
		}
	}
}

// readDistOnce reads once; false: there is no more, or it is not wanted.
func (t *tcp) readDistOnce(buf []byte) bool {
	i := &t.in
	room, held := buf, i.size()
	if need := missing(i.data()); held+need > len(buf) {
		// A packet larger than the buffer is gathered where it is kept. Its
		// length is only believed as the bytes come.
		i.expand(held + need)
		room = i.b[:i.end+len(i.room(need))]
	} else {
		copy(buf, i.data())
	}
	k, e := sysnet.RecvFrom(t.fd, room[held:], 0, nil)
	switch {
	case isBlock(e):
		return false
	case e == unix.ECONNRESET && !t.showReset:
		t.peerClosed()
		return false
	case e != 0:
		t.readFailed(e)
		return false
	case k == 0:
		t.peerClosed()
		return false
	}
	full := held+k == len(room)
	more, ok := t.handDist(room[:held+k])
	return ok && more && full
}

// missing is how many bytes the packet at the start of b lacks, as far as is
// known.
func missing(b []byte) int {
	if len(b) < 4 {
		return 4 - len(b)
	}
	return max(0, 4+int(binary.BigEndian.Uint32(b))-len(b))
}

// handDist hands packets over and keeps the rest. more: the distribution takes
// more; not ok: the socket has ended.
func (t *tcp) handDist(b []byte) (more, ok bool) {
	more = true
	for more && len(b) >= 4 {
		n := int(binary.BigEndian.Uint32(b))
		if t.psize > 0 && uint32(n) > t.psize {
			t.readFailed(unix.EMSGSIZE)
			return false, false
		}
		if len(b)-4 < n {
			break
		}
		t.stat.input(4 + n)
		fd := t.fd
		more = t.p.DistData(b[4 : 4+n])
		if t.fd != fd {
			return false, false
		}
		b = b[4+n:]
	}
	t.keep(b)
	if !more {
		t.sel(wantR, false)
	}
	return more, true
}

// keep makes b, which may be a view of it, all of the input buffer.
func (t *tcp) keep(b []byte) {
	i := &t.in
	if len(b) == 0 {
		i.clear()
		return
	}
	if !i.on || len(i.b) < len(b) {
		old := b
		i.clear()
		i.alloc(max(len(old), 1<<10))
	}
	i.start, i.end, i.remain = 0, copy(i.b, b), 0
	i.limit = max(i.limit, i.end)
}

// DistResume reads on after the distribution refused more.
func (t *tcp) DistResume() {
	if !t.isConnected() || !t.carriesDist() {
		return
	}
	if more, ok := t.handDist(t.in.data()); more && ok {
		t.sel(wantR, true)
	}
	t.finish()
}

// DistOutput writes packets, each behind its length.
func (t *tcp) DistOutput(bufs [][]byte, sizes []int) {
	t.replyTo = term.None
	t.distOutput(bufs, sizes)
	t.finish()
}

func (t *tcp) distOutput(bufs [][]byte, sizes []int) {
	if t.htype != packet.Len4 || !t.isConnected() || t.shutPending > 0 {
		for _, n := range sizes {
			one := cutBufs(&bufs, n)
			t.output(cloneBufs(one, 0))
		}
		return
	}
	heads := make([]byte, 4*len(sizes))
	out := make([][]byte, 0, len(bufs)+len(sizes))
	total := 0
	for i, n := range sizes {
		h := heads[4*i : 4*i+4 : 4*i+4]
		binary.BigEndian.PutUint32(h, uint32(n))
		out = append(append(out, h), cutBufs(&bufs, n)...)
		total += 4 + n
		t.stat.output(4 + n)
	}
	if t.file != nil || t.out.size > 0 || t.delaySend {
		t.out.put(cloneBufs(out, 0), 0)
		t.sel(wantW, true)
		if t.out.size >= t.high {
			t.waitForLow()
		}
		return
	}
	sent := 0
	if !t.ignored {
		var e syscall.Errno
		if sent, e = t.writeDist(out); e != 0 {
			if !isBlock(e) {
				t.sendFailed(e)
				return
			}
			sent = max(sent, 0)
		}
	}
	if sent < total {
		t.out.put(cloneBufs(out, sent), 0)
		t.sel(wantW, true)
	}
}

// maxIovec is IOV_MAX of Linux.
const maxIovec = 1024

// writeDist writes buffers until the socket takes no more; e is that of the
// last attempt when not all was written.
func (t *tcp) writeDist(bufs [][]byte) (sent int, e syscall.Errno) {
	for len(bufs) > 0 {
		k := min(len(bufs), maxIovec)
		want := 0
		for _, b := range bufs[:k] {
			want += len(b)
		}
		n, e := t.write(bufs[:k])
		if e != 0 {
			return sent, e
		}
		sent += n
		if n < want {
			return sent, 0
		}
		bufs = bufs[k:]
	}
	return sent, 0
}

// cutBufs takes buffers of n bytes, which end where one of them does, off the
// front.
func cutBufs(bufs *[][]byte, n int) [][]byte {
	b := *bufs
	i := 0
	for ; i < len(b) && (n > 0 || len(b[i]) == 0); i++ {
		n -= len(b[i])
	}
	*bufs = b[i:]
	return b[:i:i]
}

// cloneBufs copies what follows the first skip bytes, into one buffer.
func cloneBufs(bufs [][]byte, skip int) [][]byte {
	n := -skip
	for _, b := range bufs {
		n += len(b)
	}
	c := make([]byte, 0, n)
	for _, b := range bufs {
		k := min(skip, len(b))
		skip -= k
		c = append(c, b[k:]...)
	}
	return [][]byte{c}
}
