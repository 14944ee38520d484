package esock

import (
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// enterWrite does what comes before every writing.
func (s *Socket) enterWrite(p *proc.Process, ref term.Term) (r Reply, ok bool) {
	l := &s.writers
	switch {
	case !isOpen(s.writeState):
		return closed, false
	case s.connector != nil:
		return badState, false
	case l.cur == nil || l.cur.pid == p.ID:
		return done, true
	case l.has(p.ID):
		return raiseState, false
	}
	l.waiting = append(l.waiting, s.request(p, ref, l, writing))
	return waits, false
}

// Message is what Send sends.
type Message struct {
	Size int  // of the data
	More bool // there is more than the system takes at once
	Do   func(fd int) (int, syscall.Errno)
}

// Send sends data. prepare makes the message when it is the caller's turn; its
// reply, if it is not OK, is the outcome. It is given the room for control data.
func (s *Socket) Send(p *proc.Process, ref term.Term, prepare func(ctrl int) (Message, Reply)) Reply {
	s.wr.Lock()
	defer s.wr.Unlock()
	if r, ok := s.enterWrite(p, ref); !ok {
		return r
	}
	m, r := prepare(s.cfg.wctrl)
	if r.Kind != OK {
		return r
	}
	s.count("write_tries", &s.stats.WriteTries, 1)
	n, e := m.Do(s.fd)
	switch {
	case e == unix.EAGAIN || e == unix.EINTR:
		return s.awaitWrite(p, ref)
	case e != 0:
		return s.sendFailed(e)
	case n < m.Size || m.More:
		return s.sentPart(p, ref, n, n == m.Size)
	}
	s.stats.writePkg += uint64(n)
	s.countWritten(n)
	s.finish(&s.writers, writing)
	return done
}

func (s *Socket) countWritten(n int) {
	s.count("write_pkg", &s.stats.WritePkgs, 1)
	s.count("write_byte", &s.stats.WriteBytes, uint64(n))
	s.stats.WritePkgMax = max(s.stats.WritePkgMax, s.stats.writePkg)
	s.stats.writePkg = 0
}

// sentPart has sent n bytes, which were not all; whole is true when the system
// took all that it was given.
func (s *Socket) sentPart(p *proc.Process, ref term.Term, n int, whole bool) Reply {
	s.stats.writePkg += uint64(n)
	if s.Type != unix.SOCK_STREAM {
		s.countWritten(n)
		s.finish(&s.writers, writing)
		return Reply{Kind: Written, N: int64(n)}
	}
	if whole {
		s.await(&s.writers, writing, p, ref)
		return Reply{Kind: Rest, N: int64(n)}
	}
	if r := s.awaitWrite(p, ref); r.Kind != Wait {
		return r
	}
	return Reply{Kind: Part, N: int64(n)}
}

func (s *Socket) awaitWrite(p *proc.Process, ref term.Term) Reply {
	s.await(&s.writers, writing, p, ref)
	if !s.selectOn(writing, p.ID, ref) {
		s.fail(&s.writers, amSelectW)
		return Reply{Kind: SelectFailed, Reason: amSelectW}
	}
	s.count("write_waits", &s.stats.WriteWaits, 1)
	s.writeState |= StSelected
	return waits
}

func (s *Socket) sendFailed(e syscall.Errno) Reply {
	s.count("write_fails", &s.stats.WriteFails, 1)
	r := Failed(e)
	if e != unix.EINVAL {
		s.fail(&s.writers, r.Reason)
	}
	return r
}
