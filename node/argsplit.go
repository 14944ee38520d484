package node

import (
	"fmt"
	"os"
	"strings"
)

// splitArgs splits the text of an environment variable or of an arguments file
// the way erlexec does: at white space, with quotes of both kinds and
// backslashes; with comments, `#` starts one outside quotes.
func splitArgs(s string, comments bool) (args []string) {
	space := func(c byte) bool { return strings.IndexByte(" \n\f\r\t\v", c) >= 0 }
	i := 0
	for {
		for i < len(s) && (space(s[i]) || comments && s[i] == '#') {
			if s[i] == '#' {
				for i < len(s) && s[i] != '\n' {
					i++
				}
				continue
			}
			i++
		}
		if i >= len(s) {
			return args
		}
		var b strings.Builder
		for i < len(s) && !space(s[i]) && (!comments || s[i] != '#') {
			switch c := s[i]; c {
			case '"', '\'':
				for i++; i < len(s) && s[i] != c; i++ {
					b.WriteByte(s[i])
				}
				i++
			case '\\':
				if i++; i < len(s) {
					b.WriteByte(s[i])
					i++
				}
			default:
				b.WriteByte(c)
				i++
			}
		}
		args = append(args, b.String())
	}
}

// withSep ends a group of flags, so that those of one source cannot swallow
// those of the next.
func withSep(args []string) []string {
	if len(args) == 0 {
		return nil
	}
	return append(args, "--")
}

func readArgsFile(name string) ([]string, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		cwd, _ := os.Getwd()
		return nil, &UsageError{Msg: fmt.Sprintf("Failed to open arguments file %q at %q: %s\n", name, cwd, errnoText(err)), Erlexec: true}
	}
	if i := strings.IndexByte(string(b), 0); i >= 0 {
		b = b[:i]
	}
	return withSep(splitArgs(string(b), true)), nil
}

// errnoText is strerror's text of an error of a system call.
func errnoText(err error) string {
	var pe *os.PathError
	if asErr(err, &pe) {
		err = pe.Err
	}
	t := err.Error()
	if t != "" {
		t = strings.ToUpper(t[:1]) + t[1:]
	}
	return t
}

// merge expands -args_file and moves what follows -extra to the end.
type merge struct{ args, extra []string }

func (m *merge) group(args []string) error {
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "-args_file":
			if i++; i == len(args) {
				return missingArg("-args_file")
			}
			sub, err := readArgsFile(args[i])
			if err != nil {
				return err
			}
			if err := m.file(sub, 0); err != nil {
				return err
			}
		case "-extra":
			m.extra = append(m.extra, args[i+1:]...)
			return nil
		default:
			m.args = append(m.args, args[i])
		}
	}
	return nil
}

// file is group for the contents of a file, which may name further files.
func (m *merge) file(args []string, depth int) error {
	if depth > 100 {
		return &UsageError{Msg: "Arguments files include each other too deeply\n", Erlexec: true}
	}
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "-args_file":
			if i++; i == len(args) {
				return missingArg("-args_file")
			}
			sub, err := readArgsFile(args[i])
			if err != nil {
				return err
			}
			if err := m.file(sub, depth+1); err != nil {
				return err
			}
		case "-extra":
			m.extra = append(m.extra, args[i+1:]...)
			return nil
		default:
			m.args = append(m.args, args[i])
		}
	}
	return nil
}

// massage merges the command line with ERL_OTP25_FLAGS, ERL_AFLAGS (before it),
// ERL_FLAGS and ERL_ZFLAGS (after it).
func massage(args []string, env func(string) string, release string) ([]string, error) {
	var groups [][]string
	fromEnv := 0
	add := func(name string) {
		if g := withSep(splitArgs(env(name), false)); g != nil {
			groups = append(groups, g)
			fromEnv++
		}
	}
	add("ERL_OTP" + release + "_FLAGS")
	add("ERL_AFLAGS")
	if len(args) > 0 {
		groups = append(groups, args, []string{"--"})
	}
	add("ERL_FLAGS")
	add("ERL_ZFLAGS")
	if fromEnv == 0 {
		plain := true
		for _, a := range args {
			if a == "-extra" {
				break
			}
			if a == "-args_file" {
				plain = false
			}
		}
		if plain {
			return args, nil
		}
	}
	var m merge
	for _, g := range groups {
		if err := m.group(g); err != nil {
			return nil, err
		}
	}
	if len(m.extra) > 0 {
		m.args = append(append(m.args, "-extra"), m.extra...)
	}
	return m.args, nil
}
