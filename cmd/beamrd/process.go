package main

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/daemon"
)

// process is a node's process, by a descriptor that means no other.
type process struct {
	pid int
	fd  int
}

var errNoDaemon = errors.New("no daemon")

// findProcess returns the process of a node that runs as a daemon here; the
// error is errNoDaemon where there is none.
func findProcess(node string) (*process, error) {
	i, err := daemon.Find(node)
	if err != nil {
		return nil, errNoDaemon
	}
	fd, err := unix.PidfdOpen(i.PID, 0)
	if err != nil {
		return nil, errNoDaemon
	}
	// What holds the lock now held it before the descriptor was opened.
	if j, err := daemon.Find(node); err != nil || j.PID != i.PID {
		unix.Close(fd)
		return nil, errNoDaemon
	}
	return &process{i.PID, fd}, nil
}

func (p *process) signal(sig unix.Signal) error { return unix.PidfdSendSignal(p.fd, sig, nil, 0) }

// wait waits until the process has gone; false: d has passed before. d is 0 for
// no limit.
func (p *process) wait(d time.Duration) bool {
	end := time.Now().Add(d)
	for {
		ms := -1
		if d > 0 {
			ms = max(0, int(time.Until(end).Milliseconds()))
		}
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}}, ms)
		if !errors.Is(err, unix.EINTR) {
			return n > 0
		}
	}
}

func (p *process) close() { unix.Close(p.fd) }
