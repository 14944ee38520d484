package main

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/beamrd/beamrd/dist"
	"github.com/beamrd/beamrd/internal/top"
)

// textWidth is how wide lines of `top --once` are where there is no terminal.
const textWidth = 132

func topCmd() *cobra.Command {
	v := top.View{}
	var once bool
	var limit int
	cmd := &cobra.Command{
		Use: "top [NAME]", Short: "Show what a node is doing, live", Args: usage(cobra.MaximumNArgs(1)),
		Long: "Show the processes (or, with --ports, the ports) of a node, its schedulers and its memory, live.\n" +
			"Keys: r m l n p sort by reductions, memory, message queue, name or pid; i reverses; t shows ports or\n" +
			"processes; space pauses; + and - change the interval; arrows and page keys scroll; q quits.\n",
	}
	c := newClient(cmd, 10*time.Second)
	f := cmd.Flags()
	f.StringVar((*string)(&v.Sort), "sort", string(top.ByReductions), "reductions, memory, queue, name or pid")
	f.BoolVar(&v.Reverse, "reverse", false, "sort the other way round")
	f.BoolVar(&v.Ports, "ports", false, "show ports instead of processes")
	f.DurationVarP(&v.Interval, "interval", "i", 2*time.Second, "time between samples, and what rates are over")
	f.BoolVar(&once, "once", false, "show one sample as text and end, as --json does in JSON")
	f.IntVar(&limit, "limit", 0, "most processes and ports of --once and --json; 0: all")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := sortKey(v.Sort); err != nil {
			return err
		}
		if v.Interval <= 0 || limit < 0 {
			return usageError("--interval must be positive, and --limit not negative")
		}
		if err := c.named(args); err != nil {
			return err
		}
		if once || c.json {
			return topOnce(c, &v, limit)
		}
		return topLive(cmd.Context(), c, &v)
	}
	return cmd
}

func sortKey(k top.Key) error {
	var names []string
	for _, o := range top.Keys {
		if o == k {
			return nil
		}
		names = append(names, string(o))
	}
	return usageError("--sort %s is none of %s", k, strings.Join(names, ", "))
}

func topOnce(c *client, v *top.View, limit int) error {
	width := textWidth
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && w > 0 {
		width = w
	}
	if c.timeout > 0 {
		c.timeout += v.Interval
	}
	return c.with(func(ctx context.Context, conn *dist.Conn) error {
		s, err := top.Once(ctx, conn, v, limit)
		if err != nil {
			return err
		}
		return c.answer(s, func(w io.Writer) { v.Text(s, w, width) })
	})
}

func topLive(ctx context.Context, c *client, v *top.View) error {
	if !term.IsTerminal(int(os.Stdin.Fd())) || !term.IsTerminal(int(os.Stdout.Fd())) {
		return usageError("top needs a terminal; --once and --json do without")
	}
	c.out = io.Discard // what functions print would disturb the screen
	t := top.Terminal{In: os.Stdin, Out: os.Stdout, Timeout: c.timeout, Dial: func(ctx context.Context) (top.Caller, func(), error) {
		conn, err := c.dial(ctx)
		if err != nil {
			return nil, nil, err
		}
		return conn, func() { conn.Close() }, nil
	}}
	return t.Run(ctx, v)
}
