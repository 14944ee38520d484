// Package poll waits for file descriptors to become ready: one goroutine over
// epoll for all, which schedulers help while they are awake. Registrations are
// one-shot; a token holds a generation, so that an event for a descriptor that
// was closed and used anew wakes nobody. Of several registrations of one
// descriptor the one that was armed last counts.
package poll

import (
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/invariants"
)

// FD is a registered descriptor.
type FD struct {
	fd  int
	idx uint32
	gen uint32
	fn  func(read, write bool)
}

var p struct {
	sync.Mutex
	once  sync.Once
	epfd  int
	err   error
	slots []*FD
	gens  []uint32
	free  []uint32
	known []*FD // by descriptor: whose token epoll has
}

func start() {
	p.epfd, p.err = unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if p.err == nil {
		help.epfd.Store(int32(p.epfd))
		go loop()
	}
}

// Register makes a descriptor known. fn is called on the poller's goroutine, or
// on the thread of a helper, with what is ready (an error counts as both) and
// must not block.
func Register(fd int, fn func(read, write bool)) (*FD, error) {
	p.once.Do(start)
	if p.err != nil {
		return nil, p.err
	}
	p.Lock()
	defer p.Unlock()
	f := &FD{fd: fd, fn: fn}
	if n := len(p.free); n > 0 {
		f.idx = p.free[n-1]
		p.free = p.free[:n-1]
	} else {
		f.idx = uint32(len(p.slots))
		p.slots = append(p.slots, nil)
		p.gens = append(p.gens, 0)
	}
	p.gens[f.idx]++
	f.gen = p.gens[f.idx]
	p.slots[f.idx] = f
	return f, nil
}

// Arm asks for one event. Arming again replaces what was asked for.
func (f *FD) Arm(read, write bool) error {
	ev := unix.EpollEvent{Events: unix.EPOLLONESHOT, Fd: int32(f.idx), Pad: int32(f.gen)}
	if read {
		ev.Events |= unix.EPOLLIN | unix.EPOLLRDHUP
	}
	if write {
		ev.Events |= unix.EPOLLOUT
	}
	op, other := unix.EPOLL_CTL_ADD, unix.EPOLL_CTL_MOD
	p.Lock()
	for f.fd >= len(p.known) {
		p.known = append(p.known, nil)
	}
	if p.known[f.fd] != nil {
		op, other = other, op
	}
	p.known[f.fd] = f
	p.Unlock()
	err := unix.EpollCtl(p.epfd, op, f.fd, &ev)
	if err == unix.EEXIST || err == unix.ENOENT {
		// The descriptor was closed behind a registration's back.
		err = unix.EpollCtl(p.epfd, other, f.fd, &ev)
	}
	return err
}

// Forget ends the registration. The caller may close the descriptor then; fn
// may still be running, but is not called any more.
func (f *FD) Forget() {
	p.Lock()
	defer p.Unlock()
	if p.slots[f.idx] != f {
		return
	}
	p.slots[f.idx] = nil
	p.free = append(p.free, f.idx)
	if f.fd < len(p.known) && p.known[f.fd] == f {
		p.known[f.fd] = nil
		_ = unix.EpollCtl(p.epfd, unix.EPOLL_CTL_DEL, f.fd, nil)
	}
}

// Count returns the number of registrations.
func Count() int {
	p.Lock()
	defer p.Unlock()
	return len(p.slots) - len(p.free)
}

// Memory returns the bytes that the registrations take.
func Memory() int {
	p.Lock()
	defer p.Unlock()
	const each = 32 + 8 + 4 // an FD, its slot and its generation
	return cap(p.slots)*each + cap(p.free)*4 + cap(p.known)*8
}

func loop() {
	defer invariants.Catch()
	evs := make([]unix.EpollEvent, 256)
	for {
		wait := -1
		if helped() {
			wait = 0
		}
		n, err := unix.EpollWait(p.epfd, evs, wait)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			invariants.Failf("epoll_wait: %v", err)
		}
		if n > 0 {
			help.event.Store(now())
		}
		act(evs[:n])
	}
}

// act calls who waits for the events.
func act(evs []unix.EpollEvent) {
	for _, ev := range evs {
		p.Lock()
		var f *FD
		if int(ev.Fd) < len(p.slots) {
			if f = p.slots[ev.Fd]; f != nil && f.gen != uint32(ev.Pad) {
				f = nil
			}
		}
		p.Unlock()
		if f == nil {
			continue
		}
		bad := ev.Events&(unix.EPOLLERR|unix.EPOLLHUP) != 0
		f.fn(bad || ev.Events&(unix.EPOLLIN|unix.EPOLLRDHUP) != 0, bad || ev.Events&unix.EPOLLOUT != 0)
	}
}
