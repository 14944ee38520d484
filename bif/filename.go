package bif

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// localeName is the locale of characters: the first of LC_ALL, LC_CTYPE and LANG
// that is set.
func localeName() string {
	for _, n := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := os.Getenv(n); v != "" {
			return strings.ToUpper(v)
		}
	}
	return ""
}

// LocaleIsUTF8 tells whether the locale's character set is UTF-8.
var LocaleIsUTF8 = sync.OnceValue(func() bool {
	n := localeName()
	return strings.Contains(n, "UTF-8") || strings.Contains(n, "UTF8")
})

// LocaleIsLatin1 tells whether it is Latin-1.
func LocaleIsLatin1() bool { return strings.Contains(localeName(), "8859-1") }

// namesAreUTF8 tells whether file names are UTF-8 rather than Latin-1.
func namesAreUTF8() bool {
	switch sysconf.C.FnEncoding {
	case sysconf.FnUTF8:
		return true
	case sysconf.FnLatin1:
		return false
	}
	return LocaleIsUTF8()
}

func fileNativeNameEncoding(c *native.Call) term.Term {
	if namesAreUTF8() {
		return amUtf8
	}
	return amLatin1
}

var amUtf8, amLatin1 = term.Intern("utf8"), term.Intern("latin1")

// nativeName encodes a file name (a deep list of characters, or an atom when
// atoms is set) in the native encoding; ok is false for what cannot be one.
func nativeName(t term.Term, atoms bool) (b []byte, ok bool) {
	u8 := namesAreUTF8()
	put := func(r int64) bool {
		switch {
		case r <= 0 || r > 0x10FFFF || r >= 0xD800 && r <= 0xDFFF && u8:
			return false
		case u8:
			b = utf8.AppendRune(b, rune(r))
		case r > 255:
			return false
		default:
			b = append(b, byte(r))
		}
		return true
	}
	if t.IsAtom() && atoms {
		for _, r := range t.Atom().String() {
			if !put(int64(r)) {
				return nil, false
			}
		}
		return b, true
	}
	if !t.IsNil() && !t.IsList() {
		return nil, false
	}
	stack := []term.Term{t}
	for len(stack) > 0 {
		l := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for l.IsList() {
			hd := l.Head()
			l = l.Tail()
			switch {
			case hd.IsSmall():
				if !put(hd.Small()) {
					return nil, false
				}
			case hd.IsList():
				stack = append(stack, l)
				l = hd
			case !hd.IsNil():
				return nil, false
			}
		}
		if !l.IsNil() {
			return nil, false
		}
	}
	return b, true
}

// pfName2Native makes a zero-terminated native name of a string or binary.
func pfName2Native(c *native.Call) term.Term {
	t := c.Arg(0)
	b, ok := heap.AlignedBytes(t)
	if ok {
		ok = bytes.IndexByte(b, 0) < 0
	} else if !t.IsBitstring() {
		b, ok = nativeName(t, false)
	}
	if !ok {
		return c.Badarg()
	}
	c.Bump(len(b) / 16)
	return c.P.Heap.Binary(append(b[:len(b):len(b)], 0))
}

// decodedName makes a string of a native name; ok is false when the name is not
// in the native encoding.
func decodedName(h *heap.Heap, b []byte) (t term.Term, ok bool) {
	if !namesAreUTF8() {
		return h.Latin1(b), true
	}
	if !utf8.Valid(b) {
		return term.None, false
	}
	return h.Str(string(b)), true
}

func pfNative2Name(c *native.Call) term.Term {
	b, ok := heap.AlignedBytes(c.Arg(0))
	if !ok {
		return c.Badarg()
	}
	c.Bump(len(b) / 16)
	if t, ok := decodedName(&c.P.Heap, b); ok {
		return t
	}
	warn := "warning"
	switch sysconf.C.FnWarn {
	case sysconf.FnIgnore:
		warn = "ignore"
	case sysconf.FnError:
		warn = "error"
	}
	return c.ErrorTuple(term.Intern(warn))
}

func pfIsTranslatable(c *native.Call) term.Term {
	b, ok := heap.AlignedBytes(c.Arg(0))
	if !ok {
		return c.Badarg()
	}
	return term.Bool(!namesAreUTF8() || utf8.Valid(b))
}
