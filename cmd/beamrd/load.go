package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/beamrd/beamrd/dist"
	"github.com/beamrd/beamrd/dist/etf"
)

// change is how a node answers to load and unload; for JSON too.
type change struct {
	Generation int64             `json:"generation,omitempty"` // of the store; 0: it did not change
	Modules    []string          `json:"modules"`              // those that were loaded or unloaded
	Errors     map[string]string `json:"errors,omitempty"`     // by module
	Notes      []string          `json:"notes,omitempty"`
	order      []string          // the modules of Errors
}

func loadCmd() *cobra.Command {
	var noPersist, force bool
	cmd := &cobra.Command{
		Use: "load FILE.beam…", Short: "Load modules into a node, and keep them for its restarts", Args: usage(cobra.MinimumNArgs(1)),
		Long: `Load modules into a running node. They are kept in the node's store, and loaded
again when it starts; the command succeeds when they are on disk there.

All modules are loaded in one step, or none; those with an on_load function
follow one by one. A module whose old code is still run by a process is refused,
unless --force is given, which kills those processes.
`,
	}
	c := newClient(cmd, 0)
	cmd.Flags().BoolVar(&noPersist, "no-persist", false, "do not keep them")
	cmd.Flags().BoolVar(&force, "force", false, "kill processes that still run old code")
	cmd.RunE = func(_ *cobra.Command, files []string) error {
		var mods etf.List
		for _, f := range files {
			m, err := readModule(f)
			if err != nil {
				return err
			}
			mods = append(mods, m)
		}
		opts := etf.Map{{Key: etf.Atom("persist"), Value: !noPersist}, {Key: etf.Atom("force"), Value: force}}
		return c.with(func(ctx context.Context, conn *dist.Conn) error {
			err := c.change(ctx, conn, "loaded", "load", mods, opts)
			if noPersist && errors.Is(err, errNoDaemon) {
				return c.loadPlain(ctx, conn, mods, force)
			}
			return err
		})
	}
	return cmd
}

// readModule makes {Module, File, Code} of a .beam file, which names the module.
func readModule(file string) (etf.Term, error) {
	name, ok := strings.CutSuffix(filepath.Base(file), ".beam")
	if !ok || name == "" || len(name) > 255 {
		return nil, usageError("%s: not called MODULE.beam", file)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, &failure{codeFailed, err}
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, &failure{codeFailed, err}
	}
	return etf.Tuple{etf.Atom(name), etf.Binary(abs), etf.Binary(b)}, nil
}

func unloadCmd() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "unload MODULE…", Short: "Take modules out of a node and its store", Args: usage(cobra.MinimumNArgs(1)),
		Long: `Take modules out of a running node and out of its store. Processes that run
their code may finish, unless --force is given, which kills them.
`,
	}
	c := newClient(cmd, 0)
	cmd.Flags().BoolVar(&force, "force", false, "kill processes that run the modules")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		var mods etf.List
		for _, a := range args {
			mods = append(mods, etf.Atom(strings.TrimSuffix(a, ".beam")))
		}
		opts := etf.Map{{Key: etf.Atom("force"), Value: force}}
		return c.with(func(ctx context.Context, conn *dist.Conn) error {
			return c.change(ctx, conn, "unloaded", "unload", mods, opts)
		})
	}
	return cmd
}

// change calls beamrd:load/2 or beamrd:unload/2 and shows the outcome.
func (c *client) change(ctx context.Context, conn *dist.Conn, done, fun string, mods etf.List, opts etf.Map) error {
	t, err := conn.Call(ctx, "beamrd", fun, mods, opts)
	if err != nil {
		return noDaemon(conn, err)
	}
	ch, err := decodeChange(t)
	if err != nil {
		return &failure{codeFailed, err}
	}
	return c.showChange(ch, done)
}

// showChange answers with an outcome; the exit code tells of errors.
func (c *client) showChange(ch *change, done string) error {
	if err := c.answer(ch, func(w io.Writer) { ch.print(w, done) }); err != nil {
		return err
	}
	if len(ch.Errors) > 0 {
		return exitCode(codeFailed)
	}
	return nil
}

// noDaemon says what it means that a node has no module beamrd.
func noDaemon(conn *dist.Conn, err error) error {
	var re *dist.RemoteError
	if errors.As(err, &re) && re.Reason == etf.Term(etf.Atom("undef")) && strings.HasPrefix(etf.Format(re.Stack), "[{beamrd,") {
		return &failure{codeFailed, fmt.Errorf("%s was not started by beamrd start: %w", conn.Peer(), errNoDaemon)}
	}
	return err
}

// loadPlain loads modules into a node that is not ours, one by one.
func (c *client) loadPlain(ctx context.Context, conn *dist.Conn, mods etf.List, force bool) error {
	purge := "soft_purge"
	if force {
		purge = "purge"
	}
	ch := &change{Modules: []string{}, Errors: map[string]string{}}
	for _, m := range mods {
		m := m.(etf.Tuple)
		name := string(m[0].(etf.Atom))
		purged, err := conn.Call(ctx, "code", purge, m[0])
		if err != nil {
			return err
		}
		text := "processes still run its old code; --force kills them"
		if force || purged == etf.Term(etf.Atom("true")) {
			t, err := conn.Call(ctx, "code", "load_binary", m[0], etf.Chars(string(m[1].(etf.Binary))), m[2])
			if err != nil {
				return err
			}
			if v, ok := t.(etf.Tuple); ok && len(v) == 2 && v[0] == etf.Term(etf.Atom("module")) {
				ch.Modules = append(ch.Modules, name)
				continue
			}
			text = etf.Format(t)
		}
		ch.order = append(ch.order, name)
		ch.Errors[name] = text
	}
	return c.showChange(ch, "loaded")
}

func (ch *change) print(w io.Writer, done string) {
	if len(ch.Modules) > 0 {
		fmt.Fprintf(w, "%s %s", done, strings.Join(ch.Modules, " "))
		if ch.Generation > 0 {
			fmt.Fprintf(w, " (generation %d)", ch.Generation)
		}
		fmt.Fprintln(w)
	}
	for _, n := range ch.Notes {
		fmt.Fprintln(os.Stderr, "beamrd: note:", n)
	}
	for _, m := range ch.order {
		fmt.Fprintf(os.Stderr, "beamrd: %s: %s\n", m, ch.Errors[m])
	}
}

// decodeChange reads {Generation | none, Modules, [{Module, Text}], [Text]}.
func decodeChange(t etf.Term) (*change, error) {
	bad := fmt.Errorf("the node gives a strange answer: %.200s", etf.Format(t))
	v, ok := t.(etf.Tuple)
	if !ok || len(v) != 4 {
		return nil, bad
	}
	ch := &change{Modules: []string{}, Errors: map[string]string{}}
	ch.Generation, _ = v[0].(int64)
	lists := [3]etf.List{}
	for i := range lists {
		if lists[i], ok = v[i+1].(etf.List); !ok {
			return nil, bad
		}
	}
	for _, m := range lists[0] {
		s, _ := etf.Text(m)
		ch.Modules = append(ch.Modules, s)
	}
	for _, e := range lists[1] {
		p, ok := e.(etf.Tuple)
		if !ok || len(p) != 2 {
			return nil, bad
		}
		m, _ := etf.Text(p[0])
		text, _ := etf.Text(p[1])
		ch.order = append(ch.order, m)
		ch.Errors[m] = text
	}
	for _, n := range lists[2] {
		s, _ := etf.Text(n)
		ch.Notes = append(ch.Notes, s)
	}
	return ch, nil
}

// stored is a module in a node's store; for JSON too.
type stored struct {
	Module     string    `json:"module"`
	Generation int64     `json:"generation"`
	Loaded     time.Time `json:"loaded"`
	Size       int64     `json:"size"`
	Digest     string    `json:"sha256"`
	File       string    `json:"file"`
	State      string    `json:"state"` // current, other, not_loaded, damaged
	Damage     string    `json:"damage,omitempty"`
}

func modulesCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "modules [NAME]", Short: "List the modules that a node keeps", Args: usage(cobra.MaximumNArgs(1)),
		Long: `List the modules that a node keeps for its restarts. The state is current when
the node runs what is stored, other when it runs other code, not_loaded, or
damaged.
`,
	}
	c := newClient(cmd, 10*time.Second)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := c.named(args); err != nil {
			return err
		}
		return c.with(func(ctx context.Context, conn *dist.Conn) error {
			t, err := conn.Call(ctx, "beamrd", "modules")
			if err != nil {
				return noDaemon(conn, err)
			}
			ms, err := decodeModules(t)
			if err != nil {
				return &failure{codeFailed, err}
			}
			return c.answer(ms, func(w io.Writer) { printModules(w, ms) })
		})
	}
	return cmd
}

func printModules(w io.Writer, ms []stored) {
	for _, m := range ms {
		state := m.State
		if m.Damage != "" {
			state += ": " + m.Damage
		}
		fmt.Fprintf(w, "%-24s %6d  %s  %8d  %.12s  %s\n", m.Module, m.Generation, m.Loaded.Format("2006-01-02 15:04:05"), m.Size, m.Digest, state)
	}
}

// decodeModules reads the answer of beamrd:modules/0.
func decodeModules(t etf.Term) ([]stored, error) {
	bad := fmt.Errorf("the node gives a strange answer: %.200s", etf.Format(t))
	v, ok := t.(etf.Tuple)
	if !ok || len(v) != 2 {
		return nil, bad
	}
	if v[0] == etf.Term(etf.Atom("error")) {
		text, _ := etf.Text(v[1])
		return nil, errors.New(text)
	}
	l, ok := v[1].(etf.List)
	if !ok {
		return nil, bad
	}
	ms := []stored{}
	for _, e := range l {
		r, ok := e.(etf.Tuple)
		if !ok || len(r) != 7 {
			return nil, bad
		}
		var m stored
		m.Module, _ = etf.Text(r[0])
		m.File, _ = etf.Text(r[1])
		m.Size, _ = r[2].(int64)
		digest, _ := r[3].(etf.Binary)
		m.Digest = fmt.Sprintf("%x", []byte(digest))
		secs, _ := r[4].(int64)
		m.Loaded = time.Unix(secs, 0)
		m.Generation, _ = r[5].(int64)
		if d, ok := r[6].(etf.Tuple); ok && len(d) == 2 {
			m.State = "damaged"
			m.Damage, _ = etf.Text(d[1])
		} else {
			m.State, _ = etf.Text(r[6])
		}
		ms = append(ms, m)
	}
	return ms, nil
}
