package esock

import (
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var amEfile = term.Intern("efile")

// Sendfile sends count bytes (0: all) of a file from an offset on. dup makes a
// descriptor of the file for the socket; it is nil to go on with the file of an
// earlier call. The reply is Part or Written with the bytes sent by this call.
// It may wait for the disk.
func (s *Socket) Sendfile(p *proc.Process, ref term.Term, off int64, count uint64, dup func() (fd int, e syscall.Errno, ok bool)) Reply {
	s.wr.Lock()
	defer s.wr.Unlock()
	if dup == nil {
		if r, ok := s.resumeSendfile(p); !ok {
			return r
		}
	} else if r, ok := s.startSendfile(p, ref, dup); !ok {
		return r
	}
	n, e := s.copyFile(off, count)
	switch {
	case e == unix.EAGAIN:
		s.await(&s.writers, writing, p, ref)
		if !s.selectOn(writing, p.ID, ref) {
			s.fail(&s.writers, amSelectW)
			s.dropFile()
			return Reply{Kind: SelectFailed, Reason: amSelectW}
		}
		s.count("sendfile_waits", &s.stats.FileWaits, 1)
		s.writeState |= StSelected
		return Reply{Kind: Part, N: n}
	case e != 0:
		s.dropFile()
		return s.sendfileFailed(Failed(e))
	}
	s.dropFile()
	s.finish(&s.writers, writing)
	s.stats.writePkg = 0
	return Reply{Kind: Written, N: n}
}

func (s *Socket) startSendfile(p *proc.Process, ref term.Term, dup func() (int, syscall.Errno, bool)) (Reply, bool) {
	if r, ok := s.enterWrite(p, ref); !ok {
		return r, false
	}
	if s.file >= 0 {
		return badState, false
	}
	fd, e, ok := dup()
	s.stats.HasSendfile = true
	if !ok {
		return s.sendfileFailed(Reply{Kind: Invalid, Reason: amEfile}), false
	}
	if e != 0 {
		return s.sendfileFailed(Failed(e)), false
	}
	s.file = fd
	s.count("sendfile_tries", &s.stats.FileTries, 1)
	s.stats.fileSum = 0
	return done, true
}

func (s *Socket) resumeSendfile(p *proc.Process) (Reply, bool) {
	switch {
	case !isOpen(s.writeState):
		return closed, false
	case s.connector != nil:
		return badState, false
	case s.writers.cur == nil || s.file < 0 || s.writers.cur.pid != p.ID:
		return raiseState, false
	}
	return done, true
}

func (s *Socket) sendfileFailed(r Reply) Reply {
	s.count("sendfile_fails", &s.stats.FileFails, 1)
	s.fail(&s.writers, r.Reason)
	return r
}

// fileChunk is the most that one system call is asked to send.
const fileChunk = 0x20000000

func (s *Socket) copyFile(off int64, count uint64) (sent int64, e syscall.Errno) {
	c := &s.stats
	for {
		n := uint64(fileChunk)
		if count > 0 {
			n = min(n, count)
		}
		k, e := sysnet.SendFile(s.fd, s.file, &off, int(n))
		s.count("sendfile", &c.File, 1)
		if e == unix.EINTR {
			continue
		}
		if e != 0 {
			return sent, e
		}
		if k == 0 {
			return sent, 0
		}
		sent += int64(k)
		s.count("sendfile_pkg", &c.FilePkgs, 1)
		s.count("sendfile_byte", &c.FileBytes, uint64(k))
		c.FilePkgMax = max(c.FilePkgMax, uint64(sent))
		c.fileSum += uint64(k)
		c.FileMax = max(c.FileMax, c.fileSum)
		if count > 0 {
			if count -= uint64(k); count == 0 {
				return sent, 0
			}
		}
	}
}

// dropFile releases the file of sendfile, on a thread that may wait for it.
func (s *Socket) dropFile() {
	if fd := s.file; fd >= 0 {
		s.file = -1
		go unix.Close(fd)
	}
}

// DropFile is dropFile for a process that is told to; there must be a file.
func (s *Socket) DropFile() Reply {
	s.wr.Lock()
	defer s.wr.Unlock()
	if s.file < 0 {
		return badState
	}
	s.dropFile()
	return done
}
