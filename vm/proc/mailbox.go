package proc

import (
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// current returns the message at the save pointer, or nil.
func (p *Process) current() *Signal {
	if p.savePrev == nil {
		return p.msgHead
	}
	return p.savePrev.next()
}

// PeekMessage returns the message at the save pointer, fetching signals in
// transit first if need be; None when there is no (further) message.
func (p *Process) PeekMessage() term.Term {
	s := p.current()
	if s == nil {
		if p.exitSig != nil || atomic.LoadUintptr(&p.inq) == 0 && p.restHead == nil {
			return term.None
		}
		p.fetch()
		if s = p.current(); s == nil {
			return term.None
		}
	}
	p.ForeignLo, p.ForeignHi = s.termRange()
	return s.Term
}

// termRange returns the memory that a message's terms lie in, gathering it into
// one piece if need be. While the message is looked at, a collection leaves
// that memory alone.
func (s *Signal) termRange() (lo, hi uintptr) {
	own := s.HP > offheap.Addr(s)+sigSize
	switch {
	case s.more == nil:
		return offheap.Addr(s), s.End
	case own || s.more.Next != nil:
		n := heap.Size(s.Term, false)
		if s.token != term.None {
			n += sizeOf(s.token, false)
		}
		f := heap.NewFragment(n)
		var off heap.OffHeap
		s.Term = heap.Copy(s.Term, &f.HP, &off, false)
		if s.token != term.None {
			s.token = heap.Copy(s.token, &f.HP, &off, false)
		}
		heap.ReleaseOffHeap(&s.off)
		heap.FreeFragments(s.more)
		s.more, s.off, s.HP = f, off, offheap.Addr(s)+sigSize
	}
	return offheap.Addr(s.more), s.more.End
}

// NextMessage moves the save pointer past the current message (loop_rec_end).
func (p *Process) NextMessage() {
	p.savePrev = p.current()
	p.ForeignHi = p.ForeignLo
}

// RemoveMessage takes the current message out of the queue, attaches its
// fragment to p's heap, resets the save pointer and stops the receive timer.
func (p *Process) RemoveMessage() {
	s := p.current()
	if s == nil {
		return // code that no compiler writes
	}
	n := s.next()
	if p.savePrev == nil {
		p.msgHead = n
	} else {
		p.savePrev.setNext(n)
	}
	if n == nil {
		p.msgTail = p.savePrev
	}
	p.numMsgs--
	if p.markers != 0 {
		p.markersRemoved(s, p.savePrev)
	}
	p.savePrev = nil
	p.ForeignHi = p.ForeignLo
	msg, token := s.Term, s.token
	s.attach(&p.Heap)
	if token != p.SeqToken {
		p.SeqToken = token
		if token != term.None {
			Tracing.SeqReceive(p, token, msg)
		}
	}
	p.stopReceiveTimer()
}

// ResetSave moves the save pointer back to the first message (timeout, end).
func (p *Process) ResetSave() {
	p.savePrev = nil
	p.ForeignHi = p.ForeignLo
	p.stopReceiveTimer()
}

// PrepareWait is called before the engine returns Waiting; false means that a
// signal arrived meanwhile and the receive is to be run again.
func (p *Process) PrepareWait() bool {
	if p.exitSig != nil {
		return true // the scheduler will end the process
	}
	p.clearBits(stActive)
	if atomic.LoadUintptr(&p.inq) == 0 && atomic.LoadUint32(&p.timedOut) == 0 {
		return true
	}
	// A process that only sleeps has messages that it has not looked at: it must
	// not find one in transit each time.
	p.fetch()
	if p.exitSig != nil {
		return true
	}
	if p.current() != nil || atomic.LoadUint32(&p.timedOut) != 0 {
		p.setBits(stActive)
		return false
	}
	return true
}

// appendMessage puts a received message at the end of the queue.
func (p *Process) appendMessage(s *Signal) {
	if p.Traced(TraceReceive) {
		Tracing.Receive(p, s.From, s.Term)
	}
	s.setNext(nil)
	if p.msgTail == nil {
		p.msgHead = s
	} else {
		p.msgTail.setNext(s)
	}
	p.msgTail = s
	p.numMsgs++
}

// NumMessages returns the number of messages received and not taken.
func (p *Process) NumMessages() int { return int(p.numMsgs) }

// messageWords returns the words that the queue's messages take.
func (p *Process) messageWords() (n uintptr) {
	for s := p.msgHead; s != nil; s = s.next() {
		n += (s.End - offheap.Addr(s)) / 8
		for f := s.more; f != nil; f = f.Next {
			n += (f.End - offheap.Addr(f)) / 8
		}
	}
	return n
}
