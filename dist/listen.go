package dist

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/beamrd/beamrd/dist/epmd"
)

// Listener takes connections of other nodes.
type Listener struct {
	o        Options
	s        self
	l        net.Listener
	reg      *epmd.Registration
	accepted chan *Conn
	done     chan struct{}
	closed   atomic.Bool
}

// maxHandshakes is how many peers may be in the handshake at a time; further
// ones wait.
const maxHandshakes = 256

// Listen makes Options.Name a node to which others can connect: it listens at
// Options.Addr, a free port of the loopback interface if empty, and registers
// the name with the port mapper of this machine. Close gives both back.
func Listen(ctx context.Context, o Options) (*Listener, error) {
	o.fill()
	if !validNode(o.Name) {
		return nil, fmt.Errorf("dist: %q is no name of a node", o.Name)
	}
	addr := o.Addr
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	nl, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	name, _, _ := strings.Cut(o.Name, "@")
	n := epmd.Node{Name: name, Port: uint16(nl.Addr().(*net.TCPAddr).Port), Type: 72, Highest: 6, Lowest: 6}
	if o.Published {
		n.Type = 77
	}
	reg, err := epmd.Client{Port: o.EPMDPort}.Register(ctx, n)
	if err != nil {
		nl.Close()
		return nil, err
	}
	l := &Listener{o: o, s: o.self(), l: nl, reg: reg, accepted: make(chan *Conn), done: make(chan struct{})}
	l.s.creation = reg.Creation
	go l.serve()
	return l, nil
}

// Close ends the listener; its connections live on.
func (l *Listener) Close() error {
	if l.closed.Swap(true) {
		return nil
	}
	close(l.done)
	l.reg.Close()
	return l.l.Close()
}

// Accept returns the next connection whose handshake is done. Peers that fail in
// it are dropped.
func (l *Listener) Accept(ctx context.Context) (*Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *Listener) serve() {
	slots := make(chan struct{}, maxHandshakes)
	for {
		nc, err := l.l.Accept()
		if err != nil {
			if l.closed.Load() {
				return
			}
			time.Sleep(10 * time.Millisecond) // out of descriptors, say
			continue
		}
		slots <- struct{}{}
		go func() {
			defer func() { <-slots }()
			l.shake(nc)
		}()
	}
}

func (l *Listener) shake(nc net.Conn) {
	nc.SetDeadline(time.Now().Add(setupTime))
	s := l.s
	p, err := accept(nc, &s, func(host string) (string, uint32) {
		return strings.ToUpper(strconv.FormatUint(rand.Uint64(), 36)) + "@" + host, rand.Uint32()>>1 | 1<<8
	})
	if err != nil {
		nc.Close()
		return
	}
	nc.SetDeadline(time.Time{})
	c := newConn(nc, s, p, l.o)
	select {
	case l.accepted <- c:
	case <-l.done:
		c.Close()
	}
}
