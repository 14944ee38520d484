package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/beamrd/beamrd/internal/invariants"
)

// The test binary is beamrd itself when asMain is set, so that the tests run
// the program with the tags they were built with.
const asMain = "BEAMRD_TEST_AS_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) != "" {
		invariants.OnBug = bug
		defer invariants.Catch()
		os.Exit(run(filepath.Base(os.Args[0]), os.Args[1:]))
	}
	os.Exit(m.Run())
}

// outcome is how a command ended.
type outcome struct {
	out, err string
	code     int // -1: by a signal
}

// sh runs a shell command in dir, in which $E is beamrd's erl and $B is beamrd.
// A command that takes too long fails the test.
func sh(t *testing.T, dir, command string, env ...string) outcome {
	t.Helper()
	return shFor(t, 2*time.Minute, dir, command, env...)
}

// shFor is sh with a time of its own.
func shFor(t *testing.T, limit time.Duration, dir, command string, env ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(ctx, "bash", "-c", command)
	c.Dir = dir
	c.Env = append(os.Environ(), asMain+"=1", "B="+self, "E="+self+" erl", "ERL_CRASH_DUMP="+filepath.Join(dir, "dump"))
	c.Env = append(c.Env, env...)
	// What hangs is a child of the shell, which holds the pipes.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = 10 * time.Second
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err = c.Run()
	if ctx.Err() != nil {
		t.Fatalf("%s hangs: %s%s", command, &out, &errs)
	}
	var ee *exec.ExitError
	if err != nil && !errors.As(err, &ee) {
		t.Fatal(err)
	}
	return outcome{out.String(), errs.String(), c.ProcessState.ExitCode()}
}

// needErl skips a test when there is no OTP.
func needErl(t *testing.T) {
	t.Helper()
	for _, f := range []string{"erl", "erlc"} {
		if _, err := exec.LookPath(f); err != nil {
			t.Skip("no " + f)
		}
	}
}

// lacksGoTrace checks that no panic of Go reached the user.
func lacksGoTrace(t *testing.T, o outcome) {
	t.Helper()
	for _, s := range []string{"goroutine ", "BUG:", "fatal error:", "panic:"} {
		if strings.Contains(o.err, s) {
			t.Errorf("a Go trace reaches the user: %.2000s", o.err)
			return
		}
	}
}
