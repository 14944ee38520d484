package ets

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// exitSlice is the objects freed before the rest is left to the background.
const exitSlice = 5000

var amTransfer = term.Intern("ETS-TRANSFER")

// Exit releases an exiting process's fixations and gives its tables to their
// heirs or deletes them. It is one of proc.ExitHooks. Large tables are freed by
// a goroutine of their own.
func Exit(p *proc.Process, _ term.Term) {
	pid := p.ID
	for _, t := range fixedTables(pid) {
		t.unfix(pid, 1<<30)
	}
	for _, t := range Owned(pid) {
		if ownerGone(t, pid) {
			t.FreeAll()
		}
	}
}

// FreeAll frees a deleted table, what is much of it in the background.
func (t *Table) FreeAll() {
	if t.FreeSome(exitSlice) {
		return
	}
	go func() {
		for !t.FreeSome(exitSlice) {
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
