package ets

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// pages is a table of pointers by small number that is read without a lock.
type pages struct {
	mu sync.Mutex
	p  atomic.Pointer[[]*tablePage]
}

const pageBits = 9

type tablePage [1 << pageBits]atomic.Pointer[Table]

func (p *pages) get(i uint32) *Table {
	ps := p.p.Load()
	if ps == nil || int(i>>pageBits) >= len(*ps) {
		return nil
	}
	return (*ps)[i>>pageBits][i&(1<<pageBits-1)].Load()
}

// at returns the cell of a number, making it if need be.
func (p *pages) at(i uint32) *atomic.Pointer[Table] {
	p.mu.Lock()
	defer p.mu.Unlock()
	var ps []*tablePage
	if q := p.p.Load(); q != nil {
		ps = *q
	}
	if int(i>>pageBits) >= len(ps) {
		grown := append([]*tablePage(nil), ps...)
		for int(i>>pageBits) >= len(grown) {
			grown = append(grown, new(tablePage))
		}
		p.p.Store(&grown)
		ps = grown
	}
	return &ps[i>>pageBits][i&(1<<pageBits-1)]
}

type refKey struct{ n0, n2 uint64 }

// The registry of tables: by atom of the name, by number of the magic binary,
// by the numbers of the reference (for references that lost their magic on the
// way), by owner and by fixing process.
var (
	byName  pages
	byMagic pages

	regMu   sync.Mutex
	byRef   = map[refKey]*Table{}
	owned   = map[term.Term]map[*Table]struct{}{}
	fixedBy = map[term.Term]map[*Table]struct{}{}
	created uint64
)

// handle is the value of a table's magic binary. The table itself is found
// through byMagic; the handle clears that when the last reference goes.
type handle struct{ t *Table }

// Drop implements heap.Dropper.
func (h *handle) Drop() {}

// New makes a table (ctx may be nil); it is nil when the name is taken.
func New(ctx *proc.Ctx, name, owner term.Term, o *Options) *Table {
	t := newTable(name, owner, o)
	k := proc.NewRefKey(ctx)
	t.n0, t.n2 = k.A, k.B
	t.id = heap.NewMagic(&handle{t})
	t.bin = t.id
	byMagic.at(t.id.Magic).Store(t)
	regMu.Lock()
	byRef[refKey{t.n0, t.n2}] = t
	addTo(owned, owner, t)
	created++
	t.seq = created
	regMu.Unlock()
	if t.Named && !byName.at(uint32(name.Atom())).CompareAndSwap(nil, t) {
		t.Named = false
		t.Delete()
		for !t.FreeSome(1 << 20) {
		}
		return nil
	}
	return t
}

func addTo(m map[term.Term]map[*Table]struct{}, pid term.Term, t *Table) {
	s := m[pid]
	if s == nil {
		s = map[*Table]struct{}{}
		m[pid] = s
	}
	if _, had := s[t]; !had {
		s[t] = struct{}{}
		interestOf(pid).Add(1)
	}
}

func dropFrom(m map[term.Term]map[*Table]struct{}, pid term.Term, t *Table) {
	s := m[pid]
	if _, had := s[t]; !had {
		return
	}
	interestOf(pid).Add(-1)
	if delete(s, t); len(s) == 0 {
		delete(m, pid)
	}
}

func noteFixer(pid term.Term, t *Table) {
	regMu.Lock()
	addTo(fixedBy, pid, t)
	regMu.Unlock()
}

func forgetFixer(pid term.Term, t *Table) {
	regMu.Lock()
	dropFrom(fixedBy, pid, t)
	regMu.Unlock()
}

// Lookup returns the table of a name or reference, or nil. valid is false when
// id is neither a name nor the reference of a table that is or was.
func Lookup(id term.Term) (t *Table, valid bool) {
	switch {
	case id.IsAtom():
		return byName.get(uint32(id.Atom())), true
	case id.IsMagicRef():
		b := heap.MagicBin(id)
		if t = byMagic.get(b.Magic); t != nil && t.bin == b {
			return t, true
		}
		_, was := heap.MagicValue(b).(*handle)
		return nil, was
	case id.Is(term.KRef):
		regMu.Lock()
		defer regMu.Unlock()
		t = byRef[refKey{id.W(1), id.W(2)}]
		return t, t != nil
	}
	return nil, false
}

// Ref builds the table's reference on a heap. The count that the table itself
// holds is given back under regMu, so the binary is there; of a table that is
// gone a plain reference is built.
func (t *Table) Ref(h *heap.Heap) term.Term {
	regMu.Lock()
	defer regMu.Unlock()
	if t.id == nil {
		return proc.PutRef(h.Alloc(1+term.RefWords), proc.Key{A: t.n0, B: t.n2})
	}
	t.id.Ref()
	return h.Off.PutMagicRef(h.Alloc(1+term.MagicRefWords), t.n0, t.n2, t.id)
}

// Tid builds what ets:new returns: the name of a named table, else the
// reference.
func (t *Table) Tid(h *heap.Heap) term.Term {
	if t.Named {
		return t.Name()
	}
	return t.Ref(h)
}

// Rename gives the table another name; false when that is taken. Renames of
// one table exclude each other by its locks.
func (t *Table) Rename(name term.Term) bool {
	if t.Named {
		if !byName.at(uint32(name.Atom())).CompareAndSwap(nil, t) {
			return false
		}
		byName.at(uint32(t.Name().Atom())).CompareAndSwap(t, nil)
	}
	t.name.Store(uint64(name))
	return true
}

// Give makes another process the owner; false when from no longer is, or the
// table is gone.
func (t *Table) Give(from, to term.Term) bool {
	regMu.Lock()
	defer regMu.Unlock()
	if t.dead() || t.Owner() != from {
		return false
	}
	dropFrom(owned, from, t)
	t.owner.Store(uint64(to))
	addTo(owned, to, t)
	return true
}

// Delete takes the table out of the registry, so that nobody finds it any more.
// It is false when somebody else did so before. The objects go with FreeSome.
func (t *Table) Delete() bool {
	t.lockAll(true)
	was := t.gone.Swap(true)
	t.unlockAll(true)
	if was {
		return false
	}
	if t.Named {
		byName.at(uint32(t.Name().Atom())).CompareAndSwap(t, nil)
	}
	byMagic.at(t.bin.Magic).CompareAndSwap(t, nil)
	t.fixMu.Lock()
	fixers := t.fix.by
	t.fix.by = nil
	t.fixes.Store(0)
	t.fixMu.Unlock()
	regMu.Lock()
	delete(byRef, refKey{t.n0, t.n2})
	dropFrom(owned, t.Owner(), t)
	for pid := range fixers {
		dropFrom(fixedBy, pid, t)
	}
	regMu.Unlock()
	return true
}

// FreeSome frees some n objects of a deleted table; true when all is gone. Only
// who deleted the table calls it.
func (t *Table) FreeSome(n int) bool {
	_, done := t.freeSome(n)
	return done
}

func (t *Table) freeSome(n int) (freed int, done bool) {
	t.hash.resize.Lock() // whoever resizes may not have seen that the table is dead
	defer t.hash.resize.Unlock()
	t.lockAll(true)
	defer t.unlockAll(true)
	if t.Kind == OrderedSet {
		if freed, done = t.tree.freeSome(t, n); done {
			t.tree.destroy()
		}
	} else {
		freed, done = t.hash.freeSome(t, n)
	}
	if done {
		t.heirMu.Lock()
		t.dropHeir()
		t.heirMu.Unlock()
		regMu.Lock()
		id := t.id
		t.id = nil
		regMu.Unlock()
		id.Unref()
	}
	return freed, done
}

// Clear deletes all objects at one moment and returns how many there were. The
// memory of many of them is freed in the background.
func (t *Table) Clear() (n int64, err Outcome) {
	t.hash.resize.Lock() // before the locks, as in grow
	defer t.hash.resize.Unlock()
	t.lockAll(true)
	defer t.unlockAll(true)
	if t.dead() {
		return 0, Gone
	}
	n = t.items.Load()
	switch {
	case t.Kind == OrderedSet:
		old := t.tree
		t.tree.create()
		t.detach(func(u *Table) { u.tree = old })
	case t.fixed():
		t.hash.markAll(t)
	default:
		t.detach(func(u *Table) { u.hash.take(&t.hash) })
		t.hash.create(t)
	}
	t.items.Store(0)
	for i := range t.shares {
		t.shares[i].Store(0)
	}
	return n, OK
}

// detach moves the objects of a table to a dead one of its own, which is freed,
// and counts their memory out.
func (t *Table) detach(move func(u *Table)) {
	u := &Table{Kind: t.Kind, KeyPos: t.KeyPos, header: t.header, locks: make([]rwlock, 1)}
	u.gone.Store(true)
	move(u)
	t.mem.Store(t.baseWords() * 8)
	u.mem.Store(t.mem.Load())
	free := func() (done bool) {
		if u.Kind == OrderedSet {
			if _, done = u.tree.freeSome(u, exitSlice); done {
				u.tree.destroy()
			}
			return done
		}
		_, done = u.hash.freeSome(u, exitSlice)
		return done
	}
	if !free() {
		inBackground(free)
	}
}

// Tables returns the number of tables.
func Tables() int {
	regMu.Lock()
	defer regMu.Unlock()
	return len(byRef)
}

// All returns the tables, newest first.
func All() []*Table {
	regMu.Lock()
	defer regMu.Unlock()
	all := make([]*Table, 0, len(byRef))
	for _, t := range byRef {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *Table) int { return cmp.Compare(b.seq, a.seq) })
	return all
}

// Owned returns the tables of a process.
func Owned(pid term.Term) []*Table {
	regMu.Lock()
	defer regMu.Unlock()
	var l []*Table
	for t := range owned[pid] {
		l = append(l, t)
	}
	slices.SortFunc(l, func(a, b *Table) int { return cmp.Compare(b.seq, a.seq) })
	return l
}
