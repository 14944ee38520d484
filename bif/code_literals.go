package bif

import (
	"sync"

	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var codeLiteralRows = []native.Row{
	{Module: "erts_literal_area_collector", Name: "release_area_switch", Arity: 0, Fn: codeReleaseSwitch},
	{Module: "erts_literal_area_collector", Name: "send_copy_request", Arity: 3, Fn: codeSendCopyRequest},
}

var (
	amCopyLiterals = term.Intern("copy_literals")
	amInit         = term.Intern("init")
	amCheckGC      = term.Intern("check_gc")
	amNeedGC       = term.Intern("need_gc")
)

// The literals of purged code, and of persistent terms that were erased or
// replaced, are released one area after the other, by the literal area collector
// in Erlang: release_area_switch/0 makes the next area
// known (vm/proc/literals.go), then each process is asked to let go of it, and
// the next switch frees it.
var purgedLiterals struct {
	sync.Mutex
	waiting []oldLiterals
	now     *oldLiterals // being released
}

// oldLiterals are literals that nothing new can refer to.
type oldLiterals struct {
	start, end uintptr
	free       func()
}

// literalCollector is the process that releases areas, or None before it runs.
var literalCollector = term.None

// SetLiteralCollector says which process is the literal area collector.
func SetLiteralCollector(pid term.Term) { literalCollector = pid }

func releaseLiterals(c *native.Call, m *code.Module) {
	if m.LitSize == 0 {
		return
	}
	queueLiterals(oldLiterals{m.LitStart, m.LitEnd, m.FreeLiterals})
}

func queueLiterals(l oldLiterals) {
	purgedLiterals.Lock()
	purgedLiterals.waiting = append(purgedLiterals.waiting, l)
	purgedLiterals.Unlock()
	if literalCollector != term.None {
		var h heap.Heap
		proc.SendBuilt(term.None, literalCollector, amCopyLiterals, &h)
	}
}

// codeReleaseSwitch frees the area that was being released and makes the next
// one known: true, or false when there is none.
func codeReleaseSwitch(c *native.Call) term.Term {
	if c.P.ID != literalCollector {
		return c.Error(term.AmNotsup)
	}
	// Only the collector gets here, so now is its own. No lock is held while the
	// schedulers are stopped: one of them may be waiting for it.
	if l := purgedLiterals.now; l != nil {
		if proc.LeavingBefore() > 0 {
			return again(c)
		}
		if !quiet(c, proc.EndRelease) {
			return again(c)
		}
		purgedLiterals.now = nil
		epoch.After(l.free)
	}
	purgedLiterals.Lock()
	var l oldLiterals
	more := len(purgedLiterals.waiting) > 0
	if more {
		l = purgedLiterals.waiting[0]
	}
	purgedLiterals.Unlock()
	if !more {
		return term.False
	}
	if !quiet(c, func() { proc.BeginRelease(l.start, l.end) }) {
		return again(c)
	}
	purgedLiterals.Lock()
	purgedLiterals.waiting = purgedLiterals.waiting[1:]
	purgedLiterals.Unlock()
	purgedLiterals.now = &l
	return term.True
}

// quiet runs f while the schedulers are stopped, if no other thread is looking
// at shared objects; else it returns false.
func quiet(c *native.Call, f func()) (ok bool) {
	stopAll(c, func() {
		if ok = epoch.Passed(epoch.Stamp()); ok {
			f()
		}
	})
	return ok
}

// codeSendCopyRequest asks a process to let go of the area; the answer comes
// as a message {copy_literals, {Area, How, Pid}, ok}.
func codeSendCopyRequest(c *native.Call) term.Term {
	pid, area, how := c.Arg(0), c.Arg(1), c.Arg(2)
	switch {
	case c.P.ID != literalCollector:
		return c.Error(term.AmNotsup)
	case !pid.IsInternalPid(), how != amInit && how != amCheckGC && how != amNeedGC:
		return c.Badarg()
	}
	id := c.P.Heap.Tuple(area, how, pid)
	if !proc.RequestTask(c.Ctx, c.P.ID, pid, amCopyLiterals, id, nil) {
		proc.AnswerTask(c.Ctx, c.P.ID, amCopyLiterals, id, term.AmOk)
	}
	return term.AmOk
}
