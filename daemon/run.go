package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/beamrd/beamrd/node"
	"github.com/beamrd/beamrd/store"
)

// service is the daemon that runs in this program.
type service struct {
	o       Options
	dir     *runDir
	inst    Instance
	log     *logFile // nil: standard output is as it was
	notify  *notifier
	store   *store.Store
	node    *node.Node
	started chan struct{} // closed when node is set
	parent  *readyPipe    // nil: nobody waits
	probe   prober
	once    sync.Once // of ready
}

// Run runs a node in this program, which ends with it: Run returns an error if
// the node cannot be started, and else not at all.
func Run(o Options) error {
	s := &service{o: o, parent: openReadyPipe(), started: make(chan struct{})}
	err := s.run()
	if err != nil {
		s.parent.fail(err.Error())
		var pe *node.PrintAndExit
		if s.dir != nil && !errors.As(err, &pe) {
			s.dir.remove()
		}
	}
	return err
}

func (s *service) run() (err error) {
	if err := s.o.check(); err != nil {
		return err
	}
	s.inst = Instance{Name: s.o.service(), PID: os.Getpid(), Started: time.Now(), Journal: onJournal()}
	if s.inst.Journal {
		s.inst.Unit = ownUnit()
	}
	s.inst.Node = nodeOf(s.o.flags())
	if s.notify, err = newNotifier(); err != nil {
		return err
	}
	if s.inst.StateDir, err = s.o.stateDir(); err != nil {
		return err
	}
	if err := private(s.inst.StateDir, 0o700); err != nil {
		return fmt.Errorf("state directory: %w", err)
	}
	if s.dir, err = claim(s.o.runtimeDir(), s.o.service()); err != nil {
		return err
	}
	node.AtExit(s.atExit)
	if err := s.openLog(); err != nil {
		return err
	}
	s.store, err = store.Open(store.Path(s.inst.StateDir), store.Options{Log: s.logStore})
	var d *store.DamagedError
	if errors.As(err, &d) {
		return fmt.Errorf("%w (move the folder away to start without the modules in it)", err)
	}
	if err != nil {
		return err
	}
	return s.boot()
}

// openLog sends the output to the log file, if there is one.
func (s *service) openLog() error {
	dir := s.o.logDir(s.inst.StateDir)
	if os.Getenv("ERL_CRASH_DUMP") == "" {
		os.Setenv("ERL_CRASH_DUMP", filepath.Join(dir, "erl_crash.dump"))
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("log directory: %w", err)
	}
	if s.o.LogFile == "" {
		return nil
	}
	name, err := filepath.Abs(s.o.LogFile)
	if err != nil {
		return err
	}
	s.inst.LogFile, s.inst.Journal = name, false
	s.log = &logFile{name: name}
	return s.log.open()
}

func (s *service) boot() error {
	first := []string{"-s", "beamrd", "boot"}
	if s.o.CookieFile != "" {
		file, err := filepath.Abs(s.o.CookieFile)
		if err != nil {
			return err
		}
		c, err := cookie(file)
		if err != nil {
			return err
		}
		s.inst.CookieFile = file
		// For init alone: the command line of this process does not show it.
		first = append(first, "-setcookie", c)
	}
	if err := s.dir.write(&s.inst); err != nil {
		return err
	}
	n, err := node.Start(node.Options{
		OTPRoot: s.o.OTPRoot, Args: s.o.flags(), Observe: s.o.HTTP,
		First: first, Preload: [][]byte{controlBeam}, Daemon: s,
	})
	if err != nil {
		return err
	}
	s.node = n
	close(s.started)
	s.signals()
	n.Wait()
	return nil
}

// nodeOf returns the node's name from erl's flags.
func nodeOf(flags []string) string {
	for i, f := range flags {
		if f == "-sname" || f == "-name" {
			return flags[i+1]
		}
	}
	return ""
}

// closeTime bounds the wait for the store when the program ends.
const closeTime = 5 * time.Second

// atExit runs when the program ends in whatever way but a kill.
func (s *service) atExit() {
	s.notify.stop("Stopped")
	if s.store != nil {
		closed := make(chan struct{})
		go func() { _ = s.store.Close(); close(closed) }()
		select {
		case <-closed:
		case <-time.After(closeTime): // all that was acknowledged is on disk
		}
	}
	s.parent.fail(endedEarly)
	s.dir.remove()
}

// print writes a message of the daemon itself to its log.
func (s *service) print(prio int, format string, args ...any) {
	text := "beamrd: " + fmt.Sprintf(format, args...)
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if s.inst.Journal {
			l = fmt.Sprintf("<%d>%s", prio, l)
		}
		fmt.Fprintln(os.Stderr, l)
	}
}

// Priorities of the journal, as in syslog.
const (
	prioCritical = 2
	prioError    = 3
	prioWarning  = 4
	prioNotice   = 5
)

func (s *service) logStore(l store.Level, text string) {
	p := prioWarning
	if l == store.Failure {
		p = prioCritical
	}
	s.print(p, "%s", text)
}
