package ets

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Updater is an object being changed: the key's lock is held while Update's
// function runs. Changes act when it returns OK, all at once.
type Updater struct {
	t    *Table
	o    object    // 0: the object comes from a default
	base term.Term // the tuple before the changes
	few  [4]change
	n    int       // number of changes
	more []change  // those after the first four
	tmp  heap.Heap // of an object kept in compressed form
}

type change struct {
	pos int
	val term.Term
}

// Arity returns the size of the object.
func (u *Updater) Arity() int { return u.base.Arity() }

// Value returns an element as changed so far. It is valid only in the function.
func (u *Updater) Value(pos int) term.Term {
	for i := u.n - 1; i >= 0; i-- {
		if c := u.change(i); c.pos == pos {
			return c.val
		}
	}
	return u.base.El(pos)
}

// Set changes an element.
func (u *Updater) Set(pos int, val term.Term) {
	if u.n < len(u.few) {
		u.few[u.n] = change{pos, val}
	} else {
		u.more = append(u.more, change{pos, val})
	}
	u.n++
}

func (u *Updater) change(i int) change {
	if i < len(u.few) {
		return u.few[i]
	}
	return u.more[i-len(u.few)]
}

// Update changes the object of a key of a set or ordered set. When there is
// none and def is a tuple, it is inserted with the key set (if it is large
// enough to have one) and changed.
func (t *Table) Update(key, def term.Term, f func(u *Updater) Outcome) Outcome {
	if t.Kind == OrderedSet {
		l := t.lockKey(0, true)
		defer l.unlock(true)
		if t.dead() {
			return Gone
		}
		var p path
		o := t.tree.descend(t, key, &p)
		link := p.last()
		return t.update(o, key, def, f, func(n object) { t.tree.replace(link, o, n) })
	}
	hash := keyHash(key)
	l := t.lockKey(hash, true)
	if t.dead() {
		l.unlock(true)
		return Gone
	}
	link, o := t.hash.find(t, key, hash)
	live := o
	if o != 0 && isDeleted(o) {
		live = 0
	}
	r := t.update(live, key, def, f, func(n object) {
		setWord(n, 0, word(o, 0))
		setWord(n, 1, uint64(hash))
		setWord(link, 0, uint64(n))
	})
	l.unlock(true)
	if t.load(hash) > int64(t.hash.active.Load()) && !t.fixed() {
		t.hash.grow(t, t.load(hash))
	}
	return r
}

func (t *Table) update(o object, key, def term.Term, f func(u *Updater) Outcome, replace func(n object)) Outcome {
	u := Updater{t: t, o: o}
	defer func() {
		if u.tmp.Frags != nil {
			freeTemp(&u.tmp)
		}
	}()
	switch {
	case o == 0 && def == term.None:
		return NoKey
	case o == 0:
		if def.Arity() < t.KeyPos {
			return BadItem
		}
		u.base = withElement(&u.tmp, def, t.KeyPos, key)
	case isPacked(o):
		u.base = t.unpack(&u.tmp, o)
	default:
		u.base = t.rawTuple(o)
	}
	if r := f(&u); r != OK {
		return r
	}
	if o != 0 && u.inPlace() {
		return OK
	}
	tuple := u.build()
	if o != 0 {
		n := t.newObject(tuple)
		replace(n)
		t.freeObject(o)
		return OK
	}
	key = tuple.El(t.KeyPos)
	if t.Kind == OrderedSet {
		t.tree.put(t, tuple, key, false)
	} else {
		t.hash.put(t, tuple, key, keyHash(key), false)
	}
	return OK
}

// inPlace writes the changes into the object when no block is needed for them.
func (u *Updater) inPlace() bool {
	if isPacked(u.o) {
		return false
	}
	for i := range u.n {
		if c := u.change(i); !c.val.IsImmed() || !u.base.El(c.pos).IsImmed() {
			return false
		}
	}
	for i := range u.n {
		c := u.change(i)
		u.base.SetW(c.pos, uint64(c.val))
	}
	return true
}

// build makes the changed tuple, whose elements still lie where they came from.
func (u *Updater) build() term.Term {
	if u.n == 0 {
		return u.base
	}
	els := make([]term.Term, u.base.Arity())
	for i := range els {
		els[i] = u.Value(i + 1)
	}
	return u.tmp.Tuple(els...)
}

func withElement(h *heap.Heap, tuple term.Term, pos int, val term.Term) term.Term {
	els := make([]term.Term, tuple.Arity())
	for i := range els {
		els[i] = tuple.El(i + 1)
	}
	els[pos-1] = val
	return h.Tuple(els...)
}
