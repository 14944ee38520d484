package bif

import (
	"math/big"
	"sync"

	"github.com/beamrd/beamrd/replay"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/num"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangTimeRows = []native.Row{
	{Module: "erlang", Name: "monotonic_time", Arity: 0, Fn: erlangMonotonicTime0},
	{Module: "erlang", Name: "monotonic_time", Arity: 1, Fn: erlangMonotonicTime1},
	{Module: "erlang", Name: "system_time", Arity: 0, Fn: erlangSystemTime0},
	{Module: "erlang", Name: "system_time", Arity: 1, Fn: erlangSystemTime1},
	{Module: "erlang", Name: "time_offset", Arity: 0, Fn: erlangTimeOffset0},
	{Module: "erlang", Name: "time_offset", Arity: 1, Fn: erlangTimeOffset1},
	{Module: "erlang", Name: "timestamp", Arity: 0, Fn: erlangTimestamp},
	{Module: "erlang", Name: "now", Arity: 0, Fn: erlangNow},
	{Module: "os", Name: "timestamp", Arity: 0, Fn: osTimestamp},
	{Module: "os", Name: "system_time", Arity: 0, Fn: osSystemTime0},
	{Module: "os", Name: "system_time", Arity: 1, Fn: osSystemTime1},
	{Module: "os", Name: "perf_counter", Arity: 0, Fn: osPerfCounter},
	{Module: "erts_internal", Name: "time_unit", Arity: 0, Fn: ertsTimeUnit},
	{Module: "erts_internal", Name: "perf_counter_unit", Arity: 0, Fn: ertsTimeUnit},
	{Module: "erlang", Name: "make_ref", Arity: 0, Fn: erlangMakeRef},
	{Module: "erlang", Name: "unique_integer", Arity: 0, Fn: erlangUniqueInteger0},
	{Module: "erlang", Name: "unique_integer", Arity: 1, Fn: erlangUniqueInteger1},
}

const perSecond = 1_000_000_000

var (
	amMonotonic = term.Intern("monotonic")
	amPositive  = term.Intern("positive")
)

func ertsTimeUnit(*native.Call) term.Term { return term.Small(perSecond) }

// toUnit converts nanoseconds to a time unit; None is badarg.
func toUnit(c *native.Call, nanos int64, unit term.Term) term.Term {
	var per int64
	switch unit {
	case term.AmSecond, term.AmSeconds:
		per = 1
	case term.AmMillisecond, term.AmMilliSeconds:
		per = 1000
	case term.AmMicrosecond, term.AmMicroSeconds:
		per = 1_000_000
	case term.AmNanosecond, term.AmNanoSeconds, term.AmNative, term.AmPerfCounter:
		return c.P.Heap.Int(nanos)
	default:
		if unit.IsSmall() && unit.Small() > 0 {
			return scaled(c, nanos, unit.Small())
		}
		return c.Badarg()
	}
	return c.P.Heap.Int(floorDiv(nanos, perSecond/per))
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// scaled is nanos in parts of a second of any number.
func scaled(c *native.Call, nanos, per int64) term.Term {
	v := new(big.Int).Mul(big.NewInt(nanos), big.NewInt(per))
	q, m := new(big.Int).DivMod(v, big.NewInt(perSecond), new(big.Int))
	_ = m
	return num.FromBig(&c.P.Heap, q)
}

func erlangMonotonicTime0(c *native.Call) term.Term { return c.P.Heap.Int(proc.ErlangMonotonic()) }
func erlangMonotonicTime1(c *native.Call) term.Term {
	return toUnit(c, proc.ErlangMonotonic(), c.Arg(0))
}
func erlangSystemTime0(c *native.Call) term.Term { return c.P.Heap.Int(proc.ErlangSystem()) }
func erlangSystemTime1(c *native.Call) term.Term { return toUnit(c, proc.ErlangSystem(), c.Arg(0)) }
func erlangTimeOffset0(c *native.Call) term.Term { return c.P.Heap.Int(proc.TimeOffset()) }
func erlangTimeOffset1(c *native.Call) term.Term { return toUnit(c, proc.TimeOffset(), c.Arg(0)) }
func osSystemTime0(c *native.Call) term.Term     { return c.P.Heap.Int(replay.Wall()) }
func osSystemTime1(c *native.Call) term.Term     { return toUnit(c, replay.Wall(), c.Arg(0)) }
func osPerfCounter(c *native.Call) term.Term     { return c.P.Heap.Int(replay.Monotonic()) }

// stamp builds {MegaSecs, Secs, MicroSecs}.
func stamp(c *native.Call, micros int64) term.Term {
	return c.P.Heap.Tuple(term.Small(micros/1e12), term.Small(micros/1e6%1e6), term.Small(micros%1e6))
}

func erlangTimestamp(c *native.Call) term.Term { return stamp(c, proc.ErlangSystem()/1000) }
func osTimestamp(c *native.Call) term.Term     { return stamp(c, replay.Wall()/1000) }

var lastNow struct {
	sync.Mutex
	micros int64
}

// erlangNow is a timestamp that never repeats and always grows.
func erlangNow(c *native.Call) term.Term {
	lastNow.Lock()
	v := max(proc.ErlangSystem()/1000, lastNow.micros+1)
	lastNow.micros = v
	lastNow.Unlock()
	return stamp(c, v)
}

func erlangMakeRef(c *native.Call) term.Term { return proc.NewRef(&c.P.Heap, c.Ctx) }

func erlangUniqueInteger0(c *native.Call) term.Term { return uniqueInteger(c, false, false) }

func erlangUniqueInteger1(c *native.Call) term.Term {
	mono, pos := false, false
	l := c.Arg(0)
	for ; l.IsList(); l = l.Tail() {
		switch l.Head() {
		case amMonotonic:
			mono = true
		case amPositive:
			pos = true
		default:
			return c.Badarg()
		}
	}
	if !l.IsNil() {
		return c.Badarg()
	}
	return uniqueInteger(c, mono, pos)
}

func uniqueInteger(c *native.Call, mono, pos bool) term.Term {
	v := proc.UniquePlain()
	if mono {
		v = proc.UniqueMonotonic()
	}
	if !pos {
		v += proc.UniqueBase - 1
	}
	return c.P.Heap.Int(v)
}
