package dist

import (
	"context"
	"fmt"

	"github.com/beamrd/beamrd/dist/etf"
	"github.com/beamrd/beamrd/internal/wire"
)

// RemoteError is an exception of a called function.
type RemoteError struct {
	Class  string   // error, exit or throw
	Reason etf.Term // what was raised
	Stack  etf.Term // the stack of an error, a list; nil for other classes
}

func (e *RemoteError) Error() string {
	return fmt.Sprintf("exception %s: %s", e.Class, etf.Format(e.Reason))
}

// SpawnError is a process that the peer could not start, such as system_limit.
type SpawnError struct{ Reason etf.Term }

func (e *SpawnError) Error() string { return "dist: spawning: " + etf.Format(e.Reason) }

// Call calls a function of the peer, as erpc:call/4 does: in a process of its
// own, which outlives a ctx that is cancelled. The error is a *RemoteError where
// the function raises an exception, that of ctx, or why the connection ended.
func (c *Conn) Call(ctx context.Context, mod, fun string, args ...etf.Term) (etf.Term, error) {
	m := c.Mailbox()
	defer m.Close()
	gl := c.Mailbox()
	defer gl.Close()
	go gl.serveIO(c.o.Output)
	return m.call(ctx, gl.pid, mod, fun, args)
}

// Call is Conn.Call with the mailbox as the group leader of what is called: it
// receives the requests of Erlang's I/O protocol.
func (m *Mailbox) Call(ctx context.Context, mod, fun string, args ...etf.Term) (etf.Term, error) {
	caller := m.c.Mailbox()
	defer caller.Close()
	return caller.call(ctx, m.pid, mod, fun, args)
}

func (m *Mailbox) call(ctx context.Context, gl etf.Pid, mod, fun string, args []etf.Term) (etf.Term, error) {
	tag := m.c.MakeRef()
	call := etf.List{tag, etf.Atom(mod), etf.Atom(fun), etf.List(args)}
	ref, err := m.spawn(gl, "erpc", "execute_call", call)
	if err != nil {
		return nil, err
	}
	for {
		e, err := m.Receive(ctx)
		if err != nil {
			return nil, err
		}
		switch e := e.(type) {
		case spawned:
			if a, ok := e.result.(etf.Atom); ok && e.ref == ref {
				return nil, &SpawnError{a}
			}
		case Down:
			if e.Ref == ref {
				return m.result(tag, e.Reason)
			}
		}
	}
}

// spawn starts a monitored process on the peer. What is returned is the monitor.
func (m *Mailbox) spawn(gl etf.Pid, mod, fun string, args etf.List) (etf.Ref, error) {
	ref := m.c.MakeRef()
	if m.c.peer.flags&wire.FlagSpawn == 0 {
		return ref, protocol("%s cannot be asked to spawn", m.c.peer.name)
	}
	m.mu.Lock()
	if m.err != nil {
		defer m.mu.Unlock()
		return ref, m.err
	}
	m.monitors[ref] = etf.Atom("spawned")
	m.mu.Unlock()
	mfa := etf.Tuple{etf.Atom(mod), etf.Atom(fun), len(args)}
	return ref, m.c.signal(etf.Tuple{wire.OpSpawnRequest, ref, m.pid, gl, mfa, etf.List{etf.Atom("monitor")}}, args)
}

// result tells what a process of erpc ended with.
func (m *Mailbox) result(tag etf.Ref, reason etf.Term) (etf.Term, error) {
	t, ok := reason.(etf.Tuple)
	if ok && len(t) >= 3 && t[0] == etf.Term(tag) {
		class, _ := t[1].(etf.Atom)
		switch {
		case class == "return":
			return t[2], nil
		case len(t) == 4:
			return nil, &RemoteError{string(class), t[2], t[3]}
		}
		return nil, &RemoteError{Class: string(class), Reason: t[2]}
	}
	if reason == etf.Term(noconnection) && m.c.Err() != nil {
		return nil, m.c.Err()
	}
	return nil, &RemoteError{Class: "exit", Reason: etf.Tuple{etf.Atom("signal"), reason}}
}

// Ping asks the peer's net_kernel whether it is there, as net_adm:ping/1 does.
func (c *Conn) Ping(ctx context.Context) error {
	m := c.Mailbox()
	defer m.Close()
	ref := c.MakeRef()
	call := etf.Tuple{etf.Atom("$gen_call"), etf.Tuple{m.pid, ref}, etf.Tuple{etf.Atom("is_auth"), etf.Atom(c.self.name)}}
	if err := m.Send(ctx, etf.Atom("net_kernel"), call); err != nil {
		return err
	}
	for {
		e, err := m.Receive(ctx)
		if err != nil {
			return err
		}
		if msg, ok := e.(Message); ok && etf.Equal(msg.Term, etf.Tuple{ref, etf.Atom("yes")}) {
			return nil
		}
	}
}

// Parse reads the text of a term in which identities are those of the peer.
func (c *Conn) Parse(text string) (etf.Term, error) {
	p := etf.Parser{Local: etf.Atom(c.peer.name), Creation: c.peer.creation}
	return p.Parse(text)
}

// Format returns the text of a term as the peer would write it on one line.
func (c *Conn) Format(t etf.Term) string {
	f := etf.Formatter{Local: etf.Atom(c.peer.name)}
	return string(f.Append(nil, t))
}
