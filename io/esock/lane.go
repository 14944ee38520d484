package esock

import (
	"slices"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// request is a process that waits for its turn or for the system.
type request struct {
	pid     term.Term
	ref     *heap.Stored
	unwatch func()
}

// release ends the request; nobody is told.
func (r *request) release() {
	r.unwatch()
	r.ref.Free()
}

func (r *request) setRef(ref term.Term) {
	r.ref.Free()
	r.ref = heap.Store(ref)
}

// lane is a line of processes that want the same; all that wait do so behind a
// current one.
type lane struct {
	cur     *request
	waiting []*request
}

func (l *lane) has(pid term.Term) bool {
	return slices.ContainsFunc(l.waiting, func(r *request) bool { return r.pid == pid })
}

func (l *lane) len() int {
	if l.cur == nil {
		return 0
	}
	return 1 + len(l.waiting)
}

// watch runs f when p exits.
func watch(p *proc.Process, f func()) (unwatch func()) {
	if unwatch, ok := proc.OnExit(p, f); ok {
		return unwatch
	}
	return func() {}
}

// request makes a request of p for a lane.
func (s *Socket) request(p *proc.Process, ref term.Term, l *lane, d direction) *request {
	r := &request{pid: p.ID, ref: heap.Store(ref)}
	r.unwatch = watch(p, func() { s.requesterDied(r, l, d) })
	return r
}

// next gives the turn to whoever waits next; it is to be called when the
// current one is done and released.
func (s *Socket) next(l *lane, d direction) {
	l.cur = nil
	for l.cur == nil && len(l.waiting) > 0 {
		r := l.waiting[0]
		l.waiting = l.waiting[1:]
		if s.selectOn(d, r.pid, r.ref.T) {
			l.cur = r
			s.selected(d)
			return
		}
		s.abort(r.pid, r.ref, func(h *heap.Heap) term.Term { return h.Tuple(amSelectBad, term.Small(-1)) })
		r.release()
	}
	if l == &s.acceptors {
		s.readState &^= StAccepting
	}
}

func (s *Socket) selected(d direction) {
	if d == reading {
		s.readState |= StSelected
	} else {
		s.writeState |= StSelected
	}
}

// finish ends the current one's turn, if there is one.
func (s *Socket) finish(l *lane, d direction) {
	if l.cur != nil {
		l.cur.release()
		s.next(l, d)
	}
}

// fail ends the turn of the current one and those of all that wait, who are
// told.
func (s *Socket) fail(l *lane, reason term.Term) {
	if l.cur == nil {
		return
	}
	l.cur.release()
	l.cur = nil
	s.abortWaiting(l, reason)
}

func (s *Socket) abortWaiting(l *lane, reason term.Term) {
	for _, r := range l.waiting {
		s.abort(r.pid, r.ref, atomReason(reason))
		r.release()
	}
	l.waiting = nil
}

// await makes p the current one, with a new reference if it is that already.
func (s *Socket) await(l *lane, d direction, p *proc.Process, ref term.Term) {
	if l.cur == nil {
		l.cur = s.request(p, ref, l, d)
	} else {
		l.cur.setRef(ref)
	}
}

// requesterDied runs when a process with a request exits.
func (s *Socket) requesterDied(r *request, l *lane, d direction) {
	release, ok := s.hold()
	if !ok {
		return
	}
	defer release()
	if s.readState&StClosed != 0 {
		return
	}
	if l.cur == r {
		r.release()
		s.next(l, d)
		return
	}
	if i := slices.Index(l.waiting, r); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
		r.release()
	}
}

// Cancel takes back a request that was answered by select: ok, or not_found, or
// select_sent when the message is on its way. op is that of socket:cancel.
func (s *Socket) Cancel(p *proc.Process, op Op, ref term.Term) (term.Term, Reply) {
	switch op {
	case OpConnect:
		return s.cancelConnect(p, ref)
	case OpAccept:
		s.rd.Lock()
		defer s.rd.Unlock()
		return s.cancel(p, s.readState, &s.acceptors, reading, ref)
	case OpRecv:
		s.rd.Lock()
		defer s.rd.Unlock()
		return s.cancel(p, s.readState, &s.readers, reading, ref)
	}
	s.wr.Lock()
	defer s.wr.Unlock()
	return s.cancel(p, s.writeState, &s.writers, writing, ref)
}

// Op is a kind of operation that can be cancelled.
type Op int

// The operations.
const (
	OpConnect Op = iota
	OpAccept
	OpRecv
	OpSend
)

func (s *Socket) cancel(p *proc.Process, state uint32, l *lane, d direction, ref term.Term) (term.Term, Reply) {
	if !isOpen(state) {
		return term.None, closed
	}
	if l.cur == nil {
		return amNotFound, done
	}
	if l.cur.pid == p.ID {
		if !term.Equal(ref, l.cur.ref.T) {
			return amNotFound, done
		}
		l.cur.release()
		res := s.cancelSelect(d)
		s.next(l, d)
		return res, done
	}
	for i, r := range l.waiting {
		if r.pid != p.ID {
			continue
		}
		if !term.Equal(ref, r.ref.T) {
			break
		}
		l.waiting = slices.Delete(l.waiting, i, i+1)
		r.release()
		return term.AmOk, done
	}
	return amNotFound, done
}

func (s *Socket) cancelSelect(d direction) term.Term {
	if s.unselect(d) {
		return amSent
	}
	return term.AmOk
}
