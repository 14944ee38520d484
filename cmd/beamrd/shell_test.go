package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/fixture/pty"
)

// terminal is a shell on a pseudo terminal, and the user before it.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	user *os.File
	all  strings.Builder // what was shown
	seen int             // how much of it was expected
}

// onTerminal starts a command on a pseudo terminal.
func onTerminal(t *testing.T, name string, args ...string) *terminal {
	t.Helper()
	user, tty := pty.Open(t, 50, 200)
	c := exec.Command(name, args...)
	c.Dir = t.TempDir()
	c.Env = append(os.Environ(), asMain+"=1", "TERM=xterm", "HOME="+c.Dir, "LC_ALL=C.UTF-8", "ERL_CRASH_DUMP="+c.Dir+"/dump")
	c.Stdin, c.Stdout, c.Stderr = tty, tty, tty
	c.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	guard := time.AfterFunc(2*time.Minute, func() { _ = c.Process.Kill() })
	t.Cleanup(func() { guard.Stop(); _ = c.Process.Kill() })
	tty.Close() // its end is the program's alone: reading tells when that is gone
	return &terminal{t: t, cmd: c, user: user}
}

// expect reads until a text has come after all that was expected before.
func (m *terminal) expect(text string) {
	m.t.Helper()
	buf := make([]byte, 4096)
	for {
		if i := strings.Index(m.all.String()[m.seen:], text); i >= 0 {
			m.seen += i + len(text)
			return
		}
		n, err := m.user.Read(buf)
		m.all.Write(buf[:n])
		if err != nil {
			m.t.Fatalf("%q does not come (%v); there was %q", text, err, m.all.String())
		}
	}
}

// typed sends keys.
func (m *terminal) typed(keys string) {
	m.t.Helper()
	if _, err := m.user.WriteString(keys); err != nil {
		m.t.Fatal(err)
	}
}

// ends waits for the end of the command and checks its exit code.
func (m *terminal) ends(code int) {
	m.t.Helper()
	buf := make([]byte, 4096)
	for {
		n, err := m.user.Read(buf)
		m.all.Write(buf[:n])
		if err != nil {
			break // the terminal has no program any more
		}
	}
	_ = m.cmd.Wait()
	if got := m.cmd.ProcessState.ExitCode(); got != code {
		m.t.Errorf("exit code %d, want %d; there was %q", got, code, m.all.String())
	}
}

// shells runs a conversation with erl, which shows that it expects what is
// right, and with this program.
func shells(t *testing.T, talk func(m *terminal)) {
	needErl(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, command string
		args          []string
	}{{"erl", "erl", nil}, {"here", self, []string{"erl"}}} {
		t.Run(c.name, func(t *testing.T) {
			m := onTerminal(t, c.command, c.args...)
			m.expect("Eshell V")
			m.expect("1> ")
			talk(m)
		})
	}
}

func TestShellEvaluates(t *testing.T) {
	shells(t, func(m *terminal) {
		for _, c := range []struct{ line, answer string }{
			{`lists:sum([N * N || N <- lists:seq(1, 10)]).`, "385"},
			{`X = 40 + 2.`, "\n42"},
			{`X * 1000.`, "42000"},
			{`X = 1.`, "no match of right hand side value"},
			{`rd(point, {x, y = 7 * 11}), #point{x = X}.`, "#point{x = 42,y = 77}"},
			{`spawn(fun() -> error(oops) end), ok.`, "with exit value:"},
			{`exit({bad, X}).`, "** exception exit: {bad,42}"},
			{`1 / (X - 42).`, "** exception error: an error occurred when evaluating an arithmetic expression"},
			{`f(X), X.`, "variable 'X' is unbound"},
			{`io:get_line("name? ").`, "name? "},
			{`Ada`, `"Ada\n"`},
			{`[1, 2`, ""},
			{`].`, "[1,2]"},
			{`foo(.`, "syntax error before: "},
			{`"` + "\u00e5\u4e2d" + `".`, `[229,20013]`},
			{`v(1).`, "385"},
			{`whereis(user_drv) =/= undefined andalso 7 * 191.`, "1337"},
		} {
			m.typed(c.line + "\r")
			m.expect(c.answer)
		}
		m.typed("q().\r")
		m.ends(0)
	})
}

func TestShellEditsLines(t *testing.T) {
	shells(t, func(m *terminal) {
		m.typed("1110 + 1.\r")
		m.expect("\n1111")
		m.expect("2> ")
		m.typed("\x1b[A") // the line before
		m.expect("1110 + 1.")
		m.typed("\r")
		m.expect("\n1111")
		m.expect("3> ")
		m.typed("3000\x01222\x05.\r") // to the beginning, to the end
		m.expect("\n2223000")
		m.expect("4> ")
		m.typed("7x\x7f7.\r") // a character deleted
		m.expect("\n77\r")
		m.expect("5> ")
		m.typed("lists:suf\t[], [a]).\r") // completed
		m.expect("\ntrue")
		m.expect("6> ")
		m.typed("nonsense\x15" + "50 + 5.\r") // a line deleted
		m.expect("\n55")
		m.expect("7> ")
		m.typed("\x04912\x01\x04\x05.\r") // Ctrl-D: a bell on an empty line, else deletes what follows
		m.expect("\n12\r")
		m.expect("8> ")
		m.typed("halt(5).\r")
		m.ends(5)
	})
}

func TestShellJobs(t *testing.T) {
	shells(t, func(m *terminal) {
		m.typed("\x07")
		m.expect("User switch command")
		m.expect("--> ")
		m.typed("s\r")
		m.expect("--> ")
		m.typed("j\r")
		m.expect("2* {shell,start,[]}")
		m.expect("--> ")
		m.typed("nosuch\r")
		m.expect("Unknown command")
		m.expect("--> ")
		m.typed("c 2\r")
		m.expect("1> ")
		m.typed("20 + 2.\r")
		m.expect("\n22")
		m.expect("2> ")
		m.typed("io:format(\"wait~s~n\", [\"ing\"]), receive never -> ok end.\r")
		m.expect("\nwaiting") // a key typed before would overtake the line
		m.typed("\x07")
		m.expect("--> ")
		m.typed("i\r") // the evaluation is interrupted
		m.expect("--> ")
		m.typed("c\r")
		m.expect("** exception exit: killed")
		m.expect("3> ")
		m.typed("\x07")
		m.expect("--> ")
		m.typed("k 2\r")
		m.expect("--> ")
		m.typed("q\r")
		m.ends(0)
	})
}

func TestShellBreak(t *testing.T) {
	shells(t, func(m *terminal) {
		m.typed("\x03")
		m.expect("BREAK: (a)bort")
		m.typed("v\r")
		m.expect("emulator version 13.")
		m.typed("20 + 2.\r")
		m.expect("\n22")
		m.expect("2> ")
		m.typed("\x03")
		m.expect("BREAK: (a)bort")
		m.typed("c\r")
		m.expect("c\r\n") // only now is the terminal the shell's again
		m.typed("30 + 3.\r")
		m.expect("\n33")
		m.expect("3> ")
		m.typed("\x03")
		m.expect("BREAK: (a)bort")
		m.typed("a\r")
		m.ends(0)
	})
}
