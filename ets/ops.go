package ets

import (
	"slices"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Outcome is how an operation ended.
type Outcome int

// The outcomes.
const (
	OK       Outcome = iota
	Gone             // the table was deleted meanwhile
	NoKey            // no object has the key
	BadItem          // an object is too small, or a value of a wrong type
	BadParam         // a bad argument
	KeyPos           // the position is that of the key
	Position         // the position is out of range
	Limit            // system limit
)

// Insert inserts a tuple that is large enough to have a key. done is false when
// unique is set and the key is there.
func (t *Table) Insert(tuple term.Term, unique bool) (done bool, err Outcome) {
	key := tuple.El(t.KeyPos)
	if t.Kind == OrderedSet {
		l := t.lockKey(0, true)
		defer l.unlock(true)
		if t.dead() {
			return false, Gone
		}
		return t.tree.put(t, tuple, key, unique), OK
	}
	hash := keyHash(key)
	l := t.lockKey(hash, true)
	if t.dead() {
		l.unlock(true)
		return false, Gone
	}
	done, grow := t.hash.put(t, tuple, key, hash, unique)
	l.unlock(true)
	if grow {
		t.hash.grow(t, t.load(hash))
	}
	return done, OK
}

// InsertAll inserts the tuples of a list at one moment. With unique set it does
// nothing (false) when a key is there already.
func (t *Table) InsertAll(list term.Term, unique bool) (done bool, err Outcome) {
	t.hash.resize.Lock() // before the locks, as in grow
	defer t.hash.resize.Unlock()
	t.lockAll(true)
	defer t.unlockAll(true)
	if t.dead() {
		return false, Gone
	}
	if unique && t.anyMember(list) {
		return false, OK
	}
	tuples := make([]term.Term, 0, 16)
	for l := list; l.IsList(); l = l.Tail() {
		tuples = append(tuples, l.Head())
	}
	if t.Kind == Bag { // ERTS 25 inserts the last one first
		slices.Reverse(tuples)
	}
	for _, tuple := range tuples {
		key := tuple.El(t.KeyPos)
		if t.Kind == OrderedSet {
			t.tree.put(t, tuple, key, false)
			continue
		}
		hash := keyHash(key)
		if _, grow := t.hash.put(t, tuple, key, hash, false); grow {
			t.hash.growSome(t, t.load(hash), true)
		}
	}
	return true, OK
}

func (t *Table) anyMember(list term.Term) bool {
	for l := list; l.IsList(); l = l.Tail() {
		if t.get(l.Head().El(t.KeyPos)) != 0 {
			return true
		}
	}
	return false
}

// get returns the first live object of a key, or 0; its lock is held.
func (t *Table) get(key term.Term) object {
	if t.Kind == OrderedSet {
		return t.tree.find(t, key)
	}
	return t.hash.live(t, key, keyHash(key))
}

// eachOf calls f with the live objects of a key, newest first; its lock is held.
func (t *Table) eachOf(key term.Term, f func(o object)) {
	if t.Kind == OrderedSet {
		if o := t.tree.find(t, key); o != 0 {
			f(o)
		}
		return
	}
	hash := keyHash(key)
	_, o := t.hash.find(t, key, hash)
	for ; o != 0 && t.hasKey(o, key, hash); o = objNext(o) {
		if !isDeleted(o) {
			f(o)
			if t.Kind == Set {
				return
			}
		}
	}
}

// lockFor takes the lock of a key.
func (t *Table) lockFor(key term.Term, write bool) *rwlock {
	if len(t.locks) == 1 {
		return t.lockKey(0, write)
	}
	return t.lockKey(keyHash(key), write)
}

// Lookup builds the list of a key's objects, oldest first.
func (t *Table) Lookup(h *heap.Heap, key term.Term) (list term.Term, err Outcome) {
	l := t.lockFor(key, false)
	defer l.unlock(false)
	if t.dead() {
		return term.Nil, Gone
	}
	list = term.Nil
	t.eachOf(key, func(o object) { list = h.Cons(t.copyOut(h, o), list) })
	return list, OK
}

// Member tells whether a key has objects.
func (t *Table) Member(key term.Term) (is bool, err Outcome) {
	l := t.lockFor(key, false)
	defer l.unlock(false)
	if t.dead() {
		return false, Gone
	}
	return t.get(key) != 0, OK
}

// Element builds element pos of a key's object; of a bag, the list of those of
// all its objects.
func (t *Table) Element(h *heap.Heap, key term.Term, pos int) (r term.Term, err Outcome) {
	l := t.lockFor(key, false)
	defer l.unlock(false)
	if t.dead() {
		return term.None, Gone
	}
	r, err = term.None, NoKey
	list := term.Nil
	t.eachOf(key, func(o object) {
		switch {
		case pos > t.rawTuple(o).Arity():
			err = BadItem
		case err == BadItem:
		default:
			err = OK
			r = t.element(h, o, pos)
			list = h.Cons(r, list)
		}
	})
	if err == OK && (t.Kind == Bag || t.Kind == DuplicateBag) {
		r = list
	}
	return r, err
}

// Erase deletes the objects of a key.
func (t *Table) Erase(key term.Term) Outcome {
	_, err := t.erase(key, func(object) (bool, bool) { return true, true })
	return err
}

// EraseObject deletes the objects equal to a tuple, which has a key.
func (t *Table) EraseObject(tuple term.Term) Outcome {
	_, err := t.erase(tuple.El(t.KeyPos), func(o object) (bool, bool) {
		if !t.sameObject(o, tuple) {
			return false, true
		}
		return true, t.Kind == DuplicateBag
	})
	return err
}

// Take deletes the objects of a key and builds their list.
func (t *Table) Take(h *heap.Heap, key term.Term) (list term.Term, err Outcome) {
	list = term.Nil
	_, err = t.erase(key, func(o object) (bool, bool) {
		list = h.Cons(t.copyOut(h, o), list)
		return true, true
	})
	return list, err
}

// erase deletes the objects of a key for which ok says so. ok also says
// whether to go on.
func (t *Table) erase(key term.Term, ok func(o object) (del, more bool)) (n int, err Outcome) {
	if t.Kind == OrderedSet {
		l := t.lockKey(0, true)
		defer l.unlock(true)
		if t.dead() {
			return 0, Gone
		}
		o := t.tree.unlink(t, key, func(o object) bool { del, _ := ok(o); return del })
		if o == 0 {
			return 0, OK
		}
		t.freeObject(o)
		return 1, OK
	}
	hash := keyHash(key)
	l := t.lockKey(hash, true)
	if t.dead() {
		l.unlock(true)
		return 0, Gone
	}
	n, free := t.hash.remove(t, key, hash, ok)
	l.unlock(true)
	t.freeList(free)
	if n > 0 {
		t.hash.shrink(t, t.load(hash))
	}
	return n, OK
}

// Edge builds the first key, or the last one; None when the table is empty. In
// a hash table the last is the first. raw visits objects marked as deleted too.
func (t *Table) Edge(h *heap.Heap, last, raw bool) (key term.Term, err Outcome) {
	if t.Kind == OrderedSet {
		l := t.lockKey(0, false)
		defer l.unlock(false)
		if t.dead() {
			return term.None, Gone
		}
		o := t.tree.edge(last)
		if o == 0 {
			return term.None, OK
		}
		return copyTerm(h, t.key(o)), OK
	}
	l := t.lockKey(0, false)
	if t.dead() {
		l.unlock(false)
		return term.None, Gone
	}
	return t.nextLive(h, l, 0, uintptr(loadWord(t.hash.bucket(0))), nil, raw), OK
}

// nextLive builds the key of the first live object at or after o in bucket i,
// whose lock l is held and will be released. skip passes over objects; raw
// takes deleted ones too.
func (t *Table) nextLive(h *heap.Heap, l *rwlock, i uint32, o object, skip func(object) bool, raw bool) term.Term {
	for {
		for ; o != 0; o = objNext(o) {
			if (raw || !isDeleted(o)) && (skip == nil || !skip(o)) {
				key := copyTerm(h, t.key(o))
				l.unlock(false)
				return key
			}
		}
		next := t.hash.nextBucket(t, i)
		if next < uint32(len(t.locks)) {
			l.unlock(false)
			if next == 0 {
				return term.None
			}
			l = t.lockKey(next, false)
		}
		i = next
		o = uintptr(loadWord(t.hash.bucket(i)))
	}
}

var amEOT = term.Intern("$end_of_table")

// Beside builds the key after key, or before it (back; the same in a hash
// table); None at the end. raw visits objects marked as deleted too.
func (t *Table) Beside(h *heap.Heap, key term.Term, back, raw bool) (next term.Term, err Outcome) {
	if t.Kind == OrderedSet {
		if key == amEOT { // what a walk ended with is no key to go on from
			return term.None, NoKey
		}
		l := t.lockKey(0, false)
		defer l.unlock(false)
		if t.dead() {
			return term.None, Gone
		}
		o := t.tree.next(t, key, back)
		if o == 0 {
			return term.None, OK
		}
		return copyTerm(h, t.key(o)), OK
	}
	hash := keyHash(key)
	l := t.lockKey(hash, false)
	if t.dead() {
		l.unlock(false)
		return term.None, Gone
	}
	_, o := t.hash.find(t, key, hash)
	if o == 0 {
		l.unlock(false)
		return term.None, NoKey
	}
	var skip func(object) bool
	if t.Kind != Set {
		skip = func(o object) bool { return t.hasKey(o, key, hash) }
	}
	return t.nextLive(h, l, t.hash.index(hash), objNext(o), skip, raw), OK
}

// Slot builds the list of the objects of bucket i (of a tree: the one object
// with i smaller ones). end tells that i is the number of slots.
func (t *Table) Slot(h *heap.Heap, i int64) (list term.Term, end bool, err Outcome) {
	list = term.Nil
	if t.Kind == OrderedSet {
		l := t.lockKey(0, false)
		defer l.unlock(false)
		n := int64(nodes(t.tree.top()))
		switch {
		case t.dead():
			return list, false, Gone
		case i > n:
			return list, false, BadParam
		case i == n:
			return list, true, OK
		}
		return h.Cons(t.copyOut(h, t.tree.at(uint64(i))), list), false, OK
	}
	l := t.lockKey(uint32(i), false)
	defer l.unlock(false)
	n := int64(t.hash.active.Load())
	switch {
	case t.dead():
		return list, false, Gone
	case i > n:
		return list, false, BadParam
	case i == n:
		return list, true, OK
	}
	for o := uintptr(loadWord(t.hash.bucket(uint32(i)))); o != 0; o = objNext(o) {
		if !isDeleted(o) {
			list = h.Cons(t.copyOut(h, o), list)
		}
	}
	return list, false, OK
}
