package etf

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// TextError is what is wrong with the text of a term.
type TextError struct {
	Offset int // bytes before it
	What   string
}

func (e *TextError) Error() string { return fmt.Sprintf("at byte %d: %s", e.Offset, e.What) }

// Parse reads a term from its text, as Erlang's source has it: literals alone,
// no expressions. A full stop at the end may be missing. The error is a
// *TextError.
func Parse(s string) (Term, error) { return new(Parser).Parse(s) }

// Parser reads the text of terms. The zero value does as Parse.
type Parser struct {
	// Local and Creation are those of the node whose pids, ports and
	// references are read where the text has <0.85.0> and the like. Without
	// them such text is an error.
	Local    Atom
	Creation uint32
}

// maxDepth is the deepest term that is read from text.
const maxDepth = 10000

// Parse reads a term.
func (p *Parser) Parse(s string) (t Term, err error) {
	r := &textReader{Parser: *p, s: s}
	defer func() {
		if x := recover(); x != nil {
			e, ok := x.(*TextError)
			if !ok {
				panic(x)
			}
			t, err = nil, e
		}
	}()
	t = r.term()
	r.space()
	if r.peek() == '.' {
		r.off++
		r.space()
	}
	if r.off < len(s) {
		r.fail("more than one term")
	}
	return t, nil
}

type textReader struct {
	Parser
	s     string
	off   int
	depth int
}

// fail ends the reading; Parse recovers.
func (r *textReader) fail(what string) { panic(&TextError{r.off, what}) }

func (r *textReader) space() {
	for r.off < len(r.s) {
		switch c := r.s[r.off]; {
		case c <= ' ':
			r.off++
		case c == '%':
			for r.off < len(r.s) && r.s[r.off] != '\n' {
				r.off++
			}
		default:
			return
		}
	}
}

func (r *textReader) peek() byte {
	if r.off < len(r.s) {
		return r.s[r.off]
	}
	return 0
}

func (r *textReader) at(what string) bool { return strings.HasPrefix(r.s[r.off:], what) }

// skip takes what if it is next, after space.
func (r *textReader) skip(what string) bool {
	r.space()
	if !r.at(what) {
		return false
	}
	r.off += len(what)
	return true
}

func (r *textReader) expect(what string) {
	if !r.skip(what) {
		if r.off >= len(r.s) {
			r.fail("the text ends; " + what + " is missing")
		}
		r.fail(what + " is missing")
	}
}

func (r *textReader) term() Term {
	if r.depth++; r.depth > maxDepth {
		r.fail("the term is too deep")
	}
	defer func() { r.depth-- }()
	r.space()
	switch c := r.peek(); {
	case r.off >= len(r.s):
		r.fail("the text ends where a term should be")
	case c == '{':
		r.off++
		return Tuple(r.terms("}"))
	case c == '[':
		return r.list()
	case c == '"':
		return Chars(r.strings())
	case r.at("<<"):
		return r.binary()
	case c == '<', r.at("#Ref<"), r.at("#Port<"):
		return r.identity()
	case r.at("#{"):
		return r.mapping()
	case c == '-' || c == '+':
		r.off++
		n := r.number()
		if c == '-' {
			return negate(n)
		}
		return n
	case c >= '0' && c <= '9' || c == '$':
		return r.number()
	}
	return r.word()
}

// terms reads terms up to what closes them.
func (r *textReader) terms(end string) []Term {
	l := []Term{}
	if r.skip(end) {
		return l
	}
	for {
		l = append(l, r.term())
		if r.skip(end) {
			return l
		}
		r.expect(",")
	}
}

func (r *textReader) list() Term {
	r.off++
	l := List{}
	if r.skip("]") {
		return l
	}
	for {
		l = append(l, r.term())
		switch {
		case r.skip("]"):
			return l
		case r.skip("|"):
			tail := r.term()
			r.expect("]")
			switch t := tail.(type) {
			case List:
				return append(l, t...)
			case Improper:
				return Improper{append(l, t.Head...), t.Tail}
			}
			return Improper{l, tail}
		}
		r.expect(",")
	}
}

func (r *textReader) mapping() Term {
	r.off += 2
	m := Map{}
	if r.skip("}") {
		return m
	}
	at := map[string]int{}
	for {
		k := r.term()
		r.expect("=>")
		v := r.term()
		b, err := Append(nil, k)
		if err != nil {
			r.fail(err.Error())
		}
		if i, ok := at[string(b)]; ok {
			m[i].Value = v // the last one counts
		} else {
			at[string(b)] = len(m)
			m = append(m, Pair{k, v})
		}
		if r.skip("}") {
			return m
		}
		r.expect(",")
	}
}

func nameChar(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '@' ||
		c >= 'À' && c <= 'ÿ' && c != '×' && c != '÷'
}

func (r *textReader) word() Term {
	if r.at("fun") {
		if rest := r.s[r.off+3:]; rest != "" && rest[0] <= ' ' {
			r.off += 3
			return r.export()
		}
	}
	return r.atom()
}

func (r *textReader) atom() Atom {
	r.space()
	if r.peek() == '\'' {
		s := r.quoted('\'')
		if utf8.RuneCountInString(s) > maxAtomChars {
			r.fail("the atom is too long")
		}
		return Atom(s)
	}
	start := r.off
	first, _ := utf8.DecodeRuneInString(r.s[r.off:])
	if !(first >= 'a' && first <= 'z' || first >= 'ß' && first <= 'ÿ' && first != '÷') {
		switch {
		case r.off >= len(r.s):
			r.fail("the text ends where an atom should be")
		case first >= 'A' && first <= 'Z' || first == '_':
			r.fail("a variable is no term")
		}
		r.fail(fmt.Sprintf("unexpected %q", first))
	}
	for r.off < len(r.s) {
		c, n := utf8.DecodeRuneInString(r.s[r.off:])
		if !nameChar(c) {
			break
		}
		r.off += n
	}
	a := Atom(r.s[start:r.off])
	if reserved[a] {
		r.off = start
		r.fail(string(a) + " is a reserved word; as an atom it has quotes")
	}
	if utf8.RuneCountInString(string(a)) > maxAtomChars {
		r.fail("the atom is too long")
	}
	return a
}

func (r *textReader) export() Term {
	m := r.atom()
	r.expect(":")
	f := r.atom()
	r.expect("/")
	r.space()
	n, ok := r.number().(int64)
	if !ok || n < 0 || n > 255 {
		r.fail("an arity is missing")
	}
	return Export{m, f, int(n)}
}

// strings reads strings that follow one another.
func (r *textReader) strings() string {
	s := r.quoted('"')
	for r.space(); r.peek() == '"'; r.space() {
		s += r.quoted('"')
	}
	return s
}

func (r *textReader) quoted(q byte) string {
	r.off++
	var b []byte
	for {
		if r.off >= len(r.s) {
			r.fail("the text ends within quotes")
		}
		switch c := r.s[r.off]; c {
		case q:
			r.off++
			return string(b)
		case '\\':
			if r.off+1 < len(r.s) && r.s[r.off+1] == '\n' {
				r.fail("a line ends after a backslash")
			}
			b = utf8.AppendRune(b, r.escape())
		default:
			c, n := utf8.DecodeRuneInString(r.s[r.off:])
			if c == utf8.RuneError && n <= 1 {
				r.fail("the text is not UTF-8")
			}
			b = append(b, r.s[r.off:r.off+n]...)
			r.off += n
		}
	}
}

// escape reads a character after a backslash.
func (r *textReader) escape() rune {
	r.off++
	c, n := utf8.DecodeRuneInString(r.s[r.off:])
	if n == 0 {
		r.fail("the text ends within quotes")
	}
	r.off += n
	if e := strings.IndexRune("nrtvbfeds", c); e >= 0 {
		return rune("\n\r\t\v\b\f\x1b\x7f "[e])
	}
	switch {
	case c == '^':
		if k := r.peek(); k >= '@' && k <= '_' || k >= 'a' && k <= 'z' {
			r.off++
			return rune(k & 31)
		}
		r.fail("unknown control character")
	case c == 'x':
		return r.hex()
	case c >= '0' && c <= '7':
		v := c - '0'
		for i := 0; i < 2 && r.peek() >= '0' && r.peek() <= '7'; i++ {
			v = v<<3 | rune(r.s[r.off]-'0')
			r.off++
		}
		return v
	}
	return c
}

func (r *textReader) hex() rune {
	start, size := r.off, 2
	if r.peek() == '{' {
		start++
		size = strings.IndexByte(r.s[r.off:], '}') - 1
	}
	if size < 1 || start+size > len(r.s) {
		r.fail("malformed \\x")
	}
	v, err := strconv.ParseUint(r.s[start:start+size], 16, 32)
	if err != nil || v > utf8.MaxRune || !utf8.ValidRune(rune(v)) {
		r.fail("malformed \\x")
	}
	r.off = start + size
	if start > 0 && r.s[start-1] == '{' {
		r.off++
	}
	return rune(v)
}

func (r *textReader) digits(base int) string {
	var b []byte
	for r.off < len(r.s) {
		c := r.s[r.off]
		if c == '_' && len(b) > 0 && r.off+1 < len(r.s) && digit(r.s[r.off+1]) < base {
			r.off++
			continue
		}
		if digit(c) >= base {
			break
		}
		b = append(b, c)
		r.off++
	}
	return string(b)
}

func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'Z':
		return int(c-'A') + 10
	}
	return 99
}

func (r *textReader) number() Term {
	if r.peek() == '$' {
		r.off++
		if r.peek() == '\\' {
			return int64(r.escape())
		}
		c, n := utf8.DecodeRuneInString(r.s[r.off:])
		if n == 0 || c == utf8.RuneError && n == 1 {
			r.fail("a character is missing")
		}
		r.off += n
		return int64(c)
	}
	s := r.digits(10)
	switch {
	case s == "":
		r.fail("a number is missing")
	case r.peek() == '#':
		base, err := strconv.Atoi(s)
		if err != nil || base < 2 || base > 36 {
			r.fail("the base of a number is 2 to 36")
		}
		r.off++
		return r.integer(r.digits(base), base)
	case r.peek() == '.' && r.off+1 < len(r.s) && digit(r.s[r.off+1]) < 10:
		return r.float(s)
	}
	return r.integer(s, 10)
}

func (r *textReader) float(s string) Term {
	r.off++
	s += "." + r.digits(10)
	if c := r.peek(); c == 'e' || c == 'E' {
		r.off++
		s += "e"
		if c := r.peek(); c == '-' || c == '+' {
			r.off++
			s += string(c)
		}
		e := r.digits(10)
		if e == "" {
			r.fail("malformed float")
		}
		s += e
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) {
		r.fail("the float is too large")
	}
	return f
}

func (r *textReader) integer(s string, base int) Term {
	if s == "" {
		r.fail("a number is missing")
	}
	if n, err := strconv.ParseInt(s, base, 64); err == nil {
		return n
	}
	if len(s) > maxBig {
		r.fail("the integer is too large")
	}
	n, ok := new(big.Int).SetString(s, base)
	if !ok {
		r.fail("malformed integer")
	}
	return n
}

func negate(t Term) Term {
	switch v := t.(type) {
	case float64:
		return -v
	case int64:
		return -v
	}
	n := t.(*big.Int)
	n.Neg(n)
	if n.IsInt64() {
		return n.Int64()
	}
	return n
}
