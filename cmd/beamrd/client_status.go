package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/beamrd/beamrd/dist"
	"github.com/beamrd/beamrd/dist/epmd"
	"github.com/beamrd/beamrd/dist/etf"
)

// answerTime is how long the commands wait that ask for little.
const answerTime = 10 * time.Second

func pingCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "ping [NAME]", Short: "Tell whether a node answers", Args: usage(cobra.MaximumNArgs(1))}
	c := newClient(cmd, answerTime)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := c.named(args); err != nil {
			return err
		}
		return c.with(func(ctx context.Context, conn *dist.Conn) error {
			if err := conn.Ping(ctx); err != nil {
				return err
			}
			return c.answer(map[string]any{"node": conn.Peer(), "answer": "pong"}, func(w io.Writer) { fmt.Fprintln(w, "pong") })
		})
	}
	return cmd
}

// nodeStatus is what `beamrd status` tells. Memory is in bytes.
type nodeStatus struct {
	Node         string           `json:"node"`
	System       string           `json:"system"`
	Release      string           `json:"otp_release"`
	OSPid        string           `json:"os_pid"`
	UptimeMS     int64            `json:"uptime_ms"`
	Schedulers   int64            `json:"schedulers_online"`
	RunQueue     int64            `json:"run_queue"`
	Reductions   int64            `json:"reductions"`
	Processes    int64            `json:"processes"`
	ProcessLimit int64            `json:"process_limit"`
	Ports        int64            `json:"ports"`
	Atoms        int64            `json:"atoms"`
	Modules      int64            `json:"modules"`
	Connected    int64            `json:"connected_nodes"`
	Memory       map[string]int64 `json:"memory"`
}

func statusCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "status [NAME]", Short: "Tell how a node is", Args: usage(cobra.MaximumNArgs(1))}
	c := newClient(cmd, answerTime)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := c.named(args); err != nil {
			return err
		}
		return c.with(func(ctx context.Context, conn *dist.Conn) error {
			s, err := askStatus(ctx, conn)
			if err != nil {
				return err
			}
			return c.answer(s, s.print)
		})
	}
	return cmd
}

// asker calls one function after another until one fails.
type asker struct {
	ctx  context.Context
	conn *dist.Conn
	err  error
}

func (a *asker) call(mod, fun string, args ...etf.Term) (v etf.Term) {
	if a.err == nil {
		v, a.err = a.conn.Call(a.ctx, mod, fun, args...)
	}
	return v
}

// info returns what erlang:system_info/1 says.
func (a *asker) info(item etf.Atom) etf.Term { return a.call("erlang", "system_info", item) }

func (a *asker) number(v etf.Term) int64 {
	n, _ := etf.Int(v)
	return n
}

func (a *asker) text(v etf.Term) string {
	s, _ := etf.Text(v)
	return s
}

// statistics returns the first number of erlang:statistics(item).
func (a *asker) statistics(item etf.Atom) int64 {
	v := a.call("erlang", "statistics", item)
	if t, ok := v.(etf.Tuple); ok && len(t) > 0 {
		v = t[0]
	}
	return a.number(v)
}

func askStatus(ctx context.Context, conn *dist.Conn) (*nodeStatus, error) {
	a := &asker{ctx: ctx, conn: conn}
	s := &nodeStatus{Node: conn.Peer(), Memory: map[string]int64{}}
	s.System = a.text(a.call("string", "trim", a.info("system_version")))
	s.Release = a.text(a.info("otp_release"))
	s.OSPid = a.text(a.call("os", "getpid"))
	s.UptimeMS = a.statistics("wall_clock")
	s.Reductions = a.statistics("exact_reductions")
	s.RunQueue = a.statistics("total_run_queue_lengths")
	s.Schedulers = a.number(a.info("schedulers_online"))
	s.Processes = a.number(a.info("process_count"))
	s.ProcessLimit = a.number(a.info("process_limit"))
	s.Ports = a.number(a.info("port_count"))
	s.Atoms = a.number(a.info("atom_count"))
	loaded, _ := a.call("erlang", "loaded").(etf.List)
	s.Modules = int64(len(loaded))
	for _, n := range nodeLists(a) {
		if n.Type != "this" {
			s.Connected++
		}
	}
	memory, _ := a.call("erlang", "memory").(etf.List)
	for _, m := range memory {
		if kv, ok := m.(etf.Tuple); ok && len(kv) == 2 {
			s.Memory[a.text(kv[0])] = a.number(kv[1])
		}
	}
	return s, a.err
}

func (s *nodeStatus) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	line := func(k, format string, args ...any) { fmt.Fprintf(t, k+"\t"+format+"\n", args...) }
	line("node", "%s", s.Node)
	line("system", "%s", s.System)
	line("os pid", "%s", s.OSPid)
	line("uptime", "%s", (time.Duration(s.UptimeMS) * time.Millisecond).Round(time.Second))
	line("processes", "%d of %d", s.Processes, s.ProcessLimit)
	line("run queue", "%d (%d schedulers)", s.RunQueue, s.Schedulers)
	line("reductions", "%d", s.Reductions)
	line("memory", "%s (processes %s, binaries %s, ets %s, code %s)", mebi(s.Memory["total"]), mebi(s.Memory["processes"]),
		mebi(s.Memory["binary"]), mebi(s.Memory["ets"]), mebi(s.Memory["code"]))
	line("ports", "%d", s.Ports)
	line("atoms", "%d", s.Atoms)
	line("modules", "%d", s.Modules)
	line("connected", "%d nodes", s.Connected)
	t.Flush()
}

func mebi(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

// nodeEntry is a line of `beamrd nodes`.
type nodeEntry struct {
	Node string `json:"node"`
	Type string `json:"type"` // this, visible, hidden; local for the port mapper's
	Port int    `json:"port,omitempty"`
}

// nodeLists returns the nodes that a node knows, without ourselves.
func nodeLists(a *asker) []nodeEntry {
	l := []nodeEntry{{Node: a.conn.Peer(), Type: "this"}}
	for _, typ := range []etf.Atom{"visible", "hidden"} {
		names, _ := a.call("erlang", "nodes", typ).(etf.List)
		for _, n := range names {
			if name := a.text(n); name != a.conn.Node() {
				l = append(l, nodeEntry{Node: name, Type: string(typ)})
			}
		}
	}
	return l
}

func nodesCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "nodes [NAME]", Short: "List the nodes that a node is connected to",
		Long: "List a node and those that it is connected to; with --local, the names that the\nport mapper of this machine knows.\n",
		Args: usage(cobra.MaximumNArgs(1)),
	}
	c := newClient(cmd, answerTime)
	local := cmd.Flags().Bool("local", false, "list the names that the port mapper knows")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := c.named(args); err != nil {
			return err
		}
		if *local {
			return c.localNodes()
		}
		return c.with(func(ctx context.Context, conn *dist.Conn) error {
			a := &asker{ctx: ctx, conn: conn}
			l := nodeLists(a)
			if a.err != nil {
				return a.err
			}
			return c.answer(l, func(w io.Writer) { printNodes(w, l) })
		})
	}
	return cmd
}

func (c *client) localNodes() error {
	ctx, cancel := c.context()
	defer cancel()
	names, err := epmd.Client{Port: c.epmdPort}.Names(ctx)
	if err != nil {
		return &failure{codeUnreachable, fmt.Errorf("no port mapper answers at port %d", c.epmdPort)}
	}
	l := []nodeEntry{}
	for n, port := range names {
		l = append(l, nodeEntry{n, "local", port})
	}
	slices.SortFunc(l, func(a, b nodeEntry) int { return strings.Compare(a.Node, b.Node) })
	return c.answer(l, func(w io.Writer) { printNodes(w, l) })
}

func printNodes(w io.Writer, l []nodeEntry) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, n := range l {
		if n.Port != 0 {
			fmt.Fprintf(t, "%s\t%s\tport %d\n", n.Node, n.Type, n.Port)
		} else {
			fmt.Fprintf(t, "%s\t%s\n", n.Node, n.Type)
		}
	}
	t.Flush()
}
