package pcre

import "sync"

// The character tables of ISO 8859-1, which OTP's PCRE has built in: lower
// case, other case, classes as bit sets, and kinds (see pcre2_internal.h for
// the layout).
const (
	lowerAt = 0
	flipAt  = 256
	setsAt  = 512
	kindsAt = 832
	tables  = 1088
)

// span is an inclusive range of characters.
type span struct{ lo, hi int }

var (
	spaces  = []span{{9, 13}, {' ', ' '}}
	xdigits = []span{{'0', '9'}, {'A', 'F'}, {'a', 'f'}}
	digits  = []span{{'0', '9'}}
	uppers  = []span{{'A', 'Z'}, {0xC0, 0xD6}, {0xD8, 0xDE}}
	lowers  = []span{{'a', 'z'}, {0xAA, 0xAA}, {0xB5, 0xB5}, {0xBA, 0xBA}, {0xDF, 0xF6}, {0xF8, 0xFF}}
	words   = []span{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}, {0xAA, 0xAA}, {0xB5, 0xB5}, {0xBA, 0xBA}, {0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0xFF}}
	letters = []span{{'A', 'Z'}, {'a', 'z'}, {0xAA, 0xAA}, {0xB5, 0xB5}, {0xBA, 0xBA}, {0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0xFF}}
	graphs  = []span{{0x21, 0x7E}, {0xA0, 0xFF}}
	prints  = []span{{0x20, 0x7E}, {0xA0, 0xFF}}
	puncts  = []span{{0x21, 0x2F}, {0x3A, 0x40}, {0x5B, 0x60}, {0x7B, 0x7E}, {0xA0, 0xA9}, {0xAB, 0xB4}, {0xB6, 0xB9}, {0xBB, 0xBF}, {0xD7, 0xD7}, {0xF7, 0xF7}}
	cntrls  = []span{{0, 0x1F}, {0x7F, 0x9F}}
)

var latin1 = sync.OnceValue(func() uintptr {
	t := make([]byte, tables)
	for c := range 256 {
		t[lowerAt+c], t[flipAt+c] = byte(c), byte(c)
	}
	pairs := append([]span{}, uppers...)
	for _, s := range pairs {
		for c := s.lo; c <= s.hi; c++ {
			t[lowerAt+c] = byte(c + 32)
			t[flipAt+c], t[flipAt+c+32] = byte(c+32), byte(c)
		}
	}
	sets := [][]span{spaces, xdigits, digits, uppers, lowers, words, graphs, prints, puncts, cntrls}
	for i, set := range sets {
		each(set, func(c int) { t[setsAt+i*32+c/8] |= 1 << (c % 8) })
	}
	kinds := map[byte][]span{0x01: spaces, 0x02: letters, 0x04: lowers, 0x08: digits, 0x10: words}
	for bit, set := range kinds {
		each(set, func(c int) { t[kindsAt+c] |= bit })
	}
	tablesKept = t
	return addr(t)
})

// tablesKept keeps the tables alive: the library knows only their address.
var tablesKept []byte

func each(set []span, f func(c int)) {
	for _, s := range set {
		for c := s.lo; c <= s.hi; c++ {
			f(c)
		}
	}
}
