package proc

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/term"
)

const timerSize = unsafe.Sizeof(bifTimer{})

// bifTimers counts the timers that builtins started.
var bifTimers atomic.Int64

// BifTimerMemory returns the bytes of the timers that builtins started, without
// their messages.
func BifTimerMemory() int64 { return bifTimers.Load() * int64(timerSize) }

func lockTimers(p *Process) {
	for !atomic.CompareAndSwapUint32(&p.timerLock, 0, 1) {
		runtime.Gosched()
	}
}

func unlockTimers(p *Process) { atomic.StoreUint32(&p.timerLock, 0) }

func wheelOfKey(k Key) *wheel { return wheels[(k.A*0x9E3779B97F4A7C15>>32)%uint64(len(wheels))] }

// StartTimer starts a timer that sends msg, or {timeout,Ref,msg} when wrap is
// set, at an Erlang monotonic time in nanoseconds. to is a pid of this node or
// a name. It returns the timer's reference numbers.
func (p *Process) StartTimer(dueNano int64, to, msg term.Term, wrap bool) Key {
	k := NewRefKey(p.Ctx)
	s := newSignal(sigMessage, sizeOf(msg, true)+4+1+term.RefWords)
	s.From = term.None
	m := s.copyIn(msg, true)
	if wrap {
		ref := PutRef(s.HP, k)
		s.HP += (1 + term.RefWords) * 8
		m = s.tuple(term.AmTimeout, ref, m)
	}
	s.Term = m
	t := offheap.At[bifTimer](offheap.AllocZero(timerSize, offheap.Proc))
	bifTimers.Add(1)
	t.bif = true
	t.key, t.to, t.msg, t.dueNano = k, to, s, dueNano
	t.due = ceilTick(dueNano - monotonicBegin)
	w := wheelOfKey(k)
	w.mu.Lock()
	if to.IsInternalPid() && !t.linkTo(Lookup(to)) {
		w.mu.Unlock()
		t.drop()
		return k
	}
	w.byKey[k] = offheap.Addr(t)
	w.add(&t.Timer)
	w.mu.Unlock()
	if p.Ctx == nil || p.Ctx.SchedID == 0 {
		if OnTimer != nil {
			OnTimer(dueNano - monotonicBegin)
		}
	}
	return k
}

func ceilTick(nano int64) int64 {
	if nano <= 0 {
		return 0
	}
	return (nano + tickNanos - 1) / tickNanos
}

// linkTo enters t among the timers of its target; false if that is gone.
func (t *bifTimer) linkTo(q *Process) bool {
	if q == nil {
		return false
	}
	lockTimers(q)
	defer unlockTimers(q)
	if q.timersClosed {
		return false
	}
	t.pnext, t.pprev, t.linked = q.btimers, nil, true
	if q.btimers != nil {
		q.btimers.pprev = t
	}
	q.btimers = t
	return true
}

// unlink takes t from the list of its target; the wheel is locked.
func (t *bifTimer) unlink() {
	if !t.linked {
		return
	}
	q := Lookup(t.to)
	if q == nil {
		q = offheap.At[Process](t.owner)
	}
	lockTimers(q)
	if t.pnext != nil {
		t.pnext.pprev = t.pprev
	}
	if t.pprev != nil {
		t.pprev.pnext = t.pnext
	} else {
		q.btimers = t.pnext
	}
	unlockTimers(q)
	t.linked = false
}

func (t *bifTimer) drop() {
	if t.msg != nil {
		t.msg.free()
	}
	offheap.Free(offheap.Addr(t), timerSize, offheap.Proc)
	bifTimers.Add(-1)
}

// fireBif delivers a timer's message; the wheel is locked.
func (w *wheel) fireBif(t *bifTimer, ctx *Ctx) {
	delete(w.byKey, t.key)
	t.unlink()
	to := t.to
	if to.IsAtom() {
		to = Whereis(to)
	}
	s := t.msg
	t.msg = nil
	if to.IsInternalPid() {
		sendTo(ctx, to, s)
	} else {
		s.free()
	}
	t.drop()
}

// CancelTimer stops a timer. left is the time left in nanoseconds, not less
// than 0; found is false when there is no such timer (any more).
func CancelTimer(k Key) (left int64, found bool) {
	w := wheelOfKey(k)
	w.mu.Lock()
	defer w.mu.Unlock()
	a, ok := w.byKey[k]
	if !ok {
		return 0, false
	}
	t := offheap.At[bifTimer](a)
	delete(w.byKey, k)
	t.unlink()
	w.take(&t.Timer)
	left = max(0, t.dueNano-ErlangMonotonic())
	t.drop()
	return left, true
}

// ReadTimer returns the time left of a timer in nanoseconds.
func ReadTimer(k Key) (left int64, found bool) {
	w := wheelOfKey(k)
	w.mu.Lock()
	defer w.mu.Unlock()
	a, ok := w.byKey[k]
	if !ok {
		return 0, false
	}
	return max(0, offheap.At[bifTimer](a).dueNano-ErlangMonotonic()), true
}

// cancelTimers stops all timers whose target is p, which exits.
func (p *Process) cancelTimers() {
	for {
		lockTimers(p)
		p.timersClosed = true
		t := p.btimers
		if t == nil {
			unlockTimers(p)
			return
		}
		k := t.key
		unlockTimers(p)
		CancelTimer(k)
	}
}
