package dist

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/beamrd/beamrd/dist/epmd"
	"github.com/beamrd/beamrd/internal/wire"
)

// Options say how connections are made. The zero value is good for calling a
// node whose cookie is empty.
type Options struct {
	// Name is our own name, name@host. Empty: the node that is called gives us
	// one, as it does to erl's -remsh; it takes the name back when the
	// connection ends, so that callers without number leave no names behind.
	Name string
	// Host is the part of a given name after the @; the called node's if empty.
	Host string
	// Cookie is the secret of the cluster. FindCookie reads it from where
	// Erlang keeps it.
	Cookie string
	// Published makes us a visible node. The other nodes of a cluster will
	// then try to connect as well.
	Published bool
	// EPMDPort is the port mapper's; the variable ERL_EPMD_PORT or 4369 if 0.
	EPMDPort int
	// Addr is the address of the node, host:port, where it is known: the port
	// mapper is not asked.
	Addr string
	// TickTime is how long a peer may be silent, a minute if 0. It should be
	// that of the nodes (net_ticktime).
	TickTime time.Duration
	// MaxMessage is the most bytes that a message may have, 256 MiB if 0. A
	// larger one ends the connection. What waits in a mailbox counts as well.
	MaxMessage int
	// Output is where the output of called functions goes; nowhere if nil.
	Output io.Writer
}

// The values that stand for 0.
const (
	defaultTickTime   = time.Minute
	defaultMaxMessage = 256 << 20
	setupTime         = 7 * time.Second // as net_setuptime
)

func (o *Options) fill() {
	if o.TickTime <= 0 {
		o.TickTime = defaultTickTime
	}
	if o.MaxMessage <= 0 {
		o.MaxMessage = defaultMaxMessage
	}
	if o.EPMDPort == 0 {
		o.EPMDPort = EPMDPort()
	}
}

// EPMDPort returns the port mapper's port: what ERL_EPMD_PORT says, or 4369.
func EPMDPort() int {
	if n, err := strconv.Atoi(os.Getenv("ERL_EPMD_PORT")); err == nil && n > 0 && n < 1<<16 {
		return n
	}
	return epmd.DefaultPort
}

// UnreachableError says that there is no way to a node: it does not run, its
// host is not known, or nobody listens.
type UnreachableError struct {
	Node string
	Err  error
}

func (e *UnreachableError) Error() string { return fmt.Sprintf("dist: %s: %v", e.Node, e.Err) }

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// Dial connects to a node, name@host. A name alone is that of a node on this
// machine, whose host is what it says itself. The error is an *UnreachableError, or
// wraps ErrCookie, ErrRefused or ErrProtocol, or is that of ctx or of the
// connection. Without a deadline of its own the handshake takes 7 s at most.
func Dial(ctx context.Context, node string, o Options) (*Conn, error) {
	o.fill()
	local := node != "" && !strings.Contains(node, "@")
	if !local && !validNode(node) {
		return nil, fmt.Errorf("dist: %q is no name of a node", node)
	}
	if o.Name != "" && !validNode(o.Name) {
		return nil, fmt.Errorf("dist: %q is no name of a node", o.Name)
	}
	ctx, cancel := context.WithTimeout(ctx, setupTime)
	defer cancel()
	nc, err := o.reach(ctx, node)
	if err != nil {
		return nil, &UnreachableError{node, err}
	}
	stop := context.AfterFunc(ctx, func() { nc.SetDeadline(time.Unix(1, 0)) })
	s, p, err := o.shake(nc, node)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		nc.Close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, fmt.Errorf("%s: %w", node, err)
	}
	nc.SetDeadline(time.Time{})
	return newConn(nc, s, p, o), nil
}

// shake does the handshake of Dial.
func (o *Options) shake(rw io.ReadWriter, node string) (self, peer, error) {
	s := o.self()
	if o.Name == "" {
		s.flags |= wire.FlagNameMe
		if s.name = o.Host; s.name == "" {
			s.name = hostOf(node)
		}
	}
	p, err := connect(rw, &s)
	if err == nil && p.name != node && (strings.Contains(node, "@") || !strings.HasPrefix(p.name, node+"@")) {
		err = protocol("%s calls itself %.255q", node, p.name)
	}
	return s, p, err
}

// Handshake does what Dial does over a connection that exists, and leaves the
// packets to the caller: each has four bytes of length, and what follows is a
// header and terms as OTP's erl_dist_protocol document has them. It returns our
// own name and creation.
func Handshake(rw io.ReadWriter, node string, o Options) (name string, creation uint32, err error) {
	o.fill()
	s, _, err := o.shake(rw, node)
	return s.name, s.creation, err
}

func (o *Options) self() self {
	s := self{name: o.Name, flags: flagsOurs, creation: challenge()>>1 | 1<<8, cookie: o.Cookie}
	if o.Published {
		s.flags |= wire.FlagPublished
	}
	return s
}

// reach opens a connection to the node's port. A host of our own is reached by
// the loopback interface first, where nodes listen unless told otherwise.
func (o *Options) reach(ctx context.Context, node string) (net.Conn, error) {
	var d net.Dialer
	if o.Addr != "" {
		return d.DialContext(ctx, "tcp", o.Addr)
	}
	name, host, _ := strings.Cut(node, "@")
	var first error
	for _, h := range hosts(host) {
		n, err := epmd.Client{Host: h, Port: o.EPMDPort}.Lookup(ctx, name)
		if err == nil && n.Highest < 6 {
			err = protocol("an old node (version %d)", n.Highest)
		}
		var c net.Conn
		if err == nil {
			if c, err = d.DialContext(ctx, "tcp", net.JoinHostPort(h, strconv.Itoa(int(n.Port)))); err == nil {
				return c, nil
			}
		}
		if first == nil || errors.Is(first, syscall.ECONNREFUSED) && errors.Is(err, epmd.ErrNoNode) {
			first = err
		}
	}
	return nil, first
}

// hostOf returns the host of a node; of a name alone, this machine's, without
// its domain.
func hostOf(node string) string {
	if _, host, ok := strings.Cut(node, "@"); ok {
		return host
	}
	own, err := os.Hostname()
	if err != nil || own == "" {
		return "localhost"
	}
	short, _, _ := strings.Cut(own, ".")
	return short
}

// hosts returns the addresses by which to try a host.
func hosts(host string) []string {
	if host == "" {
		return []string{"127.0.0.1"}
	}
	own, err := os.Hostname()
	short, _, _ := strings.Cut(own, ".")
	if err == nil && (host == own || host == short) && host != "localhost" {
		return []string{"127.0.0.1", host}
	}
	return []string{host}
}
