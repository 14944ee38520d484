package epmd

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// Client asks the port mapper of a host. The zero value asks the local one.
type Client struct {
	Host string // empty: the loopback interface
	Port int    // 0: DefaultPort
}

func (cl Client) dial(ctx context.Context) (net.Conn, error) {
	host, port := cl.Host, cl.Port
	if host == "" {
		host = "127.0.0.1"
	}
	if port == 0 {
		port = DefaultPort
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	if t, ok := ctx.Deadline(); ok {
		c.SetDeadline(t)
	}
	return c, nil
}

func (cl Client) ask(ctx context.Context, req []byte) ([]byte, error) {
	c, err := cl.dial(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if _, err := c.Write(req); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(c, 16<<20))
}

// Lookup returns the node of a name (without host). The error is ErrNoNode when
// there is none.
func (cl Client) Lookup(ctx context.Context, name string) (Node, error) {
	b, err := cl.ask(ctx, request(append([]byte{reqPort}, name...)...))
	if err != nil {
		return Node{}, err
	}
	switch {
	case len(b) >= 2 && b[0] == respPort && b[1] != 0:
		return Node{}, ErrNoNode
	case len(b) < 2 || b[0] != respPort:
		return Node{}, fmt.Errorf("epmd: unexpected answer of %d bytes", len(b))
	}
	return parseNode(b[2:])
}

// Names returns the ports of the nodes that are registered, by name.
func (cl Client) Names(ctx context.Context) (map[string]int, error) {
	b, err := cl.ask(ctx, request(reqNames))
	if err != nil {
		return nil, err
	}
	if len(b) < 4 {
		return nil, fmt.Errorf("epmd: unexpected answer of %d bytes", len(b))
	}
	m := map[string]int{}
	for _, l := range strings.Split(string(b[4:]), "\n") {
		f := strings.Fields(l)
		if len(f) != 5 || f[0] != "name" {
			continue
		}
		if p, err := strconv.Atoi(f[4]); err == nil {
			m[f[1]] = p
		}
	}
	return m, nil
}

// Registration is a name that is ours until Close.
type Registration struct {
	Creation uint32
	c        net.Conn
}

// Close gives the name back.
func (r *Registration) Close() error { return r.c.Close() }

// Register registers a node with the local port mapper.
func (cl Client) Register(ctx context.Context, n Node) (*Registration, error) {
	c, err := cl.dial(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := c.Write(request(n.append([]byte{reqAlive})...)); err != nil {
		c.Close()
		return nil, err
	}
	var b [6]byte
	if _, err := io.ReadFull(c, b[:4]); err != nil {
		c.Close()
		return nil, err
	}
	r := &Registration{c: c, Creation: uint32(binary.BigEndian.Uint16(b[2:]))}
	if b[0] == respAliveX {
		if _, err := io.ReadFull(c, b[4:]); err != nil {
			c.Close()
			return nil, err
		}
		r.Creation = binary.BigEndian.Uint32(b[2:])
	}
	if b[1] != 0 {
		c.Close()
		return nil, ErrRefused
	}
	c.SetDeadline(time.Time{})
	return r, nil
}
