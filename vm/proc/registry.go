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

// Register gives a process or port of this node a name. It fails when the
// name is taken or not allowed, or the process has one or is gone.
func Register(name, id term.Term) bool {
	if !name.IsAtom() || name == term.AmUndefined {
		return false
	}
	regMu.Lock()
	defer regMu.Unlock()
	if Whereis(name) != term.None {
		return false
	}
	if id.IsInternalPid() {
		p := Lookup(id)
		if p == nil || p.Exiting() || p.name != term.None {
			return false
		}
		p.name = name
	} else if Ports == nil || !id.IsInternalPort() || !Ports.SetName(id, name) {
		return false
	}
	setName(name, id)
	return true
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
		p.name = term.None
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
