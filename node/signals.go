package node

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/beamrd/beamrd/bif"
	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// What a signal of the system does, by its default in ERTS: SIGTERM is reported
// to erl_signal_server, SIGUSR1 ends the node with a crash dump, SIGINT is the
// break handler's, SIGQUIT ends the program. os:set_signal/2 changes that.

var sigNames = map[string]syscall.Signal{
	"sighup": syscall.SIGHUP, "sigquit": syscall.SIGQUIT, "sigabrt": syscall.SIGABRT, "sigalrm": syscall.SIGALRM,
	"sigterm": syscall.SIGTERM, "sigusr1": syscall.SIGUSR1, "sigusr2": syscall.SIGUSR2, "sigchld": syscall.SIGCHLD,
	"sigstop": syscall.SIGSTOP, "sigtstp": syscall.SIGTSTP,
}

var notify = make(chan os.Signal, 64)

func startSignals() {
	bif.SetSignal = setSignal
	signal.Ignore(syscall.SIGPIPE)
	signal.Notify(notify, syscall.SIGTERM, syscall.SIGUSR1)
	go signalLoop()
	startBreak()
}

func signalLoop() {
	defer invariants.Catch()
	for s := range notify {
		sig, ok := s.(syscall.Signal)
		if !ok {
			continue
		}
		if sig == syscall.SIGUSR1 && !handled[sig] {
			dumpAndExit("Received SIGUSR1\n")
		}
		for name, n := range sigNames {
			if n == sig {
				notifySignalServer(name)
			}
		}
	}
}

// handled are the signals that os:set_signal/2 asked to be reported.
var handled = map[syscall.Signal]bool{syscall.SIGTERM: true}

// notifySignalServer sends {notify, Signal} to erl_signal_server.
func notifySignalServer(name string) {
	var h heap.Heap
	proc.SendBuilt(term.None, term.Intern("erl_signal_server"), h.Tuple(term.Intern("notify"), term.Intern(name)), &h)
}

// setSignal is os:set_signal/2; how is handle, ignore or default.
func setSignal(name, how string) bool {
	sig, ok := sigNames[name]
	if !ok {
		return false
	}
	switch how {
	case "handle":
		handled[sig] = true
		signal.Notify(notify, sig)
	case "ignore":
		handled[sig] = false
		signal.Ignore(sig)
	case "default":
		handled[sig] = false
		signal.Reset(sig)
		if sig == syscall.SIGUSR1 {
			signal.Notify(notify, sig)
		}
	default:
		return false
	}
	return true
}

// startBreak sets what Ctrl-C does: with +Bi nothing, with +B and +Bd it ends
// the program, with +Bc the shell is interrupted, else the break menu.
func startBreak() {
	c := &sysconf.C
	switch {
	case c.IgnoreBreak:
		signal.Ignore(syscall.SIGINT)
	case c.ReplaceIntr:
		intr := make(chan os.Signal, 8)
		signal.Notify(intr, syscall.SIGINT)
		go func() {
			defer invariants.Catch()
			for range intr {
				interruptShell()
			}
		}()
	case c.NoBreakHandler:
		signal.Reset(syscall.SIGINT)
	default:
		brk := make(chan os.Signal, 8)
		signal.Notify(brk, syscall.SIGINT)
		go func() {
			defer invariants.Catch()
			for range brk {
				breakMenu()
			}
		}()
	}
}

// interruptShell does what Ctrl-C under +Bc does: the current group of `user`
// gets an interrupt.
func interruptShell() {
	proc.SendTerm(term.None, term.Intern("user_drv"), term.Intern("interrupt"))
}
