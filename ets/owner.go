package ets

import (
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// exitSlice is the objects freed before the rest is left to the background.
const exitSlice = 5000

var amTransfer = term.Intern("ETS-TRANSFER")

// dying are the tables that an exiting process has deleted but not yet freed,
// under regMu.
var dying = map[term.Term][]*Table{}

// interest counts, by hash of the pid, the tables owned, fixed or being freed
// by processes, so that most exits need no lock.
var interest [1 << 12]atomic.Int32

func interestOf(pid term.Term) *atomic.Int32 {
	return &interest[pid.ID()*0x9E3779B97F4A7C15>>52]
}

// Exit releases an exiting process's fixations, gives its tables to their heirs
// or deletes them, and frees a slice of those deleted; done is false when there
// is more to be freed. It is proc.EtsExit.
func Exit(p *proc.Process) (done bool) {
	pid := p.ID
	if interestOf(pid).Load() == 0 {
		return true
	}
	for _, t := range fixedTables(pid) {
		t.unfix(pid, 1<<30)
	}
	for _, t := range Owned(pid) {
		if ownerGone(t, pid) {
			regMu.Lock()
			dying[pid] = append(dying[pid], t)
			interestOf(pid).Add(1)
			regMu.Unlock()
		}
	}
	regMu.Lock()
	l := dying[pid]
	regMu.Unlock()
	for n := exitSlice; n > 0; {
		if len(l) == 0 {
			return true
		}
		freed, gone := l[0].freeSome(n)
		if n -= freed + 1; !gone {
			return false
		}
		l = l[1:]
		regMu.Lock()
		interestOf(pid).Add(-1)
		if len(l) == 0 {
			delete(dying, pid)
		} else {
			dying[pid] = l
		}
		regMu.Unlock()
	}
	return len(l) == 0
}

// background counts the tables being freed by goroutines.
var background atomic.Int64

// Freeing tells whether tables are being freed in the background.
func Freeing() bool { return background.Load() > 0 }

// FreeAll frees a deleted table, what is much of it in the background.
func (t *Table) FreeAll() {
	if t.FreeSome(exitSlice) {
		return
	}
	inBackground(func() (done bool) { return t.FreeSome(exitSlice) })
}

func inBackground(step func() (done bool)) {
	background.Add(1)
	go func() {
		defer invariants.Catch()
		defer background.Add(-1)
		for !step() {
		}
	}()
}

func fixedTables(pid term.Term) (l []*Table) {
	regMu.Lock()
	defer regMu.Unlock()
	for t := range fixedBy[pid] {
		l = append(l, t)
	}
	return l
}

// ownerGone hands a table whose owner exits to its heir, or deletes it (true:
// its objects are to be freed by the caller).
func ownerGone(t *Table, pid term.Term) (deleted bool) {
	heir := t.Heir()
	if heir != term.None && heir != pid {
		if q := proc.Lookup(heir); q != nil && !q.Exiting() && t.bequeath(pid, heir) {
			return false
		}
	}
	return t.Delete()
}

// bequeath makes the heir the owner and tells it.
func (t *Table) bequeath(from, heir term.Term) bool {
	var h heap.Heap
	t.heirMu.Lock()
	data := term.AmUndefined
	if t.heirData != 0 {
		data = copyTerm(&h, term.Box(t.heirData+hashHeader).El(1))
	}
	t.dropHeir()
	t.heirMu.Unlock()
	if !t.Give(from, heir) {
		freeTemp(&h)
		return false
	}
	msg := h.Tuple(amTransfer, t.Tid(&h), from, data)
	proc.SendBuilt(from, heir, msg, &h)
	t.checkOwner(heir)
	return true
}

// Transfer gives the table of one process to another, with the message
// {'ETS-TRANSFER', Tab, From, Data}; false when it was deleted meanwhile.
func (t *Table) Transfer(from, to, data term.Term) bool {
	if !t.Give(from, to) {
		return false
	}
	var h heap.Heap
	msg := h.Tuple(amTransfer, t.Tid(&h), from, heap.CopyTo(&h, data))
	proc.SendBuilt(from, to, msg, &h)
	t.checkOwner(to)
	return true
}

// checkOwner sees to a table whose new owner began to exit before it had it.
func (t *Table) checkOwner(pid term.Term) {
	if q := proc.Lookup(pid); q != nil && !q.Exiting() || t.Owner() != pid {
		return
	}
	if ownerGone(t, pid) {
		t.FreeAll()
	}
}
