package top

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/dist/etf"
	"github.com/beamrd/beamrd/internal/fixture/pty"
)

// until reads until the text has come, and returns all there was.
func until(t *testing.T, f *os.File, text string) string {
	t.Helper()
	var all strings.Builder
	buf := make([]byte, 4096)
	for !strings.Contains(all.String(), text) {
		n, err := f.Read(buf)
		if err != nil {
			t.Fatalf("%v after %q", err, all.String())
		}
		all.Write(buf[:n])
	}
	return all.String()
}

func TestTerminal(t *testing.T) {
	user, program := pty.Open(t, 30, 100)
	before, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	var dials atomic.Int32
	n := &node{}
	term := Terminal{In: program, Out: program, Dial: func(context.Context) (Caller, func(), error) {
		if dials.Add(1) == 2 {
			return nil, nil, errors.New("not yet")
		}
		return n, func() {}, nil
	}}
	done := make(chan error, 1)
	go func() { done <- term.Run(t.Context(), &View{Sort: ByReductions, Interval: 10 * time.Millisecond}) }()
	out := until(t, user, "gen_server:loop/7")
	if !strings.HasPrefix(out, enterScreen) {
		t.Errorf("it begins with %q", out[:min(len(out), 60)])
	}
	if strings.Contains(out, "\x1b[2Jname") {
		t.Error("a name of the node reached the terminal as it is")
	}
	until(t, user, "gen_server:'begin at'/2")
	user.WriteString("m")
	until(t, user, "processes by memory")
	user.WriteString("t")
	until(t, user, "tcp_inet")
	user.WriteString(" ")
	until(t, user, "PAUSED")
	user.WriteString("q")
	out = until(t, user, leaveScreen)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if after, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS); err != nil || *after != *before {
		t.Errorf("the terminal is left as %+v, %v; it was %+v", after, err, before)
	}
	if !strings.HasSuffix(out, leaveScreen) {
		t.Errorf("it ends with %q", out[max(0, len(out)-60):])
	}
}

// TestTerminalLost has a node that goes away and comes back.
func TestTerminalLost(t *testing.T) {
	user, program := pty.Open(t, 30, 100)
	var lost atomic.Bool
	term := Terminal{In: program, Out: program, Dial: func(context.Context) (Caller, func(), error) {
		if lost.Load() {
			lost.Store(false)
			return nil, nil, errors.New("connection refused")
		}
		return caller(func() error {
			if lost.Load() {
				return errors.New("connection lost")
			}
			return nil
		}), func() {}, nil
	}}
	done := make(chan error, 1)
	go func() { done <- term.Run(t.Context(), &View{Interval: 10 * time.Millisecond}) }()
	until(t, user, "gen_server:loop/7")
	lost.Store(true)
	until(t, user, "no answer: connection")
	until(t, user, "q quit")
	user.WriteString("\x03")
	until(t, user, leaveScreen)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// failing is a node whose calls fail when f says so.
type failing struct {
	node
	f func() error
}

func caller(f func() error) Caller { return &failing{f: f} }

func (n *failing) Call(ctx context.Context, mod, fun string, args ...etf.Term) (etf.Term, error) {
	if err := n.f(); err != nil {
		return nil, err
	}
	return n.node.Call(ctx, mod, fun, args...)
}
