package bif

import (
	"math"

	"github.com/beamrd/beamrd/ets"
	"github.com/beamrd/beamrd/replay"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// vmInfoKeys are the keys of system_info/1 that describe the VM's insides.
var vmInfoKeys = map[string]infoFn{
	"heap_sizes":               heapSizes,
	"snifs":                    builtinList,
	"ets_count":                infoInt(func() int { return len(ets.All()) }),
	"ethread_info":             ethreadInfo,
	"ethread_used_tse":         usedEvents,
	"check_io":                 checkIOInfo,
	"schedulers_active":        schedulersActive,
	"start_time":               func(c *native.Call) term.Term { return c.P.Heap.Int(proc.StartTime()) },
	"end_time":                 func(c *native.Call) term.Term { return c.P.Heap.Int(endTime()) },
	"os_monotonic_time_source": clockSource("CLOCK_MONOTONIC", true),
	"os_system_time_source":    clockSource("CLOCK_REALTIME", false),
}

func heapSizes(c *native.Call) term.Term {
	l := term.Nil
	s := heap.Sizes()
	for i := len(s) - 1; i >= 0; i-- {
		l = c.P.Heap.Cons(c.P.Heap.Int(int64(s[i])), l)
	}
	return l
}

// builtinList is the builtins as a list of {Module,Function,Arity}, without
// apply and yield, which are instructions.
func builtinList(c *native.Call) term.Term {
	h, l := &c.P.Heap, term.Nil
	for _, r := range native.Table {
		inline := r.Module == "erlang" && (r.Name == "apply" || r.Name == "yield")
		if r.Flags&(native.NIF|native.Hidden) == 0 && !inline {
			l = h.Cons(h.Tuple(term.Intern(r.Module), term.Intern(r.Name), term.Small(int64(r.Arity))), l)
		}
	}
	c.Bump(len(native.Table))
	return l
}

// ethreadInfo names what synchronises threads: Go's sync/atomic, with native
// atomics of 32 and 64 bits.
func ethreadInfo(c *native.Call) term.Term {
	h := &c.P.Heap
	row := func(name, lib string) term.Term {
		return h.Tuple(h.Str(name), h.Str(lib), term.Nil)
	}
	return h.List(row("32-bit native atomics", "sync/atomic"), row("64-bit native atomics", "sync/atomic"),
		row("Double word native atomics", "no"))
}

// endTime is the last Erlang monotonic time whose distance to the start still
// fits the clock's 64 bits.
func endTime() int64 { return math.MaxInt64/1e9*1e9 - max(0, -proc.StartTime()) }

// clockSource describes a clock of the operating system as ERTS does.
func clockSource(id string, extended bool) infoFn {
	return func(c *native.Call) term.Term {
		h := &c.P.Heap
		pair := func(k string, v term.Term) term.Term { return h.Tuple(term.Intern(k), v) }
		els := []term.Term{
			pair("function", term.Intern("clock_gettime")),
			pair("clock_id", term.Intern(id)),
			pair("resolution", term.Small(1e9)),
		}
		now := replay.Wall()
		if extended {
			els = append(els, pair("extended", term.Intern("no")))
			now = replay.Monotonic()
		}
		els = append(els, pair("parallel", term.Intern("yes")), pair("time", h.Int(now)))
		return h.List(els...)
	}
}
