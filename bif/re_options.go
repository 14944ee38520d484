package bif

import (
	"math"

	"github.com/beamrd/beamrd/internal/pcre"
	"github.com/beamrd/beamrd/vm/term"
)

// reOpts are the options of re:compile and re:run.
type reOpts struct {
	comp, exec   uint32 // of the library
	newline, bsr uint32 // 0: default
	badNewline   bool   // contradicting newline options
	onlyCompile  bool   // an option of compile/2 alone is there
	onlyRun      bool   // one of run/3 alone
	unicode      bool
	global       bool
	report       bool
	capture      bool
	values, typ  term.Term // of the capture option
	offset       int
	limit, depth int // 0: default
}

var (
	amCapture  = term.Intern("capture")
	amReOffset = term.Intern("offset")
	amReLimit  = term.Intern("match_limit")
	amReDepth  = term.Intern("match_limit_recursion")
	amNewline  = term.Intern("newline")
	amIndexCap = term.Intern("index")
	amListCap  = term.Intern("list")
)

// The numbers that PCRE 8 gives newlines: options that are given together are
// added up bit by bit.
var newlineBits = map[term.Term]uint32{
	term.Intern("cr"): 1, term.Intern("lf"): 2, term.Intern("crlf"): 3,
	term.Intern("any"): 4, term.Intern("anycrlf"): 5,
}

var newlineOf = [8]uint32{0, pcre.NewlineCR, pcre.NewlineLF, pcre.NewlineCRLF, pcre.NewlineAny, pcre.NewlineAnyCRLF}

var reCompileFlags = map[term.Term]uint32{
	term.Intern("no_start_optimize"): pcre.NoStartOptimize, term.Intern("caseless"): pcre.Caseless,
	term.Intern("dollar_endonly"): pcre.DollarEndonly, term.Intern("dotall"): pcre.Dotall,
	term.Intern("extended"): pcre.Extended, term.Intern("firstline"): pcre.Firstline,
	term.Intern("multiline"): pcre.Multiline, term.Intern("no_auto_capture"): pcre.NoAutoCapture,
	term.Intern("dupnames"): pcre.Dupnames, term.Intern("ungreedy"): pcre.Ungreedy,
	term.Intern("ucp"): pcre.UCP, term.Intern("never_utf"): pcre.NeverUTF,
	term.Intern("unicode"): pcre.UTF,
}

var reExecFlags = map[term.Term]uint32{
	term.Intern("notempty"): pcre.MatchNotEmpty, term.Intern("notempty_atstart"): pcre.MatchNotEmptyAtST,
	term.Intern("notbol"): pcre.MatchNotBOL, term.Intern("noteol"): pcre.MatchNotEOL,
}

var (
	amReAnchored   = term.Intern("anchored")
	amReReport     = term.Intern("report_errors")
	amReGlobal     = term.Intern("global")
	amReBSRAnyCRLF = term.Intern("bsr_anycrlf")
	amReBSRUnicode = term.Intern("bsr_unicode")
)

// reOptions decodes an option list.
func reOptions(l term.Term) (o reOpts, ok bool) {
	nl := uint32(0)
	for ; l.IsList(); l = l.Tail() {
		t := l.Head()
		if t.IsTuple() {
			if !o.tuple(t, &nl) {
				return o, false
			}
			continue
		}
		if f, known := reCompileFlags[t]; known {
			o.comp |= f
			o.onlyCompile = true
			o.unicode = o.unicode || f == pcre.UTF
			continue
		}
		if f, known := reExecFlags[t]; known {
			o.exec |= f
			o.onlyRun = true
			continue
		}
		switch t {
		case amReAnchored:
			o.comp |= pcre.Anchored
			o.exec |= pcre.Anchored
		case amReReport:
			o.report, o.onlyRun = true, true
		case amReGlobal:
			o.global, o.onlyRun = true, true
		case amReBSRAnyCRLF:
			o.bsr = pcre.BSRAnyCRLF
		case amReBSRUnicode:
			o.bsr = pcre.BSRUnicode
		default:
			return o, false
		}
	}
	o.newline = newlineOf[nl]
	o.badNewline = nl > 5
	return o, l.IsNil()
}

func (o *reOpts) tuple(t term.Term, nl *uint32) bool {
	if t.Arity() == 3 && t.El(1) == amCapture {
		o.capture, o.onlyRun = true, true
		o.values, o.typ = t.El(2), t.El(3)
		return true
	}
	if t.Arity() != 2 {
		return false
	}
	v := t.El(2)
	number := func(to *int) bool {
		if !v.IsSmall() || v.Small() < 0 || v.Small() > math.MaxInt32 {
			return false
		}
		*to = int(v.Small())
		o.onlyRun = true
		return true
	}
	switch t.El(1) {
	case amCapture:
		o.capture, o.onlyRun = true, true
		o.values, o.typ = v, amIndexCap
	case amReOffset:
		return number(&o.offset)
	case amReLimit:
		return number(&o.limit)
	case amReDepth:
		return number(&o.depth)
	case amNewline:
		b, ok := newlineBits[v]
		*nl |= b
		return ok
	default:
		return false
	}
	return true
}

// What a capture option asks for.
const (
	capIndex = iota
	capList
	capBinary
	capNone
)

// reCapture is a capture option against a pattern. groups is nil for all (from
// the first on); in it, a group of -1 is one that does not exist, and one of
// -n below that says that the next n groups have one name, of which the first
// that took part counts.
type reCapture struct {
	typ    int
	first  int
	groups []int
}

var (
	amCapAll         = term.Intern("all")
	amCapNone        = term.Intern("none")
	amCapAllButFirst = term.Intern("all_but_first")
	amCapFirst       = term.Intern("first")
	amCapAllNames    = term.Intern("all_names")
)

// captureSpec decodes a capture option.
func captureSpec(o *reOpts, code *pcre.Code, dup bool) (r reCapture, ok bool) {
	if !o.capture {
		return r, true
	}
	switch o.typ {
	case amIndexCap:
	case amListCap:
		r.typ = capList
	case term.AmBinary:
		r.typ = capBinary
	default:
		return r, false
	}
	switch v := o.values; v {
	case amCapAll:
	case amCapNone, term.Nil:
		r.typ = capNone
	case amCapAllButFirst:
		r.first = 1
	case amCapFirst:
		r.groups = []int{0}
	case amCapAllNames:
		if len(code.Names) == 0 {
			r.typ = capNone
			break
		}
		for i, n := range code.Names {
			if i == 0 || !dup || code.Names[i-1].Name != n.Name {
				r.named(code, n.Name, dup)
			}
		}
	default:
		return r, r.list(v, code, dup)
	}
	return r, true
}

func (r *reCapture) list(l term.Term, code *pcre.Code, dup bool) bool {
	for ; l.IsList(); l = l.Tail() {
		switch t := l.Head(); {
		case t.IsSmall() && t.Small() >= 0 && t.Small() <= math.MaxInt32:
			r.groups = append(r.groups, int(t.Small()))
		case t.IsAtom():
			r.named(code, cString(t.Atom().String()), dup)
		case t.IsBitstring() || t.IsList() || t.IsNil():
			b, ok := iolistBytes(t)
			if !ok {
				return false
			}
			r.named(code, cString(string(b)), dup)
		default:
			return false
		}
	}
	return l.IsNil()
}

// cString is s up to its first zero byte.
func cString(s string) string {
	for i := range len(s) {
		if s[i] == 0 {
			return s[:i]
		}
	}
	return s
}

// named asks for the group, or groups, of a name.
func (r *reCapture) named(code *pcre.Code, name string, dup bool) {
	var gs []int
	for _, n := range code.Names {
		if n.Name == name {
			gs = append(gs, n.Group)
		}
	}
	switch {
	case len(gs) == 0:
		r.groups = append(r.groups, -1)
	case len(gs) == 1 || !dup:
		r.groups = append(r.groups, gs[0])
	default:
		r.groups = append(append(r.groups, -len(gs)), gs...)
	}
}

// pick returns the groups to show of a match.
func (r *reCapture) pick(pos []int, rc int) (gs []int) {
	if r.groups == nil {
		for i := r.first; i < rc; i++ {
			gs = append(gs, i)
		}
		return gs
	}
	for i := 0; i < len(r.groups); i++ {
		g := r.groups[i]
		if g < -1 {
			n := -g
			for _, k := range r.groups[i+1 : i+1+n] {
				if pos[2*k] >= 0 {
					g = k
					break
				}
			}
			i += n
		}
		if g >= rc || g < 0 {
			g = -1
		}
		gs = append(gs, g)
	}
	return gs
}
