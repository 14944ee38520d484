package esock

import (
	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Connect begins a connection to a, or with a nil a finishes one that the same
// process began.
func (s *Socket) Connect(p *proc.Process, ref term.Term, a *sysnet.Addr) Reply {
	s.wr.Lock()
	defer s.wr.Unlock()
	switch {
	case !isOpen(s.writeState):
		return closed
	case s.writers.cur != nil:
		return badState
	case s.connector != nil && s.connector.pid != p.ID && a != nil:
		return Reply{Kind: Fail, Reason: amAlready}
	case s.connector != nil && s.connector.pid == p.ID:
		return s.connected()
	case a == nil:
		return raiseState
	}
	switch e := sysnet.Connect(s.fd, a); e {
	case 0:
		s.writeState |= StConnected
		return done
	case unix.EAGAIN, unix.EINPROGRESS:
	default:
		return Failed(e)
	}
	if !s.selectOn(writing, p.ID, ref) {
		return Reply{Kind: SelectFailed, Reason: amSelectW}
	}
	r := &request{pid: p.ID}
	r.setRef(ref)
	r.unwatch = watch(p, func() { s.connectorDied(r) })
	s.connector = r
	s.writeState |= StConnecting | StSelected
	return waits
}

var amAlready = term.Intern("already")

// connected asks the system how the connection came out.
func (s *Socket) connected() Reply {
	s.endConnect()
	v, e := sysnet.GetInt(s.fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if e == 0 {
		e = unix.Errno(v)
	}
	if e != 0 {
		return Failed(e)
	}
	s.writeState |= StConnected
	return done
}

func (s *Socket) endConnect() {
	s.connector.release()
	s.connector = nil
	s.writeState &^= StConnecting
}

func (s *Socket) connectorDied(r *request) {
	release, ok := s.hold()
	if !ok {
		return
	}
	defer release()
	if s.connector == r {
		s.endConnect()
	}
}

func (s *Socket) cancelConnect(p *proc.Process, ref term.Term) (term.Term, Reply) {
	s.wr.Lock()
	defer s.wr.Unlock()
	if !isOpen(s.writeState) {
		return term.None, closed
	}
	if c := s.connector; c == nil || c.pid != p.ID || !term.Equal(ref, c.ref.T) {
		return amNotFound, done
	}
	res := s.cancelSelect(writing)
	s.endConnect()
	return res, done
}
