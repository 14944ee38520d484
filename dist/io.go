package dist

import (
	"context"
	"io"

	"github.com/beamrd/beamrd/dist/etf"
)

// serveIO is the group leader of called functions: their output goes to w, or
// nowhere, and their input is at its end.
func (m *Mailbox) serveIO(w io.Writer) {
	ctx := context.Background()
	for {
		e, err := m.Receive(ctx)
		if err != nil {
			return
		}
		msg, ok := e.(Message)
		if !ok {
			continue
		}
		t, ok := msg.Term.(etf.Tuple)
		if !ok || len(t) != 4 || t[0] != etf.Term(etf.Atom("io_request")) {
			continue
		}
		from, ok := t[1].(etf.Pid)
		if !ok {
			continue
		}
		m.Send(ctx, from, etf.Tuple{etf.Atom("io_reply"), t[2], m.ioRequest(ctx, w, t[3])})
	}
}

var (
	amOK     = etf.Atom("ok")
	amEOF    = etf.Atom("eof")
	ioNotsup = etf.Tuple{etf.Atom("error"), etf.Atom("request")}
)

// ioRequest carries out a request of Erlang's I/O protocol.
func (m *Mailbox) ioRequest(ctx context.Context, w io.Writer, req etf.Term) etf.Term {
	if a, ok := req.(etf.Atom); ok {
		if a == "getopts" {
			return etf.List{etf.Tuple{etf.Atom("binary"), etf.Atom("false")}, etf.Tuple{etf.Atom("encoding"), etf.Atom("unicode")}}
		}
		return ioNotsup
	}
	t, ok := req.(etf.Tuple)
	if !ok || len(t) == 0 {
		return ioNotsup
	}
	switch t[0] {
	case etf.Term(etf.Atom("put_chars")):
		text, ok := m.c.PutChars(ctx, t)
		if !ok {
			return etf.Tuple{etf.Atom("error"), t[0]}
		}
		if w != nil {
			if _, err := io.WriteString(w, text); err != nil {
				return etf.Tuple{etf.Atom("error"), etf.Atom("terminated")}
			}
		}
		return amOK
	case etf.Term(etf.Atom("setopts")):
		return amOK
	case etf.Term(etf.Atom("requests")):
		l, ok := t[len(t)-1].(etf.List)
		if !ok {
			return ioNotsup
		}
		var r etf.Term = amOK
		for _, q := range l {
			if qt, ok := q.(etf.Tuple); ok && len(qt) > 0 && qt[0] == t[0] {
				return ioNotsup
			}
			r = m.ioRequest(ctx, w, q)
			if e, ok := r.(etf.Tuple); ok && len(e) == 2 && e[0] == etf.Term(etf.Atom("error")) {
				return r
			}
		}
		return r
	case etf.Term(etf.Atom("get_line")), etf.Term(etf.Atom("get_chars")), etf.Term(etf.Atom("get_until")), etf.Term(etf.Atom("get_password")):
		return amEOF
	}
	return ioNotsup
}

// PutChars returns the text of a put_chars request of Erlang's I/O protocol,
// {put_chars, [Encoding,] Chars} or {put_chars, [Encoding,] M, F, A}; a function
// is called on the peer. ok is false for what is none.
func (c *Conn) PutChars(ctx context.Context, t etf.Tuple) (text string, ok bool) {
	encoding := etf.Atom("latin1")
	args := t[1:]
	if len(t) == 3 || len(t) == 5 {
		if encoding, ok = t[1].(etf.Atom); !ok {
			return "", false
		}
		args = t[2:]
	}
	var chars etf.Term
	switch len(args) {
	case 1:
		chars = args[0]
	case 3:
		mod, ok := args[0].(etf.Atom)
		fun, ok1 := args[1].(etf.Atom)
		a, ok2 := args[2].(etf.List)
		if !ok || !ok1 || !ok2 {
			return "", false
		}
		v, err := c.Call(ctx, string(mod), string(fun), a...)
		if err != nil {
			return "", false
		}
		chars = v
	default:
		return "", false
	}
	if encoding == "latin1" {
		return etf.Latin1(chars)
	}
	if _, isAtom := chars.(etf.Atom); isAtom {
		return "", false
	}
	return etf.Text(chars)
}
