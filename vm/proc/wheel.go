package proc

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/term"
)

// A timer wheel of seven levels with 64 slots each. A slot of level n covers
// 64^n milliseconds; when the wheel comes to it, its timers move to lower
// levels. A bitmap per level finds the next slot in use, so that an idle wheel
// is never ticked.

const (
	wheelLevels = 7
	tickNanos   = 1_000_000
	noDeadline  = 1<<63 - 1
)

// Timer is an entry of a wheel: the receive timer inside a descriptor, or a
// BIF timer.
type Timer struct {
	next, prev *Timer // in a slot; prev nil in the first
	due        int64  // tick
	owner      uintptr
	slot       int16 // level*64 + index
	in         bool  // in a wheel
	bif        bool
	wheel      uint8
}

// bifTimer is a timer of send_after and start_timer.
type bifTimer struct {
	Timer
	key          Key
	dueNano      int64     // Erlang monotonic time
	to           term.Term // pid or registered name
	msg          *Signal
	pnext, pprev *bifTimer // timers with the same target process
	linked       bool
}

type wheel struct {
	mu       sync.Mutex
	cur      int64 // all ticks up to here are done
	next     atomic.Int64
	maps     [wheelLevels]uint64
	slots    [wheelLevels * 64]*Timer
	byKey    map[Key]uintptr // *bifTimer
	n        int
	_        [32]byte
	index    uint8
	overflow bool
}

var wheels []*wheel

// SetWheels makes the timer wheels, one per scheduler. Call it once, before
// the node starts.
func SetWheels(n int) {
	wheels = nil
	for i := range n {
		w := &wheel{byKey: map[Key]uintptr{}, index: uint8(i)}
		w.cur = MonotonicNow()/tickNanos - 1
		w.next.Store(noDeadline)
		wheels = append(wheels, w)
	}
}

// level0 chooses the level and slot of a due tick.
func (w *wheel) place(due int64) (level, idx int) {
	for level = 0; level < wheelLevels-1; level++ {
		if due>>(6*level)-w.cur>>(6*level) < 64 {
			break
		}
	}
	sh := 6 * level
	if d := due>>sh - w.cur>>sh; d > 63 { // beyond the wheel: comes by again
		return level, int((w.cur>>sh + 63) & 63)
	}
	return level, int(due >> sh & 63)
}

func (w *wheel) put(t *Timer) {
	if t.due <= w.cur {
		t.due = w.cur + 1
	}
	level, idx := w.place(t.due)
	t.slot = int16(level*64 + idx)
	t.in = true
	t.wheel = w.index
	t.prev = nil
	t.next = w.slots[t.slot]
	if t.next != nil {
		t.next.prev = t
	}
	w.slots[t.slot] = t
	w.maps[level] |= 1 << idx
}

func (w *wheel) take(t *Timer) {
	if t.next != nil {
		t.next.prev = t.prev
	}
	if t.prev != nil {
		t.prev.next = t.next
	} else {
		w.slots[t.slot] = t.next
		if t.next == nil {
			w.maps[t.slot>>6] &^= 1 << (t.slot & 63)
		}
	}
	t.next, t.prev, t.in = nil, nil, false
}

// event returns the next tick at which something is to be done.
func (w *wheel) event() int64 {
	e := int64(noDeadline)
	for l := range wheelLevels {
		if w.maps[l] == 0 {
			continue
		}
		c := w.cur >> (6 * l)
		r := bits.RotateLeft64(w.maps[l], -int(c&63)-1)
		d := int64(bits.TrailingZeros64(r)) + 1
		e = min(e, (c+d)<<(6*l))
	}
	return e
}

func (w *wheel) publish() {
	e := w.event()
	if e != noDeadline {
		e *= tickNanos
	}
	w.next.Store(e)
}

// add enters a timer; the wheel is locked.
func (w *wheel) add(t *Timer) {
	w.put(t)
	if d := w.event(); d*tickNanos < w.next.Load() {
		w.next.Store(d * tickNanos)
	}
}

// advance fires what is due at a tick; the wheel is locked.
func (w *wheel) advance(to int64, fire func(*Timer)) {
	for {
		e := w.event()
		if e > to {
			w.cur = max(w.cur, to)
			break
		}
		w.cur = e
		for l := wheelLevels - 1; l > 0; l-- {
			if e&(1<<(6*l)-1) != 0 {
				continue
			}
			w.cascade(l, int(e>>(6*l)&63), fire)
		}
		s := int(e & 63)
		for w.slots[s] != nil {
			t := w.slots[s]
			w.take(t)
			fire(t)
		}
	}
	w.publish()
}

// cascade moves the timers of a slot down, firing those due right now.
func (w *wheel) cascade(level, idx int, fire func(*Timer)) {
	t := w.slots[level*64+idx]
	w.slots[level*64+idx] = nil
	w.maps[level] &^= 1 << idx
	for t != nil {
		n := t.next
		t.next, t.prev, t.in = nil, nil, false
		if t.due <= w.cur {
			fire(t)
		} else {
			w.put(t)
		}
		t = n
	}
}

// RunTimers fires what is due on all wheels. Scheduler threads call it.
func RunTimers(now int64, ctx *Ctx) {
	for _, w := range wheels {
		if w.next.Load() > now || !w.mu.TryLock() {
			continue
		}
		w.advance(now/tickNanos, func(t *Timer) { w.fire(t, ctx) })
		w.mu.Unlock()
	}
}

// NextTimer returns the monotonic time (as MonotonicNow) at which RunTimers has
// something to do; 1<<63-1 if never.
func NextTimer() int64 {
	d := int64(noDeadline)
	for _, w := range wheels {
		d = min(d, w.next.Load())
	}
	return d
}

func (w *wheel) fire(t *Timer, ctx *Ctx) {
	if t.bif {
		w.fireBif(offheap.At[bifTimer](offheap.Addr(t)), ctx)
		return
	}
	p := offheap.At[Process](t.owner)
	atomic.StoreUint32(&p.timedOut, 1)
	p.wake(ctx, stActive)
}

// OnTimer, when set, is called when a timer was set by a thread that is no
// scheduler, or one that might be parked past it.
var OnTimer func(due int64)

func wheelOf(ctx *Ctx) *wheel {
	if ctx != nil && ctx.SchedID > 0 {
		return wheels[int(ctx.SchedID-1)%len(wheels)]
	}
	return wheels[0]
}

// SetReceiveTimer starts the timer of `receive … after`. bad: not a valid
// timeout (timeout_value). expired: the timeout is 0, or the timer set earlier
// for this receive has fired. infinity never expires.
func (p *Process) SetReceiveTimer(timeout term.Term) (expired, bad bool) {
	if p.exitSig != nil {
		return false, false
	}
	if p.timerSet {
		return atomic.LoadUint32(&p.timedOut) != 0, false
	}
	if timeout == term.AmInfinity {
		p.timerSet = true // woken, the instruction does not look at its operand again
		return false, false
	}
	ms, ok := timeoutValue(timeout)
	if !ok {
		return false, true
	}
	if ms == 0 {
		return true, false
	}
	w := wheelOf(p.Ctx)
	due := (MonotonicNow() + int64(ms)*tickNanos + tickNanos - 1) / tickNanos
	w.mu.Lock()
	t := &p.recvTimer
	t.due, t.owner, t.bif = due, offheap.Addr(p), false
	atomic.StoreUint32(&p.timedOut, 0)
	w.add(t)
	w.mu.Unlock()
	p.timerSet = true
	return false, false
}

// timeoutValue decodes a timeout: 0 to 2^32-1.
func timeoutValue(t term.Term) (uint32, bool) {
	if !t.IsSmall() || t.Small() < 0 || t.Small() > 1<<32-1 {
		return 0, false
	}
	return uint32(t.Small()), true
}

func (p *Process) stopReceiveTimer() {
	if !p.timerSet {
		return
	}
	t := &p.recvTimer
	w := wheels[t.wheel]
	w.mu.Lock()
	if t.in {
		w.take(t)
	}
	w.mu.Unlock()
	p.timerSet = false
	atomic.StoreUint32(&p.timedOut, 0)
}
