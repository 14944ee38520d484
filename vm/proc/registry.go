package proc

import (
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/term"
)

// Registered names are looked up without a lock: an array by atom number, in
// pages made on demand. Changes are serialised by regMu, which also makes
// "registered" and "not exiting" one decision.

const (
	regPageBits = 10
	regPages    = 1 << 15 // 32 M atoms
)

type regPage [1 << regPageBits]atomic.Uint64

var (
	regMu  sync.Mutex
	regDir [regPages]atomic.Pointer[regPage]
	regAll = map[term.Term]struct{}{}
)

// Whereis returns the pid or port registered as name, or None.
func Whereis(name term.Term) term.Term {
	n := uint64(name.Atom())
	if n>>regPageBits >= regPages {
		return term.None
	}
	pg := regDir[n>>regPageBits].Load()
	if pg == nil {
		return term.None
	}
	return term.Term(pg[n&(1<<regPageBits-1)].Load())
}

func setName(name, id term.Term) {
	n := uint64(name.Atom())
	d := &regDir[n>>regPageBits]
	pg := d.Load()
	if pg == nil {
		pg = new(regPage)
		d.Store(pg)
	}
	pg[n&(1<<regPageBits-1)].Store(uint64(id))
	if id == term.None {
		delete(regAll, name)
	} else {
		regAll[name] = struct{}{}
	}
}

var (
	amNone           = term.Intern("none")
	amNotalive       = term.Intern("notalive")
	amRegisteredName = term.AmRegisteredName
)

// Register gives a process or port of this node a name. cause is None, or why
// it could not: none (not a name, taken, no such port), notalive or
// registered_name (it has one).
func Register(name, id term.Term) (cause term.Term) {
	if !name.IsAtom() || name == term.AmUndefined || !id.IsInternalPid() && !id.IsInternalPort() {
		return amNone
	}
	regMu.Lock()
	defer regMu.Unlock()
	switch {
	case id.IsInternalPid():
		p := Lookup(id)
		if p == nil || p.Exiting() {
			return amNotalive
		}
		if p.name != term.None {
			return amRegisteredName
		}
		if Whereis(name) != term.None {
			return amNone
		}
		p.setName(name)
	case Ports == nil || !Ports.Exists(id):
		return amNone
	case Ports.NameOf(id) != term.None:
		return amRegisteredName
	case Whereis(name) != term.None || !Ports.SetName(id, name):
		return amNone
	}
	setName(name, id)
	return term.None
}

func (p *Process) setName(name term.Term) {
	atomic.StoreUint64((*uint64)(&p.name), uint64(name))
}

// Unregister takes a name away; false if it was not registered.
func Unregister(name term.Term) bool {
	if !name.IsAtom() {
		return false
	}
	regMu.Lock()
	defer regMu.Unlock()
	id := Whereis(name)
	if id == term.None {
		return false
	}
	if id.IsInternalPort() {
		Ports.ClearName(id)
	} else if p := Lookup(id); p != nil {
		p.setName(term.None)
	}
	setName(name, term.None)
	return true
}

// ForgetName frees the name of a port that closes.
func ForgetName(name term.Term) {
	regMu.Lock()
	setName(name, term.None)
	regMu.Unlock()
}

// Registered returns all registered names.
func Registered() []term.Term {
	regMu.Lock()
	defer regMu.Unlock()
	r := make([]term.Term, 0, len(regAll))
	for n := range regAll {
		r = append(r, n)
	}
	return r
}

// Name returns the registered name of p, or None.
func (p *Process) Name() term.Term {
	return term.Term(atomic.LoadUint64((*uint64)(&p.name)))
}
