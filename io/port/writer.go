// Package ioport holds the drivers of ports that stand for file descriptors and
// programs: {fd,In,Out}, {spawn,Cmd} and {spawn_executable,File}.
//
// What may block runs on goroutines of the instance: a reader that waits with
// poll, and a writer that exists while there is something to write.
package ioport

import (
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/io/file"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/term"
)

// writer writes a port's output in order. Its fields are guarded by the port's
// lock.
type writer struct {
	p       *port.Port
	fd      int
	queue   [][]byte
	pending int
	running bool
	dead    bool
	onDone  func() // run under the lock when the goroutine ends
}

// write queues data. Call under the port's lock.
func (w *writer) write(data [][]byte) {
	if w.dead || w.fd < 0 {
		return
	}
	for _, d := range data {
		w.pending += len(d)
	}
	w.queue = append(w.queue, data...)
	if !w.running {
		w.running = true
		go w.run()
	}
}

// run writes until the queue is empty.
func (w *writer) run() {
	defer invariants.Catch()
	for {
		var batch [][]byte
		size := 0
		ok := w.p.Do(func() {
			batch, w.queue = w.queue, nil
			for _, d := range batch {
				size += len(d)
			}
			if len(batch) == 0 || w.dead {
				w.end()
			}
		})
		if !ok || len(batch) == 0 {
			if !ok && w.onDone != nil {
				w.onDone()
			}
			return
		}
		err := writeAll(w.fd, batch)
		w.p.Do(func() {
			w.pending -= size
			if err != nil {
				w.dead, w.queue, w.pending = true, nil, 0
				w.p.Fail(term.Intern(file.ErrnoName(file.Errno(err))))
			}
			w.p.Drained()
		})
	}
}

func (w *writer) end() {
	w.running = false
	if w.onDone != nil {
		w.onDone()
	}
}

// writeAll writes everything, waiting where the descriptor would block.
func writeAll(fd int, bufs [][]byte) error {
	for len(bufs) > 0 {
		n, err := file.WriteAll(fd, bufs)
		for n > 0 && len(bufs) > 0 {
			if int64(len(bufs[0])) > n {
				bufs[0] = bufs[0][n:]
				break
			}
			n -= int64(len(bufs[0]))
			bufs = bufs[1:]
		}
		switch err {
		case nil:
			return nil
		case syscall.EAGAIN:
			if _, err := poll(unix.PollFd{Fd: int32(fd), Events: unix.POLLOUT}); err != nil {
				return err
			}
		default:
			return err
		}
	}
	return nil
}

// poll waits without end until one of the descriptors is ready.
func poll(fds ...unix.PollFd) ([]unix.PollFd, error) {
	for {
		_, err := unix.Poll(fds, -1)
		if err != syscall.EINTR {
			return fds, err
		}
	}
}
