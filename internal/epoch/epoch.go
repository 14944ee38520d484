// Package epoch provides safe points: proof that every thread has let go of
// what it could see earlier.
//
// A Thread is online between Enter and Leave. It reports at each slice that it
// holds nothing from before. What is taken out of a shared structure is
// stamped; when every online thread has reported a newer epoch than the stamp,
// nobody can still hold it and it may be freed. Parked threads are offline and
// never delay anything.
//
// Schedulers are stoppers too: BlockAll waits until all of them are offline
// and keeps them from coming back until its function returned. Other threads
// (dirty workers, Go goroutines) pin the epoch only while they look at shared
// objects; they are not stopped.
package epoch

import (
	"math"
	"sync"
	"sync/atomic"
)

const offline = math.MaxUint64

// Thread is one reporting thread.
type Thread struct {
	seen    atomic.Uint64
	stopper bool
	_       [48]byte
}

var (
	global  atomic.Uint64
	threads atomic.Pointer[[]*Thread]
	minSeen atomic.Uint64 // a lower bound of what all online threads have seen
	regMu   sync.Mutex

	attention atomic.Uint32 // bits below: the slow path of Report has work

	blockMu  sync.Mutex // held by the blocker
	stateMu  sync.Mutex
	stateCnd = sync.NewCond(&stateMu)

	afterMu sync.Mutex
	after   []deferred
)

const (
	wantBlock = 1 << iota
	wantAfter
)

type deferred struct {
	stamp uint64
	fn    func()
}

// Register enters a thread, offline. A stopper is one that BlockAll stops.
func Register(stopper bool) *Thread {
	t := &Thread{stopper: stopper}
	t.seen.Store(offline)
	regMu.Lock()
	defer regMu.Unlock()
	var n []*Thread
	if p := threads.Load(); p != nil {
		n = append(n, *p...)
	}
	n = append(n, t)
	threads.Store(&n)
	return t
}

// Unregister removes a thread for good.
func (t *Thread) Unregister() {
	t.Leave()
	regMu.Lock()
	defer regMu.Unlock()
	var n []*Thread
	for _, o := range *threads.Load() {
		if o != t {
			n = append(n, o)
		}
	}
	threads.Store(&n)
}

// Enter brings the thread online. A stopper waits while BlockAll is at work.
func (t *Thread) Enter() {
	for {
		t.seen.Store(global.Load())
		if !t.stopper || attention.Load()&wantBlock == 0 {
			return
		}
		t.seen.Store(offline)
		stateMu.Lock()
		stateCnd.Broadcast()
		for attention.Load()&wantBlock != 0 {
			stateCnd.Wait()
		}
		stateMu.Unlock()
	}
}

// Leave takes the thread offline: it holds nothing shared any more.
func (t *Thread) Leave() {
	t.seen.Store(offline)
	if a := attention.Load(); a != 0 {
		if a&wantBlock != 0 {
			stateMu.Lock()
			stateCnd.Broadcast()
			stateMu.Unlock()
		}
		Poll()
	}
}

// Online tells whether the thread is between Enter and Leave.
func (t *Thread) Online() bool { return t.seen.Load() != offline }

// Report says that the thread holds nothing it saw before. It may wait for a
// BlockAll to end and may run functions given to After.
func (t *Thread) Report() {
	t.seen.Store(global.Load())
	if attention.Load() != 0 {
		t.reportSlow()
	}
}

func (t *Thread) reportSlow() {
	if t.stopper && attention.Load()&wantBlock != 0 {
		t.Leave()
		t.Enter()
	}
	Poll()
}

// Stamp returns the stamp of something that was just made unreachable.
func Stamp() uint64 {
	g := global.Load()
	global.CompareAndSwap(g, g+1)
	return g
}

// Passed tells whether what got the stamp can be held by nobody now.
func Passed(stamp uint64) bool {
	if minSeen.Load() > stamp {
		return true
	}
	m := global.Load()
	if p := threads.Load(); p != nil {
		for _, t := range *p {
			m = min(m, t.seen.Load())
		}
	}
	for {
		old := minSeen.Load()
		if m <= old || minSeen.CompareAndSwap(old, m) {
			break
		}
	}
	return m > stamp
}

// After runs fn, on some thread at a safe point, once all threads have passed
// one. What fn is to free must be unreachable already. fn must not block.
func After(fn func()) {
	afterMu.Lock()
	after = append(after, deferred{Stamp(), fn})
	attention.Or(wantAfter)
	afterMu.Unlock()
}

// Poll runs the functions of After whose time has come.
func Poll() {
	if attention.Load()&wantAfter == 0 || !afterMu.TryLock() {
		return
	}
	n := 0
	for n < len(after) && Passed(after[n].stamp) {
		n++
	}
	run := append([]deferred(nil), after[:n]...)
	after = append(after[:0], after[n:]...)
	if len(after) == 0 {
		attention.And(^uint32(wantAfter))
	}
	afterMu.Unlock()
	for _, d := range run {
		d.fn()
	}
}

// BlockAll runs fn while every stopper is stopped. self is the calling
// thread if it is one, else nil; it counts as stopped.
func BlockAll(self *Thread, fn func()) {
	online := self != nil && self.Online()
	if online {
		self.Leave() // a blocker ahead of us must not wait for us
	}
	blockMu.Lock()
	attention.Or(wantBlock)
	stateMu.Lock()
	for !allStopped() {
		stateCnd.Wait()
	}
	stateMu.Unlock()
	fn()
	stateMu.Lock()
	attention.And(^uint32(wantBlock))
	stateCnd.Broadcast()
	stateMu.Unlock()
	blockMu.Unlock()
	if online {
		self.Enter()
	}
}

func allStopped() bool {
	p := threads.Load()
	if p == nil {
		return true
	}
	for _, t := range *p {
		if t.stopper && t.seen.Load() != offline {
			return false
		}
	}
	return true
}

var pins struct {
	sync.Mutex
	free []*Thread
}

// Pin keeps what the caller can see from being freed until Unpin. It is for
// threads that are not registered; it never blocks for long and nests.
func Pin() *Thread {
	pins.Lock()
	var t *Thread
	if n := len(pins.free); n > 0 {
		t = pins.free[n-1]
		pins.free = pins.free[:n-1]
	}
	pins.Unlock()
	if t == nil {
		t = Register(false)
	}
	t.Enter()
	return t
}

// Unpin ends what Pin began.
func (t *Thread) Unpin() {
	t.Leave()
	pins.Lock()
	pins.free = append(pins.free, t)
	pins.Unlock()
}
