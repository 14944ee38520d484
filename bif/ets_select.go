package bif

import (
	"sync"

	"github.com/beamrd/beamrd/ets"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/matchspec"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var etsSelectRows = []native.Row{
	{Module: "ets", Name: "match", Arity: 1, Fn: etsSelect1},
	{Module: "ets", Name: "match", Arity: 2, Fn: etsQuery(ets.Select, amEtsBindings, false)},
	{Module: "ets", Name: "match", Arity: 3, Fn: etsQuery(ets.Select, amEtsBindings, false)},
	{Module: "ets", Name: "match_object", Arity: 1, Fn: etsSelect1},
	{Module: "ets", Name: "match_object", Arity: 2, Fn: etsQuery(ets.Select, amEtsWholeObject, false)},
	{Module: "ets", Name: "match_object", Arity: 3, Fn: etsQuery(ets.Select, amEtsWholeObject, false)},
	{Module: "ets", Name: "select", Arity: 1, Fn: etsSelect1},
	{Module: "ets", Name: "select", Arity: 2, Fn: etsQuery(ets.Select, term.None, false)},
	{Module: "ets", Name: "select", Arity: 3, Fn: etsQuery(ets.Select, term.None, false)},
	{Module: "ets", Name: "select_reverse", Arity: 1, Fn: etsSelect1},
	{Module: "ets", Name: "select_reverse", Arity: 2, Fn: etsQuery(ets.Select, term.None, true)},
	{Module: "ets", Name: "select_reverse", Arity: 3, Fn: etsQuery(ets.Select, term.None, true)},
	{Module: "ets", Name: "select_count", Arity: 2, Fn: etsQuery(ets.Count, term.None, false)},
	{Module: "ets", Name: "select_replace", Arity: 2, Fn: etsQuery(ets.Replace, term.None, false)},
	{Module: "ets", Name: "internal_select_delete", Arity: 2, Fn: etsQuery(ets.Delete, term.None, false)},
	{Module: "ets", Name: "select_trap", Arity: 4, Fn: etsSelectTrap, Flags: native.Hidden},
	{Module: "ets", Name: "internal_delete_all", Arity: 2, Fn: etsDeleteAll},
}

var (
	amEtsBindings    = term.Intern("$$")
	amEtsWholeObject = term.Intern("$_")
)

// etsIterations is the objects visited in one step: a step holds a lock.
const etsIterations = 1000

// etsWalk is a walk in progress, the value of a magic reference between slices.
// Its terms travel as arguments of select_trap/4.
type etsWalk struct {
	w       ets.Walk
	prog    *heap.Bin // one count
	fixed   bool
	resumed bool // goes on from a continuation that the program has seen
	tid     bool // the continuation takes the table's reference
}

// Drop implements heap.Dropper.
func (s *etsWalk) Drop() { s.release() }

func (s *etsWalk) release() {
	if s.prog != nil {
		s.prog.Unref()
		s.prog = nil
	}
}

var etsMachines = sync.Pool{New: func() any { return new(matchspec.Machine) }}

// etsQuery makes the row body of a query over a table: argument 1 is a match
// specification, or with body set a pattern; argument 2, if any, a limit.
func etsQuery(mode ets.Mode, body term.Term, reverse bool) func(*native.Call) term.Term {
	need := etsWrite
	if mode == ets.Select || mode == ets.Count {
		need = etsRead
	}
	return func(c *native.Call) term.Term {
		t := etsTable(c, need)
		if t == nil {
			return term.None
		}
		spec := c.Arg(1)
		if body != term.None {
			h := &c.P.Heap
			spec = h.Cons(h.Tuple(spec, term.Nil, h.Cons(body, term.Nil)), term.Nil)
		}
		s := &etsWalk{w: ets.Walk{T: t, Mode: mode, Acc: term.Nil, Start: term.Nil, End: term.Nil}}
		if c.N == 3 {
			limit := c.Arg(2)
			if !limit.IsSmall() || limit.Small() < 1 {
				return etsFail(c, term.None)
			}
			s.w.Chunk = limit.Small()
		}
		return etsStart(c, s, spec, reverse)
	}
}

func etsStart(c *native.Call, s *etsWalk, spec term.Term, reverse bool) term.Term {
	t := s.w.T
	if s.w.Mode == ets.Replace {
		if t.Kind == ets.Bag {
			return etsFail(c, amEtsTableType)
		}
		if !t.KeepsKey(spec) {
			return etsFail(c, term.None)
		}
	}
	prog, res := matchspec.Compile(spec, matchspec.Options{Dialect: matchspec.Table})
	switch {
	case res.Limit:
		c.ErrMod = amEtsStdlibErrors
		return c.SystemLimit()
	case prog == nil && !spec.IsNil():
		return etsFail(c, term.None)
	case prog == nil: // ERTS takes the empty specification for one that matches nothing
		return etsNothing(c, s)
	}
	s.w.Prog, s.prog = prog, heap.NewMagic(prog)
	plan := t.Plan(spec)
	s.w.Back = reverse
	if s.w.Chunk == 0 && s.w.Mode == ets.Select {
		s.w.Back = !reverse // collected newest first
	}
	s.w.Start, s.w.End = plan.Lo, plan.Hi
	if s.w.Back {
		s.w.Start, s.w.End = plan.Hi, plan.Lo
	}
	switch {
	case plan.None:
		s.release()
		return etsNothing(c, s)
	case plan.Keys != nil && (t.Kind != ets.OrderedSet || s.w.Chunk == 0 || len(plan.Keys) == 1):
		m := etsMachine(c)
		s.w.Begin(m, &c.P.Heap)
		o := s.w.Keys(plan.Keys)
		etsMachines.Put(m)
		if o != ets.OK {
			s.release()
			return etsOutcome(c, o)
		}
		if t.Kind == ets.OrderedSet && s.w.Chunk > 0 {
			s.release()
			return etsLast(c, s.w.Acc)
		}
		return etsFinish(c, s)
	}
	return etsRun(c, s)
}

func etsMachine(c *native.Call) *matchspec.Machine {
	m := etsMachines.Get().(*matchspec.Machine)
	m.Self = c.P.ID
	return m
}

// etsNothing is the result of a query that can match nothing.
func etsNothing(c *native.Call, s *etsWalk) term.Term {
	switch {
	case s.w.Mode != ets.Select:
		return term.Small(0)
	case s.w.Chunk > 0:
		return amEtsEOT
	}
	return term.Nil
}

// etsLast is the last chunk.
func etsLast(c *native.Call, l term.Term) term.Term {
	if l.IsNil() {
		return amEtsEOT
	}
	return c.P.Heap.Tuple(l, amEtsEOT)
}

// etsRun walks until the walk is done or the slice is used up.
func etsRun(c *native.Call, s *etsWalk) term.Term {
	m := etsMachine(c)
	defer func() {
		m.Close()
		etsMachines.Put(m)
	}()
	s.w.Begin(m, &c.P.Heap)
	fix := func() {
		if !s.fixed {
			s.w.T.Fix(c.P.ID)
			s.fixed = true
		}
	}
	for {
		s.w.Seen = 0
		done, o := s.w.Step(etsIterations, fix)
		c.Bump(s.w.Seen)
		switch {
		case o != ets.OK:
			etsUnfix(c, s)
			s.release()
			return etsOutcome(c, o)
		case done:
			etsUnfix(c, s)
			return etsFinish(c, s)
		case c.Left() <= 0:
			return etsPause(c, s)
		}
	}
}

func etsUnfix(c *native.Call, s *etsWalk) {
	if s.fixed {
		s.fixed = false
		s.w.T.Unfix(c.P.ID)
	}
}

var etsSelectTrapTo = sync.OnceValue(func() *code.Export {
	return code.GetExport(term.Intern("ets"), term.Intern("select_trap"), 4)
})

// etsPause goes on in another slice, at select_trap(State, Acc, Last, [Start|End]).
func etsPause(c *native.Call, s *etsWalk) term.Term {
	h := &c.P.Heap
	k := proc.NewRefKey(c.Ctx)
	ref := h.Off.PutMagicRef(c.Alloc(1+term.MagicRefWords), k.A, k.B, heap.NewMagic(s))
	last := term.Nil // the empty tuple of one: a key may be any term
	if s.w.Last != term.None {
		last = h.Cons(s.w.Last, term.Nil)
	}
	return c.Trap(etsSelectTrapTo(), ref, s.w.Acc, last, h.Cons(s.w.Start, s.w.End))
}

func etsSelectTrap(c *native.Call) term.Term {
	if !c.Arg(0).IsMagicRef() {
		return c.Badarg()
	}
	old, ok := heap.MagicValue(heap.MagicBin(c.Arg(0))).(*etsWalk)
	if !ok || old.prog == nil {
		return c.Badarg()
	}
	s := *old
	old.prog = nil // the new state has its count
	s.w.Acc = c.Arg(1)
	if l := c.Arg(2); l.IsList() {
		s.w.Last = l.Head()
	}
	s.w.Start, s.w.End = c.Arg(3).Head(), c.Arg(3).Tail()
	s.resumed = true
	return etsRun(c, &s)
}

// etsFinish builds the result of a walk that is done, or a chunk and its
// continuation.
func etsFinish(c *native.Call, s *etsWalk) term.Term {
	switch {
	case s.w.Mode != ets.Select:
		s.release()
		return c.P.Heap.Int(s.w.Got)
	case s.w.Chunk == 0:
		s.release()
		return s.w.Acc
	case s.w.T.Kind == ets.OrderedSet:
		return etsTreeChunk(c, s)
	}
	return etsHashChunk(c, s)
}

// etsProgRef builds the reference of the program, taking over the count.
func etsProgRef(c *native.Call, s *etsWalk) term.Term {
	k := proc.NewRefKey(c.Ctx)
	ref := c.P.Heap.Off.PutMagicRef(c.Alloc(1+term.MagicRefWords), k.A, k.B, s.prog)
	s.prog = nil
	return ref
}

// etsTreeChunk builds {Results, {Tab, LastKey, EndCondition, Limit, Program, [],
// Reverse, 0}}; a chunk that is not full is the last.
func etsTreeChunk(c *native.Call, s *etsWalk) term.Term {
	h := &c.P.Heap
	l := term.Nil
	for a := s.w.Acc; a.IsList(); a = a.Tail() {
		l = h.Cons(a.Head(), l)
	}
	if s.w.Got < s.w.Chunk || s.w.Last == term.None {
		s.release()
		return etsLast(c, l)
	}
	rev := int64(0)
	if s.w.Back {
		rev = 1
	}
	tab := s.w.T.Tid(h)
	return h.Tuple(l, h.Tuple(tab, s.w.Last, s.w.End, term.Small(s.w.Chunk), etsProgRef(c, s), term.Nil,
		term.Small(rev), term.Small(0)))
}

// etsHashChunk builds {Results, {Tab, Bucket, Limit, Program, Rest, Count}}: a
// bucket is visited as a whole, so there may be results left over for the next
// chunk.
func etsHashChunk(c *native.Call, s *etsWalk) term.Term {
	h := &c.P.Heap
	l, rest, n := s.w.Acc, term.Nil, int64(0)
	if over := s.w.Got - s.w.Chunk; over > 0 {
		els := make([]term.Term, 0, over)
		for ; n < over; n++ {
			els = append(els, l.Head())
			l = l.Tail()
		}
		if s.resumed { // as ERTS does
			for _, e := range els {
				rest = h.Cons(e, rest)
			}
		} else {
			rest = h.List(els...)
		}
	}
	if n == 0 && s.w.Bucket < 0 {
		s.release()
		return etsLast(c, l)
	}
	tab := s.w.T.Ref(h)
	return h.Tuple(l, h.Tuple(tab, term.Small(s.w.Bucket), term.Small(s.w.Chunk), etsProgRef(c, s), rest, term.Small(n)))
}

// etsProgram returns the program that a term refers to, or nil.
func etsProgram(t term.Term) (*matchspec.Program, *heap.Bin) {
	if !t.IsMagicRef() {
		return nil, nil
	}
	b := heap.MagicBin(t)
	if b.Flags&heap.BinMagic == 0 {
		return nil, nil
	}
	p, _ := heap.MagicValue(b).(*matchspec.Program)
	return p, b
}

// etsSelect1 goes on from a continuation.
func etsSelect1(c *native.Call) term.Term {
	k := c.Arg(0)
	if k == amEtsEOT {
		return amEtsEOT
	}
	if !k.IsTuple() || k.Arity() < 1 {
		return etsFail(c, term.None)
	}
	t := etsTableOf(c, k.El(1), etsRead)
	if t == nil {
		return term.None
	}
	s := &etsWalk{resumed: true, w: ets.Walk{T: t, Mode: ets.Select, Start: term.Nil, End: term.Nil}}
	var ok bool
	if t.Kind == ets.OrderedSet {
		ok = etsTreeContinuation(s, k)
	} else {
		ok = etsHashContinuation(s, k)
	}
	if !ok {
		return etsFail(c, term.None)
	}
	s.prog.Ref()
	if t.Kind != ets.OrderedSet && (s.w.Bucket < 0 || s.w.Got >= s.w.Chunk) {
		return etsFinish(c, s)
	}
	return etsRun(c, s)
}

func etsHashContinuation(s *etsWalk, k term.Term) bool {
	if k.Arity() != 6 || !k.El(2).IsSmall() || !k.El(3).IsSmall() || k.El(3).Small() < 1 ||
		!isListOrNil(k.El(5)) || !k.El(6).IsSmall() || k.El(6).Small() < 0 {
		return false
	}
	s.w.Prog, s.prog = etsProgram(k.El(4))
	s.w.Bucket, s.w.Chunk = max(k.El(2).Small(), -1), k.El(3).Small()
	s.w.Acc, s.w.Got = k.El(5), k.El(6).Small()
	return s.w.Prog != nil && int64(listLength(s.w.Acc)) == s.w.Got && s.w.Bucket < 1<<31
}

func etsTreeContinuation(s *etsWalk, k term.Term) bool {
	if k.Arity() != 8 || !k.El(4).IsSmall() || k.El(4).Small() < 1 || !isListOrNil(k.El(6)) ||
		!k.El(7).IsSmall() || !k.El(8).IsSmall() {
		return false
	}
	s.w.Prog, s.prog = etsProgram(k.El(5))
	s.w.Last, s.w.End, s.w.Chunk = k.El(2), k.El(3), k.El(4).Small()
	s.w.Acc, s.w.Back, s.w.Got = k.El(6), k.El(7).Small() != 0, k.El(8).Small()
	return s.w.Prog != nil
}

// etsDeleteAll is ets:internal_delete_all/2: deletes every object and returns
// how many there were.
func etsDeleteAll(c *native.Call) term.Term {
	t := etsTable(c, etsWrite)
	if t == nil {
		return term.None
	}
	n, o := t.Clear()
	if o != ets.OK {
		return etsOutcome(c, o)
	}
	c.Bump(int(min(n/20, 100000)))
	return c.P.Heap.Int(n)
}
