package bif

import (
	"unicode/utf8"

	"github.com/beamrd/beamrd/vm/bits"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var unicodeRows = []native.Row{
	{Module: "unicode", Name: "characters_to_binary", Arity: 2, Fn: unicodeCharactersToBinary},
	{Module: "unicode", Name: "characters_to_list", Arity: 2, Fn: unicodeCharactersToList},
	{Module: "unicode", Name: "bin_is_7bit", Arity: 1, Fn: unicodeBinIs7bit},
}

var (
	amUnicodeMod = term.Intern("unicode")
	amIncomplete = term.Intern("incomplete")
)

// Both conversions first check the whole input for what is no character data
// at all (badarg), then turn it into UTF-8, stopping at the first invalid
// character, and then make the result. Each part yields.

const (
	uniPerRed   = 10 // characters of lists
	uniBytes    = 8  // bytes of binaries that cost as much as one of them
	uniMinSteps = 320
)

type uniPhase uint8

const (
	uniCheck uniPhase = iota
	uniBuild
	uniList // make the list of out, from the end
)

// uniJob is the state between slices. Its saved terms are the rest of the
// input, the list made so far, and the argument as given.
type uniJob struct {
	latin1, list bool
	phase        uniPhase
	out          []byte
	part         []byte // bytes of a character cut by the end of a binary
	status       term.Term
	steps        int
}

func unicodeBinIs7bit(c *native.Call) term.Term {
	b, ok := alignedBytes(c.Arg(0))
	c.Bump(len(b) / ioBytesPerRed)
	return term.Bool(ok && is7bit(b))
}

func is7bit(b []byte) bool {
	for _, x := range b {
		if x >= 0x80 {
			return false
		}
	}
	return true
}

// encodingArg decodes the encodings that are done here.
func encodingArg(t term.Term) (latin1, ok bool) {
	return t == amCharsLatin1, t == amCharsLatin1 || t == amCharsUtf8 || t == amCharsUnicode
}

func unicodeCharactersToBinary(c *native.Call) term.Term {
	if j, ok := savedState[*uniJob](c.Arg(0)); ok {
		return j.resume(c)
	}
	t := c.Arg(0)
	latin1, ok := encodingArg(c.Arg(1))
	if !ok {
		to := code.GetExport(amUnicodeMod, term.Intern("characters_to_binary_int"), 2)
		return c.Trap(to, t, c.Arg(1))
	}
	if t.IsList() && t.Tail().IsNil() && t.Head().IsBitstring() {
		t = t.Head()
	}
	if b, ok := alignedBytes(t); ok {
		if latin1 && is7bit(b) || !latin1 && utf8.Valid(b) {
			c.Bump(len(b) / ioBytesPerRed)
			return t
		}
	}
	j := &uniJob{latin1: latin1}
	return j.run(c, t, term.Nil, t)
}

func unicodeCharactersToList(c *native.Call) term.Term {
	if j, ok := savedState[*uniJob](c.Arg(0)); ok {
		return j.resume(c)
	}
	t := c.Arg(0)
	latin1, ok := encodingArg(c.Arg(1))
	if !ok {
		to := code.GetExport(amUnicodeMod, term.Intern("characters_to_list_int"), 2)
		return c.Trap(to, t, c.Arg(1))
	}
	j := &uniJob{latin1: latin1, list: true}
	return j.run(c, t, term.Nil, t)
}

func (j *uniJob) resume(c *native.Call) term.Term {
	s := c.Arg(0)
	c.SetArg(0, savedTerm(s, 2)) // it fails, if at all, with the caller's argument
	return j.run(c, savedTerm(s, 0), savedTerm(s, 1), savedTerm(s, 2))
}

// run goes on with the job for a slice.
func (j *uniJob) run(c *native.Call, rest, made, orig term.Term) term.Term {
	h := &c.P.Heap
	j.steps = loopSteps(max(c.Left()*uniPerRed, uniMinSteps), &unicodeLoopLimit)
	start := j.steps
	yield := func() term.Term {
		c.Bump(start / uniPerRed)
		args := []term.Term{saveState(c, j, rest, made, orig), c.Arg(1)}
		return c.YieldWith(args...)
	}
	if j.phase == uniCheck {
		var ok bool
		if rest, ok = j.check(h, rest); !ok {
			return c.Badarg()
		}
		if rest != term.None {
			return yield()
		}
		j.phase, rest = uniBuild, orig
	}
	if j.phase == uniBuild {
		var ok bool
		rest, ok = j.build(h, rest)
		if ok && !rest.IsNil() {
			return yield()
		}
		rest = j.finish(h, rest, ok)
		j.phase = uniList
	}
	if j.list {
		made = j.cons(h, made)
		if len(j.out) > 0 {
			return yield()
		}
	} else {
		made = h.Binary(j.out)
		j.steps -= min(j.steps, len(j.out)/ioBytesPerRed*uniPerRed)
	}
	c.Bump((start - j.steps) / uniPerRed)
	if j.status == term.None {
		return made
	}
	return h.Tuple(j.status, made, rest)
}

// finish decides the outcome of building; what it returns goes with it.
func (j *uniJob) finish(h *heap.Heap, rest term.Term, ok bool) term.Term {
	switch {
	case !ok:
		j.status = term.AmError
		if len(j.part) > 0 {
			rest = h.List(h.Binary(j.part), rest)
		}
	case len(j.part) > 0:
		j.status = term.AmError
		if mayContinue(j.part) {
			j.status = amIncomplete
		}
		rest = h.Binary(j.part)
	}
	return rest
}

// cons puts characters from the end of out in front of a list.
func (j *uniJob) cons(h *heap.Heap, l term.Term) term.Term {
	for j.steps > 0 && len(j.out) > 0 {
		r, n := utf8.DecodeLastRune(j.out)
		j.out = j.out[:len(j.out)-n]
		l = h.Cons(term.Small(int64(r)), l)
		j.steps--
	}
	return l
}

// wrap puts the rest of a list back under the lists it was found in.
func wrap(h *heap.Heap, rest term.Term, stack []term.Term) term.Term {
	for i := len(stack) - 1; i >= 0; i-- {
		rest = h.Cons(rest, stack[i])
	}
	return rest
}

// check looks for what is no character data. It returns None at the end, or
// what is left to check. A bignum ends the check: it is an invalid character,
// which building reports.
func (j *uniJob) check(h *heap.Heap, t term.Term) (rest term.Term, ok bool) {
	var room [32]term.Term
	stack := room[:0]
	for {
		for t.IsList() {
			if j.steps <= 0 {
				return wrap(h, t, stack), true
			}
			j.steps--
			hd := t.Head()
			t = t.Tail()
			switch {
			case hd.IsSmall() || hd.IsNil() || hd.IsBinary():
			case hd.IsList():
				stack = append(stack, t)
				t = hd
			case hd.IsBig():
				return term.None, true
			default:
				return 0, false
			}
		}
		if !t.IsNil() && !t.IsBinary() {
			return 0, false
		}
		if len(stack) == 0 {
			return term.None, true
		}
		t, stack = stack[len(stack)-1], stack[:len(stack)-1]
	}
}

// build converts input to UTF-8 in out. It returns what is left, nil at the
// end; ok is false when that begins with an invalid character.
func (j *uniJob) build(h *heap.Heap, t term.Term) (rest term.Term, ok bool) {
	if t.IsBitstring() {
		return j.binary(h, t)
	}
	var room [32]term.Term
	stack := room[:0]
	for {
		for t.IsList() {
			if j.steps <= 0 {
				return wrap(h, t, stack), true
			}
			hd, tl := t.Head(), t.Tail()
			switch {
			case hd.IsSmall():
				if !j.char(hd.Small()) {
					return wrap(h, t, stack), false
				}
				t = tl
			case hd.IsNil():
				t = tl
			case hd.IsList():
				stack = append(stack, tl)
				t = hd
			case hd.IsBinary():
				left, ok := j.binary(h, hd)
				if !ok || !left.IsNil() {
					return wrap(h, h.Cons(left, tl), stack), ok
				}
				t = tl
			default:
				return wrap(h, t, stack), false
			}
		}
		if !t.IsNil() {
			if !t.IsBinary() {
				return wrap(h, t, stack), false
			}
			left, ok := j.binary(h, t)
			if !ok || !left.IsNil() {
				return wrap(h, left, stack), ok
			}
		}
		if len(stack) == 0 {
			return term.Nil, true
		}
		t, stack = stack[len(stack)-1], stack[:len(stack)-1]
	}
}

func (j *uniJob) char(v int64) bool {
	j.steps--
	if len(j.part) > 0 || j.latin1 && uint64(v) > 255 ||
		uint64(v) > utf8.MaxRune || v >= 0xD800 && v <= 0xDFFF {
		return false
	}
	j.out = utf8.AppendRune(j.out, rune(v))
	return true
}

// binary converts a binary, a long one only in part. It returns what is left,
// nil for nothing.
func (j *uniJob) binary(h *heap.Heap, t term.Term) (rest term.Term, ok bool) {
	b, _ := alignedBytes(t)
	size := len(b)
	k := min(size, max(j.steps, 1)*uniBytes)
	if !j.latin1 {
		for k < size && b[k]&0xC0 == 0x80 {
			k++
		}
	}
	j.steps -= k / uniBytes
	if j.latin1 {
		for _, x := range b[:k] {
			j.out = utf8.AppendRune(j.out, rune(x))
		}
	} else if at, ok := j.utf8(b[:k]); !ok {
		return bits.Sub(h, t, uint64(at)*8, uint64(size-at)*8), false
	}
	if k == size {
		return term.Nil, true
	}
	return bits.Sub(h, t, uint64(k)*8, uint64(size-k)*8), true
}

// utf8 takes over bytes in UTF-8, keeping the beginning of a character at
// their end in part. at is where an invalid character begins.
func (j *uniJob) utf8(b []byte) (at int, ok bool) {
	if len(j.part) > 0 && len(b) > 0 {
		need := leadLen(j.part[0]) - len(j.part)
		if len(b) < need {
			j.part = append(j.part, b...)
			return 0, true
		}
		whole := append(append([]byte{}, j.part...), b[:need]...)
		if !utf8.Valid(whole) {
			return 0, false
		}
		j.out = append(j.out, whole...)
		j.part, b, at = j.part[:0], b[need:], need
	}
	if utf8.Valid(b) {
		j.out = append(j.out, b...)
		return 0, true
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			j.out = append(j.out, b[:i]...)
			if len(b)-i < leadLen(b[i]) {
				j.part = append(j.part, b[i:]...)
				return 0, true
			}
			return at + i, false
		}
		i += n
	}
	return 0, true
}

// leadLen returns the length of a character by its first byte, 0 for a byte
// that begins none.
func leadLen(b byte) int {
	switch {
	case b < 0x80:
		return 1
	case b < 0xC0:
		return 0
	case b < 0xE0:
		return 2
	case b < 0xF0:
		return 3
	case b < 0xF8:
		return 4
	}
	return 0
}

// mayContinue tells whether the bytes cut off at the end can be the beginning
// of a character.
func mayContinue(b []byte) bool {
	n := leadLen(b[0])
	if n < 2 || len(b) >= n {
		return false
	}
	for _, x := range b[1:] {
		if x&0xC0 != 0x80 {
			return false
		}
	}
	return true
}
