package node

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/beamrd/beamrd/internal/sysconf"
)

var cmdLines = []struct {
	args []string
	env  []string
}{
	{args: nil},
	{args: []string{"-noshell", "-eval", "halt()."}},
	{args: []string{"-noinput", "+P", "2000", "-s", "foo"}},
	{args: []string{"+S2", "+sbtu", "+A0", "-noinput", "-mode", "minimal"}},
	{args: []string{"+S", "2:1", "+SP", "50:25", "+SDcpu", "1", "+SDio", "3", "+SDPcpu50:50"}},
	{args: []string{"-sname", "x", "-start_epmd", "false", "-setcookie", "y"}},
	{args: []string{"-detached", "-boot", "start_sasl"}},
	{args: []string{"+B", "i", "+Bc", "+B", "x", "+Bd"}},
	{args: []string{"+c", "true", "+c", "+c", "no", "+cfalse"}},
	{args: []string{"+hms", "300", "+h", "400", "+hmax", "0", "+hpds", "9", "+hx"}},
	{args: []string{"+Mea", "min", "+MBas", "bf", "+Mxyz"}},
	{args: []string{"+sbt", "u", "+sub", "true", "+swt", "low", "+zdbbl", "10", "+zfoo", "+rg", "3", "+r"}},
	{args: []string{"+IOt", "2", "+IOp", "1", "+IOPt", "50", "+IOs", "true", "+IOtx"}},
	{args: []string{"+pc", "unicode", "+fnu", "+K", "true", "+W", "w"}},
	{args: []string{"a", "-extra", "b", "+P", "1", "-noinput"}},
	{args: []string{"-env", "K", "V", "x"}},
	{args: []string{"-version"}},
	{args: []string{"-compile", "foo"}},
	{args: []string{"-make", "foo"}},
	{args: []string{"-configfd", "0"}},
	{args: []string{"-configfd", "3"}},
	{args: []string{"-no_epmd", "-proto_dist", "x"}},
	{args: []string{"cl"}, env: []string{"ERL_AFLAGS=-a 'b c' +P 3000 -extra ax", "ERL_FLAGS=-f \"g h\" i\\ j", "ERL_ZFLAGS=-z -extra zx"}},
	{args: []string{"cl", "-extra", "e"}, env: []string{"ERL_FLAGS=-f"}},
	{env: []string{"ERL_FLAGS=-f", "ERL_EPMD_PORT=4444"}},
	{args: []string{"-args_file", "@ARGS@", "after"}},
}

const argsFile = "# a comment\n-x 'one two' # rest\n+P 5000\n\"q\"r\\ s -extra from file\n"

// TestCmdLine compares what becomes of command lines with erl's own
// -emu_args_exit.
func TestCmdLine(t *testing.T) {
	erl, err := exec.LookPath("erl")
	if err != nil || isSelf(erl) {
		t.Skip("no erl to compare with")
	}
	dir := t.TempDir()
	af := filepath.Join(dir, "args")
	if err := os.WriteFile(af, []byte(argsFile), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range cmdLines {
		args := slices.Clone(c.args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "@ARGS@", af)
		}
		cmd := exec.Command(erl, append([]string{"-emu_args_exit"}, args...)...)
		cmd.Env = append([]string{"HOME=/h", "PATH=" + os.Getenv("PATH")}, c.env...)
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("erl %q: %v", args, err)
			continue
		}
		want := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
		got := ours(t, args, c.env, want)
		if !slices.Equal(got, want) {
			t.Errorf("%q %q:\n got %q\nwant %q", args, c.env, got, want)
		}
	}
}

// ours translates a command line with the places that erl used.
func ours(t *testing.T, args, env, want []string) []string {
	t.Helper()
	get := func(k string) string {
		for _, kv := range env {
			if n, v, ok := strings.Cut(kv, "="); ok && n == k {
				return v
			}
		}
		return ""
	}
	after := func(flag string) string {
		if i := slices.Index(want, flag); i >= 0 {
			return want[i+1]
		}
		return ""
	}
	p := Places{Root: after("-root"), Bindir: after("-bindir"), Progname: after("-progname"), Emu: "beam.smp", Home: "/h", EpmdPort: get("ERL_EPMD_PORT")}
	m, err := massage(append([]string{"-emu_args"}, args...), get, "25")
	if err != nil {
		return []string{err.Error()}
	}
	x, err := ParseCmdLine(m, p)
	if err != nil {
		return []string{err.Error()}
	}
	return append(append(x.Emu, "--"), x.Init...)
}

func TestEmuFlags(t *testing.T) {
	n := numCPU()
	for _, c := range []struct {
		args string
		want string // of the error, or empty
		ok   func(c *sysconf.Config) bool
	}{
		{"-P 2000", "", func(c *sysconf.Config) bool { return c.MaxProcs == 2048 }},
		{"-P 10", "bad number of processes 10", nil},
		{"-Q x", "bad number of ports x", nil},
		{"-t 8191", "bad atom table size 8191", nil},
		{"-S 1", "", func(c *sysconf.Config) bool { return c.Schedulers == 1 && c.Online == 1 && c.DirtyCPU == 1 }},
		{"-S1:1", "", func(c *sysconf.Config) bool { return c.Schedulers == 1 }},
		{"-S 4:2", "", func(c *sysconf.Config) bool { return c.Schedulers == 4 && c.Online == 2 && c.DirtyCPU == min(n, 4) }},
		{"-S 1:2", "bad amount of schedulers online 2 (total amount of schedulers 1)", nil},
		{"-S 0", "", func(c *sysconf.Config) bool { return c.Schedulers == n }},
		{"-S a", "bad amount of schedulers a", nil},
		{"-S 2000", "bad amount of schedulers 2000", nil},
		{"-SP 50", "", func(c *sysconf.Config) bool { return c.Schedulers == max(1, n/2) }},
		{"-SDio 0", "bad number of dirty I/O schedulers 0", nil},
		{"-hms 0", "bad heap size 0", nil},
		{"-hmax 100", "", func(c *sysconf.Config) bool { return c.MaxHeap == 100 }},
		{"-hmaxk maybe", "bad max heap kill maybe", nil},
		{"-hmqd off_heap", "", func(c *sysconf.Config) bool { return c.OffHeapMsgs }},
		{"-fnui", "", func(c *sysconf.Config) bool { return c.FnEncoding == sysconf.FnUTF8 && c.FnWarn == sysconf.FnIgnore }},
		{"-fnx", "bad filename encoding x, can be (l,u or a, optionally followed by w, i or e)", nil},
		{"-sbt u", "", nil},
		{"-sbt zz", "setting scheduler bind type 'zz' failed: invalid type", nil},
		{"-sbwt long -sbwtdio none -swtdcpu high -sws default -scl true", "", nil},
		{"-sfoo x", "bad scheduling option -sfoo", nil},
		{"-zdntgc infinity", "", func(c *sysconf.Config) bool { return c.NodeTabDelay == -1 }},
		{"-zfoo", "bad -z option -zfoo", nil},
		{"-C multi_time_warp", "", func(c *sysconf.Config) bool { return c.TimeWarp == "multi_time_warp" }},
		{"-C x", "Invalid time warp mode: x", nil},
		{"-c false", "", func(c *sysconf.Config) bool { return !c.TimeCorrection }},
		{"-R 22", "bad compatibility release number 22", nil},
		{"-W z", "unrecognized warning_map option z", nil},
		{"-Mea min -MBas bf", "", nil},
		{"-n q", "bad -n option q", nil},
		{"-Bi", "", func(c *sysconf.Config) bool { return c.IgnoreBreak }},
		{"-B", "", func(c *sysconf.Config) bool { return c.NoBreakHandler }},
		{"-T 10", "bad modified timing level 10", nil},
		{"-i mymod", "", func(c *sysconf.Config) bool { return c.InitMod == "mymod" }},
		{"-P", "too few arguments", nil},
		{"-foo", "bad filename encoding oo, can be (l,u or a, optionally followed by w, i or e)", nil},
	} {
		cfg := sysconf.Default()
		err := ParseEmuFlags(strings.Fields(c.args), &cfg)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if c.args == "-foo" { // -f needs n
			if !strings.HasSuffix(got, "unknown flag -foo") {
				t.Errorf("%s: %q", c.args, got)
			}
			continue
		}
		if got != c.want || c.ok != nil && !c.ok(&cfg) {
			t.Errorf("%s: got %q, %+v", c.args, got, cfg)
		}
	}
}
