package tty

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Operations of the driver: the first byte of what it is sent.
const (
	opPutc = iota
	opMove
	opInsc
	opDelc
	opBeep
	opPutcSync
)

// A cell of the line is a character, or one of those that stand for more than
// they take: a control character shown as ^X or as blanks up to a tab stop, a
// character shown by its number. The cells behind it that make up its width
// are pads.
type cell struct {
	ch  rune
	tag uint8
}

const (
	plain   = iota
	control // ^X, a tab, or an escape
	escaped // \ooo or \x{H}
)

func (c cell) pad() bool { return c.tag != plain && c.ch == 0 }

// maxLine is where a line is broken off.
const maxLine = 1 << 16

// Line is the current line of the terminal and the position in it. Its methods
// append to out what makes the terminal show it.
type Line struct {
	caps *Caps
	utf8 bool
	hi   bool // without UTF-8: the upper half of Latin-1 can be shown
	buf  []cell
	pos  int
	out  []byte
}

// Op carries out one operation and returns the bytes for the terminal. sync
// tells that it wants to be acknowledged.
func (l *Line) Op(b []byte) (out []byte, sync bool) {
	l.out = nil
	if len(b) == 0 {
		return nil, false
	}
	if l.pos > maxLine {
		l.put([]byte("\n"))
	}
	arg := b[1:]
	switch b[0] {
	case opPutc, opPutcSync:
		l.put(arg)
	case opMove:
		l.move(int16Arg(arg))
	case opInsc:
		l.insert(arg)
	case opDelc:
		l.delete(int16Arg(arg))
	case opBeep:
		l.out = append(l.out, 7)
	}
	return l.out, b[0] == opPutcSync
}

func int16Arg(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	return int(int16(binary.BigEndian.Uint16(b)))
}

func (l *Line) printable(r rune) bool {
	if l.utf8 {
		return r >= 128 || r >= 0x20 && r < 0x7F
	}
	return r >= 0x20 && r < 0x7F || l.hi && r >= 0xA0 && r <= 0xFF
}

// enter writes characters into the buffer at the position, over what is there,
// and returns how many cells they take since the last new line.
func (l *Line) enter(s []byte) int {
	start := l.pos
	set := func(c cell) {
		if l.pos < len(l.buf) {
			l.buf[l.pos] = c
		} else {
			l.buf = append(l.buf, c)
		}
		l.pos++
	}
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		if r == utf8.RuneError && n <= 1 {
			r, n = rune(s[0]), 1
		}
		s = s[n:]
		switch {
		case l.printable(r):
			set(cell{r, plain})
		case r >= 128:
			set(cell{r, escaped})
			for range len(escape(r)) - 1 {
				set(cell{0, escaped})
			}
		case r == '\t':
			set(cell{r, control})
			for l.pos%8 != 0 {
				set(cell{0, control})
			}
		case r == 0x1B:
			set(cell{r, control})
		case r == '\n' || r == '\r':
			l.show(start, l.pos, true)
			l.out = append(l.out, '\r')
			if r == '\n' {
				l.out = append(l.out, '\n')
			}
			l.buf = append(l.buf[:0], l.buf[min(l.pos, len(l.buf)):]...)
			l.pos, start = 0, 0
		default:
			set(cell{r, control})
			set(cell{0, control})
		}
	}
	return l.pos - start
}

// escape is how a character that cannot be shown is written.
func escape(r rune) string {
	if r < 0o1000 {
		return fmt.Sprintf("\\%03o", r)
	}
	return fmt.Sprintf("\\x{%X}", r)
}

func (l *Line) put(s []byte) {
	if n := l.enter(s); n > 0 {
		l.show(l.pos-n, l.pos, false)
	}
}

func (l *Line) insert(s []byte) {
	tail := append([]cell(nil), l.buf[min(l.pos, len(l.buf)):]...)
	l.buf = l.buf[:min(l.pos, len(l.buf))]
	n := l.enter(s)
	l.buf = append(l.buf[:l.pos], tail...)
	l.show(l.pos-n, len(l.buf), false)
	l.cursor(len(l.buf), l.pos)
}

func (l *Line) move(n int) {
	to := l.step(n)
	l.cursor(l.pos, to)
	l.pos = to
}

// step returns the position n characters away.
func (l *Line) step(n int) int {
	p := l.pos
	for ; n > 0 && p < len(l.buf); n-- {
		for p++; p < len(l.buf) && l.buf[p].pad(); p++ {
		}
	}
	for ; n < 0 && p > 0; n++ {
		for p--; p > 0 && l.buf[p].pad(); p-- {
		}
	}
	return p
}

// delete removes n characters behind the position, or -n before it.
func (l *Line) delete(n int) {
	to := l.step(n)
	if to == l.pos {
		return
	}
	gone := 0
	if to > l.pos {
		gone = l.col(to) - l.col(l.pos)
	} else {
		gone = -l.cursor(l.pos, to)
		l.pos, to = to, l.pos
	}
	l.buf = append(l.buf[:l.pos], l.buf[to:]...)
	l.show(l.pos, len(l.buf), false)
	l.out = append(l.out, strings.Repeat(" ", max(gone, 0))...)
	if l.caps.XN && (l.col(len(l.buf))+gone)%l.caps.Cols == 0 {
		l.out = append(l.out, ' ')
		l.out = append(l.out, l.caps.Left...)
	}
	l.cursor(len(l.buf)+gone, l.pos)
}

// show writes cells. newline says that a line break follows, which moves the
// cursor by itself.
func (l *Line) show(from, to int, newline bool) {
	last := " "
	for i := from; i < to && i < len(l.buf); i++ {
		c := l.buf[i]
		switch {
		case c.tag == plain && l.utf8:
			last = string(c.ch)
		case c.tag == plain:
			last = string([]byte{byte(c.ch)})
		case c.tag == control && (c.ch == '\t' || c.ch == 0 && l.inTab(i)):
			last = " "
		case c.pad():
			continue
		case c.ch == 0x1B:
			last = "\x1B"
		case c.tag == control && c.ch == 0x7F:
			last = "^?"
		case c.tag == control:
			last = "^" + string([]byte{byte(c.ch) | 0x40})
		default:
			last = escape(c.ch)
		}
		l.out = append(l.out, last...)
	}
	if newline || !l.caps.XN || to == 0 || l.col(to)%l.caps.Cols != 0 {
		return
	}
	// The cursor is behind the last column; a character brings it to the next
	// line, and one step back to its beginning.
	if to >= len(l.buf) {
		l.out = append(l.out, ' ')
	} else {
		_, n := utf8.DecodeLastRuneInString(last)
		l.out = append(l.out, last[len(last)-n:]...)
	}
	l.out = append(l.out, l.caps.Left...)
}

func (l *Line) inTab(i int) bool {
	for i > 0 && l.buf[i].pad() {
		i--
	}
	return l.buf[i].ch == '\t'
}

// cursor moves the terminal's cursor between positions and returns the columns
// it moved.
func (l *Line) cursor(from, to int) int {
	a, b, cols := l.col(from), l.col(to), l.caps.Cols
	rep := func(s string, n int) { l.out = append(l.out, strings.Repeat(s, max(n, 0))...) }
	dl, dc := b/cols-a/cols, b%cols-a%cols
	rep(l.caps.Down, dl)
	rep(l.caps.Up, -dl)
	rep(l.caps.Right, dc)
	rep(l.caps.Left, -dc)
	return b - a
}

// col returns the column of a position, were the line not broken: colour
// sequences take none.
func (l *Line) col(pos int) int {
	n := 0
	if pos > len(l.buf) {
		n, pos = pos-len(l.buf), len(l.buf)
	}
	for i := 0; i < pos; {
		if w := l.escapeLen(i); w > 0 {
			i += w
			continue
		}
		c := l.buf[i]
		if c.tag != plain {
			n++
		} else {
			n += max(width(c.ch), 0)
		}
		i++
	}
	return n
}

// escapeLen returns the cells of a sequence like ESC[1;31m that begins at i.
func (l *Line) escapeLen(i int) int {
	rest := l.buf[i:]
	switch {
	case rest[0] != cell{0x1B, control}:
		return 0
	case len(rest) == 1:
		return 1
	case rest[1] != cell{'[', plain}:
		return 2
	}
	j := 2
	for j < len(rest) && rest[j].tag == plain && (rest[j].ch == ';' || rest[j].ch >= '0' && rest[j].ch <= '9') {
		j++
	}
	return j + 1
}
