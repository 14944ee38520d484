package ets

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/matchspec"
	"github.com/beamrd/beamrd/vm/term"
)

// Mode is what a walk does with the objects that match.
type Mode uint8

// The modes.
const (
	Select  Mode = iota // collect the results
	Count               // count the results that are true
	Delete              // delete the objects whose result is true
	Replace             // put the result in the object's place
)

// Walk is a traversal of a table by a match program, done in steps. The terms
// in it are for its owner to keep alive between steps.
type Walk struct {
	T     *Table
	Prog  *matchspec.Program
	Mode  Mode
	Back  bool  // ordered set: from the greatest key on
	Chunk int64 // stop after so many results; 0: never

	Bucket int64     // hash table: next bucket; negative at the end
	Last   term.Term // ordered set: key of the last object visited; None at the start
	Start  term.Term // ordered set: pattern of the key to begin at, or Nil
	End    term.Term // ordered set: pattern of the last key, or Nil

	Acc  term.Term // results, newest first
	Got  int64     // number of results
	Seen int       // objects visited in this step

	m     *matchspec.Machine
	h     *heap.Heap
	tmp   heap.Heap // a compressed object unpacked
	cur   object
	whole func() term.Term
}

// Begin prepares a step; h is where results are built.
func (w *Walk) Begin(m *matchspec.Machine, h *heap.Heap) {
	w.m, w.h, w.Seen = m, h, 0
	w.whole = func() term.Term { return w.T.copyOut(w.h, w.cur) }
}

// run matches one object. The result is on the heap in mode Select, temporary
// else.
func (w *Walk) run(o object) term.Term {
	w.Seen++
	w.cur = o
	subject := w.T.rawTuple(o)
	if isPacked(o) {
		if w.tmp.Frags != nil {
			freeTemp(&w.tmp)
		}
		subject = w.T.unpack(&w.tmp, o)
	}
	if w.Mode == Select {
		r := w.m.Run(w.Prog, subject, w.h, w.whole)
		if r != term.None {
			w.Acc = w.h.Cons(r, w.Acc)
			w.Got++
		}
		return r
	}
	r := w.m.Run(w.Prog, subject, nil, nil)
	if w.Mode == Replace && r != term.None || w.Mode != Replace && r == term.True {
		w.Got++
		return r
	}
	return term.None
}

// Keys visits the objects that may have one of the keys of a plan, all at once.
func (w *Walk) Keys(keys []term.Term) Outcome {
	defer w.release()
	if w.T.Kind == OrderedSet {
		return w.treeKeys(keys)
	}
	seen := make([]uint32, 0, 8)
	for _, k := range keys {
		hash := keyHash(k)
		l := w.T.lockKey(hash, w.writes())
		if w.T.dead() {
			l.unlock(w.writes())
			return Gone
		}
		i := w.T.hash.index(hash)
		fresh := true
		for _, s := range seen {
			fresh = fresh && s != i
		}
		var free object
		if fresh {
			seen = append(seen, i)
			free = w.bucket(i)
		}
		l.unlock(w.writes())
		w.T.freeList(free)
	}
	w.shrink()
	w.Bucket = -1
	return OK
}

func (w *Walk) writes() bool { return w.Mode == Delete || w.Mode == Replace }

func (w *Walk) release() {
	if w.tmp.Frags != nil {
		freeTemp(&w.tmp)
	}
}

func (w *Walk) shrink() {
	if w.Mode == Delete && w.Got > 0 {
		w.T.hash.shrink(w.T, w.T.load(0))
	}
}

// Step visits objects until about limit are seen, a chunk is full or the end is
// reached (done). When it is not done and fix is not nil, fix is called while
// the table is still locked.
func (w *Walk) Step(limit int, fix func()) (done bool, err Outcome) {
	defer w.release()
	if w.T.Kind == OrderedSet {
		return w.treeStep(limit)
	}
	h, write := &w.T.hash, w.writes()
	i := uint32(w.Bucket)
	l := w.T.lockKey(i, write)
	if w.T.dead() {
		l.unlock(write)
		return true, Gone
	}
	if i >= h.active.Load() { // a continuation of a table that has shrunk
		l.unlock(write)
		return true, BadParam
	}
	var free object
	for {
		for f := w.bucket(i); f != 0; {
			next := objNext(f)
			setWord(f, 0, uint64(free))
			free, f = f, next
		}
		next := h.nextBucket(w.T, i)
		if next < uint32(len(w.T.locks)) {
			l.unlock(write)
			w.T.freeList(free)
			free = 0
			if next == 0 {
				w.Bucket = -1
				w.shrink()
				return true, OK
			}
			l = w.T.lockKey(next, write)
		}
		i = next
		full := w.Chunk > 0 && w.Got >= w.Chunk
		if full || w.Seen >= limit {
			w.Bucket = int64(i)
			if !full && fix != nil {
				fix()
			}
			l.unlock(write)
			w.T.freeList(free)
			return full, OK
		}
	}
}

// bucket visits the objects of a bucket, whose lock is held. It returns those
// that were taken out.
func (w *Walk) bucket(i uint32) (free object) {
	t := w.T
	link := t.hash.bucket(i)
	noted := false
	for o := uintptr(loadWord(link)); o != 0; o = uintptr(loadWord(link)) {
		if isDeleted(o) {
			link = o
			continue
		}
		r := w.run(o)
		switch {
		case r == term.None:
			link = o
		case w.Mode == Delete:
			t.addItems(objHash(o), -1)
			if noted || t.noteDeletion(i) {
				noted = true
				setDeleted(o, true)
				link = o
				continue
			}
			setWord(link, 0, word(o, 0))
			setWord(o, 0, uint64(free))
			free = o
		case w.Mode == Replace:
			n := t.newObject(r)
			setWord(n, 0, word(o, 0))
			setWord(n, 1, word(o, 1))
			setWord(link, 0, uint64(n))
			t.freeObject(o)
			link = n
		default:
			link = o
		}
	}
	return free
}

// Ordered sets.

func (w *Walk) treeKeys(keys []term.Term) Outcome {
	l := w.T.lockKey(0, w.writes())
	defer l.unlock(w.writes())
	if w.T.dead() {
		return Gone
	}
	var doomed []object
	for i := range keys {
		k := keys[i]
		if w.Mode == Select && !w.Back { // results are collected newest first
			k = keys[len(keys)-1-i]
		}
		if o := w.T.tree.find(w.T, k); o != 0 {
			w.treeVisit(o, &doomed)
		}
	}
	w.treeDelete(doomed)
	return OK
}

func (w *Walk) treeVisit(o object, doomed *[]object) {
	r := w.run(o)
	switch {
	case r == term.None:
	case w.Mode == Delete:
		*doomed = append(*doomed, o)
	case w.Mode == Replace:
		var p path
		w.T.tree.descend(w.T, w.T.key(o), &p)
		n := w.T.newObject(r)
		w.T.tree.replace(p.last(), o, n)
		w.T.freeObject(o)
	}
}

func (w *Walk) treeDelete(doomed []object) {
	for _, o := range doomed {
		w.T.tree.unlink(w.T, w.T.key(o), nil)
		w.T.freeObject(o)
	}
}

// treeStep visits objects in order. Without a chunk, results are collected from
// the far end, so that their list comes out in order; w.Back says which.
func (w *Walk) treeStep(limit int) (done bool, err Outcome) {
	write := w.writes()
	l := w.T.lockKey(0, write)
	defer l.unlock(write)
	if w.T.dead() {
		return true, Gone
	}
	var c cursor
	switch {
	case w.Last != term.None:
		last := w.Last
		c.seek(w.T, w.Back, func(k term.Term) bool {
			d := compareKeys(last, k)
			return !w.Back && d < 0 || w.Back && d > 0
		})
	case w.Start != term.Nil:
		start := w.Start
		c.seek(w.T, w.Back, func(k term.Term) bool {
			d := comparePartly(start, k)
			return !w.Back && d <= 0 || w.Back && d >= 0
		})
	default:
		c.seek(w.T, w.Back, func(term.Term) bool { return true })
	}
	var doomed []object
	var last object
	done = true
	for o := c.next(); o != 0; o = c.next() {
		key := w.T.key(o)
		if w.End != term.Nil {
			if d := comparePartly(w.End, key); !w.Back && d < 0 || w.Back && d > 0 {
				break
			}
		}
		if w.Mode == Replace && w.Seen+1 >= limit { // the object will be gone
			w.Last = copyTerm(w.h, key)
		}
		last = o
		w.treeVisit(o, &doomed)
		full := w.Chunk > 0 && w.Got >= w.Chunk
		if !full && w.Seen < limit {
			continue
		}
		if w.Mode != Replace {
			w.Last = copyTerm(w.h, key)
		}
		done = full
		break
	}
	if last == 0 {
		w.Last = term.None
	}
	w.treeDelete(doomed)
	return done, OK
}

// cursor walks a tree in order. It holds the nodes still to be visited on the
// way to the root; the tree must not change but by replacing the node visited.
type cursor struct {
	stack []object
	buf   [64]object
	back  bool
}

// seek goes to the first node, in the cursor's direction, for which from says
// yes; from must be true of all nodes after that one.
func (c *cursor) seek(t *Table, back bool, from func(key term.Term) bool) {
	c.stack, c.back = c.buf[:0], back
	for o := t.tree.top(); o != 0; {
		if from(t.key(o)) {
			c.stack = append(c.stack, o)
			o = c.near(o)
		} else {
			o = c.far(o)
		}
	}
}

func (c *cursor) near(o object) object {
	if c.back {
		return right(o)
	}
	return left(o)
}

func (c *cursor) far(o object) object {
	if c.back {
		return left(o)
	}
	return right(o)
}

// next returns the node at the cursor and moves on; 0 at the end.
func (c *cursor) next() object {
	if len(c.stack) == 0 {
		return 0
	}
	o := c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
	for n := c.far(o); n != 0; n = c.near(n) {
		c.stack = append(c.stack, n)
	}
	return o
}
