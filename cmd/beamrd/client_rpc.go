package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/beamrd/beamrd/dist"
	"github.com/beamrd/beamrd/dist/etf"
)

func rpcCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "rpc M F [ARG…]", Short: "Call a function on a node",
		Long: `Call M:F(ARG, …) on a node and print the result.

M, F and each ARG are Erlang terms: beamrd rpc lists reverse '[1,2,3]'. What the
function prints is printed; an exception is reported with its class, reason and
stack. In JSON the answer is {"text": …, "value": …} or {"class": …, "reason": …,
"stack": …}.
`,
	}
	c := newClient(cmd, 0)
	terms(cmd, cobra.MinimumNArgs(2), func(args []string) error {
		for i, a := range args[:2] {
			if _, err := atomArg(a); err != nil {
				return usageError("%s %q: %v", []string{"module", "function"}[i], a, err)
			}
		}
		return c.with(func(ctx context.Context, conn *dist.Conn) error {
			mod, _ := atomArg(args[0])
			fun, _ := atomArg(args[1])
			var terms []etf.Term
			for i, a := range args[2:] {
				t, err := conn.Parse(a)
				if err != nil {
					return usageError("argument %d: %v", i+1, err)
				}
				terms = append(terms, t)
			}
			v, err := conn.Call(ctx, mod, fun, terms...)
			return c.result(conn, v, err)
		})
	})
	return cmd
}

// atomArg reads an atom; capitals need no quotes: 'Elixir.Foo' is as good as
// Elixir.Foo.
func atomArg(s string) (string, error) {
	t, err := etf.Parse(s)
	if a, ok := t.(etf.Atom); ok {
		return string(a), nil
	}
	if err == nil {
		return "", errors.New("no atom")
	}
	if strings.HasPrefix(s, "Elixir.") {
		return s, nil
	}
	return "", err
}

// result prints the result of a call, or its exception.
func (c *client) result(conn *dist.Conn, v etf.Term, err error) error {
	var re *dist.RemoteError
	switch {
	case err == nil:
		text := conn.Format(v)
		return c.answer(map[string]any{"text": text, "value": etf.JSON(v)}, func(w io.Writer) { fmt.Fprintln(w, text) })
	case !errors.As(err, &re):
		return err
	case c.json:
		stack := []string{}
		for _, f := range frames(re.Stack) {
			stack = append(stack, frameText(conn, f))
		}
		c.answer(map[string]any{"class": re.Class, "reason": conn.Format(re.Reason), "stack": stack}, nil)
	default:
		fmt.Fprintf(os.Stderr, "beamrd: exception %s: %s\n", re.Class, conn.Format(re.Reason))
		for _, f := range frames(re.Stack) {
			fmt.Fprintln(os.Stderr, "  in", frameText(conn, f))
		}
	}
	return exitCode(codeFailed)
}

func frames(stack etf.Term) etf.List {
	l, _ := stack.(etf.List)
	return l
}

// frameText returns a line of a stack: mod:fun/arity or with arguments, and
// where it is in the source.
func frameText(conn *dist.Conn, f etf.Term) string {
	t, ok := f.(etf.Tuple)
	if !ok || len(t) != 4 {
		return conn.Format(f)
	}
	var b []byte
	for i, x := range t[:2] {
		a, ok := x.(etf.Atom)
		if !ok {
			return conn.Format(f)
		}
		if i > 0 {
			b = append(b, ':')
		}
		b = etf.AppendAtom(b, a)
	}
	s := string(b)
	if args, ok := t[2].(etf.List); ok {
		var text []string
		for _, a := range args {
			text = append(text, conn.Format(a))
		}
		s += "(" + strings.Join(text, ",") + ")"
	} else {
		s += "/" + conn.Format(t[2])
	}
	file, line := "", ""
	info, _ := t[3].(etf.List)
	for _, i := range info {
		if kv, ok := i.(etf.Tuple); ok && len(kv) == 2 {
			switch kv[0] {
			case etf.Term(etf.Atom("file")):
				file, _ = etf.Text(kv[1])
			case etf.Term(etf.Atom("line")):
				line = conn.Format(kv[1])
			}
		}
	}
	if file != "" {
		s += " (" + file + ", line " + line + ")"
	}
	return s
}

func evalCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "eval EXPR", Short: "Evaluate expressions on a node",
		Long: `Evaluate Erlang expressions on a node and print the value of the last. The full
stop may be missing. Output, exceptions and JSON are as with rpc.
`,
	}
	c := newClient(cmd, 0)
	terms(cmd, cobra.ExactArgs(1), func(args []string) error {
		return c.with(func(ctx context.Context, conn *dist.Conn) error {
			exprs, err := parseExprs(ctx, conn, args[0])
			if err != nil {
				return err
			}
			v, err := conn.Call(ctx, "erl_eval", "exprs", exprs, etf.List{})
			if t, ok := v.(etf.Tuple); ok && len(t) == 3 {
				v = t[1] // {value, Value, Bindings}
			}
			return c.result(conn, v, err)
		})
	})
	return cmd
}

// parseExprs has a node read expressions. Wrong ones are a usage error.
func parseExprs(ctx context.Context, conn *dist.Conn, text string) (etf.Term, error) {
	if !strings.HasSuffix(strings.TrimSpace(text), ".") {
		text += " ."
	}
	v, err := conn.Call(ctx, "erl_scan", "string", etf.Chars(text+"\n"))
	for _, next := range []string{"parse_exprs", ""} {
		if err != nil {
			return nil, err
		}
		t, ok := v.(etf.Tuple)
		if !ok || len(t) < 2 {
			return nil, usageError("the node does not read the expressions: %s", conn.Format(v))
		}
		if t[0] != etf.Term(etf.Atom("ok")) {
			return nil, usageError("%s", syntaxError(ctx, conn, t[1]))
		}
		if next == "" {
			return t[1], nil
		}
		v, err = conn.Call(ctx, "erl_parse", next, t[1])
	}
	return nil, err
}

// syntaxError returns the text of {Location, Module, Description}.
func syntaxError(ctx context.Context, conn *dist.Conn, t etf.Term) string {
	if e, ok := t.(etf.Tuple); ok && len(e) == 3 {
		if mod, ok := e[1].(etf.Atom); ok {
			if v, err := conn.Call(ctx, string(mod), "format_error", e[2]); err == nil {
				if s, ok := etf.Text(v); ok {
					return fmt.Sprintf("line %s: %s", conn.Format(e[0]), s)
				}
			}
		}
	}
	return conn.Format(t)
}
