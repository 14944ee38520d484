package bif

import (
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var systemFlagRows = []native.Row{
	{Module: "erlang", Name: "system_flag", Arity: 2, Fn: systemFlag},
}

// maxBacktrace is the largest backtrace_depth.
const maxBacktrace = 64

var systemFlags map[term.Term]func(c *native.Call, v term.Term) term.Term

func initSystemFlags() {
	systemFlags = map[term.Term]func(c *native.Call, v term.Term) term.Term{
		term.AmFullsweepAfter:                            sysFullsweep,
		term.AmMinHeapSize:                               sysMinHeap,
		term.AmMinBinVheapSize:                           sysMinVHeap,
		term.AmMaxHeapSize:                               sysSysMaxHeap,
		term.Intern("debug_flags"):                       func(*native.Call, term.Term) term.Term { return term.True },
		term.Intern("backtrace_depth"):                   sysBacktrace,
		term.Intern("trace_control_word"):                sysTraceControl,
		term.Intern("sequential_tracer"):                 sysSeqTracer,
		term.Intern("reset_seq_trace"):                   sysResetSeq,
		term.Intern("schedulers_online"):                 sysSchedulersOnline,
		term.Intern("dirty_cpu_schedulers_online"):       sysDirtyOnline,
		term.Intern("scheduler_wall_time"):               sysWallTime,
		term.Intern("system_logger"):                     sysSystemLogger,
		term.Intern("time_offset"):                       sysTimeOffset,
		term.Intern("cpu_topology"):                      sysCPUTopology,
		term.Intern("internal_cpu_topology"):             sysInternalTopology,
		term.Intern("scheduler_bind_type"):               sysBindType,
		term.Intern("outstanding_system_requests_limit"): sysOutstanding,
		term.Intern("multi_scheduling"):                  sysMultiScheduling,
		term.Intern("microstate_accounting"):             sysMicrostate,
	}
}

func systemFlag(c *native.Call) term.Term {
	k, v := c.Arg(0), c.Arg(1)
	c.Bump(50)
	if f := systemFlags[k]; f != nil {
		return f(c, v)
	}
	// erts_alloc's flag of old and what ERTS refuses alike.
	return c.Badarg()
}

// countArg reads a small that is not negative.
func countArg(v term.Term) (int64, bool) {
	return v.Small(), v.IsSmall() && v.Small() >= 0
}

func sysFullsweep(c *native.Call, v term.Term) term.Term {
	n, ok := countArg(v)
	if !ok {
		return c.Badarg()
	}
	old := atomic.SwapUint32(&proc.Defaults.FullsweepAfter, uint32(min(n, 65535)))
	return term.Small(int64(old))
}

func sysMinHeap(c *native.Call, v term.Term) term.Term {
	n, ok := countArg(v)
	if !ok {
		return c.Badarg()
	}
	return term.Small(int64(atomic.SwapUint64(&proc.Defaults.MinHeap, uint64(heap.NextSize(uintptr(n))))))
}

func sysMinVHeap(c *native.Call, v term.Term) term.Term {
	n, ok := countArg(v)
	if !ok {
		return c.Badarg()
	}
	return term.Small(int64(atomic.SwapUint64(&proc.Defaults.MinVHeap, uint64(heap.NextSize(uintptr(n))))))
}

func sysSysMaxHeap(c *native.Call, v term.Term) term.Term {
	size, opts, ok := parseMaxHeap(v)
	d := &proc.Defaults
	if !ok || size != 0 && size < d.MinHeap {
		return c.Badarg()
	}
	old := maxHeapInfo(c)
	atomic.StoreUint64(&d.MaxSize, size)
	atomic.StoreUint32(&d.MaxSizeOpts, uint32(opts))
	return old
}

func sysBacktrace(c *native.Call, v term.Term) term.Term {
	n, ok := countArg(v)
	if !ok {
		return c.Badarg()
	}
	return term.Small(int64(proc.SetBacktraceDepth(int(min(n, maxBacktrace)))))
}

func sysTraceControl(c *native.Call, v term.Term) term.Term {
	n, ok := intArg(v)
	if !ok || n < 0 || n > 1<<32-1 {
		return c.Badarg()
	}
	return c.P.Heap.Uint(uint64(TraceControlWord.Swap(uint32(n))))
}

var wallTimeTrap = code.GetExport(term.Intern("erts_internal"), term.Intern("system_flag_scheduler_wall_time"), 1)

func sysWallTime(c *native.Call, v term.Term) term.Term {
	if !v.IsBool() {
		return c.Badarg()
	}
	return c.Trap(wallTimeTrap, v)
}

func sysSystemLogger(c *native.Call, v term.Term) term.Term {
	if v != term.AmUndefined && v != term.AmLogger && !v.IsInternalPid() {
		return c.Badarg()
	}
	if v.IsInternalPid() && proc.Lookup(v) == nil {
		return c.Badarg()
	}
	return proc.SetSystemLogger(v)
}

func sysBindType(c *native.Call, v term.Term) term.Term {
	if !v.IsAtom() {
		return c.Badarg()
	}
	// Threads of Go are not bound; unbound is what they are.
	if v == term.Intern("unbound") {
		return v
	}
	return c.Error(term.AmNotsup)
}

func sysOutstanding(c *native.Call, v term.Term) term.Term {
	n, ok := countArg(v)
	if !ok || n < 1 || n > 1<<27-1 {
		return c.Badarg()
	}
	old := sysconf.C.SysOutstanding
	sysconf.C.SysOutstanding = int(n)
	return term.Small(int64(old))
}

// sysMicrostate: there is no microstate accounting.
func sysMicrostate(c *native.Call, v term.Term) term.Term { return c.Badarg() }
