package ioport

import (
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/vm/port"
)

// reader delivers a port's input. It can be stopped while it waits, for it
// polls a pipe of its own beside the descriptor.
type reader struct {
	p      *port.Port
	fd     int
	wake   [2]int
	onEOF  func(err error) // under the port's lock
	closed bool            // under the port's lock
	own    bool            // fd is closed with the reader
	done   bool
	mu     sync.Mutex // guards own and done
}

const readSize = 64 << 10

func startReader(p *port.Port, fd int, onEOF func(error)) (*reader, error) {
	r := &reader{p: p, fd: fd, onEOF: onEOF}
	if err := unix.Pipe2(r.wake[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return nil, err
	}
	go r.run()
	return r, nil
}

// stop ends the goroutine, which closes what it owns.
func (r *reader) stop() {
	if !r.closed {
		r.closed = true
		unix.Close(r.wake[1])
	}
}

// stopAndClose is stop, and closes the descriptor once nobody reads it.
func (r *reader) stopAndClose() {
	r.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.own = true; r.done {
		unix.Close(r.fd)
	}
}

func (r *reader) finish() {
	unix.Close(r.wake[0])
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done = true; r.own {
		unix.Close(r.fd)
	}
}

func (r *reader) run() {
	defer invariants.Catch()
	defer r.finish()
	buf := make([]byte, readSize)
	for {
		fds, err := poll(unix.PollFd{Fd: int32(r.fd), Events: unix.POLLIN}, unix.PollFd{Fd: int32(r.wake[0])})
		if err == nil && fds[1].Revents != 0 {
			return
		}
		if err == nil && fds[0].Revents&unix.POLLNVAL != 0 {
			err = syscall.EBADF
		}
		n := 0
		if err == nil {
			n, err = port.ReadInput(r.fd, buf)
		}
		if err == syscall.EINTR || err == syscall.EAGAIN {
			continue
		}
		ok := r.p.Do(func() {
			switch {
			case r.closed:
			case n > 0:
				r.p.Input(buf[:n])
			default:
				r.onEOF(err)
			}
		})
		if !ok || n <= 0 {
			r.p.Do(r.stop)
			return
		}
	}
}
