package main

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/dist/epmd"
)

// cluster is a port mapper of a test's own and a home with a cookie.
type cluster struct {
	t    *testing.T
	port int
	home string
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	needErl(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	c := &cluster{t, l.Addr().(*net.TCPAddr).Port, t.TempDir()}
	go (&epmd.Server{Port: c.port}).Serve(l)
	if err := os.WriteFile(c.home+"/.erlang.cookie", []byte("clientcookie"), 0o400); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *cluster) env() []string {
	return []string{
		"ERL_EPMD_PORT=" + strconv.Itoa(c.port), "HOME=" + c.home, "XDG_RUNTIME_DIR=" + c.home, "RUNTIME_DIRECTORY=" + c.home,
		"COLUMNS=80", "LANG=C.UTF-8",
	}
}

// start starts a node, of erl or of beamrd, and waits until it is known. The
// channel is closed when it has ended.
func (c *cluster) start(erl bool, name string, flags ...string) (*os.Process, <-chan struct{}) {
	c.t.Helper()
	args := append([]string{"-sname", name + "@localhost", "-noinput", "-start_epmd", "false", "-kernel", "logger_level", "none"}, flags...)
	var cmd *exec.Cmd
	if erl {
		cmd = exec.Command("erl", args...)
	} else {
		self, err := os.Executable()
		if err != nil {
			c.t.Fatal(err)
		}
		cmd = exec.Command(self, append([]string{"erl"}, args...)...)
	}
	cmd.Env = append(append(os.Environ(), asMain+"=1"), c.env()...)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() { cmd.Wait(); close(exited) }()
	c.t.Cleanup(func() {
		cmd.Process.Kill()
		<-exited
		if c.t.Failed() {
			c.t.Logf("%s said: %.4000s", name, out.String())
		}
	})
	for {
		if _, err := (epmd.Client{Port: c.port}).Lookup(context.Background(), name); err == nil {
			return cmd.Process, exited
		}
		select {
		case <-exited:
			c.t.Fatalf("the node has ended: %s", out.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (c *cluster) sh(command string) outcome { return sh(c.t, c.home, command, c.env()...) }

// expect runs a command and compares what it prints and its exit code.
func (c *cluster) expect(command string, code int, out string) {
	c.t.Helper()
	o := c.sh(command)
	if o.code != code || out != "" && o.out+o.err != out {
		c.t.Errorf("%s: exit code %d, expected %d\n%s%s", command, o.code, code, o.out, o.err)
	}
	lacksGoTrace(c.t, o)
}

func TestClient(t *testing.T) {
	for _, n := range []struct {
		name string
		erl  bool
	}{{"erl", true}, {"beamrd", false}} {
		t.Run(n.name, func(t *testing.T) {
			c := newCluster(t)
			c.expect("$B ping", 3, "beamrd: no node runs here\n")
			_, exited := c.start(n.erl, "one")
			c.calls()
			c.reading()
			c.start(n.erl, "two")
			c.expect("$B ping", 3, "beamrd: several nodes run here, say which: one, two\n")
			c.expect("$B ping two", 0, "pong\n")
			c.expect("$B rpc -n one net_kernel connect_node two@localhost", 0, "true\n")
			c.expect("$B nodes one", 0, "one@localhost  this\ntwo@localhost  visible\n")
			c.expect("$B stop one@localhost", 0, "one@localhost stopped\n")
			<-exited
			c.expect("$B stop one", 3, "beamrd: one does not run\n")
			c.expect("$B stop", 0, "two stopped\n")
		})
	}
}

// calls tries rpc and eval.
func (c *cluster) calls() {
	for _, e := range []struct {
		command string
		code    int
		out     string
	}{
		{"$B ping", 0, "pong\n"},
		{"$B ping one@localhost --json", 0, "{\n  \"answer\": \"pong\",\n  \"node\": \"one@localhost\"\n}\n"},
		{`$B rpc lists reverse '[1,{a,"b"},<<"λ"/utf8>>]'`, 0, "[<<\"λ\"/utf8>>,{a,\"b\"},1]\n"},
		{"$B rpc erlang abs -5", 0, "5\n"},
		{`$B rpc io format '"~p~n"' '[hi]'`, 0, "hi\nok\n"},
		{"$B rpc erlang hd '[]'", 1, "beamrd: exception error: badarg\n  in erlang:hd([])\n"},
		{"$B rpc erlang throw x", 1, "beamrd: exception throw: x\n"},
		{"$B rpc erlang exit '{a,b}'", 1, "beamrd: exception exit: {a,b}\n"},
		{"$B rpc no such", 1, "beamrd: exception error: undef\n  in no:such()\n"},
		{"$B rpc erlang hd '[' ", 2, "beamrd: argument 1: at byte 1: the text ends where a term should be\n"},
		{"$B rpc X y", 2, "beamrd: module \"X\": at byte 0: a variable is no term\n"},
		{"$B rpc erlang", 2, ""},
		{"$B rpc erlang hd --nonsense", 2, "beamrd: unknown flag: --nonsense\n"},
		{"$B eval 'X = 2, io:put_chars([\"é\", 10]), X * 21'", 0, "é\n42\n"},
		{"$B eval -- '-1.'", 0, "-1\n"}, {"$B eval '-1'", 0, "-1\n"},
		{"$B eval '1 +'", 2, "beamrd: line 1: syntax error before: '.'\n"},
		{"$B eval \"'\"", 2, ""},
		{"$B eval 'error(oops)' --json | head -3", 0, "{\n  \"class\": \"error\",\n  \"reason\": \"oops\",\n"},
		{"$B rpc erlang process_info '<0.0.0>' registered_name --json", 0,
			"{\n  \"text\": \"{registered_name,init}\",\n  \"value\": [\n    \"registered_name\",\n    \"init\"\n  ]\n}\n"},
		{"$B ping nobody", 3, "beamrd: nobody does not run\n"},
		{"$B ping one two", 2, ""},
		{"$B ping --timeout x", 2, ""},
		{"$B rpc -n one@localhost timer sleep infinity --timeout 100ms", 3, "beamrd: one@localhost does not answer\n"},
		{"echo other > c && chmod 400 c && $B ping --cookie-file c", 3, "beamrd: one does not take our cookie\n"},
		{"chmod 644 c && $B ping --cookie-file c", 3, "beamrd: dist: cookie file c must be accessible by owner only\n"},
	} {
		c.expect(e.command, e.code, e.out)
	}
}

// reading tries what tells of a node.
func (c *cluster) reading() {
	c.expect("$B nodes", 0, "one@localhost  this\n")
	c.expect("$B nodes --local | sed 's/[0-9]*$//'", 0, "one  local  port \n")
	o := c.sh("$B status --json")
	var s nodeStatus
	if err := json.Unmarshal([]byte(o.out), &s); err != nil || s.Node != "one@localhost" || s.Release != "25" || s.Processes < 10 ||
		s.Memory["total"] < 1<<20 || s.Modules < 50 || s.Schedulers < 1 || s.Reductions < 1000 || s.Connected != 0 {
		c.t.Errorf("status: %v %s%s", err, o.out, o.err)
	}
	if o := c.sh("$B status one"); o.code != 0 || !strings.HasPrefix(o.out, "node        one@localhost\n") {
		c.t.Errorf("status: %s%s", o.out, o.err)
	}
}

// TestStopDeadline stops a node that does not stop, as a daemon and as none.
func TestStopDeadline(t *testing.T) {
	c := newCluster(t)
	p, exited := c.start(false, "stuck", "-eval", "error_logger:delete_report_handler(x), register(stay, spawn(fun() -> receive after infinity -> ok end end)), "+
		"application:load({application, stay, [{mod, {stay, []}}, {applications, [kernel]}]}), "+
		"{ok, _, B} = compile:forms([{attribute, 1, module, stay}, {attribute, 1, export, [{start, 2}, {stop, 1}, {prep_stop, 1}]}, "+
		"{function, 2, start, 2, [{clause, 2, [{var, 2, '_'}, {var, 2, '_'}], [], [{tuple, 2, [{atom, 2, ok}, {call, 2, {atom, 2, self}, []}]}]}]}, "+
		"{function, 3, prep_stop, 1, [{clause, 3, [{var, 3, '_'}], [], [{'receive', 3, [], {atom, 3, infinity}, [{atom, 3, x}]}]}]}, "+
		"{function, 4, stop, 1, [{clause, 4, [{var, 4, '_'}], [], [{atom, 4, ok}]}]}]), code:load_binary(stay, \"stay\", B), ok = application:start(stay), "+
		"register(ready, self()), receive never -> ok end.")
	for c.sh("$B rpc erlang whereis ready").out == "undefined\n" {
		time.Sleep(10 * time.Millisecond)
	}
	c.expect("$B stop --deadline 300ms", 1, "beamrd: stuck has not stopped within 300ms\n")
	// A runtime folder that nobody holds is one of a node that has ended; its
	// process id may be another's by now.
	text := `{"name": "stuck", "node": "stuck@localhost", "pid": ` + strconv.Itoa(p.Pid) + `}`
	if err := os.WriteFile(c.home+"/node.json", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c.expect("$B stop --deadline 300ms", 1, "beamrd: stuck has not stopped within 300ms\n")
	l, err := os.Create(c.home + "/lock")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := unix.FcntlFlock(l.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK}); err != nil {
		t.Fatal(err)
	}
	c.expect("$B stop --deadline 300ms", 1, "stuck@localhost killed\n")
	<-exited
}
