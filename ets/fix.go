package ets

import (
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// fixation is who keeps a hash table from moving its objects. While there is
// anyone, deleted objects are only marked and buckets are neither split nor
// joined, so that a walk by keys or buckets misses and repeats nothing.
type fixation struct {
	by    map[term.Term]int // fixations by process
	slots []uint32          // buckets with marked objects
	all   bool              // every bucket may have marked objects
	since int64             // monotonic time of the first fixation, native units
	sysT  int64             // system time of the first fixation, native units
}

// fixed tells whether the table is fixed. To rely on the answer hold a lock of
// the table.
func (t *Table) fixed() bool { return t.fixes.Load() > 0 }

// noteDeletion remembers that bucket i has a marked object, unless the table is
// not fixed (any more); then the object is to be removed at once.
func (t *Table) noteDeletion(i uint32) bool {
	if !t.fixed() {
		return false
	}
	t.fixMu.Lock()
	defer t.fixMu.Unlock()
	if !t.fixed() {
		return false
	}
	t.fix.slots = append(t.fix.slots, i)
	return true
}

// Fix adds a fixation by a process (safe_fixtable true, a select between
// slices).
func (t *Table) Fix(pid term.Term) {
	t.fixMu.Lock()
	defer t.fixMu.Unlock()
	if t.fix.by == nil {
		t.fix.by = map[term.Term]int{}
	}
	if t.fixes.Add(1) == 1 {
		t.fix.since, t.fix.sysT = proc.ErlangMonotonic(), proc.ErlangSystem()
	}
	t.fix.by[pid]++
	if t.fix.by[pid] == 1 {
		t.mem.Add(perFixer * 8)
		noteFixer(pid, t)
	}
}

// Unfix takes one fixation of a process away, if it has one. No lock of the
// table is held.
func (t *Table) Unfix(pid term.Term) { t.unfix(pid, 1) }

func (t *Table) unfix(pid term.Term, n int) {
	t.fixMu.Lock()
	had := t.fix.by[pid]
	n = min(n, had)
	if n == 0 {
		t.fixMu.Unlock()
		return
	}
	if had == n {
		delete(t.fix.by, pid)
		t.mem.Add(-perFixer * 8)
		forgetFixer(pid, t)
	} else {
		t.fix.by[pid] = had - n
	}
	last := t.fixes.Add(-int64(n)) == 0
	dirty := last && (len(t.fix.slots) > 0 || t.fix.all)
	t.fixMu.Unlock()
	if dirty && t.Kind != OrderedSet {
		t.purge()
	}
}

// purge removes the marked objects, unless the table was fixed again.
func (t *Table) purge() {
	t.lockAll(true)
	defer t.unlockAll(true)
	t.fixMu.Lock()
	if t.fixed() || t.dead() {
		t.fixMu.Unlock()
		return
	}
	slots, all := t.fix.slots, t.fix.all
	t.fix.slots, t.fix.all = nil, false
	t.fixMu.Unlock()
	if all {
		for i := range t.hash.active.Load() {
			t.hash.purge(t, i)
		}
		return
	}
	for _, i := range slots {
		t.hash.purge(t, i)
	}
}

// Fixer is a process that keeps a table fixed.
type Fixer struct {
	Pid   term.Term
	Count int
}

// Fixers returns who keeps the table fixed and since when (monotonic and system
// time, in native units); none when it is not fixed.
func (t *Table) Fixers() (by []Fixer, since, system int64, fixed bool) {
	t.fixMu.Lock()
	defer t.fixMu.Unlock()
	if !t.fixed() {
		return nil, 0, 0, false
	}
	for p, n := range t.fix.by {
		by = append(by, Fixer{p, n})
	}
	return by, t.fix.since, t.fix.sysT, true
}
