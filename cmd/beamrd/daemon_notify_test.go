package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestNotify is systemd to a daemon: notify socket and watchdog.
func TestNotify(t *testing.T) {
	s := newService(t)
	addr := filepath.Join(s.home, "notify")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: addr, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "start", "a@localhost", "--", "-eval", `io:put_chars(os:cmd("env")),io:put_chars(user,"env shown\n")`)
	cmd.Env = append(append(os.Environ(), s.env(asMain+"=1")...), "NOTIFY_SOCKET="+addr, "WATCHDOG_USEC=200000", "LISTEN_FDS=0", "LISTEN_PID=1")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// expect reads until a message has a line.
	expect := func(want string) string {
		t.Helper()
		buf := make([]byte, 4096)
		_ = l.SetReadDeadline(time.Now().Add(time.Minute))
		for {
			n, err := l.Read(buf)
			if err != nil {
				t.Fatalf("in vain: %s: %v", want, err)
			}
			for _, line := range strings.Split(string(buf[:n]), "\n") {
				if line == want {
					return string(buf[:n])
				}
			}
		}
	}
	if m := expect("READY=1"); !strings.Contains(m, "STATUS=Running a@localhost on OTP ") {
		t.Errorf("ready: %q", m)
	}
	expect("WATCHDOG=1")
	expect("WATCHDOG=1")
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if m := expect("RELOADING=1"); !strings.Contains(m, "\nMONOTONIC_USEC=") {
		t.Errorf("reloading: %q", m)
	}
	expect("READY=1")
	// While the process that answers probes is held up, the watchdog starves.
	s.run("$B eval 'spawn(fun() -> register(holder, self()), erlang:suspend_process(whereis(beamrd_daemon)), receive after infinity -> ok end end).'")
	eventually(t, "silence", func() bool {
		_ = l.SetReadDeadline(time.Now().Add(time.Second))
		_, err := l.Read(make([]byte, 4096))
		return err != nil
	})
	s.run("$B eval 'exit(whereis(holder), kill).'")
	expect("WATCHDOG=1")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	expect("STOPPING=1")
	if err := cmd.Wait(); err != nil {
		t.Errorf("SIGTERM: %v\n%s", err, out.String())
	}
	env := out.String()
	if !strings.Contains(env, "env shown") {
		t.Errorf("output: %s", env)
	}
	for _, v := range []string{"NOTIFY_SOCKET=/", "WATCHDOG_USEC=", "LISTEN_FDS=", "LISTEN_PID="} {
		if strings.Contains(env, v) {
			t.Errorf("%s reaches children", v)
		}
	}
}

// TestJournal lets a node log to what JOURNAL_STREAM names: each line begins
// with its priority.
func TestJournal(t *testing.T) {
	s := newService(t)
	s.run(`exec >journal 2>&1; export JOURNAL_STREAM=$(stat -L -c %d:%i journal)
		$B start a@localhost -- -eval 'logger:error("first~nsecond", []), logger:notice("third"), io:put_chars(user, "fourth\n"), init:stop().'`)
	b, err := os.ReadFile(s.home + "/journal")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<3>first\n<3>second\n", "<5>third\n", "\nfourth\n"} {
		if !strings.Contains("\n"+string(b), want) {
			t.Errorf("the journal lacks %q:\n%s", want, b)
		}
	}
	for _, l := range strings.Split(string(b), "\n") {
		if strings.Contains(l, "REPORT====") && !strings.HasPrefix(l, "<") {
			t.Errorf("a line without priority: %s", l)
		}
	}
}
