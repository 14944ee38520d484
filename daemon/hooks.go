package daemon

import (
	"fmt"

	"github.com/beamrd/beamrd/node"
	"github.com/beamrd/beamrd/store"
)

// What follows is called by the module beamrd on the node; see bif.DaemonHooks.

// Ready says that init has started everything.
func (s *service) Ready() {
	<-s.started
	s.once.Do(func() {
		s.notify.ready(s.status())
		s.parent.ready()
		if s.notify.watchdog > 0 {
			go s.watch(s.notify.watchdog)
		}
	})
}

// status is the line that `systemctl status` shows.
func (s *service) status() string {
	text := fmt.Sprintf("Running %s on OTP %s", s.inst.Node, s.node.OTP.Release)
	if ms, err := s.store.List(); err == nil && len(ms) > 0 {
		text += fmt.Sprintf(", %d stored modules", len(ms))
	}
	return text
}

// Alive is the answer to a probe.
func (s *service) Alive(n int64) { s.probe.answer(n) }

// Stopping says that the node is about to stop.
func (s *service) Stopping() { s.beginStop() }

// Reloaded says how reading the configuration again went.
func (s *service) Reloaded(err string) {
	status := s.status()
	if err != "" {
		s.print(prioError, "the configuration was not read again: %s", err)
		status += "; the configuration was not read again, see the log"
	}
	s.notify.ready(status)
}

// Failed ends a node that cannot start.
func (s *service) Failed(reason string) {
	s.print(prioCritical, "node %s does not start: %s", s.inst.Name, reason)
	s.parent.fail(reason)
	node.Exit(1)
}

// Policy is what a start does about modules that cannot be restored.
func (s *service) Policy() string { return s.o.Restore }

// Journal tells whether log lines need the journal's prefixes.
func (s *service) Journal() bool { return s.inst.Journal }

// Modules is the store.
func (s *service) Modules() *store.Store { return s.store }
