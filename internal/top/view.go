package top

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Key is what the list is sorted by.
type Key string

// The keys. The names are those of the flag --sort.
const (
	ByReductions Key = "reductions" // a second
	ByMemory     Key = "memory"
	ByQueue      Key = "queue"
	ByName       Key = "name"
	ByPid        Key = "pid"
)

// Keys lists the keys.
var Keys = []Key{ByReductions, ByMemory, ByQueue, ByName, ByPid}

// View is what of the samples is shown, and how.
type View struct {
	Sort     Key
	Reverse  bool
	Ports    bool // ports instead of processes
	Paused   bool
	Interval time.Duration
	Offset   int // rows of the list that are scrolled away
	Message  string
}

// displayName is what a process is known by.
func (p *Process) displayName() string {
	if p.Name != "" {
		return p.Name
	}
	return p.Initial
}

// SortProcesses sorts by the key, what is most first, names and pids from the
// front; ties by pid.
func (v *View) SortProcesses(ps []Process) {
	sortRows(v, ps, map[Key]func(a, b *Process) int{
		ByMemory: func(a, b *Process) int { return cmp.Compare(b.Memory, a.Memory) },
		ByQueue:  func(a, b *Process) int { return cmp.Compare(b.Queue, a.Queue) },
		ByName:   func(a, b *Process) int { return cmp.Compare(a.displayName(), b.displayName()) },
		ByReductions: func(a, b *Process) int {
			return cmp.Or(cmp.Compare(b.Rate, a.Rate), cmp.Compare(b.Reductions, a.Reductions))
		},
		ByPid: func(a, b *Process) int {
			return cmp.Or(cmp.Compare(a.pid.Serial, b.pid.Serial), cmp.Compare(a.pid.ID, b.pid.ID))
		},
	})
}

// SortPorts sorts by the like: traffic for reductions.
func (v *View) SortPorts(ps []PortInfo) {
	sortRows(v, ps, map[Key]func(a, b *PortInfo) int{
		ByMemory: func(a, b *PortInfo) int { return cmp.Compare(b.Memory, a.Memory) },
		ByQueue:  func(a, b *PortInfo) int { return cmp.Compare(b.Queue, a.Queue) },
		ByName:   func(a, b *PortInfo) int { return cmp.Compare(a.Name, b.Name) },
		ByReductions: func(a, b *PortInfo) int {
			return cmp.Or(cmp.Compare(b.RateIn+b.RateOut, a.RateIn+a.RateOut), cmp.Compare(b.In+b.Out, a.In+a.Out))
		},
		ByPid: func(a, b *PortInfo) int {
			return cmp.Or(cmp.Compare(len(a.Port), len(b.Port)), strings.Compare(a.Port, b.Port))
		},
	})
}

// sortRows sorts by the view's key, ties by the identifier.
func sortRows[T any](v *View, rows []T, by map[Key]func(a, b *T) int) {
	key := by[v.Sort]
	if key == nil { // a view as it begins
		key = by[ByReductions]
	}
	slices.SortStableFunc(rows, func(a, b T) int {
		c := cmp.Or(key(&a, &b), by[ByPid](&a, &b))
		if v.Reverse {
			return -c
		}
		return c
	})
}

// Prepare sorts the lists of a sample.
func (v *View) Prepare(s *Sample) {
	v.SortProcesses(s.Procs)
	v.SortPorts(s.Ports)
}

// Shown returns the rows of n that height lines of the list have room for.
func (v *View) Shown(n, height int) (from, to int) {
	v.Offset = max(0, min(v.Offset, n-height))
	return v.Offset, min(n, v.Offset+max(0, height))
}

// The bounds of the interval.
const (
	minInterval = 250 * time.Millisecond
	maxInterval = time.Minute
)

// The keys of the keyboard.
const (
	keyUp = "\x1b[A"
	keyDn = "\x1b[B"
	pgUp  = "\x1b[5~"
	pgDn  = "\x1b[6~"
	home  = "\x1b[H"
	end   = "\x1b[F"
)

// help is the line that explains the keys.
const help = "q quit  r m l n p sort: reductions memory queue name pid  i reverse  t ports/processes  space pause  + - interval  arrows scroll"

// Press acts on a key; page is the height of the list. quit tells that it ends.
func (v *View) Press(key string, page int) (quit bool) {
	sorts := map[string]Key{"r": ByReductions, "m": ByMemory, "l": ByQueue, "n": ByName, "p": ByPid}
	if k, ok := sorts[key]; ok {
		v.Sort, v.Offset = k, 0
		return false
	}
	switch key {
	case "q", "Q", "\x03", "\x04":
		return true
	case "i":
		v.Reverse = !v.Reverse
	case "t":
		v.Ports, v.Offset = !v.Ports, 0
	case " ":
		v.Paused = !v.Paused
	case "+":
		v.Interval = min(maxInterval, v.Interval*2)
	case "-":
		v.Interval = max(minInterval, v.Interval/2)
	case keyUp, "k":
		v.Offset = max(0, v.Offset-1)
	case keyDn, "j":
		v.Offset++
	case pgUp:
		v.Offset = max(0, v.Offset-page)
	case pgDn:
		v.Offset += page
	case home:
		v.Offset = 0
	case end:
		v.Offset = 1 << 30
	}
	return false
}

// splitKeys takes the keys off the front of what was typed; what may be the
// beginning of one is left.
func splitKeys(b []byte) (keys []string, rest []byte) {
	for len(b) > 0 {
		n := 1
		if b[0] == 0x1b {
			if n = escape(b); n == 0 {
				return keys, b
			}
		}
		keys = append(keys, normal(string(b[:n])))
		b = b[n:]
	}
	return keys, nil
}

// escape returns the length of the sequence at the front of b, 0 when it is not
// all there.
func escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	if b[1] != '[' && b[1] != 'O' {
		return 1
	}
	for i := 2; i < len(b); i++ {
		if b[i] >= 0x40 && b[i] <= 0x7e {
			return i + 1
		}
	}
	if len(b) > 16 {
		return 1
	}
	return 0
}

// normal gives the several sequences of a key one form.
func normal(key string) string {
	if rest, ok := strings.CutPrefix(key, "\x1bO"); ok {
		return "\x1b[" + rest
	}
	switch key {
	case "\x1b[1~", "\x1b[7~":
		return home
	case "\x1b[4~", "\x1b[8~":
		return end
	}
	return key
}
