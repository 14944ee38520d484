package trace

import (
	"sync"

	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/term"
)

// OnLoad is the pattern for functions of modules to be loaded.
var OnLoad struct {
	sync.Mutex
	On             bool
	Kinds          Kinds
	Spec, MetaSpec *Spec
	MetaTracer     term.Term
}

// SetOnLoad changes the pattern for modules to be loaded.
func SetOnLoad(c Change) {
	o := &OnLoad
	o.Lock()
	defer o.Unlock()
	k, on := c.Kinds, c.On != TurnOff
	if k.Local || k.Global() {
		o.Spec = c.Spec
	}
	if k.Meta {
		o.MetaSpec, o.MetaTracer = c.Spec, c.Tracer
	} else if k.Global() {
		o.MetaSpec, o.MetaTracer = nil, term.None
	}
	old := &o.Kinds
	switch {
	case !old.Global() && !k.Global():
		if on {
			old.Local = old.Local || k.Local
			old.Meta = old.Meta || k.Meta
			old.Count = old.Count || k.Count && c.On == TurnOn
			old.Time = old.Time || k.Time && c.On == TurnOn
			return
		}
		old.Local = old.Local && !k.Local
		old.Meta = old.Meta && !k.Meta
		old.Count = old.Count && !k.Count
		old.Time = old.Time && !k.Time
		if old.Global() {
			o.On = false
		}
	case old.Global() && k.Global():
		o.On = on
	case !on:
	case k.Global():
		o.Kinds, o.On = k, true
	default:
		if c.On != TurnOn {
			k.Count, k.Time = false, false
		}
		o.Kinds, o.On = k, !k.Global()
	}
}

// Loaded applies the pattern to a module that was loaded. The schedulers are
// stopped.
func Loaded(m *code.Module) {
	o := &OnLoad
	o.Lock()
	defer o.Unlock()
	if !o.On {
		return
	}
	f := Functions{MFA: code.MFA{Module: m.Name}, Specified: 1}
	if k := o.Kinds; k.Meta {
		k.Local, k.Count, k.Time = false, false, false
		Set(f, Change{On: TurnOn, Kinds: k, Spec: o.MetaSpec, Tracer: o.MetaTracer})
	}
	k := o.Kinds
	k.Meta = false
	if !k.Global() || o.Kinds.Global() {
		Set(f, Change{On: TurnOn, Kinds: k, Spec: o.Spec})
	}
}
