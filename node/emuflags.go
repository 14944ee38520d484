package node

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/beamrd/beamrd/internal/sysconf"
)

// Limits of emulator flags, as ERTS 13 has them.
const (
	minProcs      = 1024
	maxProcs      = 1<<27 - 1
	minAtoms      = 8192
	maxAtoms      = 1<<31 - 1
	maxSchedulers = 1024
	maxThreads    = 1024
	minStackKW    = 20
	maxStackKW    = 8192
)

// emuParser reads emulator flags (in erlexec's form, "-P", "2000").
type emuParser struct {
	args []string
	i    int
	c    *sysconf.Config

	schedPct, onlinePct, dirtyPct, dirtyOnlinePct int
}

func emuUsage(format string, args ...any) error {
	return &UsageError{Msg: fmt.Sprintf(format, args...) + "\n"}
}

// ParseEmuFlags fills c in from the emulator's flags. It returns a
// *PrintAndExit for -V and a *UsageError for what ERTS refuses.
func ParseEmuFlags(args []string, c *sysconf.Config) error {
	p := &emuParser{args: args, c: c, schedPct: 100, onlinePct: 100, dirtyPct: 100, dirtyOnlinePct: 100}
	c.EmuArgs = args
	p.environment()
	for p.i = 0; p.i < len(args); p.i++ {
		a := args[p.i]
		if len(a) < 2 || a[0] != '-' {
			return p.unknown(a)
		}
		if err := p.flag(a[1], a[2:], a); err != nil {
			return err
		}
	}
	return p.schedulers()
}

func (p *emuParser) environment() {
	atoi := func(name string) (int, bool) {
		v, ok := os.LookupEnv(name)
		return cAtoi(v), ok
	}
	if n, ok := atoi("ERL_THREAD_POOL_SIZE"); ok {
		p.c.AsyncThreads = max(1, min(n, maxThreads))
	}
	if n, ok := atoi("ERL_MAX_ETS_TABLES"); ok && n > p.c.MaxEts {
		p.c.MaxEts = n
	}
	if n, ok := atoi("ERL_FULLSWEEP_AFTER"); ok {
		p.c.FullsweepAfter = n & 0xFFFF
	}
	if n, ok := atoi("ERL_MAX_PORTS"); ok && n > 0 {
		p.c.MaxPorts = min(max(n, minProcs), maxProcs)
	}
}

func (p *emuParser) unknown(a string) error {
	return emuUsage("%s/%s unknown flag %s", p.c.Bindir, p.c.EmuName, a)
}

// value returns what follows a flag in the same argument, or the next one.
func (p *emuParser) value(rest string) (string, error) {
	if rest != "" {
		return rest, nil
	}
	if p.i+1 >= len(p.args) {
		return "", emuUsage("too few arguments")
	}
	p.i++
	return p.args[p.i], nil
}

// cAtoi is C's atoi: leading blanks, a sign, digits; 0 when there are none.
func cAtoi(s string) int {
	s = strings.TrimLeft(s, " \t\n")
	j := 0
	if j < len(s) && (s[j] == '-' || s[j] == '+') {
		j++
	}
	for j < len(s) && s[j] >= '0' && s[j] <= '9' {
		j++
	}
	n, _ := strconv.Atoi(strings.TrimPrefix(s[:j], "+"))
	return n
}

// number reads a value within bounds.
func (p *emuParser) number(rest, what string, lo, hi int, to *int) error {
	v, err := p.value(rest)
	if err != nil {
		return err
	}
	n := cAtoi(v)
	if n < lo || n > hi {
		return emuUsage("%s %s", what, v)
	}
	if to != nil {
		*to = n
	}
	return nil
}

// digits is number for a value that must begin with a number.
func (p *emuParser) digits(rest, what string, lo, hi int, to *int) error {
	at := p.i
	v, err := p.value(rest)
	if t := strings.TrimLeft(v, " \t\n-+"); err == nil && (t == "" || t[0] < '0' || t[0] > '9') {
		return emuUsage("%s %s", what, v)
	}
	p.i = at
	return p.number(rest, what, lo, hi, to)
}

// choice reads a value that must be one of some words.
func (p *emuParser) choice(rest, what string, words ...string) (string, error) {
	v, err := p.value(rest)
	if err == nil && !slices.Contains(words, v) {
		return "", emuUsage(what, v)
	}
	return v, err
}

func (p *emuParser) boolean(rest, what string, to *bool) error {
	v, err := p.choice(rest, what, "true", "false")
	if err == nil && to != nil {
		*to = v == "true"
	}
	return err
}

func (p *emuParser) flag(f byte, rest, a string) error {
	c := p.c
	switch f {
	case 'p':
		if !strings.HasPrefix(rest, "c") {
			return p.unknown(a)
		}
		v, err := p.choice(rest[1:], "bad range of printable characters: %s", "unicode", "latin1")
		c.PrintUnicode = v == "unicode"
		return err
	case 'f':
		if !strings.HasPrefix(rest, "n") {
			return p.unknown(a)
		}
		return p.fileNames(rest[1:])
	case 'L':
		c.NoLineInfo = true
	case 'v':
		fmt.Fprintln(os.Stderr, "warning: -v (only in debug compiled code)")
	case 'V':
		return &PrintAndExit{Stderr: "Erlang (SMP,ASYNC_THREADS) (BEAM) emulator version " + c.ErtsVersion + "\n"}
	case 'H':
		fmt.Fprintln(os.Stderr, "The undocumented +H option has been removed (R10B-6).")
	case 'h':
		return p.heap(rest)
	case 'd':
		if strings.HasPrefix(rest, "cg") {
			return p.digits(rest[2:], "bad decentralized counter groups limit:", 0, 1<<31-1, nil)
		}
		c.NoCrashDump = true
	case 'e':
		if rest == "c" {
			c.EtsCompress = true
			return nil
		}
		n := 0
		if err := p.number(rest, "bad maximum number of ets tables", 0, 1<<31-1, &n); err != nil {
			return err
		}
		c.MaxEts = max(c.MaxEts, n)
	case 'i':
		v, err := p.value(rest)
		c.InitMod = v
		return err
	case 'J':
		return p.jit(rest, a)
	case 'B':
		p.breaks(rest)
	case 'n':
		v, err := p.value(rest)
		if err == nil && v != "s" && v != "a" && v != "d" {
			return emuUsage("bad -n option %s", v)
		}
		return err
	case 'P':
		return p.tableSize(rest, "bad number of processes", &c.MaxProcs)
	case 'Q':
		return p.tableSize(rest, "bad number of ports", &c.MaxPorts)
	default:
		return p.flag2(f, rest, a)
	}
	return nil
}

func (p *emuParser) flag2(f byte, rest, a string) error {
	c := p.c
	switch f {
	case 'S':
		return p.schedFlag(rest, a)
	case 's':
		return p.sched(rest, a)
	case 't':
		return p.number(rest, "bad atom table size", minAtoms, maxAtoms, &c.MaxAtoms)
	case 'T':
		return p.number(rest, "bad modified timing level", 0, 9, &c.TimingLevel)
	case 'R':
		rel := cAtoi(c.Release)
		return p.number(rest, "bad compatibility release number", rel-2, rel, &c.CompatRel)
	case 'A':
		return p.number(rest, "bad number of async threads", 0, maxThreads, &c.AsyncThreads)
	case 'a':
		return p.number(rest, "bad stack size for async threads", 16, 8192, nil)
	case 'r':
		if strings.HasPrefix(rest, "g") {
			return p.digits(rest[1:], "bad reader groups limit:", 0, 1<<31-1, nil)
		}
	case 'C':
		v, err := p.choice(rest, "Invalid time warp mode: %s", "no_time_warp", "single_time_warp", "multi_time_warp")
		c.TimeWarp = v
		return err
	case 'c':
		return p.timeCorrection(rest)
	case 'W':
		v, err := p.value(rest)
		if err != nil {
			return err
		}
		switch {
		case strings.HasPrefix(v, "i"):
			c.WarnMap = "info"
		case strings.HasPrefix(v, "e"):
			c.WarnMap = "error"
		case strings.HasPrefix(v, "w"):
			c.WarnMap = "warning"
		default:
			return emuUsage("unrecognized warning_map option %s", v)
		}
	case 'z':
		return p.zFlag(rest, a)
	case 'M':
		return p.alloc(rest)
	case 'K':
		_, err := p.value(rest) // kernel poll, once a choice
		return err
	case 'I':
		return p.poll(rest, a)
	default:
		return p.unknown(a)
	}
	return nil
}

func (p *emuParser) tableSize(rest, what string, to *int) error {
	v, err := p.value(rest)
	if err != nil || v == "legacy" {
		return err
	}
	n := cAtoi(v)
	if n < minProcs || n > maxProcs {
		return emuUsage("%s %s", what, v)
	}
	*to = 1
	for *to < n {
		*to <<= 1
	}
	return nil
}

func (p *emuParser) fileNames(rest string) error {
	v, err := p.value(rest)
	if err != nil {
		return err
	}
	if v == "" || strings.IndexByte("ula", v[0]) < 0 {
		return emuUsage("bad filename encoding %s, can be (l,u or a, optionally followed by w, i or e)", v)
	}
	p.c.FnEncoding = map[byte]sysconf.FnEncoding{'u': sysconf.FnUTF8, 'l': sysconf.FnLatin1, 'a': sysconf.FnAuto}[v[0]]
	p.c.FnWarn = sysconf.FnWarning
	if v[0] == 'l' {
		return nil
	}
	switch v[1:] {
	case "", "w":
	case "i":
		p.c.FnWarn = sysconf.FnIgnore
	case "e":
		p.c.FnWarn = sysconf.FnError
	default:
		return emuUsage("bad type of warnings for wrongly coded filename: %s", v[1:])
	}
	return nil
}

func (p *emuParser) heap(rest string) error {
	c := p.c
	switch {
	case strings.HasPrefix(rest, "mbs"):
		return p.number(rest[3:], "bad heap size", 1, 1<<31-1, &c.MinBinVHeap)
	case strings.HasPrefix(rest, "ms"):
		return p.number(rest[2:], "bad heap size", 1, 1<<31-1, &c.MinHeap)
	case strings.HasPrefix(rest, "pds"):
		return p.number(rest[3:], "bad initial process dictionary size", 1, 1<<30, &c.PdSize)
	case strings.HasPrefix(rest, "mqd"):
		v, err := p.choice(rest[3:], "Invalid message_queue_data flag: %s", "on_heap", "off_heap")
		c.OffHeapMsgs = v == "off_heap"
		return err
	case strings.HasPrefix(rest, "maxk"):
		return p.boolean(rest[4:], "bad max heap kill %s", &c.MaxHeapKill)
	case strings.HasPrefix(rest, "maxel"):
		return p.boolean(rest[5:], "bad max heap error logger %s", &c.MaxHeapLog)
	case strings.HasPrefix(rest, "max"):
		return p.number(rest[3:], "bad max heap size", 0, 1<<59-1, &c.MaxHeap)
	}
	return p.number(rest, "bad heap size", 1, 1<<31-1, &c.MinHeap)
}

// jit checks +JDdump and +JPperf, which have no meaning here.
func (p *emuParser) jit(rest, a string) error {
	switch {
	case strings.HasPrefix(rest, "Ddump"):
		return p.boolean(rest[5:], "bad +JDdump flag %s", nil)
	case strings.HasPrefix(rest, "Pperf"):
		_, err := p.choice(rest[5:], "bad +JPperf support flag %s", "true", "false", "dump", "map")
		return err
	case strings.HasPrefix(rest, "D"), strings.HasPrefix(rest, "P"):
		return nil
	}
	fmt.Fprintf(os.Stderr, "invalid JIT option %s\n", a)
	return nil
}

func (p *emuParser) breaks(rest string) {
	letter := byte(0)
	if rest != "" {
		letter = rest[0]
	} else if p.i+1 < len(p.args) && p.args[p.i+1] != "" && strings.IndexByte("icd", p.args[p.i+1][0]) >= 0 {
		p.i++
		letter = p.args[p.i][0]
	}
	switch letter {
	case 'i':
		p.c.IgnoreBreak = true
	case 'c':
		p.c.ReplaceIntr = true
	default:
		p.c.NoBreakHandler = true
	}
}

func (p *emuParser) timeCorrection(rest string) error {
	switch rest {
	case "true":
		p.c.TimeCorrection = true
	case "false":
		p.c.TimeCorrection = false
	case "":
		p.c.TimeCorrection = false
		if p.i+1 < len(p.args) && (p.args[p.i+1] == "true" || p.args[p.i+1] == "false") {
			p.i++
			p.c.TimeCorrection = p.args[p.i] == "true"
		}
	default:
		return emuUsage("Invalid time correnction value: %s", rest)
	}
	return nil
}

func (p *emuParser) zFlag(rest, a string) error {
	c := p.c
	switch {
	case strings.HasPrefix(rest, "dbbl"):
		v, err := p.value(rest[4:])
		n := cAtoi(v)
		switch {
		case err != nil:
			return err
		case n < 1 || n > (1<<31-1)/1024:
			return emuUsage("Invalid dbbl limit: %d", int32(n))
		}
		c.DistBufBusy = n * 1024
	case strings.HasPrefix(rest, "dntgc"):
		v, err := p.value(rest[5:])
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(v)
		switch {
		case v == "infinity":
			n = -1
		case err != nil || n < 0 || n > 100_000_000:
			return emuUsage("Invalid delayed node table gc: %s", v)
		}
		c.NodeTabDelay = n
	case strings.HasPrefix(rest, "ebwt"):
		_, err := p.choice(rest[4:], "Invalid ets busy wait threshold: %s",
			"none", "very_short", "short", "medium", "long", "very_long", "extremely_long")
		return err
	case strings.HasPrefix(rest, "osrl"):
		return p.number(rest[4:], "Invalid outstanding requests limit", 1, maxProcs, &c.SysOutstanding)
	default:
		return emuUsage("bad -z option %s", a)
	}
	return nil
}

func (p *emuParser) poll(rest, a string) error {
	c := p.c
	switch {
	case strings.HasPrefix(rest, "OPt"):
		return p.digits(rest[3:], "bad I/O poll thread percentage number:", 0, 100, nil)
	case strings.HasPrefix(rest, "OPp"):
		return p.digits(rest[3:], "bad I/O pollset percentage number:", 0, 100, nil)
	case strings.HasPrefix(rest, "Ot"):
		return p.number(rest[2:], "bad I/O poll threads number:", 1, maxSchedulers, &c.PollThreads)
	case strings.HasPrefix(rest, "Op"):
		return p.number(rest[2:], "bad I/O pollset number:", 1, maxSchedulers, &c.PollSets)
	case strings.HasPrefix(rest, "Os"):
		return p.boolean(rest[2:], "bad +IOs boolean argument: %s", nil)
	}
	return p.unknown(a)
}

// numCPU is the number of logical processors.
func numCPU() int { return max(1, runtime.NumCPU()) }
