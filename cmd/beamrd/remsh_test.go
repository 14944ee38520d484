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

// typist types at a terminal and waits for what must come.
type typist struct {
	t    *testing.T
	user *os.File
	come chan string
	seen string
}

// read hands on what the program prints.
func (p *typist) read() {
	defer close(p.come)
	b := make([]byte, 4096)
	for {
		n, err := p.user.Read(b)
		if err != nil {
			return
		}
		p.come <- string(b[:n])
	}
}

func (p *typist) expect(text string) {
	p.t.Helper()
	late := time.After(time.Minute)
	for !strings.Contains(p.seen, text) {
		select {
		case s := <-p.come:
			p.seen += s
		case <-late:
			p.t.Fatalf("waiting for %q after %q", text, p.seen)
		}
	}
	p.seen = p.seen[strings.Index(p.seen, text)+len(text):]
}

func (p *typist) do(keys, expect string) {
	p.t.Helper()
	if _, err := p.user.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
	p.expect(expect)
}

// remsh runs `beamrd remsh` at a terminal; the function waits for its end.
func (c *cluster) remsh(node string) (*typist, func() int) {
	c.t.Helper()
	user, program := pty.Open(c.t, 30, 100)
	self, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.Command(self, "remsh", node)
	cmd.Env = append(append(os.Environ(), asMain+"=1"), c.env()...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { cmd.Process.Kill() })
	p := &typist{t: c.t, user: user, come: make(chan string, 1000)}
	go p.read()
	return p, func() int {
		cmd.Wait()
		return cmd.ProcessState.ExitCode()
	}
}

func TestRemsh(t *testing.T) {
	for _, n := range []struct {
		name string
		erl  bool
	}{{"erl", true}, {"beamrd", false}} {
		t.Run(n.name, func(t *testing.T) {
			c := newCluster(t)
			_, exited := c.start(n.erl, "shell")
			c.expect(`printf 'X = 20.\nX +\n1.\nfoo:bar().\n' | $B remsh | tail -n +2`, 0,
				"(shell@localhost)1> 20\n(shell@localhost)2> (shell@localhost)2> 21\n(shell@localhost)3> "+
					"** exception error: undefined function foo:bar/0\n(shell@localhost)4> \n")
			p, wait := c.remsh("shell")
			p.expect("1> ")
			p.do("X = 40 + 2.\r", "\n42\r\n(shell@localhost)2> ")
			p.do("X *\r", "2> ")
			p.do("  2.\r", "\n84\r\n(shell@localhost)3> ")
			p.do("io:columns().\r", "{ok,100}\r\n(shell@localhost)4> ")
			if err := unix.IoctlSetWinsize(int(p.user.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 20, Col: 60}); err != nil {
				t.Fatal(err)
			}
			p.do("\x1b[A\r", "{ok,60}\r\n(shell@localhost)5> ") // the line before again
			p.do("erlang:system_in\t", "fo(")
			p.do("otp_release).\r", "\"25\"\r\n(shell@localhost)6> ")
			p.do("io:get_line(\"name: \").\r", "\r\nname: ")
			p.do("é\r", "\"é\\n\"\r\n(shell@localhost)7> ")
			p.do("1/0.\r", "called as 1 / 0\r\n(shell@localhost)8> ")
			// What runs is interrupted from the menu; X is still bound.
			p.do("io:format(\"~p~n\", [started]), receive never -> ok end.\r", "\nstarted\r\n")
			p.do("\x07", " --> ")
			p.do("?\r", "detach")
			p.do("i\r", "** exception exit: killed\r\n(shell@localhost)9> ")
			p.do("half a line\x03", " --> ")
			p.do("c\r", "(shell@localhost)9> ")
			p.do("X.\r", "\n42\r\n(shell@localhost)10> ")
			p.user.WriteString("\x04")
			if code := wait(); code != 0 {
				t.Errorf("exit code %d after Ctrl-D", code)
			}
			c.expect("$B ping", 0, "pong\n")
			// Nothing of the shell is left behind, which may take it a moment.
			for c.sh(`$B eval 'length([P || P <- processes(), {current_function, {M, _, _}} <- [process_info(P, current_function)], M =:= shell])'`).out != "0\n" {
			}
			p, wait = c.remsh("shell")
			p.expect("1> ")
			p.do("q().\r", "ok")
			<-exited
			if code := wait(); code != 3 {
				t.Errorf("exit code %d after the node has gone", code)
			}
		})
	}
}
