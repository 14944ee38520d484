package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/beamrd/beamrd/daemon"
	"github.com/beamrd/beamrd/dist"
	"github.com/beamrd/beamrd/dist/epmd"
)

// Exit codes of the commands that talk to a node.
const (
	codeOK          = 0
	codeFailed      = 1 // the node answered, but what was asked for failed there
	codeUsage       = 2 // the command line is wrong
	codeUnreachable = 3 // no such node, no answer, or it does not let us in
)

const exitCodesHelp = `
Exit codes: 0 done; 1 what was asked for failed on the node; 2 the command line
is wrong; 3 the node is not there, does not answer or does not let us in.`

// failure is an error with the exit code that it means.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func usageError(format string, args ...any) error {
	return &failure{codeUsage, fmt.Errorf(format, args...)}
}

// usage makes what checks arguments tell of a wrong command line.
func usage(f cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := f(cmd, args); err != nil {
			return usageError("%v\n%s", err, strings.TrimSpace(cmd.UsageString()))
		}
		return nil
	}
}

// client is what the commands that talk to a node have in common: the flags by
// which they find it, and how they answer.
type client struct {
	node       string
	cookieFile string
	epmdPort   int
	timeout    time.Duration
	json       bool
	out        io.Writer
}

// newClient gives cmd the flags of a client. timeout is the default, 0 for none.
func newClient(cmd *cobra.Command, timeout time.Duration) *client {
	c := &client{out: os.Stdout}
	f := cmd.Flags()
	f.StringVarP(&c.node, "node", "n", "", "the node: NAME@HOST, or the NAME of a local one (the one that runs)")
	f.StringVar(&c.cookieFile, "cookie-file", "", "file that holds the cookie (~/.erlang.cookie)")
	f.IntVar(&c.epmdPort, "epmd-port", dist.EPMDPort(), "port of the port mapper")
	f.DurationVar(&c.timeout, "timeout", timeout, "how long to wait for an answer; 0: for ever")
	f.BoolVar(&c.json, "json", false, "answer in JSON")
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError("%v", err) })
	if cmd.Long == "" {
		cmd.Long = cmd.Short + ".\n"
	}
	cmd.Long += exitCodesHelp
	return c
}

// terms makes cmd take arguments that are terms: one that begins with a minus
// and a digit is no flag.
func terms(cmd *cobra.Command, check cobra.PositionalArgs, run func(args []string) error) {
	cmd.DisableFlagParsing = true
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		const mark = "\x00"
		for i, a := range args {
			if a == "--" {
				break
			}
			if len(a) > 1 && a[0] == '-' && a[1] >= '0' && a[1] <= '9' {
				args[i] = mark + a
			}
		}
		if err := cmd.Flags().Parse(args); err != nil {
			if errors.Is(err, pflag.ErrHelp) {
				return cmd.Help()
			}
			return usageError("%v", err)
		}
		args = cmd.Flags().Args()
		for i := range args {
			args[i] = strings.TrimPrefix(args[i], mark)
		}
		if err := usage(check)(cmd, args); err != nil {
			return err
		}
		return run(args)
	}
}

// named takes the node's name from the arguments of a command that has [NAME].
func (c *client) named(args []string) error {
	if len(args) > 0 {
		if c.node != "" && c.node != args[0] {
			return usageError("two nodes are named: %s and %s", args[0], c.node)
		}
		c.node = args[0]
	}
	return nil
}

// context is that of one answer.
func (c *client) context() (context.Context, context.CancelFunc) {
	if c.timeout > 0 {
		return context.WithTimeout(context.Background(), c.timeout)
	}
	return context.WithCancel(context.Background())
}

// find returns the name of the node that is meant.
func (c *client) find(ctx context.Context) (string, error) {
	if i, err := daemon.Find(c.node); err == nil {
		return i.Node, nil
	}
	if c.node != "" {
		return c.node, nil
	}
	names, err := epmd.Client{Port: c.epmdPort}.Names(ctx)
	if err != nil {
		return "", &failure{codeUnreachable, fmt.Errorf("no node runs here (no port mapper at port %d)", c.epmdPort)}
	}
	var all []string
	for n := range names {
		all = append(all, n)
	}
	slices.Sort(all)
	switch len(all) {
	case 0:
		return "", &failure{codeUnreachable, errors.New("no node runs here")}
	case 1:
		return all[0], nil
	}
	return "", &failure{codeUnreachable, fmt.Errorf("several nodes run here, say which: %s", strings.Join(all, ", "))}
}

// cookie reads the cookie: from the file of the flag, from the one that a daemon
// of this machine was started with, or from Erlang's own place.
func (c *client) cookie(node string) (string, error) {
	file := c.cookieFile
	if i, err := daemon.Find(node); file == "" && err == nil {
		file = i.CookieFile
	}
	read := dist.FindCookie
	if file != "" {
		read = func() (string, error) { return dist.ReadCookie(file) }
	}
	s, err := read()
	if err != nil {
		return "", &failure{codeUnreachable, err}
	}
	return s, nil
}

// dial connects to the node that is meant. What functions called there print
// goes to the standard output.
func (c *client) dial(ctx context.Context) (*dist.Conn, error) {
	node, err := c.find(ctx)
	if err != nil {
		return nil, err
	}
	cookie, err := c.cookie(node)
	if err != nil {
		return nil, err
	}
	output := c.out
	if c.json {
		output = os.Stderr
	}
	conn, err := dist.Dial(ctx, node, dist.Options{Cookie: cookie, EPMDPort: c.epmdPort, Output: output})
	if err != nil {
		return nil, &failure{codeUnreachable, explain(node, err)}
	}
	return conn, nil
}

// explain says what a failed connection means, in an operator's words.
func explain(node string, err error) error {
	var ue *dist.UnreachableError
	switch {
	case errors.Is(err, epmd.ErrNoNode):
		return fmt.Errorf("%s does not run", node)
	case errors.Is(err, dist.ErrCookie):
		return fmt.Errorf("%s does not take our cookie", node)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s does not answer", node)
	case errors.As(err, &ue):
		return fmt.Errorf("%s is not reachable: %w", node, ue.Err)
	}
	return err
}

// failed gives an error of a call its exit code.
func failed(conn *dist.Conn, err error) error {
	var f *failure
	var code exitCode
	var re *dist.RemoteError
	var se *dist.SpawnError
	switch {
	case err == nil, errors.As(err, &f), errors.As(err, &code):
		return err
	case errors.As(err, &re), errors.As(err, &se):
		return &failure{codeFailed, err}
	case errors.Is(err, context.DeadlineExceeded):
		return &failure{codeUnreachable, fmt.Errorf("%s does not answer", conn.Peer())}
	}
	return &failure{codeUnreachable, fmt.Errorf("the connection to %s is lost: %w", conn.Peer(), err)}
}

// with connects, runs f, and gives its error an exit code.
func (c *client) with(f func(ctx context.Context, conn *dist.Conn) error) error {
	ctx, cancel := c.context()
	defer cancel()
	conn, err := c.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return failed(conn, f(ctx, conn))
}

// answer prints v as JSON, or text where that is not asked for.
func (c *client) answer(v any, text func(w io.Writer)) error {
	if !c.json {
		text(c.out)
		return nil
	}
	e := json.NewEncoder(c.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
