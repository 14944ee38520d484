package loader

import (
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/term"
)

// Outcome is what CommitAll did.
type Outcome uint8

// The outcomes, with ERTS's names. All but Loaded and OnLoad changed nothing.
const (
	Loaded     Outcome = iota
	OnLoad             // the modules listed wait for their on_load functions
	NotPurged          // those listed have old code
	Duplicated         // those listed are there more than once
)

// Commit makes prepared modules current, all at once. The caller holds the
// code write permission and knows that none of them was claimed (Taken) and that
// a module with on_load comes alone. The code is claimed if it is loaded. stop runs a function while
// no scheduler runs.
func Commit(ps []*Prepared, stop func(func())) (o Outcome, mods []term.Term) {
	seen := map[term.Term]bool{}
	for _, p := range ps {
		if seen[p.Module()] {
			mods = append(mods, p.Module())
		}
		seen[p.Module()] = true
	}
	if len(mods) > 0 {
		return Duplicated, mods
	}
	for _, p := range ps {
		if code.Current(p.Module()) != nil && code.Old(p.Module()) != nil {
			mods = append(mods, p.Module())
		}
	}
	if len(mods) > 0 {
		return NotPurged, mods
	}
	stop(func() {
		for _, p := range ps {
			p.Take()
			if p.HasOnLoad() {
				code.InstallPending(p.mod)
				mods = append(mods, p.Module())
			} else {
				code.Install(p.mod)
			}
		}
	})
	if len(mods) > 0 {
		return OnLoad, mods
	}
	return Loaded, nil
}

// Preload loads a module before the node runs, as ERTS does with the preloaded
// ones: an on_load function is not looked at, for erl_init does its work.
func Preload(b []byte) (*code.Module, error) {
	p, err := Prepare(b)
	if err != nil {
		return nil, err
	}
	p.Take()
	p.mod.OnLoad = 0
	code.Install(p.mod)
	code.AddPreloaded(p.mod.Name)
	return p.mod, nil
}
