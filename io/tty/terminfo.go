// Package tty is the driver "tty_sl": a terminal in raw mode with the line
// editing output that OTP's user_drv asks for.
package tty

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"regexp"
)

// Caps are the capabilities of a terminal that are of use.
type Caps struct {
	Cols                  int
	XN                    bool // the cursor stays in the last column until the next character
	Up, Down, Left, Right string
}

// ErrTerminal says that a terminal is unknown or cannot move its cursor.
var ErrTerminal = errors.New("tty: unknown or unsuitable terminal")

// Indexes in terminfo's tables (term.h).
const (
	boolXenl   = 4
	numCols    = 0
	strCub1    = 14
	strCud1    = 11
	strCuf1    = 17
	strCuu1    = 19
	magic16    = 0o432
	magic32    = 0o1036
	headerSize = 12
)

// padding is a delay in a capability, which no terminal needs any more.
var padding = regexp.MustCompile(`\$<[^>]*>`)

func terminfoDirs() (dirs []string) {
	if d := os.Getenv("TERMINFO"); d != "" {
		dirs = append(dirs, d)
	}
	if h := os.Getenv("HOME"); h != "" {
		dirs = append(dirs, filepath.Join(h, ".terminfo"))
	}
	return append(dirs, "/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo", "/usr/share/lib/terminfo", "/usr/local/share/terminfo")
}

// LoadCaps reads a terminal's entry in the terminfo database.
func LoadCaps(name string) (*Caps, error) {
	if name == "" || filepath.Base(name) != name {
		return nil, ErrTerminal
	}
	for _, d := range terminfoDirs() {
		for _, sub := range []string{name[:1], hexByte(name[0])} {
			if b, err := os.ReadFile(filepath.Join(d, sub, name)); err == nil {
				return parseCaps(b)
			}
		}
	}
	return nil, ErrTerminal
}

func hexByte(b byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[b>>4], digits[b&15]})
}

// parseCaps reads a compiled entry: header, names, booleans, numbers, offsets
// of strings, strings (term(5)).
func parseCaps(b []byte) (*Caps, error) {
	if len(b) < headerSize {
		return nil, ErrTerminal
	}
	u16 := func(i int) int {
		if i < 0 || i+2 > len(b) {
			return -1
		}
		return int(int16(binary.LittleEndian.Uint16(b[i:])))
	}
	numSize := 2
	switch u16(0) {
	case magic16:
	case magic32:
		numSize = 4
	default:
		return nil, ErrTerminal
	}
	names, bools, nums, strs := u16(2), u16(4), u16(6), u16(8)
	if names < 0 || bools < 0 || nums < 0 || strs < 0 {
		return nil, ErrTerminal
	}
	at := headerSize + names
	c := &Caps{Cols: 80}
	if bools > boolXenl && at+boolXenl < len(b) {
		c.XN = b[at+boolXenl] == 1
	}
	at += bools
	at += at & 1
	if nums > numCols {
		if n := u16(at); n > 0 {
			c.Cols = n
		}
	}
	at += nums * numSize
	table := at + strs*2
	str := func(i int) string {
		off := -1
		if i < strs {
			off = u16(at + i*2)
		}
		if off < 0 || table+off >= len(b) {
			return ""
		}
		s := b[table+off:]
		for j, ch := range s {
			if ch == 0 {
				return padding.ReplaceAllString(string(s[:j]), "")
			}
		}
		return ""
	}
	c.Up, c.Down, c.Left, c.Right = str(strCuu1), str(strCud1), str(strCub1), str(strCuf1)
	if c.Down == "" {
		c.Down = "\n"
	}
	if c.Left == "" {
		c.Left = "\b"
	}
	if c.Up == "" || c.Right == "" {
		return nil, ErrTerminal
	}
	return c, nil
}
