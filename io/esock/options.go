package esock

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Info is a snapshot of a socket.
type Info struct {
	Owner                       term.Term // or None
	ReadState, WriteState       uint32
	Readers, Writers, Acceptors int
	Counters
}

// Info returns what the socket is doing.
func (s *Socket) Info() Info {
	s.lock()
	defer s.unlock()
	return Info{s.owner, s.readState, s.writeState, s.readers.len(), s.writers.len(), s.acceptors.len(), s.stats}
}

// Dup tells whether the descriptor is the socket's own.
func (s *Socket) Dup() bool { return s.closeFD }

// Setting is an option of level otp that is a flag or a size.
type Setting int

// The settings. NReads is the N of {N, Size}.
const (
	Debug Setting = iota
	InformOnWrap
	UseRegistry
	RcvBuf
	NReads
	RcvCtrlBuf
	SndCtrlBuf
)

func (s *Socket) setting(o Setting) (flag *bool, size *int) {
	switch o {
	case Debug:
		return &s.cfg.debug, nil
	case InformOnWrap:
		return &s.cfg.iow, nil
	case UseRegistry:
		return &s.cfg.useRegistry, nil
	case RcvBuf:
		return nil, &s.cfg.buf
	case RcvCtrlBuf:
		return nil, &s.cfg.rctrl
	}
	return nil, &s.cfg.wctrl
}

// Get returns a setting; flags are 0 or 1.
func (s *Socket) Get(o Setting) (int, Reply) {
	s.lock()
	defer s.unlock()
	if !isOpen(s.readState) && o != UseRegistry {
		return 0, closed
	}
	if o == NReads {
		return int(s.cfg.reads), done
	}
	flag, size := s.setting(o)
	switch {
	case size != nil:
		return *size, done
	case *flag:
		return 1, done
	}
	return 0, done
}

// Set changes a setting; flags are 0 or 1.
func (s *Socket) Set(o Setting, v int) Reply {
	s.lock()
	defer s.unlock()
	if !isOpen(s.writeState) {
		return closed
	}
	flag, size := s.setting(o)
	switch {
	case o == NReads:
		s.cfg.reads = uint32(v)
	case size != nil:
		*size = v
	case o == UseRegistry && !*flag:
		*flag = true
		s.tellRegistry(amAdd)
	default:
		*flag = v != 0
	}
	return done
}

// Open tells whether the socket is neither closed nor being closed.
func (s *Socket) Open() bool {
	s.lock()
	defer s.unlock()
	return isOpen(s.readState)
}

// Owner returns the controlling process.
func (s *Socket) Owner() (term.Term, Reply) {
	s.lock()
	defer s.unlock()
	if !isOpen(s.readState) {
		return term.None, closed
	}
	return s.owner, done
}

// Meta returns the term of the option meta.
func (s *Socket) Meta(h *heap.Heap) (term.Term, Reply) {
	s.wr.Lock()
	defer s.wr.Unlock()
	switch {
	case !isOpen(s.writeState):
		return term.None, closed
	case s.meta == nil:
		return term.AmUndefined, done
	}
	return s.meta.Load(h), done
}

// SetMeta sets the option meta; p must own the socket.
func (s *Socket) SetMeta(p *proc.Process, t term.Term) Reply {
	s.wr.Lock()
	defer s.wr.Unlock()
	switch {
	case !isOpen(s.writeState):
		return closed
	case s.owner != p.ID:
		return Reply{Kind: Invalid, Reason: amNotOwner}
	}
	s.meta.Free()
	s.meta = heap.Store(t)
	return done
}
