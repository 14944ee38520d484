package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/beamrd/beamrd/daemon"
)

// service is a place for daemons of a test's own: port mapper, home, state and
// runtime folders. Tests with services are left out of short runs.
type service struct{ *cluster }

func newService(t *testing.T) *service {
	t.Helper()
	if testing.Short() {
		t.Skip("long")
	}
	s := &service{newCluster(t)}
	t.Cleanup(func() {
		is, _ := filepath.Glob(s.home + "/beamrd/*/node.json")
		for _, f := range is {
			var i daemon.Instance
			if b, err := os.ReadFile(f); err == nil && json.Unmarshal(b, &i) == nil && i.PID > 1 {
				_ = syscall.Kill(i.PID, syscall.SIGKILL)
			}
		}
	})
	return s
}

func (s *service) env(more ...string) []string {
	return append([]string{
		"ERL_EPMD_PORT=" + strconv.Itoa(s.port), "HOME=" + s.home, "XDG_RUNTIME_DIR=" + s.home, "XDG_STATE_HOME=" + s.home + "/state",
		"RUNTIME_DIRECTORY=", "ERL_CRASH_DUMP=", "STATE_DIRECTORY=", "LOGS_DIRECTORY=", "NOTIFY_SOCKET=", "LANG=C.UTF-8",
	}, more...)
}

func (s *service) sh(command string) outcome { return sh(s.t, s.home, command, s.env()...) }

// run runs a command that must succeed, and returns what it prints.
func (s *service) run(command string) string {
	s.t.Helper()
	o := s.sh(command)
	if o.code != 0 {
		s.t.Fatalf("%s: exit code %d: %s%s", command, o.code, o.out, o.err)
	}
	return o.out
}

// fails runs a command that must fail, with an exit code and a message.
func (s *service) fails(command string, code int, message string) {
	s.t.Helper()
	o := s.sh(command)
	lacksGoTrace(s.t, o)
	if o.code != code || !strings.Contains(o.err, message) {
		s.t.Errorf("%s: exit code %d, want %d; %q lacks %q", command, o.code, code, o.out+o.err, message)
	}
}

// module compiles a module into the home.
func (s *service) module(name, text string) {
	s.t.Helper()
	f := filepath.Join(s.home, name+".erl")
	if err := os.WriteFile(f, []byte("-module("+name+").\n"+text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if out, err := exec.Command("erlc", "-o", s.home, f).CombinedOutput(); err != nil {
		s.t.Fatalf("erlc: %v\n%s", err, out)
	}
}

// pid returns the process of a daemon.
func (s *service) pid(name string) int {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.home, "beamrd", name, "pid"))
	if err != nil {
		s.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		s.t.Fatal(err)
	}
	return pid
}

// gone waits until a process has ended; it may not have been waited for.
func (s *service) gone(pid int) {
	s.t.Helper()
	eventually(s.t, "the node ends", func() bool {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		return err != nil || strings.Contains(string(b), ") Z ")
	})
}

// eventually waits for what has to come; only a test that fails runs into the
// limit.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !f(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("in vain: %s", what)
		}
	}
}

// TestLoad loads, replaces, refuses and unloads modules.
func TestLoad(t *testing.T) {
	s := newService(t)
	s.module("one", "-export([v/0, loop/0]).\nv() -> 1.\nloop() -> receive X -> X end.\n")
	s.module("two", "-export([v/0]).\n-on_load(init/0).\ninit() -> ok.\nv() -> one:v() + 1.\n")
	s.module("bad", "-export([v/0]).\n-on_load(init/0).\ninit() -> no.\nv() -> 1.\n")
	s.run("cp one.beam wrong.beam; head -c 100 one.beam > cut.beam; mkdir otp; cp one.beam otp/lists.beam")
	s.run("mkdir cwd; cd cwd; $B start a@localhost --detach") // not where the modules are
	if out := s.run("$B load one.beam two.beam; $B rpc two v"); out != "loaded one two (generation 1)\n2\n" {
		t.Errorf("load: %s", out)
	}
	s.fails("$B load bad.beam", 1, "bad: its on_load function failed")
	s.fails("$B load wrong.beam one.beam", 1, "wrong: the file holds module one: it must be named one.beam")
	s.fails("$B load cut.beam", 1, "cut: beam file")
	s.fails("$B load otp/lists.beam", 1, "lists: the file holds module one")
	s.fails("$B load one.beam one.beam", 1, "one: named more than once")
	s.fails("$B load none.beam", 1, "none.beam")
	s.fails("$B load one.erl", 2, "one.erl: not called MODULE.beam")
	s.fails("$B load -n nobody@localhost one.beam", 3, "nobody@localhost does not run")
	s.fails("$B unload lists", 1, "lists: it is part of OTP")
	s.fails("$B unload nothing one", 1, "nothing: neither loaded nor stored")
	s.run("$B eval 'register(loop, spawn(one, loop, [])).'")
	s.run("$B load one.beam") // what runs becomes old
	s.fails("$B load one.beam", 1, "(loop) still runs its old code; --force kills")
	s.run("$B load --force one.beam")
	if out := s.run("$B rpc erlang whereis loop; $B load --no-persist two.beam; $B unload two; $B modules --json"); !strings.Contains(out, `"state": "current"`) ||
		strings.Contains(out, `"two"`) || !strings.HasPrefix(out, "undefined\nloaded two\nunloaded two (generation 4)\n") {
		t.Errorf("modules: %s", out)
	}
	s.fails("$B rpc two v", 1, "undef")
	s.start(true, "plain")
	s.fails("$B load -n plain@localhost one.beam", 1, "plain@localhost was not started by beamrd start")
	if out := s.run("$B load -n plain@localhost --no-persist one.beam; $B rpc -n plain@localhost one v"); out != "loaded one\n1\n" {
		t.Errorf("a node of erl: %s", out)
	}
	pid := s.pid("a")
	s.run("$B stop a")
	s.gone(pid)
	s.fails("$B modules a@localhost", 3, "a@localhost does not run")
}

// TestStart covers what keeps a daemon from starting.
func TestStart(t *testing.T) {
	s := newService(t)
	s.fails("$B start", 1, "requires at least 1 arg")
	s.fails("$B start a/b", 1, `"a/b" is no name for a node`)
	s.fails("$B start a b", 1, "flags of erl come after --")
	s.fails("$B start a --restore maybe", 1, "--restore is strict, lenient or off")
	s.fails("$B start a@localhost --detach -- +zzz", 1, "bad -z option -zzz")
	s.fails("$B start a@localhost --detach -- -s nosuch module", 1, "nosuch,module")
	s.run("echo secret > open; chmod 644 open")
	s.fails("$B start a@localhost --cookie-file open", 1, "must be accessible by owner only")
	if out := s.run("$B start a@localhost --detach --cookie-file new -- -eval 'register(here, self())'; stat -c %a new"); !strings.HasSuffix(out, "\n400\n") {
		t.Errorf("start: %s", out)
	}
	cookie, err := os.ReadFile(s.home + "/new")
	if err != nil || len(cookie) != 20 {
		t.Errorf("cookie %q, %v", cookie, err)
	}
	cmdline, err := os.ReadFile("/proc/" + strconv.Itoa(s.pid("a")) + "/cmdline")
	if err != nil || strings.Contains(string(cmdline), string(cookie)) {
		t.Errorf("the command line is %q, %v", cmdline, err)
	}
	s.fails("$B start a@localhost", 1, "node a is running already (pid "+strconv.Itoa(s.pid("a"))+")")
	if out := s.run("$B ping; $B rpc erlang node"); out != "pong\na@localhost\n" {
		t.Errorf("the cookie's file is not found by itself: %s", out)
	}
	pid := s.pid("a")
	if err := syscall.Kill(pid, syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	s.gone(pid)
	dump, err := os.ReadFile(s.home + "/state/beamrd/a/log/erl_crash.dump")
	if err != nil || !strings.Contains(string(dump), "Slogan: Received SIGUSR1") {
		t.Errorf("crash dump: %.200s, %v", dump, err)
	}
	if out := s.run("$B logs a"); !strings.Contains(out, "Crash dump is being written to: "+s.home+"/state/beamrd/a/log/erl_crash.dump...") {
		t.Errorf("log: %s", out)
	}
}

// TestReload moves the log away and changes the configuration.
func TestReload(t *testing.T) {
	s := newService(t)
	s.run("echo '[{kernel, [{x, 1}]}].' > sys.config")
	s.run("$B start a@localhost --detach --config sys")
	log := s.home + "/state/beamrd/a/log/a.log"
	s.run("mv " + log + " old.log; echo '[{kernel, [{x, 2}, {logger_level, error}]}].' > sys.config")
	hup := func() {
		if err := syscall.Kill(s.pid("a"), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	hup()
	eventually(t, "x is 2", func() bool { return s.run("$B rpc application get_env kernel x") == "{ok,2}\n" })
	s.run(`$B eval 'group_leader(whereis(user), self()), logger:warning("not this"), logger:error("but this").'`)
	eventually(t, "a new log", func() bool {
		b, err := os.ReadFile(log)
		return err == nil && strings.Contains(string(b), "but this") && !strings.Contains(string(b), "not this")
	})
	s.run("echo '[{kernel' > sys.config")
	hup()
	eventually(t, "a complaint", func() bool { return strings.Contains(s.run("$B logs a"), "the configuration was not read again: ") })
	if out := s.run("$B rpc application get_env kernel x"); out != "{ok,2}\n" {
		t.Errorf("x is %s", out)
	}
}

// TestDeadline stops a node with an application that does not stop.
func TestDeadline(t *testing.T) {
	s := newService(t)
	s.module("stay", "-export([start/2, prep_stop/1, stop/1]).\nstart(_, _) -> {ok, self()}.\nprep_stop(_) -> receive after infinity -> ok end.\nstop(_) -> ok.\n")
	o := s.sh(`$B start a@localhost --stop-deadline 300ms -- -pa . -eval 'ok = application:load({application, stay, [{mod, {stay, []}}, {applications, [kernel]}]}),
		ok = application:start(stay), os:cmd("kill -TERM " ++ os:getpid())'`)
	if o.code != 1 || !strings.Contains(o.err, "beamrd: node a has not stopped within 300ms; it is ended\n") {
		t.Errorf("exit code %d: %s%s", o.code, o.out, o.err)
	}
}
