package daemon

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/node"
)

// signals handles what the node's own handlers leave to the daemon: SIGTERM
// reaches erl_signal_server by them, which stops the node; SIGUSR1 ends it with
// a crash dump.
func (s *service) signals() {
	c := make(chan os.Signal, 16)
	signal.Notify(c, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		defer invariants.Catch()
		for sig := range c {
			switch sig {
			case syscall.SIGINT: // Ctrl-C on the terminal
				s.beginStop()
				s.node.Signal("sigterm")
			case syscall.SIGTERM:
				s.beginStop()
				if !s.node.Has("erl_signal_server") {
					node.Exit(0) // nothing has been started that could be stopped
				}
			case syscall.SIGHUP:
				s.reload()
			}
		}
	}()
}

// beginStop says that the node is stopping and bounds the time it may take.
func (s *service) beginStop() {
	s.notify.stop("Stopping")
	if s.o.Deadline <= 0 {
		return
	}
	time.AfterFunc(s.o.Deadline, func() {
		s.print(prioError, "node %s has not stopped within %s; it is ended", s.inst.Name, s.o.Deadline)
		node.Exit(1)
	})
}

// reload begins the log file anew and has the node read its configuration.
func (s *service) reload() {
	s.notify.reloading()
	if s.log != nil {
		if err := s.log.open(); err != nil {
			s.print(prioError, "%v", err)
		}
	}
	if !s.node.Tell("beamrd_daemon", "reload", 0) {
		s.notify.ready(s.status())
	}
}
