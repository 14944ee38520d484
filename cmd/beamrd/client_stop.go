package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/dist/epmd"
)

func stopCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "stop [NAME]", Short: "Stop a node and wait until it has gone",
		Long: `Stop a node in order, as init:stop/0 does, and wait until it has gone.

With --deadline D a node that beamrd start runs on this machine is killed when D
has passed; the exit code is then 1. Such a node is asked by SIGTERM if it does
not answer. Another one is only waited for.
`,
		Args: usage(cobra.MaximumNArgs(1)),
	}
	c := newClient(cmd, answerTime)
	deadline := cmd.Flags().Duration("deadline", 0, "how long the node may take; 0: as long as it wants")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := c.named(args); err != nil {
			return err
		}
		if *deadline < 0 {
			return usageError("the deadline is negative")
		}
		return c.stop(*deadline)
	}
	return cmd
}

// stop stops the node within d, or without limit if d is 0.
func (c *client) stop(d time.Duration) error {
	begun := time.Now()
	ctx, cancel := c.context()
	defer cancel()
	node, err := c.find(ctx)
	if err != nil {
		return err
	}
	c.node = node
	proc, err := findProcess(node)
	if err == nil {
		defer proc.close()
	}
	gone, err := c.askToStop(ctx, proc != nil)
	if err != nil {
		var f *failure
		if proc == nil || !errors.As(err, &f) || f.code != codeUnreachable {
			return err
		}
		if err := proc.signal(unix.SIGTERM); err != nil {
			return fmt.Errorf("%s: %w", node, err)
		}
	}
	left := time.Duration(0)
	if d > 0 {
		left = max(time.Millisecond, d-time.Since(begun))
	}
	how, err := "stopped", error(nil)
	switch {
	case proc != nil && !proc.wait(left):
		if err := proc.signal(unix.SIGKILL); err != nil {
			return fmt.Errorf("%s: %w", node, err)
		}
		proc.wait(0)
		how, err = "killed", exitCode(codeFailed)
	case proc == nil && !c.waitGone(gone, left):
		return &failure{codeFailed, fmt.Errorf("%s has not stopped within %s", node, d)}
	}
	c.answer(map[string]any{"node": node, "how": how}, func(w io.Writer) { fmt.Fprintln(w, node, how) })
	return err
}

// askToStop calls init:stop/0, which a daemon does itself after telling systemd.
// What it returns is closed when the connection is.
func (c *client) askToStop(ctx context.Context, isDaemon bool) (<-chan struct{}, error) {
	conn, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	err = errors.New("no daemon")
	if isDaemon {
		_, err = conn.Call(ctx, "beamrd", "stop")
	}
	if err != nil && conn.Err() == nil {
		_, err = conn.Call(ctx, "init", "stop")
	}
	if err != nil && conn.Err() == nil {
		conn.Close()
		return nil, failed(conn, err)
	}
	return conn.Done(), nil
}

// waitGone waits until the connection to a node has ended and, of a local one,
// the port mapper does not know it any more.
func (c *client) waitGone(gone <-chan struct{}, left time.Duration) bool {
	ctx, cancel := context.WithCancel(context.Background())
	if left > 0 {
		ctx, cancel = context.WithTimeout(context.Background(), left)
	}
	defer cancel()
	select {
	case <-gone:
	case <-ctx.Done():
		return false
	}
	name, _, remote := strings.Cut(c.node, "@")
	for !remote {
		_, err := epmd.Client{Port: c.epmdPort}.Lookup(ctx, name)
		if err != nil && ctx.Err() == nil {
			break // not known, or the port mapper went with the node
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
	return true
}
