package node

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// Translated is the command line of erl that stands for one of erlc or escript.
type Translated struct {
	Args []string
	Env  map[string]string
}

// elsewhere runs the emulator that an environment variable names instead of
// this one: it returns only if there is none, or with an error.
func elsewhere(variable string, args []string) error {
	words := strings.Fields(os.Getenv(variable))
	if len(words) == 0 || isSelf(words[0]) {
		return nil
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return fmt.Errorf("%s names %s, which cannot be run: %w", variable, words[0], err)
	}
	if isSelf(path) {
		return nil
	}
	err = syscall.Exec(path, append(words, args...), os.Environ())
	return fmt.Errorf("%s names %s, which cannot be run: %w", variable, path, err)
}

func frontendError(prog, format string, args ...any) error {
	return &UsageError{Msg: prog + ": " + fmt.Sprintf(format, args...) + "\n", Bare: true}
}

// ErlcArgs translates erlc's command line. The compile server (-server) is not
// used: erlc starts a node of its own then, as it does when none answers.
func ErlcArgs(args []string) (*Translated, error) {
	front := []string{}
	push := []string{"+sbtu", "+A0", "-noinput", "-mode", "minimal", "-boot", "no_dot_erlang",
		"-s", "erl_compile", "compile_cmdline", "-extra"}
	server := map[string]bool{"true": true, "yes": true}[os.Getenv("ERLC_USE_SERVER")]
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-d":
		case a == "-no-server":
			server = false
		case a == "-server":
			server = true
		case a == "-smp":
			front = append([]string{a}, front...)
		case strings.HasPrefix(a, "-pa"), strings.HasPrefix(a, "-pz"):
			v := a[3:]
			if v == "" {
				if i+1 >= len(args) || strings.HasPrefix(args[i+1], "-") {
					return nil, frontendError("erlc", "No value given to -%c option", a[1])
				}
				i++
				v = args[i]
			}
			front = append([]string{a[:3], v}, front...)
		default:
			push = append(push, a)
		}
	}
	if !server {
		front = append([]string{"+S1"}, front...)
	}
	t := &Translated{Args: append(front, push...), Env: map[string]string{"ESCRIPT_NAME": "erlc"}}
	if self, err := selfPath(); err == nil {
		t.Env["ERLC_CONFIGURATION"] = self
	}
	return t, elsewhere("ERLC_EMULATOR", t.Args)
}

// EscriptArgs translates escript's command line.
func EscriptArgs(args []string) (*Translated, error) {
	var opts []string
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		opts = append(opts, args[0][1:])
		args = args[1:]
	}
	if len(args) == 0 {
		return nil, frontendError("escript", "Missing filename\n")
	}
	return escriptFor(args[0], opts, args[1:])
}

func escriptFor(script string, opts, rest []string) (*Translated, error) {
	she, err := shebangArgs(script)
	if err != nil {
		return nil, err
	}
	out := append([]string{"+B", "-boot", "no_dot_erlang", "-noshell"}, she...)
	out = append(append(out, "-run", "escript", "start"), opts...)
	out = append(append(out, "-extra", script), rest...)
	os.Setenv("ESCRIPT_NAME", script)
	return &Translated{Args: out, Env: map[string]string{"ESCRIPT_NAME": script}}, elsewhere("ESCRIPT_EMULATOR", out)
}

// shebangArgs returns the words of a %%! line, which is the second or third.
func shebangArgs(script string) ([]string, error) {
	f, err := os.Open(script)
	if err != nil {
		return nil, frontendError("escript", "Failed to open file: %s", script)
	}
	defer f.Close()
	r := bufio.NewReader(f)
	for n := range 3 {
		line, err := r.ReadString('\n')
		if n > 0 && strings.HasPrefix(line, "%%!") {
			return strings.FieldsFunc(strings.TrimRight(line[3:], "\n"), func(r rune) bool { return r == ' ' }), nil
		}
		if err != nil {
			return nil, nil
		}
	}
	return nil, nil
}
