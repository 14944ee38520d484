package trace

import (
	"maps"
	"slices"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/term"
)

// Kinds says what of the functions a pattern changes. None of the fields being
// set means global call tracing.
type Kinds struct{ Local, Meta, Count, Time bool }

// Global tells whether this is global call tracing.
func (k Kinds) Global() bool { return k == Kinds{} }

// On says how a pattern changes functions.
type On int

// Off, on, and two that concern counters only.
const (
	TurnOff On = iota
	TurnOn
	Restart
	Pause
)

// Change is a change of what is traced of functions.
type Change struct {
	On     On
	Kinds  Kinds
	Spec   *Spec
	Tracer term.Term // of meta tracing
}

// Functions names functions: the first Specified of its fields must match.
type Functions struct {
	MFA       code.MFA
	Specified int
}

func (f *Functions) match(m code.MFA) bool {
	return (f.Specified < 1 || m.Module == f.MFA.Module) && (f.Specified < 2 || m.Function == f.MFA.Function) &&
		(f.Specified < 3 || m.Arity == f.MFA.Arity)
}

// Set changes the breakpoints of functions and returns how many there are. The
// schedulers are stopped.
func Set(f Functions, c Change) int {
	e := edit{m: map[uintptr]*Point{}, c: c}
	if p := points.Load(); p != nil {
		e.m = maps.Clone(*p)
	}
	n := e.exports(f)
	if k := e.functions(f); !c.Kinds.Global() {
		n = k
	}
	points.Store(&e.m)
	return n
}

// edit is a change of the breakpoints under way.
type edit struct {
	m map[uintptr]*Point
	c Change
}

// exports changes global tracing; breakpoints of functions end it.
func (e *edit) exports(f Functions) (n int) {
	each := func(x *code.Export) {
		if !f.match(x.MFA) || !x.Loaded() || !exported(x) {
			return
		}
		n++
		switch {
		case e.c.On != TurnOff && e.c.Kinds.Global():
			e.global(x)
		case e.c.On != TurnOff || e.c.Kinds.Global():
			e.endGlobal(x)
		}
	}
	if f.Specified == 0 {
		code.Exports(func(x *code.Export) bool { each(x); return true })
		return n
	}
	for _, x := range code.ExportsOf(f.MFA.Module) {
		each(x)
	}
	return n
}

// exported tells whether an export leads to a function of a loaded module;
// builtins that are only continuations of others do not.
func exported(x *code.Export) bool {
	if x.Native < 0 {
		return true
	}
	m := code.Current(x.MFA.Module)
	return m != nil && m.Find(x.MFA.Function, int(x.MFA.Arity)) != nil
}

func (e *edit) global(x *code.Export) {
	a := x.TrampAddr()
	pt := e.m[a]
	if pt == nil || !pt.Global {
		if pt != nil { // a builtin's local breakpoint
			e.drop(pt)
		}
		pt = &Point{MFA: x.MFA, export: x, Global: true}
		if x.Native < 0 {
			pt.Target = x.Load()
		}
		e.place(pt, a)
		x.Traced = 1
		if x.Native < 0 {
			x.Store(a)
		}
	}
	pt.Spec = e.c.Spec
}

func (e *edit) endGlobal(x *code.Export) {
	if pt := e.m[x.TrampAddr()]; pt != nil && pt.Global {
		e.drop(pt)
	}
}

// place puts a breakpoint at an address.
func (e *edit) place(pt *Point, a uintptr) {
	w := offheap.Load(a)
	pt.Op = op.Op(w & 511)
	offheap.Store(a, w&^511|uint64(op.TraceEntry))
	e.m[a] = pt
	pt.addrs = append(pt.addrs, a)
}

// drop takes a breakpoint away.
func (e *edit) drop(pt *Point) {
	for _, a := range pt.addrs {
		if w := offheap.Load(a); w&511 == uint64(op.TraceEntry) {
			offheap.Store(a, w&^511|uint64(pt.Op))
		}
		delete(e.m, a)
	}
	if x := pt.export; x != nil {
		x.Traced = 0
		if x.Native < 0 && pt.Target != 0 {
			x.Store(pt.Target)
		}
	}
	pt.addrs = nil
}

// functions changes the breakpoints of functions.
func (e *edit) functions(f Functions) (n int) {
	mods := []term.Term{f.MFA.Module}
	if f.Specified == 0 {
		mods = code.LoadedModules()
	}
	for _, name := range mods {
		m := code.Current(name)
		if m == nil {
			continue
		}
		for i := range m.Funcs {
			if fn := &m.Funcs[i]; f.match(fn.MFA) {
				n++
				e.function(fn)
			}
		}
	}
	return n
}

func (e *edit) function(fn *code.Function) {
	pt := e.m[fn.Entry()]
	if e.c.Kinds.Global() {
		if e.c.On != TurnOff && pt != nil {
			e.drop(pt)
		}
		return
	}
	if pt == nil {
		if e.c.On == TurnOff || e.c.On != TurnOn && !e.c.Kinds.Local && !e.c.Kinds.Meta {
			return
		}
		pt = &Point{MFA: fn.MFA}
		e.place(pt, fn.Entry())
		if x := code.FindExport(fn.Module, fn.Function, int(fn.Arity)); x != nil && x.Native >= 0 {
			e.place(pt, x.TrampAddr())
			pt.export, x.Traced = x, 1
		}
	}
	e.apply(pt)
	if pt.idle() {
		e.drop(pt)
	}
}

// apply makes the change to a point.
func (e *edit) apply(pt *Point) {
	c := &e.c
	on := c.On != TurnOff
	if c.Kinds.Local {
		pt.Local, pt.Spec = on, c.Spec
	}
	if c.Kinds.Meta {
		pt.Meta, pt.MetaSpec = on, c.Spec
		tracer := c.Tracer
		if !on {
			tracer = term.None
		}
		pt.metaTracer.Store(uint64(tracer))
	}
	if c.Kinds.Count {
		if pt.Counts = counter(pt.Counts, c.On); c.On == TurnOn || c.On == Restart {
			pt.count.Store(0)
		}
	}
	if c.Kinds.Time {
		pt.Timing = counter(pt.Timing, c.On)
		pt.timeMu.Lock()
		switch {
		case pt.Timing == off:
			pt.times = nil
		case c.On != Pause:
			pt.times = map[term.Term]*procTime{}
		}
		pt.timeMu.Unlock()
		if pt.Timing != off {
			pt.setTiming()
		}
	}
}

// counter returns the new state of a counter. What is off is neither restarted
// nor paused.
func counter(old int8, on On) int8 {
	switch {
	case on == TurnOff:
		return off
	case on == TurnOn:
		return active
	case old == off:
		return off
	case on == Pause:
		return paused
	}
	return active
}

// Retire takes away the breakpoints of a module whose code becomes old. The
// schedulers are stopped.
func Retire(name term.Term) {
	p := points.Load()
	if p == nil || len(*p) == 0 {
		return
	}
	e := edit{m: maps.Clone(*p)}
	for _, pt := range slices.Collect(maps.Values(*p)) {
		if pt.MFA.Module == name && len(pt.addrs) > 0 {
			e.drop(pt)
		}
	}
	points.Store(&e.m)
}

// Find returns what is traced of a function. exists is false when there is no
// such function.
func Find(m code.MFA) (pt *Point, exists bool) {
	x := code.FindExport(m.Module, m.Function, int(m.Arity))
	if x != nil && x.Traced != 0 {
		return At(x.TrampAddr()), true
	}
	mod := code.Current(m.Module)
	if mod == nil {
		return nil, false
	}
	fn := mod.Find(m.Function, int(m.Arity))
	if fn == nil {
		return nil, false
	}
	return At(fn.Entry()), true
}
