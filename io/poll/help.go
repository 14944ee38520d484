package poll

import (
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/futex"
)

// Helpers are threads that look for events between other work (schedulers). An
// event that a helper finds is acted on without another thread being woken,
// which is most of what a short exchange with another node costs. While there
// are helpers awake, the goroutine leaves the events to them and only sees to it
// that they do look.

const (
	lookEvery = 2 * time.Millisecond   // how long helpers may be without looking
	hotTime   = 500 * time.Microsecond // how long after an event another one is likely
)

var help struct {
	epfd    atomic.Int32 // 0: there is nothing to look at yet
	awake   atomic.Int32
	wait    futex.Waiter // of the goroutine
	waiting atomic.Bool
	looked  atomic.Int64 // when a helper looked last
	event   atomic.Int64 // when there was something
	mu      sync.Mutex   // held by the helper that looks
	evs     [64]unix.EpollEvent
}

var epoch = time.Now()

func now() int64 { return int64(time.Since(epoch)) }

// Awake tells that a helper begins to look for events now and then.
func Awake() { help.awake.Add(1) }

// Asleep tells that it does so no more.
func Asleep() {
	if help.awake.Add(-1) == 0 && help.waiting.Load() {
		help.wait.Wake()
	}
}

// Hot tells whether it is worth while to look again and again for a short time.
func Hot() bool { return now()-help.event.Load() < int64(hotTime) }

// Look acts on events that have come, and tells how many; alone is false when
// another helper is doing just that.
func Look() (n int, alone bool) {
	fd := help.epfd.Load()
	if fd == 0 || !help.mu.TryLock() {
		return 0, false
	}
	defer help.mu.Unlock()
	t := now()
	help.looked.Store(t)
	n, err := unix.EpollWait(int(fd), help.evs[:], 0)
	if err != nil || n <= 0 {
		return 0, true
	}
	help.event.Store(t)
	act(help.evs[:n])
	return n, true
}

// helped waits while helpers look for events. It returns true when they are
// awake but do not look, and false when there are none.
func helped() bool {
	for help.awake.Load() > 0 {
		help.wait.Reset()
		help.waiting.Store(true)
		if help.awake.Load() > 0 {
			help.wait.Sleep(lookEvery)
		}
		help.waiting.Store(false)
		if help.awake.Load() > 0 && now()-help.looked.Load() > int64(lookEvery) {
			return true
		}
	}
	return false
}
