package proc

import (
	"sync/atomic"
	"unsafe"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Signal is a message or another signal on its way to a process. It begins
// with the heap fragment in which its terms lie: a message that is received
// becomes a fragment of its receiver, without another copy. What follows the
// fragment's links is dressed as a bignum, so that a walk over the fragment
// sees objects only.
type Signal struct {
	heap.Fragment
	hdr   uint64
	kind  sigKind
	flags uint8
	_     [6]byte
	From  term.Term // pid or port of the sender, or None
	Term  term.Term // message, reason, …
	off   heap.OffHeap
	token term.Term      // of sequential tracing, or None
	more  *heap.Fragment // further fragments with terms of this signal
	key   Key
}

const sigSize = unsafe.Sizeof(Signal{})

// sigHdr is the bignum header that covers the words of a Signal behind the
// Fragment.
const sigHdr = uint64((sigSize-24)/8-1)<<6 | uint64(term.KPosBig)<<2

type sigKind uint8

const (
	sigMessage sigKind = iota
	sigAliasMessage
	sigExit      // exit/2; Term is {'EXIT',From,Reason}
	sigExitLink  // a linked end exited; Term as above
	sigLink      // from
	sigUnlink    // from, key.A: id
	sigUnlinkAck // from, key.A: id
	sigMonitor   // from, key
	sigDemonitor // from, key
	sigDown      // key; Term is {'DOWN',Ref,process|port,Object,Reason}
	sigGroupLeader
	sigIsAlive    // from, Term: reference
	sigInfo       // from, Term: {Ref, Items, Flags}
	sigSuspend    // from, key.A: 1 adds, 0 takes back; Term: reply, or None
	sigTimeOffset // clock service monitors
	sigPersistent // persistent monitor message (nodes, connections)
	sigSync       // Term: reply message, once everything before acted
	sigSaveCalls  // from, key.A: length; Term: reference
	sigDisplay    // from; Term: reference
	sigSpawnReply // of a remote spawn
)

// Bits of Signal.flags.
const (
	sfKill   = 1 << iota // exit/2 with reason kill
	sfNormal             // the reason is normal
	sfNoAck
	sfPidRef // the reference is an alias
	sfLost   // the connection to the other node is gone
)

// Key identifies a link, a monitor or an alias.
type Key struct{ A, B uint64 }

func (k Key) less(o Key) bool { return k.B < o.B || k.B == o.B && k.A < o.A }

// RefKey returns the key of a reference.
func RefKey(ref term.Term) Key {
	if ref.Kind() == term.KRef {
		return Key{ref.W(1), ref.W(2) & 0xFFFFFFFF}
	}
	k := Key{B: (ref.W(1) + 1) << 32}
	n := ref.W(2)
	k.A = ref.W(3)
	if n == 1 {
		k.A &= 0xFFFFFFFF
	}
	if n > 2 {
		k.B |= ref.W(4) & 0xFFFFFFFF
	}
	return k
}

// EndKey returns the key of a pid or port, of any node.
func EndKey(t term.Term) Key {
	if t.IsImmed() {
		return Key{uint64(t), 0}
	}
	return Key{t.W(2)<<1 | uint64(t.Kind()&1), t.W(1) + 1}
}

// inqClosed in Process.inq says that no signal is accepted any more.
const inqClosed = 1

// newSignal returns a signal with room for words of terms.
func newSignal(kind sigKind, words int) *Signal {
	n := sigSize + uintptr(words)*8
	size := offheap.RoundUp(n)
	s := offheap.At[Signal](allocBlock(n))
	*s = Signal{hdr: sigHdr, kind: kind, From: term.None}
	s.HP = offheap.Addr(s) + sigSize
	s.End = offheap.Addr(s) + size
	return s
}

// copyIn copies t into the signal, which must have room for it.
func (s *Signal) copyIn(t term.Term, withLiterals bool) term.Term {
	if t.IsImmed() {
		return t
	}
	return heap.Copy(t, &s.HP, &s.off, withLiterals)
}

func sizeOf(t term.Term, withLiterals bool) int {
	if t.IsImmed() {
		return 0
	}
	return heap.Size(t, withLiterals)
}

// tuple builds a tuple in the signal's room.
func (s *Signal) tuple(els ...term.Term) term.Term {
	a := s.HP
	s.HP += uintptr(len(els)+1) * 8
	term.Put(a, 0, term.Header(len(els), term.KTuple))
	for i, e := range els {
		term.PutTerm(a, i+1, e)
	}
	return term.Box(a)
}

// free drops the signal with its terms.
func (s *Signal) free() {
	if s.off.First != 0 {
		heap.ReleaseOffHeap(&s.off)
	}
	for f := s.more; f != nil; {
		n := f.Next
		f.Free()
		f = n
	}
	freeBlock(offheap.Addr(s), s.End-offheap.Addr(s))
}

func (s *Signal) next() *Signal { return (*Signal)(unsafe.Pointer(s.Next)) }

func (s *Signal) setNext(n *Signal) { s.Next = (*heap.Fragment)(unsafe.Pointer(n)) }

// attach makes the signal's terms part of h.
func (s *Signal) attach(h *heap.Heap) {
	if s.HP == offheap.Addr(s)+sigSize && s.more == nil {
		freeBlock(offheap.Addr(s), s.End-offheap.Addr(s))
		return
	}
	joinOffHeap(&h.Off, &s.off)
	for f := s.more; f != nil; {
		n := f.Next
		f.Next = h.Frags
		h.Frags = f
		h.FragWords += uint64(f.Used())
		f = n
	}
	s.Next = h.Frags
	h.Frags = &s.Fragment
	h.FragWords += uint64(s.HP-offheap.Addr(s)-sigSize) / 8
}

// joinOffHeap moves the objects of src in front of those of dst.
func joinOffHeap(dst, src *heap.OffHeap) {
	if src.First == 0 {
		return
	}
	a := src.First
	for {
		i := 1
		if term.HeaderKind(term.Get(a, 0)) == term.KRef {
			i = 4
		}
		n := uintptr(term.Get(a, i))
		if n == 0 {
			term.Put(a, i, uint64(dst.First))
			break
		}
		a = n
	}
	dst.First = src.First
	dst.Words += src.Words
	*src = heap.OffHeap{}
}

// push appends a signal to p's in-queue; false when p accepts none any more
// (the caller keeps the signal).
func (p *Process) push(s *Signal) bool {
	for {
		old := atomic.LoadUintptr(&p.inq)
		if old == inqClosed {
			return false
		}
		s.Next = (*heap.Fragment)(unsafe.Add(nil, old))
		if atomic.CompareAndSwapUintptr(&p.inq, old, offheap.Addr(s)) {
			return true
		}
	}
}

// deliver gives p a signal and wakes it; false when p accepts none any more.
func (p *Process) deliver(from *Ctx, s *Signal) bool {
	kind := s.kind
	if !p.push(s) {
		return false
	}
	if kind == sigMessage && p.TraceFlags&TraceReceive == 0 {
		p.wake(from, stActive)
	} else if kind <= sigAliasMessage {
		p.wake(from, stActive|stSig)
	} else {
		p.wake(from, stSig)
	}
	return true
}

// sendTo delivers to a pid of this node; the signal is dropped when there is
// no such process, and false returned.
func sendTo(from *Ctx, pid term.Term, s *Signal) bool {
	if p := Lookup(pid); p != nil && p.deliver(from, s) {
		return true
	}
	s.free()
	return false
}
