package sock

import (
	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// accept asks for a connection. Several processes may wait at a time; they are
// served in the order in which they asked.
func (t *tcp) accept(b []byte) port.Reply {
	if t.state&fListen == 0 || len(b) != 4 {
		return errReply(unix.EINVAL)
	}
	o := t.newOp()
	if len(t.accepts) == 0 {
		fd, _, err := acceptFd(t.fd)
		if err == nil {
			t.serve(o, fd)
			return o.reply()
		}
		if !isBlock(err) {
			return errReply(err)
		}
	}
	t.accepts = append(t.accepts, o)
	t.state = stAccepting
	if ms := u32(b); ms != infinity {
		t.after(o, ms, func() {
			if t.dropAccept(o) {
				t.async(o, errorTerm(amTimeout))
			}
		})
	}
	t.watchCaller(o)
	t.wantRead(true)
	return o.reply()
}

func acceptFd(fd int) (int, unix.Sockaddr, error) {
	return unix.Accept4(fd, unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
}

// watchCaller drops the request of a process that exits.
func (t *tcp) watchCaller(o *op) {
	proc.OnExitOf(o.caller, func() {
		// Not under the lock of the process that exits.
		go t.p.Do(func() { t.dropAccept(o) })
	})
}

func (t *tcp) dropAccept(o *op) bool {
	for i, a := range t.accepts {
		if a == o {
			t.accepts = append(t.accepts[:i], t.accepts[i+1:]...)
			t.acceptsLeft()
			return true
		}
	}
	return false
}

func (t *tcp) acceptsLeft() {
	if len(t.accepts) == 0 && t.state&fListen != 0 {
		t.state = stListening
		t.wantRead(false)
	}
}

func (t *tcp) acceptMore() {
	for len(t.accepts) > 0 {
		fd, _, err := acceptFd(t.fd)
		if err != nil && isBlock(err) {
			return
		}
		o := t.accepts[0]
		t.accepts = t.accepts[1:]
		if err != nil {
			t.async(o, errorTerm(errAtom(err)))
		} else {
			t.serve(o, fd)
		}
		t.acceptsLeft()
	}
}

// serve makes a port of an accepted connection, owned by the process that asked
// for it, with the listening socket's options.
func (t *tcp) serve(o *op, fd int) {
	p, err := port.Adopt(TCP{}, t.p.Name, o.caller, t.p.Options(), func(p *port.Port, po *port.Options) (port.Instance, error) {
		n := newTCP(p, po)
		n.fam, n.stype = t.fam, t.stype
		n.bufsz, n.bufSet, n.hsz, n.htype, n.psize = t.bufsz, t.bufSet, t.hsz, t.htype, t.psize
		n.binary, n.exitf, n.asPort, n.delim, n.cmsg = t.binary, t.exitf, t.asPort, t.delim, t.cmsg
		n.high, n.low, n.sendTimeout, n.sendClose = t.high, t.low, t.sendTimeout, t.sendClose
		n.delaySend, n.showReset, n.lingerZero, n.netns = t.delaySend, t.showReset, t.lingerZero, t.netns
		if err := n.attach(fd); err != nil {
			return nil, err
		}
		n.state = stConnected
		return n, nil
	})
	if err != nil {
		unix.Close(fd)
		reason := term.AmSystemLimit
		if err != port.ErrSystemLimit {
			reason = errAtom(err)
		}
		t.async(o, errorTerm(reason))
		return
	}
	t.async(o, func(h *heap.Heap) term.Term { return h.Tuple(term.AmOk, p.ID) })
}
