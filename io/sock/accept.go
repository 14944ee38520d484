package sock

import (
	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// accept asks for a connection: Timeout:32. Several processes may wait at a
// time; they are served in the order in which they asked.
func (t *tcp) accept(b []byte) port.Reply {
	if t.state&fListen == 0 || len(b) != 4 {
		return errReply(unix.EINVAL)
	}
	if len(t.accepts) == 0 {
		var a sysnet.Addr
		fd, e := sysnet.Accept(t.fd, &a)
		if e == 0 {
			p, err := t.serve(t.p.Caller(), fd, &a)
			if err != nil {
				return errReply(err)
			}
			o := t.newOp()
			t.async(o, okPort(p))
			return o.reply()
		}
		if !isBlock(e) {
			return errReply(e)
		}
	}
	o := t.newOp()
	t.accepts = append(t.accepts, o)
	if ms := u32(b); ms != infinity {
		o.timer = t.after(ms, func() {
			if t.dropAccept(o) {
				t.async(o, errorTerm(amTimeout))
			}
		})
	}
	t.acceptState()
	proc.OnExitOf(o.caller, func() {
		// The exiting process may hold locks.
		go t.p.Do(func() {
			defer invariants.Catch()
			if t.dropAccept(o) {
				stop(&o.timer)
			}
		})
	})
	return o.reply()
}

// acceptState makes the state and the interest those of the waiting requests.
func (t *tcp) acceptState() {
	switch len(t.accepts) {
	case 0:
		t.state = stListening
	case 1:
		if t.state&fMulti == 0 {
			t.state = stAccepting
		}
	default:
		t.state = stMultiAccepting
	}
	t.sel(wantR, len(t.accepts) > 0)
}

func okPort(p *port.Port) func(h *heap.Heap) term.Term {
	return func(h *heap.Heap) term.Term { return h.Tuple(term.AmOk, p.ID) }
}

// dropAccept takes a request out; false when it was answered.
func (t *tcp) dropAccept(o *op) bool {
	for i, a := range t.accepts {
		if a == o {
			t.accepts = append(t.accepts[:i], t.accepts[i+1:]...)
			if t.state&fListen != 0 {
				t.acceptState()
			}
			return true
		}
	}
	return false
}

// acceptMore serves the waiting requests.
func (t *tcp) acceptMore() {
	for len(t.accepts) > 0 {
		var a sysnet.Addr
		fd, e := sysnet.Accept(t.fd, &a)
		if isBlock(e) {
			return
		}
		o := t.accepts[0]
		t.accepts = t.accepts[1:]
		t.acceptState()
		if e != 0 {
			t.async(o, errorTerm(errAtom(e)))
			return
		}
		if p, err := t.serve(o.caller, fd, &a); err != nil {
			t.async(o, errorTerm(errAtom(err)))
		} else {
			t.async(o, okPort(p))
		}
	}
}

// serve makes a port of an accepted connection, owned by the process that asked
// for it, with the listening socket's options.
func (t *tcp) serve(owner term.Term, fd int, from *sysnet.Addr) (*port.Port, error) {
	o := *t.p.Options()
	p, err := port.Adopt(TCP{}, t.p.Name, owner, &o, func(p *port.Port, po *port.Options) (port.Instance, error) {
		n := newTCP(p, po)
		n.fam, n.stype, n.remote = t.fam, t.stype, *from
		n.bufsz, n.hsz, n.pkt, n.htype, n.psize = t.bufsz, t.hsz, t.pkt, t.htype, t.psize
		n.binary, n.exitf, n.asPort = t.binary, t.exitf, t.asPort
		n.high, n.low, n.sendTimeout, n.sendClose = t.high, t.low, t.sendTimeout, t.sendClose
		n.showReset, n.lingerZero = t.showReset, t.lingerZero
		n.msgqLow, n.msgqHigh = t.msgqLow, t.msgqHigh
		if err := n.attach(fd); err != nil {
			return nil, err
		}
		n.state = stConnected
		return n, nil
	})
	switch err {
	case nil:
		return p, nil
	case port.ErrSystemLimit:
		err = xerror("system_limit")
	}
	unix.Close(fd)
	return nil, err
}
