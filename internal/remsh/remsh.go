// Package remsh attaches a terminal to the shell of a node. The shell runs on
// the node, as with erl's -remsh; this side is its group leader: it reads and
// edits lines, prints, and serves Erlang's I/O protocol over the connection.
package remsh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/beamrd/beamrd/dist"
	"github.com/beamrd/beamrd/dist/etf"
)

// Session is a terminal attached to a shell.
type Session struct {
	conn  *dist.Conn
	box   *dist.Mailbox
	shell etf.Pid
	con   console

	requests chan request // for input, in order
	menus    chan struct{}
	ended    chan error
	typed    etf.Term // what was typed and is not read yet
}

// request is one for input.
type request struct {
	from etf.Pid
	as   etf.Term
	req  etf.Tuple
}

// console is what a person, or a file, types at.
type console interface {
	io.Writer
	// ReadLine returns a line without its end. The error is errMenu when the
	// keys for the menu were typed, or io.EOF.
	ReadLine(prompt string) (string, error)
	ReadPassword(prompt string) (string, error)
	// Size returns the columns and rows; ok is false for no terminal.
	Size() (columns, rows int, ok bool)
	Close() error
}

// Errors of consoles and sessions.
var (
	errMenu   = errors.New("remsh: the menu is asked for")
	errDetach = errors.New("remsh: detached")
	errShell  = errors.New("remsh: the shell has ended")
)

func atom(s string) etf.Atom { return etf.Atom(s) }

// Run attaches in and out to a new shell of a node until the user detaches, the
// input ends, or the shell or the node does, which is an error.
func Run(ctx context.Context, conn *dist.Conn, in, out *os.File) error {
	s := &Session{
		conn: conn, box: conn.Mailbox(), requests: make(chan request, 64),
		menus: make(chan struct{}, 1), ended: make(chan error, 4), typed: etf.List{},
	}
	con, err := newConsole(in, out, s.complete, s.menuKey)
	if err != nil {
		return err
	}
	s.con = con
	defer con.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := s.start(ctx); err != nil {
		return err
	}
	// The shell ends with us.
	defer s.box.Close()
	go s.serve(ctx)
	go s.input(ctx)
	select {
	case err = <-s.ended:
	case <-ctx.Done():
		err = ctx.Err()
	}
	switch {
	case errors.Is(err, errDetach), errors.Is(err, io.EOF):
		s.box.Kill(s.shell, atom("kill"))
		return nil
	case conn.Err() != nil:
		return fmt.Errorf("the node has gone: %w", conn.Err())
	}
	return err
}

// start starts a shell whose group leader is our mailbox.
func (s *Session) start(ctx context.Context) error {
	v, err := s.box.Call(ctx, "shell", "start")
	if err != nil {
		return err
	}
	pid, ok := v.(etf.Pid)
	if !ok {
		return fmt.Errorf("remsh: no shell but %s", etf.Format(v))
	}
	s.shell = pid
	return s.box.Link(pid)
}

func (s *Session) end(err error) {
	select {
	case s.ended <- err:
	default:
	}
}

// serve acts on what the node sends. Output is written at once, requests for
// input queue.
func (s *Session) serve(ctx context.Context) {
	for {
		e, err := s.box.Receive(ctx)
		if err != nil {
			s.end(err)
			return
		}
		switch e := e.(type) {
		case dist.Exit:
			if e.From == s.shell {
				s.end(fmt.Errorf("%w: %s", errShell, s.conn.Format(e.Reason)))
				return
			}
		case dist.Message:
			s.message(ctx, e.Term)
		}
	}
}

func (s *Session) message(ctx context.Context, msg etf.Term) {
	t, ok := msg.(etf.Tuple)
	if !ok || len(t) != 4 || t[0] != etf.Term(atom("io_request")) {
		return
	}
	from, ok := t[1].(etf.Pid)
	if !ok {
		return
	}
	r := request{from: from, as: t[2]}
	if a, ok := t[3].(etf.Atom); ok {
		s.reply(r, s.options(a))
		return
	}
	if r.req, ok = t[3].(etf.Tuple); !ok || len(r.req) == 0 {
		s.reply(r, failed("request"))
		return
	}
	if isInput(r.req) {
		select {
		case s.requests <- r:
		default:
			s.reply(r, failed("terminated")) // more readers than anyone has
		}
		return
	}
	s.reply(r, s.output(ctx, r.req))
}

func (s *Session) reply(r request, v etf.Term) {
	s.box.Send(context.Background(), r.from, etf.Tuple{atom("io_reply"), r.as, v})
}

func failed(why string) etf.Term { return etf.Tuple{atom("error"), atom(why)} }

func (s *Session) options(a etf.Atom) etf.Term {
	if a != "getopts" {
		return failed("request")
	}
	return etf.List{
		etf.Tuple{atom("binary"), atom("false")}, etf.Tuple{atom("echo"), atom("true")},
		etf.Tuple{atom("encoding"), atom("unicode")},
	}
}

// output carries out a request that is not for input.
func (s *Session) output(ctx context.Context, t etf.Tuple) etf.Term {
	name, _ := t[0].(etf.Atom)
	switch name {
	case "put_chars":
		text, ok := s.conn.PutChars(ctx, t)
		if !ok {
			return failed("put_chars")
		}
		if _, err := io.WriteString(s.con, text); err != nil {
			return failed("terminated")
		}
		return atom("ok")
	case "setopts":
		return atom("ok")
	case "get_geometry":
		columns, rows, ok := s.con.Size()
		switch {
		case len(t) != 2 || !ok:
		case t[1] == etf.Term(atom("columns")):
			return columns
		case t[1] == etf.Term(atom("rows")):
			return rows
		}
		return failed("enotsup")
	case "requests":
		return s.several(ctx, t)
	}
	return failed("request")
}

// several carries out {requests, Requests}, up to the first that fails.
func (s *Session) several(ctx context.Context, t etf.Tuple) etf.Term {
	l, ok := t[len(t)-1].(etf.List)
	if !ok {
		return failed("request")
	}
	var r etf.Term = atom("ok")
	for _, q := range l {
		qt, ok := q.(etf.Tuple)
		if !ok || len(qt) == 0 || isInput(qt) || qt[0] == etf.Term(atom("requests")) {
			return failed("request")
		}
		r = s.output(ctx, qt)
		if e, ok := r.(etf.Tuple); ok && len(e) == 2 && e[0] == etf.Term(atom("error")) {
			return r
		}
	}
	return r
}
