package bif

import (
	"fmt"
	"strconv"

	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
	"github.com/beamrd/beamrd/vm/trace"
)

var systemInfoRows = []native.Row{
	{Module: "erlang", Name: "system_info", Arity: 1, Fn: systemInfo},
	{Module: "erts_internal", Name: "no_aux_work_threads", Arity: 0, Fn: func(*native.Call) term.Term { return term.Small(auxThreads) }},
}

// auxThreads is the number of threads whose answers OTP collects, plus one:
// one answers for all here.
const auxThreads = 2

type infoFn = func(c *native.Call) term.Term

func infoAtom(s string) infoFn {
	a := term.Intern(s)
	return func(*native.Call) term.Term { return a }
}

func infoInt(f func() int) infoFn {
	return func(c *native.Call) term.Term { return c.P.Heap.Int(int64(f())) }
}

func infoStr(f func() string) infoFn {
	return func(c *native.Call) term.Term { return c.P.Heap.Latin1([]byte(f())) }
}

func infoBool(f func() bool) infoFn {
	return func(*native.Call) term.Term { return term.Bool(f()) }
}

func infoPair(name string, f func() int) infoFn {
	a := term.Intern(name)
	return func(c *native.Call) term.Term { return c.P.Heap.Tuple(a, c.P.Heap.Int(int64(f()))) }
}

// systemInfoKeys answers the keys that are atoms. Keys that describe parts ERTS
// has and this node has not are absent where ERTS knows an answer for that
// ("undefined", "notsup").
var systemInfoKeys map[term.Term]infoFn

func initSystemInfo() {
	C := &sysconf.C
	m := map[string]infoFn{
		"version":             infoStr(func() string { return C.ErtsVersion }),
		"otp_release":         infoStr(func() string { return C.Release }),
		"machine":             infoStr(func() string { return "BEAM" }),
		"system_version":      infoStr(systemVersion),
		"system_architecture": infoStr(SystemArchitecture),
		"nif_version":         infoStr(nifVersion),
		"driver_version":      infoStr(func() string { return "3.3" }),
		"emu_flavor":          infoAtom("emu"),
		"emu_type":            infoAtom("opt"),
		"build_type":          infoAtom("opt"),
		"compat_rel":          infoInt(func() int { return C.CompatRel }),
		"wordsize":            infoInt(func() int { return 8 }),
		"heap_type":           infoAtom("private"),
		"hipe_architecture":   infoAtom("undefined"),
		"trace_control_word":  func(c *native.Call) term.Term { return c.P.Heap.Uint(uint64(TraceControlWord.Load())) },
		"endian":              infoAtom("little"),

		"schedulers":                       infoInt(func() int { return C.Schedulers }),
		"schedulers_total":                 infoInt(func() int { return C.Schedulers }),
		"schedulers_online":                infoInt(func() int { return C.Online }),
		"port_tasks":                       infoBool(func() bool { return true }),
		"time_correction":                  infoBool(func() bool { return C.TimeCorrection }),
		"time_warp_mode":                   func(*native.Call) term.Term { return term.Intern(C.TimeWarp) },
		"time_offset":                      func(*native.Call) term.Term { return offsetState() },
		"dirty_cpu_schedulers":             infoInt(func() int { return C.DirtyCPU }),
		"dirty_cpu_schedulers_online":      infoInt(func() int { return C.DirtyCPUOnline }),
		"dirty_io_schedulers":              infoInt(func() int { return C.DirtyIO }),
		"thread_pool_size":                 infoInt(func() int { return C.AsyncThreads }),
		"logical_processors":               infoInt(func() int { return C.Logical }),
		"logical_processors_online":        infoInt(func() int { return C.Logical }),
		"logical_processors_available":     infoInt(func() int { return C.Logical }),
		"cpu_quota":                        infoAtom("unknown"),
		"update_cpu_info":                  infoAtom("unchanged"),
		"cpu_topology":                     cpuTopology,
		"scheduler_id":                     func(c *native.Call) term.Term { return term.Small(max(1, c.Ctx.SchedID)) },
		"scheduler_bind_type":              infoAtom("unbound"),
		"scheduler_bindings":               schedulerBindings,
		"smp_support":                      infoBool(func() bool { return true }),
		"threads":                          infoBool(func() bool { return true }),
		"multi_scheduling":                 multiScheduling,
		"multi_scheduling_blockers":        blockerList(false),
		"normal_multi_scheduling_blockers": blockerList(true),
		"schedulers_state":                 schedulersState,
		"all_schedulers_state":             allSchedulersState,
		"port_parallelism":                 infoBool(func() bool { return C.PortParallelism }),
		"context_reductions":               infoInt(func() int { return 4000 }),
		"run_queues":                       infoInt(func() int { return C.Schedulers }),

		"process_count":                     infoInt(proc.Count),
		"process_limit":                     infoInt(proc.Max),
		"port_count":                        infoInt(port.Count),
		"port_limit":                        infoInt(func() int { return C.MaxPorts }),
		"atom_count":                        infoInt(atom.Count),
		"atom_limit":                        infoInt(atom.Limit),
		"ets_limit":                         infoInt(func() int { return C.MaxEts }),
		"outstanding_system_requests_limit": infoInt(func() int { return C.SysOutstanding }),
		"dist_buf_busy_limit":               infoInt(func() int { return C.DistBufBusy }),
		"delayed_node_table_gc": func(*native.Call) term.Term {
			if C.NodeTabDelay < 0 {
				return term.AmInfinity
			}
			return term.Small(int64(C.NodeTabDelay))
		},
		"creation":  infoInt(func() int { return int(term.ThisNode().Creation) }),
		"dist_ctrl": distCtrls,

		"fullsweep_after":    infoPair("fullsweep_after", func() int { return int(proc.Defaults.FullsweepAfter) }),
		"min_heap_size":      infoPair("min_heap_size", func() int { return int(proc.Defaults.MinHeap) }),
		"min_bin_vheap_size": infoPair("min_bin_vheap_size", func() int { return int(proc.Defaults.MinVHeap) }),
		"max_heap_size":      maxHeapInfo,
		"garbage_collection": gcDefaults,
		"message_queue_data": func(*native.Call) term.Term {
			if proc.Defaults.OffHeapMsgs {
				return term.AmOffHeap
			}
			return term.AmOnHeap
		},

		"debug_compiled":       infoBool(func() bool { return false }),
		"lock_checking":        infoBool(func() bool { return false }),
		"lock_counting":        infoBool(func() bool { return false }),
		"kernel_poll":          infoBool(func() bool { return true }),
		"eager_check_io":       infoBool(func() bool { return true }),
		"ets_always_compress":  infoBool(func() bool { return C.EtsCompress }),
		"ets_realloc_moves":    infoBool(func() bool { return false }),
		"beam_jump_table":      infoBool(func() bool { return true }),
		"dynamic_trace":        infoAtom("none"),
		"dynamic_trace_probes": infoBool(func() bool { return false }),
		"sequential_tracer": func(c *native.Call) term.Term {
			return c.P.Heap.Tuple(term.Intern("sequential_tracer"), seqTracerTerm(trace.SeqTracer()))
		},
		"system_logger": systemLoggerInfo,
		"modified_timing_level": func(*native.Call) term.Term {
			if C.TimingLevel < 0 {
				return term.AmUndefined
			}
			return term.Small(int64(C.TimingLevel))
		},
		"tolerant_timeofday":    infoAtom("enabled"),
		"break_ignored":         infoBool(func() bool { return C.IgnoreBreak }),
		"taints":                func(*native.Call) term.Term { return term.Nil },
		"constant_pool_support": infoBool(func() bool { return true }),
		"c_compiler_used":       func(c *native.Call) term.Term { return c.P.Heap.Tuple(term.AmUndefined, term.AmUndefined) },
		"emu_args":              emuArgs,
		"os_type": func(c *native.Call) term.Term {
			return c.P.Heap.Tuple(term.Intern("unix"), term.Intern(osName()))
		},
		"os_version":            osVersion,
		"allocator":             allocatorInfo,
		"alloc_util_allocators": allocUtilAllocators,
		"allocated_areas":       allocatedAreas,
		"compile_info": func(c *native.Call) term.Term {
			h := &c.P.Heap
			return h.List(h.Tuple(term.Intern("ldflags"), term.Nil), h.Tuple(term.Intern("cflags"), term.Nil), h.Tuple(term.Intern("config_h"), term.Nil))
		},
	}
	for _, k := range []string{"info", "procs", "loaded", "dist"} {
		m[k] = func(c *native.Call) term.Term { return c.P.Heap.Binary(StateText(k)) }
	}
	systemInfoKeys = make(map[term.Term]infoFn, len(m)+len(vmInfoKeys))
	for k, f := range vmInfoKeys {
		m[k] = f
	}
	for k, f := range m {
		systemInfoKeys[term.Intern(k)] = f
	}
}

// InitSystemInfo builds the table of system_info/1; the node calls it once its
// configuration is known.
func InitSystemInfo() {
	initSystemInfo()
	initSystemFlags()
}

// StateText describes the node for people, under the keys info, procs, loaded
// and dist of system_info/1; set by the node, which writes crash dumps.
var StateText func(what string) []byte

func systemInfo(c *native.Call) term.Term {
	k := c.Arg(0)
	c.Bump(20)
	if k.IsTuple() {
		return systemInfoTuple(c, k)
	}
	if !k.IsAtom() {
		return c.Badarg()
	}
	if f := systemInfoKeys[k]; f != nil {
		return f(c)
	}
	return c.Badarg()
}

func nifVersion() string {
	switch sysconf.C.Release {
	case "25":
		return "2.16"
	case "26", "27", "28":
		return "2.17"
	}
	return "2.18"
}

// systemVersion is the banner of the shell.
func systemVersion() string {
	C := &sysconf.C
	return fmt.Sprintf("Erlang/OTP %s [erts-%s] [source] [64-bit] [smp:%d:%d] [ds:%d:%d:%d] [async-threads:%d]\n",
		C.Release, C.ErtsVersion, C.Schedulers, C.Online, C.DirtyCPU, C.DirtyCPUOnline, C.DirtyIO, C.AsyncThreads)
}

func schedulerBindings(c *native.Call) term.Term {
	els := make([]term.Term, sysconf.C.Schedulers)
	for i := range els {
		els[i] = term.Intern("unbound")
	}
	return c.P.Heap.Tuple(els...)
}

func maxHeapInfo(c *native.Call) term.Term {
	return flatMap(&c.P.Heap,
		term.Intern("error_logger"), term.Bool(proc.Defaults.MaxSizeOpts&heap.MaxSizeLog != 0),
		term.Intern("kill"), term.Bool(proc.Defaults.MaxSizeOpts&heap.MaxSizeKill != 0),
		term.AmSize, c.P.Heap.Uint(proc.Defaults.MaxSize))
}

func gcDefaults(c *native.Call) term.Term {
	h, d := &c.P.Heap, &proc.Defaults
	return h.List(
		h.Tuple(term.AmMaxHeapSize, h.Uint(d.MaxSize)),
		h.Tuple(term.AmMinBinVheapSize, h.Uint(d.MinVHeap)),
		h.Tuple(term.AmMinHeapSize, h.Uint(d.MinHeap)),
		h.Tuple(term.AmFullsweepAfter, term.Small(int64(d.FullsweepAfter))))
}

func emuArgs(c *native.Call) term.Term {
	h := &c.P.Heap
	args := append([]string{sysconf.C.EmuName}, sysconf.C.EmuArgs...)
	args = append(append(args, "--"), sysconf.C.InitArgs...)
	l := term.Nil
	for i := len(args) - 1; i >= 0; i-- {
		l = h.Cons(h.Latin1([]byte(args[i])), l)
	}
	return l
}

// osVersion is {Major,Minor,Release}, or the text when it is something else.
func osVersion(c *native.Call) term.Term {
	rel := osRelease()
	var n [3]int64
	i := 0
	for f := range n {
		j := i
		for j < len(rel) && rel[j] >= '0' && rel[j] <= '9' {
			j++
		}
		n[f], _ = strconv.ParseInt(rel[i:j], 10, 64)
		if i = j; i < len(rel) && rel[i] == '.' {
			i++
		} else {
			break
		}
	}
	return c.P.Heap.Tuple(term.Small(n[0]), term.Small(n[1]), term.Small(n[2]))
}

func systemLoggerInfo(*native.Call) term.Term { return proc.SystemLogger() }
