// Package ets holds the tables of the ets module.
//
// Objects lie off the Go heap (object.go) in a hash table (hash.go) or a
// balanced tree (tree.go). The descriptors, few and long-lived, are Go values;
// terms refer to them by magic references.
//
// Locks. A table has one reader-writer lock, or 64 when it is a hash table with
// write_concurrency; a bucket is guarded by one of them, and "the whole table"
// means all of them in order. Below those come, in order: fixMu of the table,
// the registry's mutexes. No lock is held when a builtin returns, yields or
// sends.
package ets

import (
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Kind is the type of a table.
type Kind uint8

// The kinds.
const (
	Set Kind = iota
	Bag
	DuplicateBag
	OrderedSet
)

// Access is the protection of a table.
type Access uint32

// The protections.
const (
	Private Access = iota
	Protected
	Public
)

// Options are what ets:new/2 can ask for.
type Options struct {
	Kind          Kind
	Access        Access
	Named         bool
	KeyPos        int
	Compressed    bool
	WriteConc     bool
	WriteAuto     bool
	ReadConc      bool
	Decentralized bool
	Locks         int // debug_hash_fixed_number_of_locks, or 0
	Heir          term.Term
	HeirData      term.Term
}

// Table is a table. The fields of Options never change, but for Access and the
// heir.
type Table struct {
	Kind          Kind
	KeyPos        int
	Named         bool
	Compressed    bool
	WriteConc     bool // fine locked, as info reports it
	WriteAuto     bool
	ReadConc      bool
	Decentralized bool
	FixedLocks    bool // the number of locks was given

	header uintptr // bytes of an object before its tuple
	locks  []rwlock
	hash   hashTable
	tree   tree

	access atomic.Uint32
	owner  atomic.Uint64
	gone   atomic.Bool    // deleted; objects may be on their way out
	items  atomic.Int64   // live objects
	shares []atomic.Int64 // live objects by hash value, when Decentralized
	seq    uint64         // order of creation
	mem    atomic.Int64   // bytes, as ERTS counts them
	name   atomic.Uint64  // atom

	fixes atomic.Int64 // number of fixations; changes under fixMu
	fixMu sync.Mutex
	fix   fixation

	heirMu   sync.Mutex
	heir     term.Term
	heirData object // plain object {Data}, or 0

	id  *heap.Bin // magic binary; the table holds one count while it lives
	bin *heap.Bin // the same, for comparison only
	n0  uint64    // numbers of the reference
	n2  uint64
}

// ERTS's sizes of an empty table, in words, which info(memory) is based on.
const (
	baseHash     = 49
	baseTree     = 139
	baseCATree   = 99
	readerLock   = 32 // a lock made for many readers is larger by so much
	perLock      = 16
	decentralExt = 34
	perFixer     = 9
)

// baseWords is the memory of an empty table without its segments.
func (t *Table) baseWords() int64 {
	var w int64
	switch {
	case t.Kind == OrderedSet && t.WriteConc:
		w = baseCATree
	case t.Kind == OrderedSet:
		w = baseTree
	default:
		w = baseHash
		if t.WriteConc {
			w += readerLock + int64(len(t.locks))*perLock
			if t.ReadConc {
				w += int64(len(t.locks)-1) * readerLock
			}
		}
	}
	if t.ReadConc {
		w += readerLock
	}
	if t.Decentralized {
		w += decentralExt
	}
	return w
}

// newTable makes a table that is not yet known to anyone.
func newTable(name, owner term.Term, o *Options) *Table {
	t := &Table{
		Kind: o.Kind, KeyPos: o.KeyPos, Named: o.Named, Compressed: o.Compressed,
		WriteConc: o.WriteConc && o.Access != Private,
		ReadConc:  o.ReadConc && o.Access != Private,
		header:    hashHeader,
	}
	t.WriteAuto = o.WriteAuto && t.WriteConc
	t.Decentralized = o.Decentralized && t.WriteConc
	t.name.Store(uint64(name))
	t.owner.Store(uint64(owner))
	t.access.Store(uint32(o.Access))
	locks := 1
	if t.WriteConc && t.Kind != OrderedSet {
		locks = 64
		for o.Locks >= 2*locks {
			locks *= 2
		}
		t.FixedLocks = o.Locks > 0
	}
	t.locks = make([]rwlock, locks)
	if t.Decentralized && t.Kind != OrderedSet {
		t.shares = make([]atomic.Int64, shareCount)
	}
	t.mem.Store(t.baseWords() * 8)
	if t.Kind == OrderedSet {
		t.header = treeHeader
		t.tree.create()
	} else {
		t.hash.create(t)
	}
	t.setHeir(o.Heir, o.HeirData)
	return t
}

// Name returns the table's name, an atom.
func (t *Table) Name() term.Term { return term.Term(t.name.Load()) }

// Owner returns the owner's pid.
func (t *Table) Owner() term.Term { return term.Term(t.owner.Load()) }

// Access returns the protection.
func (t *Table) Access() Access { return Access(t.access.Load()) }

// SetAccess changes the protection.
func (t *Table) SetAccess(a Access) { t.access.Store(uint32(a)) }

// Items returns the number of objects.
func (t *Table) Items() int64 { return t.items.Load() }

// Words returns the memory as ets:info(T, memory) reports it.
func (t *Table) Words() int64 { return (t.mem.Load() + 7) / 8 }

func (t *Table) dead() bool { return t.gone.Load() }

// shareCount is the number of counters that hold the number of objects of a
// hash table with decentralized counters; ERTS sizes such a table by one of them.
const shareCount = 64

// addItems counts n objects of a hash value (ordered sets give 0).
func (t *Table) addItems(hash uint32, n int64) {
	t.items.Add(n)
	if t.shares != nil {
		t.shares[hash%shareCount].Add(n)
	}
}

// load estimates the number of objects by which the table is grown and shrunk.
func (t *Table) load(hash uint32) int64 {
	if t.shares != nil {
		return t.shares[hash%shareCount].Load() * shareCount
	}
	return t.items.Load()
}

// Locks returns the number of locks.
func (t *Table) Locks() int { return len(t.locks) }

// SetHeir changes who inherits the table; heir is a pid or None.
func (t *Table) SetHeir(heir, data term.Term) { t.setHeir(heir, data) }

func (t *Table) setHeir(heir, data term.Term) {
	t.heirMu.Lock()
	defer t.heirMu.Unlock()
	t.dropHeir()
	if heir == term.None {
		return
	}
	// A table whose owner is its heir has the data too: ownership may move.
	t.heir = heir
	a := newTupleOf(data)
	t.heirData = a
}

// dropHeir forgets the heir; heirMu is held.
func (t *Table) dropHeir() {
	if t.heirData != 0 {
		freePlain(t.heirData, hashHeader)
		t.heirData = 0
	}
	t.heir = term.None
}

// Heir returns the heir, or None.
func (t *Table) Heir() term.Term {
	t.heirMu.Lock()
	defer t.heirMu.Unlock()
	return t.heir
}

// newTupleOf keeps one term as the object {Term}.
func newTupleOf(data term.Term) object {
	var h heap.Heap
	defer freeTemp(&h)
	return newPlain(h.Tuple(data), hashHeader)
}
