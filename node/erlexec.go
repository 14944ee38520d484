package node

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// UsageError is a command line that is refused: Msg goes to standard error,
// then the usage of erlexec or of the emulator, and the exit code is 1.
type UsageError struct {
	Msg     string
	Erlexec bool // whose usage
	Bare    bool // no usage at all
}

func (e *UsageError) Error() string { return strings.TrimSuffix(e.Msg, "\n") }

// PrintAndExit is a command line that asks for output and an exit with code 0.
type PrintAndExit struct{ Stdout, Stderr string }

func (e *PrintAndExit) Error() string { return e.Stdout + e.Stderr }

func asErr[T error](err error, t *T) bool { return errors.As(err, t) }

func missingArg(flag string) error {
	return &UsageError{Msg: "Missing argument(s) for '" + flag + "'.\n", Erlexec: true}
}

// CmdLine is what erlexec makes of a command line.
type CmdLine struct {
	Emu         []string // emulator flags, "-" instead of "+"
	Init        []string // for init: -root R -bindir B -progname P -- -home H -- flags…
	SetEnv      [][2]string
	Detached    bool
	Distributed bool
	StartEpmd   bool
	EpmdProg    string
	Verbose     bool     // -emu_args
	Man         []string // -man: run man with these
}

// Places are the values erlexec takes from its environment.
type Places struct {
	Root, Bindir, Progname, Emu string
	Home                        string   // empty: none
	EpmdPort                    string   // ERL_EPMD_PORT
	First                       []string // flags of init before all others
}

// Flags after + that take a value as the next argument when nothing follows
// the given name.
var (
	plusWithValue = "aACeinPQtTRWK"
	plusS         = []string{"bt", "bwtdcpu", "bwtdio", "bwt", "cl", "ct", "ecio", "fwi", "tbt", "wct", "wtdcpu", "wtdio", "wt", "ws", "ss", "ssdcpu", "ssdio", "pp", "ub"}
	plusH         = []string{"ms", "mbs", "pds", "max", "maxk", "maxel", "mqd", ""}
	plusR         = []string{"g"}
	plusZ         = []string{"dbbl", "dntgc", "ebwt", "osrl"}
	plusMAllocs   = "uBIDEFHLRSTZ"
	plusMAlloc    = []string{"as", "asbcst", "atags", "acul", "acnl", "acfml", "acful", "cp", "e", "t", "lmbcs", "mbcgs", "mbsd", "mmbcs", "mmmbc", "mmsbc", "msbclt", "ramv", "rmbcmt", "rsbcmt", "rsbcst", "sbct", "smbcs"}
	plusMOther    = []string{"ea", "ummc", "uycs", "usac", "im", "is", "lpm", "Mamcbf", "Mrmcbf", "Mmcs", "Mscs", "Mscrfsd", "Msco", "Mscrpm", "Ye", "Ym", "Ytp", "Ytt", "Iscs", "Xscs", "dai"}
)

type execParser struct {
	args  []string
	i     int
	p     Places
	out   CmdLine
	emu   []string
	init  []string
	halt  bool
	print string // "args", "quoted"
	epmd  bool   // -no_epmd
	proto bool
}

// ParseCmdLine does erlexec's part: args is the command line after massage.
func ParseCmdLine(args []string, p Places) (*CmdLine, error) {
	x := &execParser{args: slices.Clone(args), p: p}
	x.out.StartEpmd = true
	if err := x.flavour(); err != nil {
		return nil, err
	}
	if p.Home != "" {
		x.init = append(x.init, "-home", p.Home)
	}
	if p.EpmdPort != "" {
		x.init = append(x.init, "-epmd_port", p.EpmdPort)
	}
	x.init = append(append(x.init, "--"), p.First...)
	for x.i = 0; x.i < len(x.args); x.i++ {
		a := x.args[x.i]
		if a == "-extra" {
			x.init = append(x.init, x.args[x.i:]...)
			break
		}
		var err error
		switch {
		case strings.HasPrefix(a, "-"):
			err = x.minus(a)
		case strings.HasPrefix(a, "+"):
			err = x.plus(a)
		default:
			x.init = append(x.init, a)
		}
		if err != nil {
			return nil, err
		}
	}
	return x.finish()
}

func (x *execParser) finish() (*CmdLine, error) {
	if x.epmd && !x.proto {
		return nil, &UsageError{Msg: "erlexec: Missing -proto_dist option, expected when using -no_epmd.\n", Bare: true}
	}
	if x.halt {
		x.init = append(x.init, "-s", "erlang", "halt")
	}
	x.out.Emu = x.emu
	x.out.Init = append([]string{"-root", x.p.Root, "-bindir", x.p.Bindir, "-progname", x.p.Progname, "--"}, x.init...)
	all := append(append(slices.Clone(x.emu), "--"), x.out.Init...)
	emu := x.p.Bindir + "/" + x.p.Emu
	var b strings.Builder
	switch x.print {
	case "quoted":
		fmt.Fprintf(&b, "%q ", emu)
		for _, a := range all {
			b.WriteString("\"" + a + "\" ")
		}
		return nil, &PrintAndExit{Stdout: b.String() + "\n"}
	case "args":
		for _, a := range all {
			b.WriteString(a + "\n")
		}
		return nil, &PrintAndExit{Stdout: b.String()}
	case "name":
		return nil, &PrintAndExit{Stdout: x.p.Emu + "\n"}
	}
	return &x.out, nil
}

// flavour checks -smp, -emu_type and -emu_flavor, of which there is one each.
func (x *execParser) flavour() error {
	for i := 0; i < len(x.args) && x.args[i] != "-extra"; i++ {
		switch a := x.args[i]; a {
		case "-smp":
			if i+1 < len(x.args) && x.args[i+1] == "disable" {
				return smpDisabled()
			}
		case "-smpdisable":
			return smpDisabled()
		case "-emu_type", "-emu_flavor":
			if i+1 >= len(x.args) || x.args[i+1] == "--" {
				return missingArg(a)
			}
			v := x.args[i+1]
			if a == "-emu_type" && v != "opt" || a == "-emu_flavor" && v != "emu" && v != "smp" && v != "jit" {
				return &UsageError{Msg: "erlexec: Invalid emulator type or flavor. Available combinations are: \n  -emu_type opt -emu_flavor emu\n", Bare: true}
			}
			i++
		}
	}
	return nil
}

func smpDisabled() error {
	return &UsageError{Msg: "Argument '-smp disable' not supported. Use \"+S 1\" instead.\n", Erlexec: true}
}

// next returns the argument after the current one.
func (x *execParser) next(flag string) (string, error) {
	if x.i+1 >= len(x.args) || x.args[x.i+1] == "--" {
		return "", missingArg(flag)
	}
	x.i++
	return x.args[x.i], nil
}

func (x *execParser) keep(a string) error { x.init = append(x.init, a); return nil }

// keepWith keeps a flag and its argument.
func (x *execParser) keepWith(a string) (string, error) {
	v, err := x.next(a)
	if err == nil {
		x.init = append(x.init, a, v)
	}
	return v, err
}

func (x *execParser) minus(a string) (err error) {
	switch a {
	case "-compile":
		x.init = append(x.init, "-noshell", "-noinput", "-s", "c", "lc_batch")
		x.emu = append(x.emu, "-B")
		x.halt = false
	case "-make":
		x.init = append(x.init, "-noshell", "-noinput", "-s", "make", "all_or_nothing")
		x.emu = append(x.emu, "-B")
		x.halt = true
		x.i = len(x.args)
	case "-man":
		x.out.Man = x.args[x.i+1:]
		x.i = len(x.args)
	case "-configfd":
		if x.i+1 >= len(x.args) || x.args[x.i+1] == "--" {
			return missingArg(a)
		}
		if x.args[x.i+1] == "0" {
			x.init = append(x.init, "-noshell", "-noinput")
		}
		return x.keep(a)
	case "-detached":
		x.out.Detached = true
		x.init = append(x.init, "-noshell", "-noinput")
	case "-noinput":
		x.init = append(x.init, "-noshell", "-noinput")
	case "-emu_args":
		x.out.Verbose = true
	case "-emu_args_exit":
		x.print = "args"
	case "-emu_qouted_cmd_exit":
		x.print = "quoted"
	case "-emu_name_exit":
		x.print = "name"
	case "-env":
		var k, v string
		if k, err = x.next(a); err != nil {
			return err
		}
		if v, err = x.next(a); err != nil {
			return err
		}
		x.out.SetEnv = append(x.out.SetEnv, [2]string{k, v})
	case "-epmd":
		x.out.EpmdProg, err = x.next(a)
	case "-keep_window":
	case "-no_epmd":
		x.epmd, x.out.StartEpmd = true, false
		return x.keep(a)
	case "-name", "-sname":
		_, err = x.keepWith(a)
		x.out.Distributed = true
	case "-proto_dist":
		_, err = x.keepWith(a)
		x.proto = true
	case "-start_epmd":
		var v string
		if v, err = x.keepWith(a); err != nil {
			return err
		}
		if v != "true" && v != "false" {
			return &UsageError{Msg: "Expected boolean argument for '-start_epmd'.\n", Erlexec: true}
		}
		x.out.StartEpmd = v == "true"
	case "-version":
		x.emu = append(x.emu, "-V")
	default:
		return x.keep(a)
	}
	return err
}

// plain passes +flag on as -flag.
func (x *execParser) plain(a string) error {
	x.emu = append(x.emu, "-"+a[1:])
	return nil
}

// valued passes +flag and its argument on.
func (x *execParser) valued(a string) error {
	v, err := x.next(a)
	if err != nil {
		return err
	}
	x.emu = append(x.emu, "-"+a[1:], v)
	return nil
}

func (x *execParser) oneOf(a, rest string, names []string) error {
	if slices.Contains(names, rest) {
		return x.valued(a)
	}
	return x.plain(a)
}

func (x *execParser) plus(a string) error {
	if len(a) == 1 {
		return x.plain(a)
	}
	c, rest := a[1], a[2:]
	switch {
	case strings.IndexByte(plusWithValue, c) >= 0:
		return x.oneOf(a, rest, []string{""})
	case c == 'I':
		if slices.Contains([]string{"Ot", "Op", "OPt", "OPp", "Os"}, rest) {
			return x.valued(a)
		}
		for _, p := range []string{"Ot", "Op", "OPt", "OPp", "Os"} {
			if strings.HasPrefix(rest, p) {
				return x.plain(a)
			}
		}
		return missingArg(a)
	case c == 'J':
		return x.valued(a)
	case c == 'S':
		return x.plusS(a, rest)
	case c == 'B':
		return x.plusB(a, rest)
	case c == 'c':
		if rest == "" && x.i+1 < len(x.args) && (x.args[x.i+1] == "true" || x.args[x.i+1] == "false") {
			return x.valued(a)
		}
		return x.plain(a)
	case c == 'M':
		if rest != "" && strings.IndexByte(plusMAllocs, rest[0]) >= 0 && slices.Contains(plusMAlloc, rest[1:]) || slices.Contains(plusMOther, rest) {
			return x.valued(a)
		}
		return x.plain(a)
	case c == 'h':
		return x.oneOf(a, rest, plusH)
	case c == 'r':
		return x.oneOf(a, rest, plusR)
	case c == 's':
		return x.oneOf(a, rest, plusS)
	case c == 'p':
		return x.oneOf(a, rest, []string{"c"})
	case c == 'z':
		return x.oneOf(a, rest, plusZ)
	}
	return x.plain(a)
}

func (x *execParser) plusS(a, rest string) error {
	if strings.HasPrefix(rest, "D") {
		t := rest[1:]
		if !strings.HasPrefix(t, "cpu") && !strings.HasPrefix(t, "Pcpu") && !strings.HasPrefix(t, "io") {
			return missingArg(a)
		}
	}
	return x.oneOf(a, rest, []string{"", "P", "Dcpu", "DPcpu", "Dio"})
}

func (x *execParser) plusB(a, rest string) error {
	if rest != "" {
		if strings.IndexByte("icd", rest[0]) < 0 {
			return missingArg("-" + a[1:])
		}
		return x.plain(a)
	}
	if x.i+1 < len(x.args) && slices.Contains([]string{"i", "c", "d"}, x.args[x.i+1]) {
		return x.valued(a)
	}
	return x.plain(a)
}
