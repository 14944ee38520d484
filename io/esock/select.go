package esock

import (
	"sync"

	"github.com/beamrd/beamrd/io/poll"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// direction indexes what is asked of the poller.
type direction int

const (
	reading direction = iota
	writing
)

// selection is what the poller was asked for. A message stands ready for each
// direction that is waited for. As in ERTS a socket that was ever waited for
// lasts until it is closed: the registration holds a reference.
type selection struct {
	sync.Mutex
	reg     *poll.FD
	pending [2]*pending
	gone    bool
}

type pending struct {
	pid term.Term
	msg *heap.Stored
}

func (m *pending) send() { proc.SendBuilt(term.None, m.pid, m.msg.T, &m.msg.H) }

var (
	amSocketTag = term.Intern("$socket")
	amSelect    = term.Intern("select")
	amAbort     = term.Intern("abort")
	amWrap      = term.Intern("counter_wrap")
	amClosed    = term.Intern("closed")
	amState     = term.Intern("state")
	amValue     = term.Intern("value")
	amAdd       = term.Intern("add")
	amDel       = term.Intern("del")
	amTimeout   = term.Intern("timeout")
	amNotOwner  = term.Intern("not_owner")
	amSelectR   = term.Intern("select_read")
	amSelectW   = term.Intern("select_write")
	amSelectBad = term.Intern("select_failed")
	amNotFound  = term.Intern("not_found")
	amSent      = term.Intern("select_sent")
)

// message builds {'$socket', Socket, Tag, Info} outside every heap; nil when
// there are no references to the socket any more.
func (s *Socket) message(tag term.Term, info func(h *heap.Heap) term.Term) *heap.Stored {
	m := &heap.Stored{}
	ref, ok := s.Ref(&m.H)
	if !ok {
		return nil
	}
	m.T = m.H.Tuple(amSocketTag, m.H.Tuple(amSocketTag, ref), tag, info(&m.H))
	return m
}

// selectOn has a process told once when a direction is ready.
func (s *Socket) selectOn(d direction, pid, ref term.Term) bool {
	m := s.message(amSelect, func(h *heap.Heap) term.Term { return heap.CopyTo(h, ref) })
	if m == nil {
		return false
	}
	s.sel.Lock()
	old := s.sel.pending[d]
	ok := s.sel.want(s, d, &pending{pid, m})
	s.sel.Unlock()
	// Outside the lock: it may drop a reference to the socket.
	if old != nil {
		old.msg.Free()
	}
	if !ok {
		m.Free()
	}
	return ok
}

func (l *selection) want(s *Socket, d direction, p *pending) bool {
	if l.gone {
		return false
	}
	if l.reg == nil {
		reg, err := poll.Register(s.fd, s.ready)
		if err != nil {
			return false
		}
		l.reg = reg
		s.bin.Ref()
	}
	l.pending[d] = p
	if l.arm() != nil {
		l.pending[d] = nil
		return false
	}
	return true
}

func (l *selection) arm() error {
	return l.reg.Arm(l.pending[reading] != nil, l.pending[writing] != nil)
}

// ready is called by the poller.
func (s *Socket) ready(r, w bool) {
	var fired [2]*pending
	s.sel.Lock()
	for d, is := range [2]bool{r, w} {
		if is && !s.sel.gone {
			fired[d], s.sel.pending[d] = s.sel.pending[d], nil
		}
	}
	if !s.sel.gone && (s.sel.pending[reading] != nil || s.sel.pending[writing] != nil) {
		// It was armed before; this can only fail for a closed descriptor.
		_ = s.sel.arm()
	}
	s.sel.Unlock()
	for _, m := range fired {
		if m != nil {
			m.send()
		}
	}
}

// unselect takes back a request; sent is true when its message has gone out
// already.
func (s *Socket) unselect(d direction) (sent bool) {
	s.sel.Lock()
	p := s.sel.pending[d]
	if p != nil {
		s.sel.pending[d] = nil
		// The poller need not know: an event of a direction that nobody waits
		// for goes nowhere.
	}
	s.sel.Unlock()
	if p == nil {
		return true
	}
	p.msg.Free()
	return false
}

// forget ends the registration with the poller and tells which directions were
// being waited for.
func (s *Socket) forget() (waited [2]bool) {
	s.sel.Lock()
	old, reg := s.sel.pending, s.sel.reg
	s.sel.pending, s.sel.reg, s.sel.gone = [2]*pending{}, nil, true
	if reg != nil {
		reg.Forget()
	}
	s.sel.Unlock()
	if reg != nil {
		s.bin.Unref() // not the last one: the caller has one too
	}
	for d, p := range old {
		if p != nil {
			waited[d] = true
			p.msg.Free()
		}
	}
	return waited
}

// abort tells a process that its request came to nothing.
func (s *Socket) abort(pid term.Term, ref *heap.Stored, reason func(h *heap.Heap) term.Term) {
	m := s.message(amAbort, func(h *heap.Heap) term.Term { return h.Tuple(ref.Load(h), reason(h)) })
	if m != nil {
		(&pending{pid, m}).send()
	}
}

func atomReason(a term.Term) func(*heap.Heap) term.Term {
	return func(*heap.Heap) term.Term { return a }
}

// count adds to a counter; the owner is told when it wraps.
func (s *Socket) count(name string, c *uint64, n uint64) {
	*c += n
	if *c >= n {
		return
	}
	if m := s.message(amWrap, atomReason(term.Intern(name))); m != nil && s.owner != term.None {
		(&pending{s.owner, m}).send()
	}
}
