// Package node puts the parts together: it finds the OTP, reads erl's command
// line, and boots. It is also how a Go program embeds a node.
//
// There is one node in a program: atoms, code and processes are global.
package node

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sort"
	"strings"
	"sync"
	"syscall"

	"github.com/beamrd/beamrd/bif"
	"github.com/beamrd/beamrd/dirty"
	"github.com/beamrd/beamrd/ets"
	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/io/poll"
	ioport "github.com/beamrd/beamrd/io/port"
	"github.com/beamrd/beamrd/io/ramfile"
	"github.com/beamrd/beamrd/io/sock"
	"github.com/beamrd/beamrd/io/tty"
	"github.com/beamrd/beamrd/loader"
	"github.com/beamrd/beamrd/sched"
	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/interp"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Options say how a node is started.
type Options struct {
	OTPRoot string   // empty: see FindOTP
	Args    []string // erl's command line, without the program's name
	Name    string   // argv[0] of the emulator as system_info(emu_args) shows it; empty: the default

	// Observe is where HTTP is served (see package observe): HOST:PORT on the
	// loopback interface, or unix:PATH. Empty: what BEAMRD_HTTP says, or nothing.
	Observe string

	First   []string        // flags of init that come before those of the command line
	Preload [][]byte        // .beam files of further preloaded modules
	Daemon  bif.DaemonHooks // for a node that runs as a daemon: see bif/beamrd.go
}

// Node is a started node.
type Node struct {
	OTP *OTP
}

var started sync.Mutex

// ErrStarted says that this program has a node already.
var ErrStarted = errors.New("node: a program can start one node only")

// Start reads the command line and boots: when it returns, process 0 runs. The
// errors *UsageError and *PrintAndExit are requests of the command line; see
// Report.
func Start(o Options) (*Node, error) {
	if !started.TryLock() {
		return nil, ErrStarted
	}
	otp, err := FindOTP(o.OTPRoot)
	if err != nil {
		return nil, err
	}
	cmd, err := configure(otp, &o)
	if err != nil {
		return nil, err
	}
	if err := cmd.before(); err != nil {
		return nil, err
	}
	observer, err := openObserver(o.Observe)
	if err != nil {
		return nil, err
	}
	bif.Daemon = o.Daemon
	if err := boot(otp, o.Preload); err != nil {
		return nil, err
	}
	if observer != nil {
		observer.Serve()
	}
	return &Node{OTP: otp}, nil
}

// configure fills sysconf.C and the environment.
func configure(otp *OTP, o *Options) (*CmdLine, error) {
	bindir, err := linkDir()
	if err != nil {
		return nil, err
	}
	args, err := massage(o.Args, os.Getenv, otp.Release)
	if err != nil {
		return nil, err
	}
	places := Places{Root: otp.Root, Bindir: bindir, Progname: bindir + "/erl", Emu: "beam.smp",
		Home: os.Getenv("HOME"), EpmdPort: os.Getenv("ERL_EPMD_PORT"), First: o.First}
	cmd, err := ParseCmdLine(args, places)
	if err != nil {
		return nil, err
	}
	c := sysconf.Default()
	c.Root, c.Bindir, c.Progname, c.EmuName = otp.Root, bindir, places.Progname, places.Emu
	c.Release, c.ErtsVersion, c.OTPVersion = otp.Release, otp.ErtsVersion, otp.Version
	c.CompatRel = cAtoi(otp.Release)
	c.Debug = map[string]bool{}
	for _, t := range strings.Split(os.Getenv("BEAMRD_DEBUG"), ",") {
		c.Debug[strings.TrimSpace(t)] = true
	}
	if cmd.Verbose {
		fmt.Printf("Executing: %s/%s %s %s\n\n", bindir, places.Emu, strings.Join(append([]string{places.Emu}, cmd.Emu...), " "), "-- "+strings.Join(cmd.Init, " "))
	}
	if err := exportEnv(cmd, places); err != nil {
		return nil, err
	}
	if err := ParseEmuFlags(cmd.Emu, &c); err != nil {
		return nil, err
	}
	c.InitArgs = cmd.Init
	if n := os.Getenv("ESCRIPT_NAME"); n != "" {
		c.EmuName = n
	}
	if o.Name != "" {
		c.EmuName = o.Name
	}
	sysconf.C = c
	return cmd, nil
}

// exportEnv sets what OTP's programs expect in the environment.
func exportEnv(cmd *CmdLine, p Places) error {
	path := p.Bindir + ":" + p.Root + "/bin"
	if old := os.Getenv("PATH"); old != "" {
		// Earlier occurrences go, so that nested nodes do not lengthen it.
		for _, d := range strings.Split(old, ":") {
			if d != p.Bindir && d != p.Root+"/bin" {
				path += ":" + d
			}
		}
	}
	env := append([][2]string{{"ROOTDIR", p.Root}, {"BINDIR", p.Bindir}, {"EMU", "beam"}, {"PROGNAME", p.Progname}, {"PATH", path}}, cmd.SetEnv...)
	for _, kv := range env {
		if err := os.Setenv(kv[0], kv[1]); err != nil {
			return fmt.Errorf("setting %s: %w", kv[0], err)
		}
	}
	return nil
}

// before does what erlexec does before it becomes the emulator.
func (c *CmdLine) before() error {
	if c.Man != nil {
		os.Setenv("MANSECT", "3erl:1:5:7")
		man, err := exec.LookPath("man")
		if err == nil {
			err = syscall.Exec(man, append([]string{"man"}, c.Man...), os.Environ())
		}
		return fmt.Errorf("could not execute the 'man' command: %w", err)
	}
	if c.Distributed && c.StartEpmd {
		if err := startEpmd(sysconf.C.Bindir, c.EpmdProg, c.Init); err != nil {
			return err
		}
	}
	return nil
}

// boot installs the builtins, loads the preloaded modules and starts the first
// processes.
func boot(otp *OTP, more [][]byte) error {
	c := &sysconf.C
	atom.SetLimit(c.MaxAtoms)
	proc.SetMax(c.MaxProcs)
	setDefaults(c)
	setDebug()
	engine := interp.New()
	hooks()
	for _, rows := range bif.All() {
		if err := native.Install(rows); err != nil {
			return err
		}
	}
	bif.InitSystemInfo()
	if err := drivers(); err != nil {
		return err
	}
	ms, err := findPreloaded(otp)
	if err != nil {
		return err
	}
	for _, m := range ms {
		debugBoot("loading preloaded %s", m.name)
		if err := loadPreloaded(m); err != nil {
			return fmt.Errorf("preloaded module %s: %w", m.name, err)
		}
	}
	for _, b := range more {
		if _, err := loader.Preload(b); err != nil {
			return fmt.Errorf("preloaded module: %w", err)
		}
	}
	sched.OnDirty = dirty.Take
	dirty.Start(engine, c.DirtyCPU, c.DirtyIO)
	sched.Events.Look, sched.Events.Hot = poll.Look, poll.Hot
	sched.Events.Awake, sched.Events.Asleep = poll.Awake, poll.Asleep
	sched.Start(engine, c.Schedulers, c.DirtyCPU)
	var bad error
	epoch.BlockAll(nil, func() { bad = firstProcesses(c) })
	if bad != nil {
		return bad
	}
	startSignals()
	return nil
}

func setDefaults(c *sysconf.Config) {
	d := &proc.Defaults
	d.MinHeap = nextHeapSize(uint64(c.MinHeap))
	d.MinVHeap = nextHeapSize(uint64(c.MinBinVHeap))
	d.FullsweepAfter = uint32(c.FullsweepAfter)
	d.MaxSize = uint64(c.MaxHeap)
	d.MaxSizeOpts = 0
	if c.MaxHeapKill {
		d.MaxSizeOpts |= heap.MaxSizeKill
	}
	if c.MaxHeapLog {
		d.MaxSizeOpts |= heap.MaxSizeLog
	}
	d.OffHeapMsgs = c.OffHeapMsgs
}

// hooks connects the packages that must not know each other.
func hooks() {
	proc.Ports = port.Signals{}
	proc.EtsExit = ets.Exit
	proc.ExitHooks = append(proc.ExitHooks, proc.RunOnExit)
	proc.OnSystemExit = systemProcessExited
	bif.SetPortHooks()
	bif.Halt, bif.StateText = halt, stateText
	bif.SetNodeHooks()
	port.LogBadValue = logBadValue
	port.FdDriver, port.SpawnDrv, port.FileDriver = ioport.Fd{}, ioport.Spawn{}, ioport.File{}
}

// drivers makes the linked-in drivers known and opens port 0.
func drivers() error {
	sock.HTTPTerm, sock.SSLTerm = bif.PacketHTTP, bif.PacketSSL
	port.Register(sock.TCP{})
	port.Register(sock.UDP{})
	port.Register(ramfile.Driver{})
	port.Register(&tty.Driver{AtExit: AtExit, Locale: func() (bool, bool) {
		return bif.LocaleIsUTF8(), bif.LocaleIsLatin1()
	}})
	return port.OpenForker()
}

// firstProcesses starts process 0 and the five system processes that ERTS
// starts before any scheduler runs.
func firstProcesses(c *sysconf.Config) error {
	var h heap.Heap
	args := term.Nil
	for i := len(c.InitArgs) - 1; i >= 0; i-- {
		args = h.Cons(h.Binary([]byte(c.InitArgs[i])), args)
	}
	o := proc.DefaultSpawnOpts()
	o.System = true
	init, _, err := proc.Spawn(nil, term.AmErlInit, term.AmStart, []term.Term{term.Intern(c.InitMod), args}, &o)
	if err != term.None {
		return fmt.Errorf("cannot start process 0")
	}
	parent := proc.Lookup(init)
	o.OffHeapMsgs = true
	for _, s := range []struct {
		module string
		prio   uint8
	}{
		{"erts_code_purger", proc.PrioHigh},
		{"erts_literal_area_collector", proc.PrioHigh},
		{"erts_dirty_process_signal_handler", proc.PrioNormal},
		{"erts_dirty_process_signal_handler", proc.PrioHigh},
		{"erts_dirty_process_signal_handler", proc.PrioMax},
	} {
		o.Priority = s.prio
		pid, _, err := proc.Spawn(parent, term.Intern(s.module), term.AmStart, nil, &o)
		if err != term.None {
			return fmt.Errorf("cannot start system process %s", s.module)
		}
		switch s.module {
		case "erts_dirty_process_signal_handler":
			proc.SetDirtyHandler(int(s.prio), pid)
		case "erts_literal_area_collector":
			bif.SetLiteralCollector(pid)
		}
	}
	return nil
}

// Wait never returns: the node ends the program through halt.
func (n *Node) Wait() { select {} }

// Report writes what an error of Start has to say and returns the exit code.
func Report(err error, stdout, stderr io.Writer) int {
	var ue *UsageError
	var pe *PrintAndExit
	switch {
	case errors.As(err, &ue):
		printUsage(stderr, ue, "beam.smp")
		return 1
	case errors.As(err, &pe):
		io.WriteString(stdout, pe.Stdout)
		io.WriteString(stderr, pe.Stderr)
		return 0
	}
	fmt.Fprintf(stderr, "beamrd: %v\n", err)
	return 1
}

func sortedKeys[V any](m map[string]V) []string {
	ks := make([]string, 0, len(m))
	for k := range m {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	return ks
}
