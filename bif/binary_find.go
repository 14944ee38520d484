package bif

import (
	"bytes"

	"github.com/beamrd/beamrd/vm/bits"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// binary:match, matches, split: searches in slices.

var (
	amBM      = term.Intern("bm")
	amAC      = term.Intern("ac")
	amScope   = term.Intern("scope")
	amGlobalO = term.Intern("global")
	amTrim    = term.Intern("trim")
	amTrimAll = term.Intern("trim_all")
	amNomatch = term.Intern("nomatch")
)

// pattern is one byte string, or many as a machine.
type pattern struct {
	one []byte
	ac  *acMachine
}

func (p *pattern) tag() term.Term {
	if p.ac != nil {
		return amAC
	}
	return amBM
}

// compilePattern makes a pattern of a non-empty binary or a list of them.
func compilePattern(t term.Term) (*pattern, bool) {
	if b, ok := alignedBytes(t); ok {
		return &pattern{one: bytes.Clone(b)}, len(b) > 0
	}
	bs, ok := binaryList(t)
	if !ok {
		return nil, false
	}
	for _, b := range bs {
		if len(b) == 0 {
			return nil, false
		}
	}
	if len(bs) == 1 {
		return &pattern{one: bytes.Clone(bs[0])}, true
	}
	return &pattern{ac: newAC(bs)}, true
}

func binaryCompilePattern(c *native.Call) term.Term {
	p, ok := compilePattern(c.Arg(0))
	if !ok {
		return c.Badarg()
	}
	ref, _ := newResource(c, p)
	return c.P.Heap.Tuple(p.tag(), ref)
}

// patternArg decodes a pattern, compiled or not.
func patternArg(t term.Term) (*pattern, bool) {
	if !t.IsTuple() {
		return compilePattern(t)
	}
	if t.Arity() != 2 {
		return nil, false
	}
	p, ok := resourceValue(t.El(2)).(*pattern)
	return p, ok && p.tag() == t.El(1)
}

// findOpts are the options of the three; part is what is searched.
type findOpts struct {
	from, end             int
	global, trim, trimAll bool
}

// findOptions decodes an option list for a subject of size bytes; split allows
// the options of split/3. What comes after an improper list's last cell is not
// looked at, as in ERTS.
func findOptions(l term.Term, size int, split bool) (o findOpts, ok bool) {
	o.end = size
	if !l.IsList() {
		return o, l.IsNil()
	}
	for ; l.IsList(); l = l.Tail() {
		t := l.Head()
		switch {
		case split && t == amGlobalO:
			o.global = true
		case split && t == amTrim:
			o.trim = true
		case split && t == amTrimAll:
			o.trimAll = true
		case t.IsTuple() && t.Arity() == 2 && t.El(1) == amScope:
			s, n, ok := scopeArg(t.El(2), size)
			if !ok {
				return o, false
			}
			o.from, o.end = s, s+n
		default:
			return o, false
		}
	}
	return o, true
}

func scopeArg(t term.Term, size int) (from, n int, ok bool) {
	s, k, ok := partPair(t, uint64(size))
	return int(s), int(k), ok
}

// findJob is a search between slices. Its saved terms are the subject and the
// result so far.
type findJob struct {
	pat     *pattern
	opts    findOpts
	split   bool
	all     bool // every match, not the first only
	ac      acSearch
	pos     int
	matches []span
	done    bool // the search; the result is being made
	none    bool // no match
	end     int  // of the piece to be split off next
}

type span struct{ from, n int }

const (
	findBytesPerRed = 512 // one pattern
	acBytesPerRed   = 64
	matchesPerRed   = 8
)

func binaryMatch(c *native.Call) term.Term   { return binaryFind(c, false, false) }
func binaryMatches(c *native.Call) term.Term { return binaryFind(c, false, true) }
func binarySplit(c *native.Call) term.Term   { return binaryFind(c, true, false) }

func binaryFind(c *native.Call, split, all bool) term.Term {
	if j, ok := savedState[*findJob](c.Arg(0)); ok {
		return j.run(c, savedTerm(c.Arg(0), 0), savedTerm(c.Arg(0), 1))
	}
	t, opts := c.Arg(0), term.Nil
	if c.N == 3 {
		opts = c.Arg(2)
	}
	if !t.IsBinary() {
		return c.Badarg()
	}
	o, ok := findOptions(opts, int(t.BitSize()/8), split)
	if !ok {
		return c.Badarg()
	}
	j := &findJob{opts: o, split: split, all: all || o.global}
	if o.end == 0 {
		j.done, j.none = true, true
		return j.result(c, t, term.Nil)
	}
	if j.pat, ok = patternArg(c.Arg(1)); !ok {
		return c.Badarg()
	}
	j.pos = o.from
	j.ac.pos = o.from
	return j.run(c, t, term.Nil)
}

// run goes on for a slice.
func (j *findJob) run(c *native.Call, t, made term.Term) term.Term {
	if !j.done {
		s, _ := alignedBytes(t)
		if !j.search(c, s[:j.opts.end]) {
			return j.yield(c, t, made)
		}
		j.done, j.none, j.end = true, len(j.matches) == 0, len(s)
	}
	return j.result(c, t, made)
}

func (j *findJob) yield(c *native.Call, t, made term.Term) term.Term {
	args := []term.Term{saveState(c, j, t, made), term.Nil, term.Nil}
	return c.YieldWith(args[:c.N]...)
}

// search returns true when it is over, false when the slice is.
func (j *findJob) search(c *native.Call, s []byte) bool {
	left := max(c.Left(), 32)
	start := j.pos
	if j.pat.ac != nil {
		limit := j.pos + loopSteps(left*acBytesPerRed, &binaryLoopLimit)
		over := j.searchMany(s, limit)
		c.Bump((j.pos - start) / acBytesPerRed)
		return over
	}
	limit := min(len(s), j.pos+loopSteps(left*findBytesPerRed, &binaryLoopLimit))
	defer func() { c.Bump((j.pos - start) / findBytesPerRed) }()
	p := j.pat.one
	for {
		// A match may begin up to limit and end after it.
		i := bytes.Index(s[j.pos:min(len(s), limit+len(p)-1)], p)
		if i < 0 {
			j.pos = max(j.pos, limit)
			return limit == len(s)
		}
		j.matches = append(j.matches, span{j.pos + i, len(p)})
		j.pos += i + len(p)
		if !j.all {
			return true
		}
		if j.pos >= limit {
			return j.pos >= len(s)
		}
	}
}

func (j *findJob) searchMany(s []byte, limit int) bool {
	for {
		if !j.ac.run(j.pat.ac, s, limit) {
			j.pos = j.ac.pos
			return false
		}
		if !j.ac.found {
			j.pos = len(s)
			return true
		}
		j.matches = append(j.matches, span{j.ac.from, j.ac.len})
		j.pos = j.ac.from + j.ac.len
		j.ac = acSearch{pos: j.pos}
		if !j.all {
			return true
		}
	}
}

// result makes the result, from the last match to the first.
func (j *findJob) result(c *native.Call, t, made term.Term) term.Term {
	h := &c.P.Heap
	pair := func(m span) term.Term {
		return h.Tuple(term.Small(int64(m.from)), term.Small(int64(m.n)))
	}
	switch {
	case j.split:
		return j.pieces(c, t, made)
	case j.none:
		if j.all {
			return term.Nil
		}
		return amNomatch
	case !j.all:
		return pair(j.matches[0])
	}
	n := 0
	for limit := loopSteps(max(c.Left(), 32)*matchesPerRed, &binaryLoopLimit); len(j.matches) > 0; n++ {
		if n == limit {
			c.Bump(n / matchesPerRed)
			return j.yield(c, t, made)
		}
		m := j.matches[len(j.matches)-1]
		j.matches = j.matches[:len(j.matches)-1]
		made = h.Cons(pair(m), made)
	}
	c.Bump(n / matchesPerRed)
	return made
}

// pieces makes the list of what lies between matches.
func (j *findJob) pieces(c *native.Call, t, made term.Term) term.Term {
	h := &c.P.Heap
	size := int(t.BitSize() / 8)
	if j.none {
		if (j.opts.trim || j.opts.trimAll) && size == 0 {
			return term.Nil
		}
		return h.Cons(t, term.Nil)
	}
	n := 0
	for limit := loopSteps(max(c.Left(), 32)*matchesPerRed, &binaryLoopLimit); len(j.matches) > 0; n++ {
		if n == limit {
			c.Bump(n / matchesPerRed)
			return j.yield(c, t, made)
		}
		m := j.matches[len(j.matches)-1]
		j.matches = j.matches[:len(j.matches)-1]
		made = j.piece(h, t, m.from+m.n, made)
		j.end = m.from
	}
	c.Bump(n / matchesPerRed)
	return j.piece(h, t, 0, made)
}

// piece puts the bytes from a position up to the end of the piece in front of
// the list, unless they are none and to be trimmed.
func (j *findJob) piece(h *heap.Heap, t term.Term, from int, made term.Term) term.Term {
	n := j.end - from
	if n == 0 && (j.opts.trimAll || j.opts.trim) {
		return made
	}
	j.opts.trim = false
	return h.Cons(bits.Sub(h, t, uint64(from)*8, uint64(n)*8), made)
}
