package bif

import (
	"sync"

	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var systemMonitorRows = []native.Row{
	{Module: "erlang", Name: "system_monitor", Arity: 0, Fn: systemMonitor0},
	{Module: "erlang", Name: "system_monitor", Arity: 1, Fn: systemMonitor1},
	{Module: "erlang", Name: "system_monitor", Arity: 2, Fn: systemMonitor2},
	{Module: "erlang", Name: "system_profile", Arity: 0, Fn: systemProfile0},
	{Module: "erlang", Name: "system_profile", Arity: 2, Fn: systemProfile2},
	{Module: "erts_internal", Name: "system_check", Arity: 1, Fn: systemCheck},

	{Module: "erlang", Name: "dt_get_tag", Arity: 0, Fn: dtUndefined},
	{Module: "erlang", Name: "dt_get_tag_data", Arity: 0, Fn: dtUndefined},
	{Module: "erlang", Name: "dt_put_tag", Arity: 1, Fn: dtUndefined},
	{Module: "erlang", Name: "dt_spread_tag", Arity: 1, Fn: dtTrue},
	{Module: "erlang", Name: "dt_restore_tag", Arity: 1, Fn: dtTrue},
	{Module: "erlang", Name: "dt_append_vm_tag_data", Arity: 1, Fn: dtSame},
	{Module: "erlang", Name: "dt_prepend_vm_tag_data", Arity: 1, Fn: dtSame},
}

// Without dynamic tracing the dt functions leave their arguments alone.

func dtUndefined(*native.Call) term.Term { return term.AmUndefined }
func dtTrue(*native.Call) term.Term      { return term.True }
func dtSame(c *native.Call) term.Term    { return c.Arg(0) }

// SystemMonitor is the one monitor of the system. Whoever detects an event
// looks here.
var SystemMonitor struct {
	sync.Mutex
	Pid                    term.Term // pid or port, or None
	LongGC, LongSchedule   int64     // milliseconds; 0: not wanted
	LargeHeap              int64     // words; 0: not wanted
	BusyPort, BusyDistPort bool
}

func systemMonitorSettings(h *heap.Heap) term.Term {
	m := &SystemMonitor
	m.Lock()
	defer m.Unlock()
	if m.Pid != term.None && !monitorTarget(m.Pid) {
		m.Pid = term.None
	}
	if m.Pid == term.None {
		return term.AmUndefined
	}
	l := term.Nil
	am := term.Intern
	if m.LongGC > 0 {
		l = h.Cons(h.Tuple(am("long_gc"), h.Int(m.LongGC)), l)
	}
	if m.LongSchedule > 0 {
		l = h.Cons(h.Tuple(am("long_schedule"), h.Int(m.LongSchedule)), l)
	}
	if m.LargeHeap > 0 {
		l = h.Cons(h.Tuple(am("large_heap"), h.Int(m.LargeHeap)), l)
	}
	if m.BusyPort {
		l = h.Cons(am("busy_port"), l)
	}
	if m.BusyDistPort {
		l = h.Cons(am("busy_dist_port"), l)
	}
	return h.Tuple(m.Pid, l)
}

func systemMonitor0(c *native.Call) term.Term { return systemMonitorSettings(&c.P.Heap) }

func systemMonitor1(c *native.Call) term.Term {
	t := c.Arg(0)
	switch {
	case t == term.AmUndefined:
		return setSystemMonitor(c, t, term.Nil)
	case t.IsTuple() && t.Arity() == 2:
		return setSystemMonitor(c, t.El(1), t.El(2))
	}
	return c.Badarg()
}

func systemMonitor2(c *native.Call) term.Term { return setSystemMonitor(c, c.Arg(0), c.Arg(1)) }

func monitorTarget(t term.Term) bool {
	return t.IsInternalPid() && proc.Lookup(t) != nil || t.IsInternalPort() && port.Lookup(t) != nil
}

func setSystemMonitor(c *native.Call, pid, opts term.Term) term.Term {
	if pid != term.AmUndefined && !monitorTarget(pid) {
		return c.Badarg()
	}
	var longGC, longSched, large int64
	busyPort, busyDist := false, false
	l := opts
	for ; l.IsList(); l = l.Tail() {
		o := l.Head()
		switch {
		case o == term.Intern("busy_port"):
			busyPort = true
		case o == term.Intern("busy_dist_port"):
			busyDist = true
		case o.IsTuple() && o.Arity() == 2:
			n, ok := intArg(o.El(2))
			if !ok || n < 0 {
				return c.Badarg()
			}
			switch o.El(1) {
			case term.Intern("long_gc"):
				longGC = max(n, 1)
			case term.Intern("long_schedule"):
				longSched = max(n, 1)
			case term.Intern("large_heap"):
				large = max(n, heapSizeMin)
			default:
				return c.Badarg()
			}
		default:
			return c.Badarg()
		}
	}
	if !l.IsNil() {
		return c.Badarg()
	}
	old := systemMonitorSettings(&c.P.Heap)
	m := &SystemMonitor
	m.Lock()
	defer m.Unlock()
	if none := longGC == 0 && longSched == 0 && large == 0 && !busyPort && !busyDist; none || pid == term.AmUndefined {
		pid = term.None
	}
	m.Pid, m.LongGC, m.LongSchedule, m.LargeHeap, m.BusyPort, m.BusyDistPort = pid, longGC, longSched, large, busyPort, busyDist
	return old
}

// heapSizeMin is the least large_heap that ERTS takes.
const heapSizeMin = 16 * 1024

var systemProfile struct {
	sync.Mutex
	pid   term.Term
	flags []term.Term
}

func profileSettings(h *heap.Heap) term.Term {
	if systemProfile.pid == term.None {
		return term.AmUndefined
	}
	return h.Tuple(systemProfile.pid, h.List(systemProfile.flags...))
}

func systemProfile0(c *native.Call) term.Term {
	systemProfile.Lock()
	defer systemProfile.Unlock()
	return profileSettings(&c.P.Heap)
}

// systemProfile2 sets the profiler. There are no events to profile yet, which
// is refused rather than forgotten.
func systemProfile2(c *native.Call) term.Term {
	pid, l := c.Arg(0), c.Arg(1)
	systemProfile.Lock()
	defer systemProfile.Unlock()
	old := profileSettings(&c.P.Heap)
	if pid == term.AmUndefined {
		systemProfile.pid, systemProfile.flags = term.None, nil
		return old
	}
	if !monitorTarget(pid) {
		return c.Badarg()
	}
	for ; l.IsList(); l = l.Tail() {
		switch l.Head() {
		case term.Intern("runnable_procs"), term.Intern("runnable_ports"), term.Intern("exclusive"), term.Intern("scheduler"),
			term.Intern("timestamp"), term.Intern("monotonic_timestamp"), term.Intern("strict_monotonic_timestamp"):
		default:
			return c.Badarg()
		}
	}
	if !l.IsNil() {
		return c.Badarg()
	}
	return c.Error(term.AmNotsup)
}

// systemCheck checks that every scheduler gets round to its work: each passes a
// safe point, after which the caller gets as many references as there are
// schedulers.
func systemCheck(c *native.Call) term.Term {
	if c.Arg(0) != term.Intern("schedulers") {
		return c.Badarg()
	}
	ref := proc.NewRef(&c.P.Heap, c.Ctx)
	key, pid := proc.RefKey(ref), c.P.ID
	epoch.After(func() {
		for range sysconf.C.Schedulers {
			var h heap.Heap
			r := proc.PutRef(h.Alloc(1+term.RefWords), key)
			proc.SendBuilt(term.None, pid, r, &h)
		}
	})
	return c.Trap(gatherSystemCheck, ref)
}

var gatherSystemCheck = code.GetExport(term.Intern("erts_internal"), term.Intern("gather_system_check_result"), 1)
