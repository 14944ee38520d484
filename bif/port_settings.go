package bif

import (
	"math"
	"os"
	"strings"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/term"
)

var (
	amSpawn, amSpawnDriver, amSpawnExecutable = term.Intern("spawn"), term.Intern("spawn_driver"), term.Intern("spawn_executable")
	amFd, amForce, amNosuspend                = term.Intern("fd"), term.Intern("force"), term.Intern("nosuspend")
	amPacket, amEnv, amCd, amArg0             = term.Intern("packet"), term.Intern("env"), term.Intern("cd"), term.Intern("arg0")
	amParallelism, amDisabled                 = term.Intern("parallelism"), term.Intern("disabled")
	amBusyLimitsPort, amBusyLimitsMsgq        = term.Intern("busy_limits_port"), term.Intern("busy_limits_msgq")
)

var portFlags = map[term.Term]func(o *port.Options){
	term.Intern("stream"):           func(o *port.Options) { o.Packet = 0 },
	term.Intern("use_stdio"):        func(o *port.Options) { o.UseStdio = true },
	term.Intern("nouse_stdio"):      func(o *port.Options) { o.UseStdio = false },
	term.Intern("stderr_to_stdout"): func(o *port.Options) { o.StderrToStdout = true },
	term.Intern("line"):             func(o *port.Options) { o.Line = 512 },
	term.Intern("binary"):           func(o *port.Options) { o.Binary = true },
	term.Intern("in"):               func(o *port.Options) { o.Read = true },
	term.Intern("out"):              func(o *port.Options) { o.Write = true },
	term.Intern("eof"):              func(o *port.Options) { o.EOF = true },
	term.Intern("hide"):             func(o *port.Options) { o.Hide = true },
	term.Intern("exit_status"):      func(o *port.Options) { o.ExitStatus = true },
	term.Intern("overlapped_io"):    func(o *port.Options) {},
}

// portSettings reads the settings of open_port/2; false for badopt.
func portSettings(l term.Term, o *port.Options) bool {
	for ; l.IsList(); l = l.Tail() {
		s := l.Head()
		if s.IsAtom() {
			f, ok := portFlags[s]
			if !ok {
				return false
			}
			f(o)
			continue
		}
		if !s.IsTuple() || s.Arity() != 2 || !portSetting(s.El(1), s.El(2), o) {
			return false
		}
	}
	if !l.IsNil() {
		return false
	}
	if !o.Read && !o.Write {
		o.Read, o.Write = true, true
	}
	return !(o.Line > 0 && o.Packet > 0) && !(o.StderrToStdout && !o.UseStdio)
}

func portSetting(key, v term.Term, o *port.Options) (ok bool) {
	switch key {
	case amPacket:
		if !v.IsSmall() || v.Small() != 1 && v.Small() != 2 && v.Small() != 4 {
			return false
		}
		o.Packet = int(v.Small())
	case term.AmLine:
		if !v.IsSmall() || v.Small() <= 0 {
			return false
		}
		o.Line = int(v.Small())
	case amEnv:
		o.Env, ok = portEnv(v)
		return ok
	case term.AmArgs:
		o.Args, ok = portArgs(v)
		o.HasArgs = true
		return ok
	case amArg0:
		o.Arg0, ok = anyName(v)
		o.HasArg0 = true
		return ok
	case amCd:
		o.Dir, ok = anyName(v)
		return ok || v.IsNil()
	case amParallelism:
		o.Parallelism = v == term.True
		return v.IsBool()
	case amBusyLimitsPort:
		o.Low, o.High, o.NoBusyPort, ok = busyLimits(v)
		return ok
	case amBusyLimitsMsgq:
		o.MsgLow, o.MsgHigh, o.NoBusyMsgq, ok = busyLimits(v)
		return ok
	default:
		return false
	}
	return true
}

// busyLimits reads {Low,High} or disabled.
func busyLimits(v term.Term) (low, high int, disabled, ok bool) {
	if v == amDisabled {
		return 0, 0, true, true
	}
	if !v.IsTuple() || v.Arity() != 2 {
		return 0, 0, false, false
	}
	l, ok1 := uint64Of(v.El(1))
	h, ok2 := uint64Of(v.El(2))
	if !ok1 || !ok2 || l < 1 || h < 1 || l == math.MaxUint64 || h == math.MaxUint64 {
		return 0, 0, false, false
	}
	h = min(h, math.MaxInt64)
	return int(min(l, h)), int(h), false, true
}

func portArgs(l term.Term) (args []string, ok bool) {
	for ; l.IsList(); l = l.Tail() {
		s, ok := anyName(l.Head())
		if !ok {
			return nil, false
		}
		args = append(args, s)
	}
	return args, l.IsNil()
}

// portEnv merges [{Name,Value|false}] into the node's environment; the empty
// string stands for false.
func portEnv(l term.Term) ([]string, bool) {
	env := map[string]string{}
	var order []string
	set := func(k, v string) {
		if _, had := env[k]; !had {
			order = append(order, k)
		}
		env[k] = v
	}
	for _, kv := range os.Environ() {
		if k, v, ok := strings.Cut(kv, "="); ok {
			set(k, v)
		}
	}
	for ; l.IsList(); l = l.Tail() {
		t := l.Head()
		if !t.IsTuple() || t.Arity() != 2 {
			return nil, false
		}
		k, ok := envName(t.El(1))
		if !ok {
			return nil, false
		}
		if v := t.El(2); v == term.False || v.IsNil() {
			delete(env, k)
			continue
		}
		v, ok := envText(t.El(2))
		if !ok {
			return nil, false
		}
		set(k, v)
	}
	var out []string
	seen := map[string]bool{}
	for _, k := range order {
		if v, ok := env[k]; ok && !seen[k] {
			seen[k] = true
			out = append(out, k+"="+v)
		}
	}
	if out == nil {
		out = []string{}
	}
	return out, l.IsNil()
}

// envText reads a string of the environment: a list of characters or a binary,
// without zeros.
func envText(t term.Term) (string, bool) {
	if b, ok := heap.AlignedBytes(t); ok {
		return string(b), !strings.Contains(string(b), "\x00")
	}
	b, ok := nativeName(t, false)
	return string(b), ok
}

// envName reads the name of a variable: not empty, and '=' at most in front.
func envName(t term.Term) (string, bool) {
	s, ok := envText(t)
	return s, ok && s != "" && !strings.Contains(s[1:], "=")
}
