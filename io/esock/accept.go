package esock

import (
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Accept takes a connection; the new socket is p's, and Opened is still to be
// called for it.
func (s *Socket) Accept(p *proc.Process, ref term.Term) (*Socket, Reply) {
	s.rd.Lock()
	defer s.rd.Unlock()
	l := &s.acceptors
	switch {
	case !isOpen(s.readState):
		return nil, closed
	case s.readers.cur != nil:
		return nil, badState
	case l.cur != nil && l.cur.pid != p.ID && l.has(p.ID):
		return nil, raiseState
	case l.cur != nil && l.cur.pid != p.ID:
		l.waiting = append(l.waiting, s.request(p, ref, l, reading))
		return nil, waits
	}
	s.count("acc_tries", &s.stats.AccTries, 1)
	var a sysnet.Addr
	fd, e := sysnet.Accept(s.fd, &a)
	switch e {
	case 0:
	case unix.EAGAIN:
		return nil, s.awaitAccept(p, ref)
	default:
		return nil, s.acceptFailed(e)
	}
	s.count("acc_success", &s.stats.AccSuccess, 1)
	n := New(p, fd, s.Domain, s.Type, s.Protocol, Options{Debug: s.cfg.debug, UseRegistry: s.cfg.useRegistry})
	s.wr.Lock()
	n.cfg = s.cfg
	n.cfg.readsDone = 0
	// As in ERTS it is the listening socket that shows as connected.
	s.writeState |= StConnected
	s.wr.Unlock()
	s.finish(l, reading)
	return n, done
}

func (s *Socket) awaitAccept(p *proc.Process, ref term.Term) Reply {
	if s.acceptors.cur != nil {
		s.count("acc_waits", &s.stats.AccWaits, 1)
	}
	s.await(&s.acceptors, reading, p, ref)
	if !s.selectOn(reading, p.ID, ref) {
		s.finish(&s.acceptors, reading)
		return Reply{Kind: SelectFailed, Reason: amSelectR}
	}
	s.readState |= StAccepting | StSelected
	return waits
}

func (s *Socket) acceptFailed(e syscall.Errno) Reply {
	s.count("acc_fails", &s.stats.AccFails, 1)
	r := Failed(e)
	s.fail(&s.acceptors, r.Reason)
	return r
}
