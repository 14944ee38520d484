package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/beamrd/beamrd/dist"
	"github.com/beamrd/beamrd/dist/epmd"
	"github.com/beamrd/beamrd/internal/top"
)

// textWidth is how wide lines of `top --once` are where there is no terminal.
const textWidth = 132

func topCmd() *cobra.Command {
	var target topTarget
	v := top.View{}
	var once, asJSON bool
	var limit int
	c := &cobra.Command{
		Use: "top [NODE]", Short: "Show what a node is doing, live", Args: cobra.MaximumNArgs(1),
		Long: "Show the processes (or, with --ports, the ports) of a node, its schedulers and its memory, live.\n" +
			"Keys: r m l n p sort by reductions, memory, message queue, name or pid; i reverses; t shows ports or\n" +
			"processes; space pauses; + and - change the interval; arrows and page keys scroll; q quits.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := sortKey(v.Sort); err != nil {
				return err
			}
			if v.Interval <= 0 {
				return errors.New("--interval must be positive")
			}
			if len(args) == 1 {
				target.node = args[0]
			}
			if once || asJSON {
				return topOnce(cmd.Context(), &target, &v, asJSON, limit)
			}
			return topLive(cmd.Context(), &target, &v)
		},
	}
	target.flags(c)
	f := c.Flags()
	f.StringVar((*string)(&v.Sort), "sort", string(top.ByReductions), "reductions, memory, queue, name or pid")
	f.BoolVar(&v.Reverse, "reverse", false, "sort the other way round")
	f.BoolVar(&v.Ports, "ports", false, "show ports instead of processes")
	f.DurationVarP(&v.Interval, "interval", "i", 2*time.Second, "time between samples, and what rates are over")
	f.BoolVar(&once, "once", false, "show one sample as text and end")
	f.BoolVar(&asJSON, "json", false, "show one sample as JSON and end")
	f.IntVarP(&limit, "limit", "n", 0, "most processes and ports of --once and --json; 0: all")
	return c
}

func sortKey(k top.Key) error {
	var names []string
	for _, o := range top.Keys {
		if o == k {
			return nil
		}
		names = append(names, string(o))
	}
	return fmt.Errorf("--sort %s is none of %s", k, strings.Join(names, ", "))
}

func topOnce(ctx context.Context, target *topTarget, v *top.View, asJSON bool, limit int) error {
	c, err := target.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	width := textWidth
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && w > 0 {
		width = w
	}
	return top.Once(ctx, c, v, os.Stdout, asJSON, limit, width)
}

func topLive(ctx context.Context, target *topTarget, v *top.View) error {
	if !term.IsTerminal(int(os.Stdin.Fd())) || !term.IsTerminal(int(os.Stdout.Fd())) {
		return errors.New("top needs a terminal; --once and --json do without")
	}
	t := top.Terminal{In: os.Stdin, Out: os.Stdout, Dial: func(ctx context.Context) (top.Caller, func(), error) {
		c, err := target.dial(ctx)
		if err != nil {
			return nil, nil, err
		}
		return c, func() { c.Close() }, nil
	}}
	return t.Run(ctx, v)
}

// topTarget is the node to look at.
type topTarget struct {
	node, cookieFile string
}

func (t *topTarget) flags(c *cobra.Command) {
	c.Flags().StringVar(&t.node, "node", "", "name of the node; without @host one of this host; the one that runs if empty")
	c.Flags().StringVar(&t.cookieFile, "cookie-file", "", "file with the cookie; $HOME/.erlang.cookie if empty")
}

func (t *topTarget) dial(ctx context.Context) (*dist.Conn, error) {
	name := t.node
	if name == "" {
		names, err := epmd.Client{Host: "localhost", Port: dist.EPMDPort()}.Names(ctx)
		if err != nil {
			return nil, err
		}
		if len(names) != 1 {
			return nil, fmt.Errorf("%d nodes run here: say which", len(names))
		}
		for n := range names {
			name = n
		}
	}
	if !strings.Contains(name, "@") {
		h, err := os.Hostname()
		if err != nil {
			return nil, err
		}
		h, _, _ = strings.Cut(h, ".")
		name += "@" + h
	}
	var o dist.Options
	var err error
	if t.cookieFile != "" {
		o.Cookie, err = dist.ReadCookie(t.cookieFile)
	} else {
		o.Cookie, err = dist.FindCookie()
	}
	if err != nil {
		return nil, err
	}
	return dist.Dial(ctx, name, o)
}
