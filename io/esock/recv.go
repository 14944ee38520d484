package esock

import (
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// AmZero stands in place of a reference for receiving what is there now,
// without waiting.
var AmZero = term.Intern("zero")

// BufSizes returns the sizes of buffers for data and control data, where 0 asks
// for the default.
func (s *Socket) BufSizes(n, ctrl int) (int, int) {
	s.rd.Lock()
	defer s.rd.Unlock()
	if n == 0 {
		n = s.cfg.buf
	}
	if ctrl == 0 {
		ctrl = s.cfg.rctrl
	}
	return n, ctrl
}

// enterRead does what comes before every reading.
func (s *Socket) enterRead(p *proc.Process, ref term.Term) (r Reply, ok bool) {
	l := &s.readers
	switch {
	case !isOpen(s.readState):
		return closed, false
	case s.acceptors.cur != nil:
		return badState, false
	case l.cur == nil || l.cur.pid == p.ID:
	case l.has(p.ID):
		return raiseState, false
	case ref != AmZero:
		l.waiting = append(l.waiting, s.request(p, ref, l, reading))
		return waits, false
	}
	s.count("read_tries", &s.stats.ReadTries, 1)
	return done, true
}

// Recv receives into a buffer of size bytes; want is the number that the caller
// asked for, or 0. n bytes were received if the reply is OK, More or PartBin.
func (s *Socket) Recv(p *proc.Process, ref term.Term, want, size int, do func(fd int) (int, syscall.Errno)) (n int, r Reply) {
	s.rd.Lock()
	defer s.rd.Unlock()
	if r, ok := s.enterRead(p, ref); !ok {
		return 0, r
	}
	n, e := do(s.fd)
	stream := s.Type == unix.SOCK_STREAM
	switch {
	case e != 0:
		return 0, s.recvFailed(p, ref, e)
	case n == 0 && stream:
		s.count("read_fails", &s.stats.ReadFails, 1)
		s.fail(&s.readers, amClosed)
		return 0, closed
	case n == size && want == 0 && stream:
		return n, s.recvFull(p, ref, n)
	case n < size && want != 0 && stream && ref != AmZero:
		return n, s.recvPart(p, ref, n)
	}
	if n < size {
		s.cfg.readsDone = 0
	}
	s.countRead(n)
	s.endRead(p)
	return n, done
}

// RecvMsg receives one message with its address.
func (s *Socket) RecvMsg(p *proc.Process, ref term.Term, do func(fd int) (int, syscall.Errno)) (n int, r Reply) {
	s.rd.Lock()
	defer s.rd.Unlock()
	if r, ok := s.enterRead(p, ref); !ok {
		return 0, r
	}
	n, e := do(s.fd)
	switch {
	case e != 0:
		return 0, s.recvFailed(p, ref, e)
	case n == 0 && s.Type == unix.SOCK_STREAM:
		s.count("read_fails", &s.stats.ReadFails, 1)
		return 0, closed
	}
	s.count("read_pkg", &s.stats.ReadPkgs, 1)
	s.count("read_byte", &s.stats.ReadBytes, uint64(n))
	s.endRead(p)
	return n, done
}

// endRead ends p's turn. With AmZero it may have read out of turn.
func (s *Socket) endRead(p *proc.Process) {
	if s.readers.cur != nil && s.readers.cur.pid == p.ID {
		s.finish(&s.readers, reading)
	}
}

func (s *Socket) countRead(n int) {
	s.count("read_pkg", &s.stats.ReadPkgs, 1)
	s.count("read_byte", &s.stats.ReadBytes, uint64(n))
	s.stats.readPkg += uint64(n)
	s.endReadPkg()
}

func (s *Socket) endReadPkg() {
	s.stats.ReadPkgMax = max(s.stats.ReadPkgMax, s.stats.readPkg)
	s.stats.readPkg = 0
}

// recvFull has filled a buffer of the default size: there may be more.
func (s *Socket) recvFull(p *proc.Process, ref term.Term, n int) Reply {
	s.count("read_byte", &s.stats.ReadBytes, uint64(n))
	s.stats.readPkg += uint64(n)
	s.cfg.readsDone++
	if s.cfg.readsDone >= s.cfg.reads {
		s.cfg.readsDone = 0
		s.count("read_pkg", &s.stats.ReadPkgs, 1)
		s.endReadPkg()
		s.finish(&s.readers, reading)
		return done
	}
	s.await(&s.readers, reading, p, ref)
	return Reply{Kind: More}
}

// recvPart has received less than was asked for.
func (s *Socket) recvPart(p *proc.Process, ref term.Term, n int) Reply {
	s.count("read_byte", &s.stats.ReadBytes, uint64(n))
	if r := s.awaitRead(p, ref); r.Kind != Wait {
		return r
	}
	return Reply{Kind: PartBin}
}

func (s *Socket) awaitRead(p *proc.Process, ref term.Term) Reply {
	s.await(&s.readers, reading, p, ref)
	if !s.selectOn(reading, p.ID, ref) {
		s.finish(&s.readers, reading)
		return Reply{Kind: SelectFailed, Reason: amSelectR}
	}
	s.readState |= StSelected
	return waits
}

func (s *Socket) recvFailed(p *proc.Process, ref term.Term, e syscall.Errno) Reply {
	if e == unix.EAGAIN {
		if ref == AmZero {
			return Reply{Nothing: true}
		}
		s.cfg.readsDone = 0
		return s.awaitRead(p, ref)
	}
	s.count("read_fails", &s.stats.ReadFails, 1)
	r := Failed(e)
	s.fail(&s.readers, r.Reason)
	return r
}
