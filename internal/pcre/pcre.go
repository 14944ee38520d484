// Package pcre is PCRE2 (10.42, translated to Go) made to behave as the PCRE
// 8.44 of OTP 25: its options, its ISO 8859-1 character tables, its error
// texts. It hides the library behind a compiled pattern and a match.
package pcre

import (
	"bytes"
	"runtime"
	"sync"
	"unsafe"

	pcre2 "go.elara.ws/pcre/lib"
	"modernc.org/libc"
)

// Options of a pattern and of a match.
const (
	Anchored          = pcre2.DPCRE2_ANCHORED
	Caseless          = pcre2.DPCRE2_CASELESS
	DollarEndonly     = pcre2.DPCRE2_DOLLAR_ENDONLY
	Dotall            = pcre2.DPCRE2_DOTALL
	Dupnames          = pcre2.DPCRE2_DUPNAMES
	Extended          = pcre2.DPCRE2_EXTENDED
	Firstline         = pcre2.DPCRE2_FIRSTLINE
	Multiline         = pcre2.DPCRE2_MULTILINE
	NeverUTF          = pcre2.DPCRE2_NEVER_UTF
	NoAutoCapture     = pcre2.DPCRE2_NO_AUTO_CAPTURE
	NoStartOptimize   = pcre2.DPCRE2_NO_START_OPTIMIZE
	UCP               = pcre2.DPCRE2_UCP
	Ungreedy          = pcre2.DPCRE2_UNGREEDY
	UTF               = pcre2.DPCRE2_UTF
	NoUTFCheck        = pcre2.DPCRE2_NO_UTF_CHECK
	MatchNotBOL       = pcre2.DPCRE2_NOTBOL
	MatchNotEOL       = pcre2.DPCRE2_NOTEOL
	MatchNotEmpty     = pcre2.DPCRE2_NOTEMPTY
	MatchNotEmptyAtST = pcre2.DPCRE2_NOTEMPTY_ATSTART
)

// Newline conventions; 0 is the default, LF.
const (
	NewlineCR      = pcre2.DPCRE2_NEWLINE_CR
	NewlineLF      = pcre2.DPCRE2_NEWLINE_LF
	NewlineCRLF    = pcre2.DPCRE2_NEWLINE_CRLF
	NewlineAny     = pcre2.DPCRE2_NEWLINE_ANY
	NewlineAnyCRLF = pcre2.DPCRE2_NEWLINE_ANYCRLF
)

// What \R matches; 0 is the default, Unicode.
const (
	BSRUnicode = pcre2.DPCRE2_BSR_UNICODE
	BSRAnyCRLF = pcre2.DPCRE2_BSR_ANYCRLF
)

// Outcomes of a match below 0.
const (
	NoMatch     = pcre2.DPCRE2_ERROR_NOMATCH
	MatchLimit  = pcre2.DPCRE2_ERROR_MATCHLIMIT
	DepthLimit  = pcre2.DPCRE2_ERROR_DEPTHLIMIT
	HeapLimit   = pcre2.DPCRE2_ERROR_HEAPLIMIT
	RecurseLoop = pcre2.DPCRE2_ERROR_RECURSELOOP
	BadOffset   = pcre2.DPCRE2_ERROR_BADOFFSET
	NoMemory    = pcre2.DPCRE2_ERROR_NOMEMORY
)

// DefaultLimit is PCRE 8's limit of match steps and of recursion.
const DefaultLimit = 10000000

// Version is the version that OTP 25 reports.
const Version = "8.44 2020-02-12"

// Unset is the position of a group that took no part in a match.
const Unset = -1

// Options of Compile.
type Options struct {
	Flags   uint32
	Newline uint32
	BSR     uint32
}

// Error is why a pattern was refused: PCRE 8's text and the byte where.
type Error struct {
	Text   string
	Offset int
}

func (e *Error) Error() string { return e.Text }

// Name is a named group.
type Name struct {
	Name  string
	Group int
}

// Code is a compiled pattern. It may be used by any number of goroutines.
type Code struct {
	p        uintptr
	Captures int    // groups
	Names    []Name // by name, then group
	Newline  uint32
	utf      bool
}

// worker is what a call into the library needs: its stack, and for matches a
// context and room for positions. It serves one call at a time.
type worker struct {
	tls    *libc.TLS
	ctx    uintptr // match context
	data   uintptr // match data
	pairs  int     // of positions in data
	before *worker
}

var (
	idleMu sync.Mutex
	idle   *worker
)

const usualPairs = 32

func take() *worker {
	idleMu.Lock()
	w := idle
	if w != nil {
		idle = w.before
	}
	idleMu.Unlock()
	if w == nil {
		w = &worker{tls: libc.NewTLS()}
		w.ctx = pcre2.Xpcre2_match_context_create_8(w.tls, 0)
		w.data = pcre2.Xpcre2_match_data_create_8(w.tls, usualPairs, 0)
		w.pairs = usualPairs
	}
	return w
}

func (w *worker) give() {
	idleMu.Lock()
	w.before = idle
	idle = w
	idleMu.Unlock()
}

// room makes room for n pairs of positions.
func (w *worker) room(n int) {
	if n > w.pairs {
		pcre2.Xpcre2_match_data_free_8(w.tls, w.data)
		w.data = pcre2.Xpcre2_match_data_create_8(w.tls, uint32(n), 0)
		w.pairs = n
	}
}

// addr is the address of bytes; the call through a variable makes them escape
// to the heap, where they do not move.
var addr = func(b []byte) uintptr {
	if len(b) == 0 {
		return uintptr(unsafe.Pointer(unsafe.SliceData(nothing)))
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))
}

const (
	unknownEscape = 103
	badRange      = 150
)

// quoteHyphen puts a backslash before the hyphen at or just before a byte, if
// that follows a class.
func quoteHyphen(p []byte, at int) (fixed []byte, ok bool) {
	for _, i := range []int{at, at - 1} {
		if i < 2 || i >= len(p) || p[i] != '-' {
			continue
		}
		escape := p[i-2] == '\\' && word(p[i-1])
		if !escape && p[i-1] != ']' && p[i-1] != '}' {
			continue
		}
		return append(append(append(fixed, p[:i]...), '\\'), p[i:]...), true
	}
	return nil, false
}

// nestLimit is how deep parentheses nest before PCRE 8 finds a pattern too
// complicated.
const nestLimit = 798

var wordEscape = []byte(`\w`)

var nothing = make([]byte, 8)

// Compile compiles a pattern; as in PCRE 8 it ends at the first zero byte.
func Compile(pattern []byte, o Options) (*Code, *Error) {
	for i, b := range pattern {
		if b == 0 {
			pattern = pattern[:i]
			break
		}
	}
	w := take()
	defer w.give()
	cctx := pcre2.Xpcre2_compile_context_create_8(w.tls, 0)
	defer pcre2.Xpcre2_compile_context_free_8(w.tls, cctx)
	pcre2.Xpcre2_set_character_tables_8(w.tls, cctx, latin1())
	pcre2.Xpcre2_set_parens_nest_limit_8(w.tls, cctx, nestLimit)
	const extra = pcre2.DPCRE2_EXTRA_ALLOW_LOOKAROUND_BSK
	pcre2.Xpcre2_set_compile_extra_options_8(w.tls, cctx, extra)
	nl := o.Newline
	if nl == 0 {
		nl = NewlineLF
	}
	if pcre2.Xpcre2_set_newline_8(w.tls, cctx, nl) != 0 {
		return nil, &Error{Text: errorTexts[56]}
	}
	bsr := o.BSR
	if bsr == 0 {
		bsr = BSRUnicode
	}
	pcre2.Xpcre2_set_bsr_8(w.tls, cctx, bsr)
	out := libc.Xcalloc(w.tls, 1, 16)
	defer libc.Xfree(w.tls, out)
	run := func() (p uintptr, code int) {
		p = pcre2.Xpcre2_compile_8(w.tls, addr(pattern), pcre2.Tsize_t(len(pattern)), o.Flags, out, out+8, cctx)
		runtime.KeepAlive(pattern)
		return p, int(*(*int32)(unsafe.Add(nil, out)))
	}
	if o.Flags&UCP == 0 && bytes.Contains(pattern, wordEscape) && (o.Flags&UTF != 0 || bytes.HasPrefix(pattern, []byte("(*UTF"))) {
		// Where a match may begin is computed wrongly for Latin-1 letters.
		o.Flags |= NoStartOptimize
	}
	p, code := run()
	for p == 0 && code == badRange { // PCRE 8 takes a hyphen after a class as it is
		at := int(*(*uint64)(unsafe.Add(nil, out+8)))
		fixed, ok := quoteHyphen(pattern, at)
		if !ok {
			break
		}
		pattern = fixed
		p, code = run()
	}
	if p == 0 && code == unknownEscape { // PCRE 8 takes the character as it is
		pcre2.Xpcre2_set_compile_extra_options_8(w.tls, cctx, extra|pcre2.DPCRE2_EXTRA_BAD_ESCAPE_IS_LITERAL)
		p, code = run()
	}
	if p == 0 {
		return nil, newError(code, int(*(*uint64)(unsafe.Add(nil, out+8))), pattern)
	}
	c := &Code{p: p}
	c.Captures = int(info32(w, p, pcre2.DPCRE2_INFO_CAPTURECOUNT))
	c.Newline = info32(w, p, pcre2.DPCRE2_INFO_NEWLINE)
	c.utf = info32(w, p, pcre2.DPCRE2_INFO_ALLOPTIONS)&UTF != 0
	c.names(w)
	runtime.SetFinalizer(c, (*Code).free)
	return c, nil
}

// UTF tells whether subjects must be UTF-8.
func (c *Code) UTF() bool { return c.utf }

func (c *Code) free() {
	w := take()
	pcre2.Xpcre2_code_free_8(w.tls, c.p)
	w.give()
}

func info32(w *worker, p uintptr, what uint32) uint32 {
	out := libc.Xcalloc(w.tls, 1, 8)
	defer libc.Xfree(w.tls, out)
	pcre2.Xpcre2_pattern_info_8(w.tls, p, what, out)
	return *(*uint32)(unsafe.Add(nil, out))
}

// names reads the name table: group number (two bytes, the high one first),
// then the name, ended by a zero byte.
func (c *Code) names(w *worker) {
	n := int(info32(w, c.p, pcre2.DPCRE2_INFO_NAMECOUNT))
	if n == 0 {
		return
	}
	size := uintptr(info32(w, c.p, pcre2.DPCRE2_INFO_NAMEENTRYSIZE))
	out := libc.Xcalloc(w.tls, 1, 8)
	defer libc.Xfree(w.tls, out)
	pcre2.Xpcre2_pattern_info_8(w.tls, c.p, pcre2.DPCRE2_INFO_NAMETABLE, out)
	t := *(*uintptr)(unsafe.Add(nil, out))
	for range n {
		b := unsafe.Slice((*byte)(unsafe.Add(nil, t)), size)
		e := 2
		for b[e] != 0 {
			e++
		}
		c.Names = append(c.Names, Name{string(b[2:e]), int(b[0])<<8 | int(b[1])})
		t += size
	}
}

// Match matches subject from a byte on. rc is one more than the highest group
// that took part, or an outcome below 0; pos holds the start and end of each
// group. Limits of 0 are the default.
func (c *Code) Match(subject []byte, start int, flags uint32, limit, depth int) (pos []int, rc int) {
	w := take()
	defer w.give()
	if limit <= 0 {
		limit = DefaultLimit
	}
	if depth <= 0 {
		depth = DefaultLimit
	}
	w.room(c.Captures + 1)
	pcre2.Xpcre2_set_match_limit_8(w.tls, w.ctx, uint32(limit))
	pcre2.Xpcre2_set_depth_limit_8(w.tls, w.ctx, uint32(depth))
	r := int(pcre2.Xpcre2_match_8(w.tls, c.p, addr(subject), pcre2.Tsize_t(len(subject)),
		pcre2.Tsize_t(start), flags, w.data, w.ctx))
	runtime.KeepAlive(subject)
	runtime.KeepAlive(c)
	if r <= 0 {
		return nil, r
	}
	ov := pcre2.Xpcre2_get_ovector_pointer_8(w.tls, w.data)
	pos = make([]int, 2*(c.Captures+1))
	for i := range pos {
		pos[i] = Unset
		if i < 2*r {
			pos[i] = int(*(*int64)(unsafe.Add(nil, ov+uintptr(i)*8)))
		}
	}
	return pos, r
}

// BadUTF tells whether an outcome says that the subject is not valid UTF-8.
func BadUTF(rc int) bool {
	return rc <= pcre2.DPCRE2_ERROR_UTF8_ERR1 && rc >= pcre2.DPCRE2_ERROR_UTF8_ERR21 ||
		rc == pcre2.DPCRE2_ERROR_BADUTFOFFSET
}
