package remsh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/beamrd/beamrd/dist/etf"
)

func isInput(t etf.Tuple) bool {
	switch t[0] {
	case etf.Term(atom("get_until")), etf.Term(atom("get_line")), etf.Term(atom("get_chars")), etf.Term(atom("get_password")):
		return true
	}
	return false
}

// input carries out the requests for input, one after another. Between them the
// keys for the menu still work.
func (s *Session) input(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.menus:
			if err := s.menu(); err != nil {
				s.end(err)
				return
			}
		case r := <-s.requests:
			v, err := s.read(ctx, r.req)
			switch {
			case err == nil:
				s.reply(r, v)
			case errors.Is(err, errInterrupt):
				s.reply(r, failed("interrupted"))
			default:
				s.end(err)
				return
			}
		}
	}
}

// menuKey is called when the keys for the menu are typed while nobody reads.
func (s *Session) menuKey() {
	select {
	case s.menus <- struct{}{}:
	default:
	}
}

// read carries out one request. What takes the input apart are the functions of
// io_lib that OTP's own group leader uses; they run on the node.
func (s *Session) read(ctx context.Context, t etf.Tuple) (etf.Term, error) {
	name, _ := t[0].(etf.Atom)
	args := t[1:]
	encoding := atom("latin1")
	// {get_X, Encoding, Prompt, …}, or the same without the encoding.
	if n := map[etf.Atom]int{"get_until": 5, "get_line": 2, "get_chars": 3, "get_password": 2}[name]; len(args) == n {
		a, ok := args[0].(etf.Atom)
		if !ok {
			return failed("request"), nil
		}
		encoding, args = a, args[1:]
	}
	prompt := ""
	if len(args) > 0 {
		prompt = s.prompt(ctx, args[0])
	}
	switch {
	case name == "get_until" && len(args) == 4:
		return s.collect(ctx, prompt, "get_until", encoding, etf.Tuple{args[1], args[2], args[3]})
	case name == "get_line" && len(args) == 1:
		return s.collect(ctx, prompt, "collect_line", encoding, etf.List{})
	case name == "get_chars" && len(args) == 2:
		return s.collect(ctx, prompt, "collect_chars", encoding, args[1])
	case name == "get_password":
		p, err := s.con.ReadPassword(prompt)
		return etf.Chars(p), err
	}
	return failed("request"), nil
}

// prompt returns the text of a prompt: chars, an atom, or {format, F, A}.
func (s *Session) prompt(ctx context.Context, p etf.Term) string {
	if f, ok := p.(etf.Tuple); ok && len(f) == 3 {
		v, err := s.conn.Call(ctx, "io_lib", "format", f[1], f[2])
		if err != nil {
			return ""
		}
		p = v
	}
	text, _ := etf.Text(p)
	return text
}

func (s *Session) collect(ctx context.Context, prompt, fun string, encoding etf.Atom, extra etf.Term) (etf.Term, error) {
	var state etf.Term = atom("start")
	data := s.typed
	s.typed = etf.List{}
	if l, ok := data.(etf.List); ok && len(l) == 0 {
		var err error
		if data, err = s.line(prompt); err != nil {
			return nil, err
		}
	}
	for {
		v, err := s.conn.Call(ctx, "io_lib", fun, state, data, encoding, extra)
		if err != nil {
			if s.conn.Err() != nil {
				return nil, err
			}
			return failed(fun), nil
		}
		if t, ok := v.(etf.Tuple); ok && len(t) == 3 && t[0] == etf.Term(atom("stop")) {
			if l, ok := t[2].(etf.List); ok {
				s.typed = l
			}
			return t[1], nil
		}
		state = v
		if data, err = s.line(prompt); err != nil {
			return nil, err
		}
	}
}

// line reads a line, and does what the menu says where that is asked for.
func (s *Session) line(prompt string) (etf.Term, error) {
	for {
		l, err := s.con.ReadLine(prompt)
		if !errors.Is(err, errMenu) {
			if err != nil {
				return nil, err
			}
			return etf.Chars(l + "\n"), nil
		}
		// The shell waits for this line: there is nothing else to interrupt.
		if err := s.menu(); err != nil {
			return nil, err
		}
	}
}

var errInterrupt = errors.New("remsh: interrupted")

const menuPrompt = " --> "

const menuHelp = `  c    continue
  i    interrupt what the shell does
  k    kill the shell and detach
  q    detach; the node lives on
  ?    this help
`

// menu is what Ctrl-G and Ctrl-C lead to. Its error ends a read.
func (s *Session) menu() error {
	fmt.Fprint(s.con, "\nUser switch command (c to continue, i to interrupt, q to detach, ? for help)\n")
	for {
		l, err := s.con.ReadLine(menuPrompt)
		switch {
		case errors.Is(err, errMenu):
			return nil
		case errors.Is(err, io.EOF):
			return errDetach
		case err != nil:
			return err
		}
		switch strings.TrimSpace(l) {
		case "c", "":
			return nil
		case "i":
			return s.box.Kill(s.shell, atom("interrupt"))
		case "k", "q", "a":
			return errDetach
		case "?", "h":
			fmt.Fprint(s.con, menuHelp)
		default:
			fmt.Fprint(s.con, "Unknown command\n")
		}
	}
}

// complete completes the word before the cursor as the node's shell does, and
// prints the possibilities where there are several.
func (s *Session) complete(before string) (insert string) {
	rev := etf.Chars(before)
	for i, j := 0, len(rev)-1; i < j; i, j = i+1, j-1 {
		rev[i], rev[j] = rev[j], rev[i]
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	v, err := s.conn.Call(ctx, "edlin_expand", "expand", rev)
	t, ok := v.(etf.Tuple)
	if err != nil || !ok || len(t) != 3 {
		return ""
	}
	insert, _ = etf.Text(t[1])
	if l, ok := t[2].(etf.List); ok && len(l) > 0 {
		if f, err := s.conn.Call(ctx, "edlin_expand", "format_matches", l); err == nil {
			if text, ok := etf.Text(f); ok {
				io.WriteString(s.con, text)
			}
		}
	}
	return insert
}
