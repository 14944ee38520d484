package proc

import (
	"fmt"
	"os"
	"sync/atomic"

	"github.com/beamrd/beamrd/replay"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/term"
)

var (
	amEmulator   = term.Intern("emulator")
	amWarningMsg = term.Intern("warning_msg")
)

// systemLogger is the pid or name that gets log messages: logger by default.
var systemLogger atomic.Uint64

// SystemLogger returns who gets the emulator's log messages.
func SystemLogger() term.Term {
	if l := systemLogger.Load(); l != 0 {
		return term.Term(l)
	}
	return term.AmLogger
}

// SetSystemLogger sets who gets the emulator's log messages and returns who
// did before: a pid of this node, logger, or undefined for nobody.
func SetSystemLogger(to term.Term) term.Term {
	old := SystemLogger()
	systemLogger.Store(uint64(to))
	return old
}

// logCrash reports that p ends with an error.
func (p *Process) logCrash(reason term.Term) {
	if term.ThisNode().Name != term.AmNonodeNohost.Atom() {
		p.LogError("Error in process ~p on node ~p with exit value:~n~p~n", p.ID, nodeName(), reason)
		return
	}
	p.LogError("Error in process ~p with exit value:~n~p~n", p.ID, reason)
}

// LogError sends an error report about p to the logger.
func (p *Process) LogError(format string, args ...term.Term) {
	Log(p.Ctx, term.AmError, term.AmError, p.ID, p.GroupLeader, format, args...)
}

// LogWarning sends a warning about p to the logger.
func (p *Process) LogWarning(text string) {
	var h heap.Heap
	defer h.Release()
	Log(p.Ctx, term.AmWarning, amWarningMsg, p.ID, p.GroupLeader, "~s~n", h.Str(text))
}

// Log sends {log, Level, Format, Args, Meta} to the logger. tag is that of the
// old error_logger (error, warning_msg, info_msg); pid and gl may be None.
func Log(ctx *Ctx, level, tag, pid, gl term.Term, format string, args ...term.Term) {
	to := SystemLogger()
	switch {
	case to == term.AmUndefined:
		return
	case to.IsInternalPid() && Lookup(to) == nil:
		systemLogger.CompareAndSwap(uint64(to), 0)
		to = term.AmLogger
	}
	var h heap.Heap
	for i := range args {
		args[i] = heap.CopyTo(&h, args[i])
	}
	el, _ := maps.FromPairs(&h, []term.Term{amEmulator, term.True, term.AmTag, tag})
	meta := []term.Term{term.AmErrorLogger, el, term.AmTime, h.Int(replay.Wall() / 1000)}
	if pid != term.None {
		meta = append(meta, term.AmPid, pid)
	}
	if gl != term.None {
		meta = append(meta, term.AmGl, heap.CopyTo(&h, gl))
	}
	md, _ := maps.FromPairs(&h, meta)
	msg := h.Tuple(term.AmLog, level, h.Str(format), h.List(args...), md)
	if to.IsAtom() {
		to = Whereis(to)
	}
	if to == term.None {
		fmt.Fprintf(os.Stderr, "(no logger present) unexpected logger message: %v\n", msg)
	}
	sendBuilt(ctx, pid, to, msg, &h)
}
