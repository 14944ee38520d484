package poll

import (
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/futex"
	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/internal/sysnet"
)

// Helpers are threads that look for events between other work (schedulers), and
// of which one waits for events when it has no work. An event that a helper
// finds is acted on without another thread being woken, which is most of what a
// short exchange with another node costs. While there are helpers, the goroutine
// leaves the events to them and only sees to it that they do look.

const (
	lookEvery = 2 * time.Millisecond // how long helpers may be awake without looking
	quietTime = 5 * time.Millisecond // after which the goroutine need not watch one that waits
	// shortWait is how long a helper waits as if it ran: nobody else gets its
	// place among Go's threads, which costs more than the wait.
	shortWait = 500 * time.Microsecond
)

var help struct {
	once   sync.Once
	epfd   atomic.Int32 // 0: there is nothing to look at yet
	wakefd int          // what interrupts the helper that waits
	awake  atomic.Int32
	in     atomic.Bool  // a helper waits for events
	left   atomic.Int64 // when one did last
	looked atomic.Int64 // when one looked last

	wait   futex.Waiter // of the goroutine
	asleep atomic.Bool
	long   atomic.Bool // without limit

	mu   sync.Mutex // held by the helper that looks
	evs  [64]unix.EpollEvent
	wevs [64]unix.EpollEvent // of the helper that waits
}

var began = time.Now()

func now() int64 { return int64(time.Since(began)) }

// Awake tells that a helper begins to look for events now and then.
func Awake() { help.awake.Add(1) }

// Asleep tells that it does so no more. One that waits does not sleep.
func Asleep() {
	if help.awake.Add(-1) == 0 && !help.in.Load() {
		rouse()
	}
}

func rouse() {
	if help.asleep.Load() {
		help.wait.Wake()
	}
}

// Look acts on events that have come, and tells how many.
func Look() int {
	fd := help.epfd.Load()
	if fd == 0 || !help.mu.TryLock() {
		return 0
	}
	defer help.mu.Unlock()
	help.looked.Store(now())
	n, e := sysnet.EpollWait(int(fd), help.evs[:], 0, true)
	if e != 0 || n <= 0 {
		return 0
	}
	act(help.evs[:n])
	return n
}

// Wait waits for events, for a time (negative: without limit) or until
// Interrupt, and acts on them. false: it did not, as another helper does.
// stop tells that waiting has become needless before it began.
func Wait(d time.Duration, stop func() bool) bool {
	p.once.Do(start)
	help.once.Do(openWake)
	fd := int(help.epfd.Load())
	if fd == 0 || help.wakefd < 0 || !help.in.CompareAndSwap(false, true) {
		return false
	}
	n, e := 0, syscall.Errno(0)
	if !stop() {
		short := shortWait
		if d >= 0 {
			short = min(d, short)
		}
		n, e = sysnet.EpollWait(fd, help.wevs[:], short, true)
		if n == 0 && e == 0 && short != d && !stop() {
			if d >= 0 {
				d -= short
			}
			n, e = sysnet.EpollWait(fd, help.wevs[:], d, false)
		}
	}
	help.left.Store(now())
	help.in.Store(false)
	if help.long.Load() {
		rouse()
	}
	if e == 0 && n > 0 {
		act(help.wevs[:n])
	}
	return true
}

// openWake makes what Interrupt writes to; each write is an event, and nothing
// need be read.
func openWake() {
	help.wakefd = -1
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return
	}
	ev := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLET, Fd: wakeIndex}
	if unix.EpollCtl(p.epfd, unix.EPOLL_CTL_ADD, fd, &ev) == nil {
		help.wakefd = fd
	}
}

// wakeIndex is no index of a slot.
const wakeIndex = -1

// Interrupt ends the wait of the helper that waits, if any.
func Interrupt() {
	if help.in.Load() {
		if _, err := unix.Write(help.wakefd, []byte{1, 0, 0, 0, 0, 0, 0, 0}); err != nil && err != unix.EAGAIN {
			invariants.Failf("eventfd: %v", err)
		}
	}
}

// helped waits while helpers look for events. It returns true when they are
// awake but do not look, and false when there are none.
func helped() bool {
	for {
		in := help.in.Load()
		if !in && help.awake.Load() <= 0 {
			return false
		}
		t := time.Duration(-1)
		help.wait.Reset()
		help.asleep.Store(true)
		if !in || now()-help.left.Load() < int64(quietTime) {
			t = lookEvery
		} else {
			help.long.Store(true)
			if !help.in.Load() {
				t = lookEvery // it has left before it could see that
			}
		}
		if help.in.Load() || help.awake.Load() > 0 {
			help.wait.Sleep(t)
		}
		help.long.Store(false)
		help.asleep.Store(false)
		if !help.in.Load() && help.awake.Load() > 0 && now()-max(help.looked.Load(), help.left.Load()) > int64(lookEvery) {
			return true
		}
	}
}
