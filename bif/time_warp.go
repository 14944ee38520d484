package bif

import (
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// The time warp modes (+C) say when the time offset may change: never, once
// when it is finalised, or at any time, which does not happen here.

// finalized tells that a preliminary offset was made final.
var finalized atomic.Bool

// offsetState is system_info(time_offset).
func offsetState() term.Term {
	switch {
	case sysconf.C.TimeWarp == "multi_time_warp":
		return term.Intern("volatile")
	case sysconf.C.TimeWarp == "single_time_warp" && !finalized.Load():
		return term.Intern("preliminary")
	}
	return term.Intern("final")
}

// sysTimeOffset finalises a preliminary time offset; it returns the state before.
func sysTimeOffset(c *native.Call, v term.Term) term.Term {
	if v != term.Intern("finalize") {
		return c.Badarg()
	}
	old := offsetState()
	if old == term.Intern("preliminary") && finalized.CompareAndSwap(false, true) {
		proc.AdjustTimeOffset()
	}
	return old
}
