package esock

import (
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Closing has two steps. Close ends all requests and leaves the socket closing;
// FinalizeClose, which may wait for data to be sent, closes the descriptor. If
// the process that closes dies in between, or if the owner dies, the descriptor
// is closed then.

// Close is the first step.
func (s *Socket) Close(p *proc.Process) Reply {
	s.lock()
	defer s.unlock()
	if !isOpen(s.readState) {
		return closed
	}
	s.closer = p.ID
	if p.ID != s.owner {
		s.unwatchCloser = watch(p, s.closerDied)
	}
	s.stop()
	return done
}

// stop ends all requests.
func (s *Socket) stop() {
	s.readState |= StClosing
	s.writeState |= StClosing
	waited := s.forget()
	s.stopLane(&s.writers, waited[writing])
	if c := s.connector; c != nil {
		if waited[writing] {
			s.abort(c.pid, c.ref, atomReason(amClosed))
		}
		c.release()
		s.connector = nil
	}
	s.stopLane(&s.readers, waited[reading])
	s.stopLane(&s.acceptors, waited[reading])
}

// stopLane tells those that wait; the current one only if it did not get its
// select message.
func (s *Socket) stopLane(l *lane, waited bool) {
	if l.cur == nil {
		return
	}
	if waited {
		s.abort(l.cur.pid, l.cur.ref, atomReason(amClosed))
	}
	s.fail(l, amClosed)
}

// FinalizeClose is the second step.
func (s *Socket) FinalizeClose(p *proc.Process) Reply {
	s.lock()
	switch {
	case s.readState&StClosed != 0:
		s.unlock()
		return closed
	case s.readState&StClosing == 0 || s.closer != p.ID:
		s.unlock()
		return raiseState
	}
	fd := s.takeFd()
	s.unlock()
	if fd < 0 {
		s.tellGone()
		return done
	}
	_ = unix.SetNonblock(fd, false)
	err := unix.Close(fd)
	s.tellGone()
	switch err {
	case nil:
		return done
	case unix.EAGAIN:
		return Reply{Kind: Fail, Reason: amTimeout}
	}
	return Failed(err.(syscall.Errno))
}

// takeFd makes the socket a closed one. It returns the descriptor to close, or
// -1 if it is not the socket's to close.
func (s *Socket) takeFd() int {
	fd := s.fd
	s.fd = -1
	s.readState |= StClosed
	s.writeState |= StClosed
	s.owner, s.closer = term.None, term.None
	s.unwatchAll()
	countSocket(s.Domain, s.Type, s.Protocol, -1)
	s.meta.Free()
	s.meta = nil
	s.dropFile()
	if !s.closeFD {
		return -1
	}
	return fd
}

func (s *Socket) unwatchAll() {
	for _, f := range []func(){s.unwatchOwner, s.unwatchCloser} {
		if f != nil {
			f()
		}
	}
	s.unwatchOwner, s.unwatchCloser = nil, nil
	for _, l := range []*lane{&s.readers, &s.acceptors, &s.writers} {
		if l.cur != nil {
			l.waiting = append(l.waiting, l.cur)
			l.cur = nil
		}
		for _, r := range l.waiting {
			r.release()
		}
		l.waiting = nil
	}
	if s.connector != nil {
		s.connector.release()
		s.connector = nil
	}
}

// closeFd closes a descriptor on a thread that must not block: what lingers is
// closed on one of its own.
func (s *Socket) closeFd(fd int) {
	if fd < 0 {
		return
	}
	var b [8]byte
	if _, e := sysnet.GetOpt(fd, unix.SOL_SOCKET, unix.SO_LINGER, b[:]); e == 0 && b[0] != 0 {
		go unix.Close(fd)
		return
	}
	unix.Close(fd)
}

// tellGone takes the socket out of the registry.
func (s *Socket) tellGone() {
	if s.cfg.useRegistry {
		s.tellRegistry(amDel)
	}
}

func (s *Socket) tellRegistry(tag term.Term) {
	m := &heap.Stored{}
	ref, ok := s.Ref(&m.H)
	if !ok {
		return
	}
	m.T = m.H.Tuple(amSocketTag, tag, m.H.Tuple(amSocketTag, ref))
	(&pending{term.Term(registry.Load()), m}).send()
}

// closerDied runs when a process that is not the owner dies between the steps.
func (s *Socket) closerDied() {
	release, ok := s.hold()
	if !ok {
		return
	}
	defer release()
	if s.readState&StClosed == 0 {
		s.closeFd(s.takeFd())
		s.tellGone()
	}
}

// ownerDied runs when a process that owned the socket exits.
func (s *Socket) ownerDied(pid term.Term) {
	release, ok := s.hold()
	if !ok {
		return
	}
	defer release()
	if s.readState&StClosed != 0 || s.owner != pid {
		return
	}
	switch {
	case isOpen(s.readState):
		s.stop()
	case s.closer != pid:
		s.owner = term.None
		return // another process is closing it
	}
	s.closeFd(s.takeFd())
	s.tellGone()
}

// SetOwner gives the socket to another process; p must own it.
func (s *Socket) SetOwner(p *proc.Process, pid term.Term) Reply {
	s.lock()
	switch {
	case !isOpen(s.writeState):
		s.unlock()
		return closed
	case s.owner != p.ID:
		s.unlock()
		return Reply{Kind: Invalid, Reason: amNotOwner}
	case !pid.IsInternalPid():
		s.unlock()
		return Reply{Kind: BadArg, Reason: amValue}
	}
	if s.unwatchOwner != nil {
		s.unwatchOwner()
	}
	s.owner, s.unwatchOwner = pid, nil
	s.unlock()
	// Not under the locks: it runs the function at once if the process is gone.
	unwatch := proc.OnExitOf(pid, func() { s.ownerDied(pid) })
	s.lock()
	defer s.unlock()
	if s.owner == pid && s.unwatchOwner == nil {
		s.unwatchOwner = unwatch
	} else {
		unwatch()
	}
	return done
}
