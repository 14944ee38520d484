package bif

import (
	"encoding/binary"
	"sync"
	"unicode/utf8"

	"github.com/beamrd/beamrd/internal/pcre"
	"github.com/beamrd/beamrd/vm/bits"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var reRows = []native.Row{
	{Module: "re", Name: "version", Arity: 0, Fn: reVersion},
	{Module: "re", Name: "compile", Arity: 1, Fn: reCompile},
	{Module: "re", Name: "compile", Arity: 2, Fn: reCompile},
	{Module: "re", Name: "run", Arity: 2, Fn: func(c *native.Call) term.Term { return reRun(c, term.Nil, true) }},
	{Module: "re", Name: "run", Arity: 3, Fn: func(c *native.Call) term.Term { return reRun(c, c.Arg(2), true) }},
	{Module: "re", Name: "internal_run", Arity: 4, Fn: reInternalRun},
	{Module: "re", Name: "inspect", Arity: 2, Fn: reInspect},
	{Module: "erlang", Name: "re_run_trap", Arity: 1, Fn: reRunLong, Flags: native.DirtyCPU | native.Hidden},
}

var (
	amRe        = term.Intern("re")
	amRePattern = term.Intern("re_pattern")
	amMatch     = term.Intern("match")
	amReCompile = term.Intern("compile")
	amReRunTrap = term.Intern("re_run_trap")
	amNamelist  = term.Intern("namelist")
)

func reExport(name string, arity int) *code.Export {
	return code.GetExport(amRe, term.Intern(name), arity)
}

func reVersion(c *native.Call) term.Term { return c.P.Heap.Binary([]byte(pcre.Version)) }

// The binary of a compiled pattern is what it was compiled from: nothing that
// comes from a program is ever run as compiled code. The code itself is kept
// by that binary's content.
const (
	reMagic  = "BRE1"
	reHeader = 12 // magic, flags, newline, \R, two zero bytes
)

// rePat is a pattern with its options.
type rePat struct {
	opts pcre.Options
	text []byte
}

func (p *rePat) key() []byte {
	b := append(make([]byte, 0, reHeader+len(p.text)), reMagic...)
	b = binary.LittleEndian.AppendUint32(b, p.opts.Flags)
	b = append(b, byte(p.opts.Newline), byte(p.opts.BSR), 0, 0)
	return append(b, p.text...)
}

// rePattern returns what a compiled pattern's binary stands for: one of ours,
// or one that OTP 25's own PCRE made, as modules compiled there hold.
func rePattern(b []byte) (p rePat, ok bool) {
	if len(b) < reHeader || string(b[:4]) != reMagic {
		return reForeign(b)
	}
	p.opts = pcre.Options{Flags: binary.LittleEndian.Uint32(b[4:]), Newline: uint32(b[8]), BSR: uint32(b[9])}
	p.text = b[reHeader:]
	return p, true
}

func reForeign(b []byte) (p rePat, ok bool) {
	if p, ok = reRead.get(string(b)); ok {
		return p, true
	}
	text, opts, err := pcre.Decompile(b)
	if err != nil {
		return p, false
	}
	p = rePat{opts, text}
	reRead.put(string(b), p)
	return p, true
}

// recent holds what was used last. When it is full the older half goes.
type recent[V any] struct {
	sync.Mutex
	young, old map[string]V
}

const recentMax = 256

func (r *recent[V]) get(k string) (v V, ok bool) {
	r.Lock()
	defer r.Unlock()
	if v, ok = r.young[k]; !ok {
		if v, ok = r.old[k]; ok {
			r.keep(k, v)
		}
	}
	return v, ok
}

func (r *recent[V]) put(k string, v V) {
	r.Lock()
	defer r.Unlock()
	r.keep(k, v)
}

func (r *recent[V]) keep(k string, v V) {
	if r.young == nil || len(r.young) >= recentMax/2 {
		r.old, r.young = r.young, map[string]V{}
	}
	r.young[k] = v
}

var (
	reCodes recent[*pcre.Code] // by rePat.key
	reRead  recent[rePat]      // by PCRE 8's compiled code
)

func (p *rePat) compile() (*pcre.Code, *pcre.Error) {
	k := string(p.key())
	if c, ok := reCodes.get(k); ok {
		return c, nil
	}
	c, err := pcre.Compile(p.text, p.opts)
	if err == nil {
		reCodes.put(k, c)
	}
	return c, err
}

// build compiles a pattern given as text.
func (o *reOpts) build(text []byte) (rePat, *pcre.Code, *pcre.Error) {
	p := rePat{pcre.Options{Flags: o.comp, Newline: o.newline, BSR: o.bsr}, []byte(cString(string(text)))}
	if o.badNewline {
		return p, nil, &pcre.Error{Text: "inconsistent NEWLINE options"}
	}
	code, err := p.compile()
	return p, code, err
}

// reTuple builds {re_pattern, Groups, Unicode, CRLF, Bin}.
func reTuple(c *native.Call, p *rePat, code *pcre.Code) term.Term {
	num := func(b bool) term.Term {
		if b {
			return term.Small(1)
		}
		return term.Small(0)
	}
	crlf := code.Newline == pcre.NewlineCRLF || code.Newline == pcre.NewlineAny || code.Newline == pcre.NewlineAnyCRLF
	h := &c.P.Heap
	return h.Tuple(amRePattern, term.Small(int64(code.Captures)), num(p.opts.Flags&pcre.UTF != 0), num(crlf), h.Binary(p.key()))
}

func reErrorTerm(c *native.Call, e *pcre.Error) term.Term {
	h := &c.P.Heap
	return h.Tuple(h.Str(e.Text), term.Small(int64(e.Offset)))
}

func reCompile(c *native.Call) term.Term {
	opts := term.Nil
	if c.N == 2 {
		opts = c.Arg(1)
	}
	o, ok := reOptions(opts)
	if !ok || o.onlyRun {
		return c.BadargCause(amBadopt)
	}
	if o.unicode && !c.Arg(0).IsBitstring() {
		return c.Trap(reExport("ucompile", 2), c.Arg(0), opts)
	}
	text, ok := iolistBytes(c.Arg(0))
	if !ok {
		return c.Badarg()
	}
	c.Bump(1 + len(text)/4)
	p, code, err := o.build(text)
	if err != nil {
		return c.ErrorTuple(reErrorTerm(c, err))
	}
	return c.Ok(reTuple(c, &p, code))
}

func reInternalRun(c *native.Call) term.Term {
	switch c.Arg(3) {
	case term.True:
		return reRun(c, c.Arg(2), true)
	case term.False:
		return reRun(c, c.Arg(2), false)
	}
	return c.Badarg()
}

// reJob is a match to be made.
type reJob struct {
	code    *pcre.Code
	opts    reOpts
	capture reCapture
	flags   uint32
	copied  []byte // the subject, when it is no aligned binary
}

// reRun is re:run. first is false when the subject was looked at before.
func reRun(c *native.Call, opts term.Term, first bool) term.Term {
	o, ok := reOptions(opts)
	if !ok {
		return c.BadargCause(amBadopt)
	}
	j := &reJob{opts: o, flags: o.exec}
	var dup, done bool
	var r term.Term
	if re := c.Arg(1); re.IsTuple() && re.Arity() == 5 {
		r, dup, done = j.compiled(c, re, opts)
	} else {
		r, dup, done = j.text(c, re, opts)
	}
	if done {
		return r
	}
	if j.capture, ok = captureSpec(&j.opts, j.code, dup); !ok {
		return c.Badarg()
	}
	subject, ok := j.subject(c.Arg(0))
	if !ok {
		return c.Badarg()
	}
	if !first {
		j.flags |= pcre.NoUTFCheck
	}
	return j.begin(c, subject)
}

// text prepares a match with a pattern given as text. done is true when r is
// the outcome.
func (j *reJob) text(c *native.Call, re, opts term.Term) (r term.Term, dup, done bool) {
	o, t := &j.opts, c.Arg(0)
	if !re.IsBitstring() && !re.IsList() && !re.IsNil() {
		return c.Badarg(), false, true
	}
	if o.unicode && (!re.IsBitstring() || !t.IsBitstring() || o.listCapture() && !o.global) {
		return c.Trap(reExport("urun", 3), t, re, opts), false, true
	}
	s, ok := iolistBytes(re)
	if !ok {
		return c.Badarg(), false, true
	}
	p, code, err := o.build(s)
	if err != nil {
		if o.report {
			return c.ErrorTuple(c.P.Heap.Tuple(amReCompile, reErrorTerm(c, err))), false, true
		}
		return c.Badarg(), false, true
	}
	if o.global {
		x := c.P.Heap.Tuple(opts, term.Bool(o.onlyCompile), re)
		return c.Trap(reExport("grun", 3), t, reTuple(c, &p, code), x), false, true
	}
	j.code = code
	return 0, o.comp&pcre.Dupnames != 0, false
}

func (o *reOpts) listCapture() bool { return o.capture && o.typ == amListCap }

// compiled prepares a match with a compiled pattern; see text.
func (j *reJob) compiled(c *native.Call, re, opts term.Term) (r term.Term, dup, done bool) {
	o, t := &j.opts, c.Arg(0)
	if o.onlyCompile || re.El(1) != amRePattern || !re.El(2).IsSmall() || !re.El(3).IsSmall() ||
		!re.El(4).IsSmall() || !re.El(5).IsBitstring() {
		return c.Badarg(), false, true
	}
	if re.El(3).Small() != 0 && (!t.IsBitstring() || o.listCapture() && !o.global) {
		return c.Trap(reExport("urun", 3), t, re, opts), false, true
	}
	if o.global {
		return c.Trap(reExport("grun", 3), t, re, c.P.Heap.Tuple(opts, term.False)), false, true
	}
	b, _ := alignedBytes(re.El(5))
	p, ok := rePattern(b)
	if !ok || o.badNewline {
		return c.Badarg(), false, true
	}
	if o.newline != 0 {
		p.opts.Newline = o.newline
	}
	if o.bsr != 0 {
		p.opts.BSR = o.bsr
	}
	code, err := p.compile()
	if err != nil {
		return c.Badarg(), false, true
	}
	j.code = code
	return 0, p.opts.Flags&pcre.Dupnames != 0, false
}

// subject returns the bytes to search.
func (j *reJob) subject(t term.Term) (s []byte, ok bool) {
	if t.IsBinary() {
		return alignedBytes(t)
	}
	if t.IsBitstring() {
		return nil, false
	}
	s, ok = iolistBytes(t)
	j.copied = s
	return s, ok
}

const (
	reQuick    = 20000   // steps of a match that a scheduler does itself
	reLarge    = 1 << 20 // subjects from this size on go to a dirty thread
	reBytesRed = 256
)

// begin tries the match within limits; what takes longer begins anew on a
// dirty thread.
func (j *reJob) begin(c *native.Call, s []byte) term.Term {
	if j.opts.offset > len(s) {
		return c.Badarg()
	}
	limit := j.opts.limit
	if limit == 0 {
		limit = pcre.DefaultLimit
	}
	c.Bump(1 + (len(s)-j.opts.offset)/reBytesRed)
	if len(s)-j.opts.offset >= reLarge {
		if j.code.UTF() && j.flags&pcre.NoUTFCheck == 0 {
			if !utf8.Valid(s) {
				return c.Badarg()
			}
			j.flags |= pcre.NoUTFCheck
		}
		return c.Trap(code.GetExport(term.AmErlang, amReRunTrap, 1), saveState(c, j, c.Arg(0)))
	}
	quick := loopSteps(reQuick, &reLoopLimit)
	pos, rc := j.code.Match(s, j.opts.offset, j.flags, min(limit, quick), j.opts.depth)
	if rc == pcre.MatchLimit && limit > quick {
		return c.Trap(code.GetExport(term.AmErlang, amReRunTrap, 1), saveState(c, j, c.Arg(0)))
	}
	if pcre.BadUTF(rc) {
		return c.Badarg()
	}
	return j.result(c, c.Arg(0), s, pos, rc)
}

// reRunLong is a match on a dirty thread.
func reRunLong(c *native.Call) term.Term {
	j, ok := savedState[*reJob](c.Arg(0))
	if !ok {
		return c.Badarg()
	}
	t := savedTerm(c.Arg(0), 0)
	s := j.copied
	if s == nil {
		s, _ = alignedBytes(t)
	}
	pos, rc := j.code.Match(s, j.opts.offset, j.flags, j.opts.limit, j.opts.depth)
	return j.result(c, t, s, pos, rc)
}

func (j *reJob) result(c *native.Call, t term.Term, s []byte, pos []int, rc int) term.Term {
	h := &c.P.Heap
	if rc <= 0 {
		switch {
		case j.opts.report && rc == pcre.MatchLimit:
			return c.ErrorTuple(amReLimit)
		case j.opts.report && (rc == pcre.DepthLimit || rc == pcre.HeapLimit):
			return c.ErrorTuple(amReDepth)
		}
		return amNomatch
	}
	if j.capture.typ == capNone {
		return amMatch
	}
	gs := j.capture.pick(pos, rc)
	l := term.Nil
	for i := len(gs) - 1; i >= 0; i-- {
		from, to := -1, -1
		if g := gs[i]; g >= 0 {
			from, to = pos[2*g], pos[2*g+1]
		}
		l = h.Cons(j.group(h, t, s, from, to), l)
	}
	return h.Tuple(amMatch, l)
}

// group builds what a group matched.
func (j *reJob) group(h *heap.Heap, t term.Term, s []byte, from, to int) term.Term {
	switch {
	case j.capture.typ == capIndex:
		return h.Tuple(term.Small(int64(from)), term.Small(int64(to-from)))
	case to < from: // \K in an assertion
		to = from
	}
	switch {
	case j.capture.typ == capList:
		return h.Latin1(s[max(from, 0):max(to, 0)])
	case from < 0:
		return h.Binary(nil)
	case t.IsBinary():
		return bits.Sub(h, t, uint64(from)*8, uint64(to-from)*8)
	}
	return h.Binary(s[from:to])
}

func reInspect(c *native.Call) term.Term {
	re := c.Arg(0)
	if !re.IsTuple() || re.Arity() != 5 || re.El(1) != amRePattern || !re.El(2).IsSmall() || !re.El(3).IsSmall() ||
		!re.El(4).IsSmall() || !re.El(5).IsBitstring() || c.Arg(1) != amNamelist {
		return c.Badarg()
	}
	b, _ := alignedBytes(re.El(5))
	p, ok := rePattern(b)
	if !ok {
		return c.Badarg()
	}
	code, err := p.compile()
	if err != nil {
		return c.Badarg()
	}
	h, l := &c.P.Heap, term.Nil
	dup := p.opts.Flags&pcre.Dupnames != 0
	for i := len(code.Names) - 1; i >= 0; i-- {
		if i > 0 && dup && code.Names[i-1].Name == code.Names[i].Name {
			continue
		}
		l = h.Cons(h.Binary([]byte(code.Names[i].Name)), l)
	}
	return h.Tuple(amNamelist, l)
}
