package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/beamrd/beamrd/dist/epmd"
)

// mesh is a net of nodes that can be split without privileges. Nodes register
// with a port mapper on 127.0.0.1. Each node's address has one of its own, which
// names the port of a proxy; that reads from the handshake who calls.
type mesh struct {
	t     *testing.T
	home  string
	port  int // of all port mappers
	nodes []*meshNode

	mu    sync.Mutex
	apart bool
	conns map[*meshConn]struct{}
}

// meshConn is a connection through a proxy.
type meshConn struct {
	from, to *meshNode
	ends     [2]net.Conn
}

func (c *meshConn) close() {
	for _, e := range c.ends {
		e.Close()
	}
}

func newMesh(t *testing.T) *mesh {
	m := &mesh{t: t, home: t.TempDir(), conns: map[*meshConn]struct{}{}}
	for i, n := range []string{"e1", "e2", "b1", "b2"} {
		host := fmt.Sprintf("127.0.0.%d", 11+i)
		m.nodes = append(m.nodes, &meshNode{name: n + "@" + host, host: host, side: i % 2, erl: n[0] == 'e'})
	}
	ls := m.listen()
	for i, l := range ls {
		t.Cleanup(func() { l.Close() })
		go (&epmd.Server{Port: m.port}).Serve(l)
		if i > 0 {
			m.proxy(m.nodes[i-1])
		}
	}
	return m
}

// listen opens one port on 127.0.0.1 and the nodes' addresses.
func (m *mesh) listen() []net.Listener {
	for range 50 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			m.t.Fatal(err)
		}
		m.port = l.Addr().(*net.TCPAddr).Port
		ls := []net.Listener{l}
		for _, n := range m.nodes {
			if l, err = net.Listen("tcp", net.JoinHostPort(n.host, strconv.Itoa(m.port))); err != nil {
				break
			}
			ls = append(ls, l)
		}
		if err == nil {
			return ls
		}
		for _, l := range ls {
			l.Close()
		}
	}
	m.t.Skip("no port that is free on several loopback addresses")
	return nil
}

// proxy makes a node reachable under its address.
func (m *mesh) proxy(n *meshNode) {
	l, err := net.Listen("tcp", n.host+":0")
	if err != nil {
		m.t.Fatal(err)
	}
	name, _, _ := strings.Cut(n.name, "@")
	r, err := (epmd.Client{Host: n.host, Port: m.port}).Register(context.Background(),
		epmd.Node{Name: name, Port: uint16(l.Addr().(*net.TCPAddr).Port), Type: 'M', Highest: 6, Lowest: 5})
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { l.Close(); r.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go m.carry(c, n, name)
		}
	}()
}

// carry connects a caller with a node, unless the net is split between them.
func (m *mesh) carry(c net.Conn, to *meshNode, name string) {
	defer c.Close()
	c.SetReadDeadline(time.Now().Add(time.Minute))
	hello := make([]byte, 2)
	if _, err := io.ReadFull(c, hello); err != nil {
		return
	}
	hello = append(hello, make([]byte, binary.BigEndian.Uint16(hello))...)
	if _, err := io.ReadFull(c, hello[2:]); err != nil {
		return
	}
	c.SetReadDeadline(time.Time{})
	from := m.caller(hello[2:])
	at, err := (epmd.Client{Port: m.port}).Lookup(context.Background(), name)
	if err != nil || from == nil {
		return
	}
	d, err := net.Dial("tcp", net.JoinHostPort(to.host, strconv.Itoa(int(at.Port))))
	if err != nil {
		return
	}
	x := &meshConn{from, to, [2]net.Conn{c, d}}
	defer x.close()
	m.mu.Lock()
	cut := m.apart && from.side != to.side
	if !cut {
		m.conns[x] = struct{}{}
	}
	m.mu.Unlock()
	if cut {
		return
	}
	if _, err := d.Write(hello); err == nil {
		go func() {
			io.Copy(c, d)
			x.close()
		}()
		io.Copy(d, c)
	}
	m.mu.Lock()
	delete(m.conns, x)
	m.mu.Unlock()
}

// caller finds the name in the first message of a handshake: 'n' version:16
// flags:32 name, or 'N' flags:64 creation:32 length:16 name.
func (m *mesh) caller(b []byte) *meshNode {
	skip := map[byte]int{'n': 7, 'N': 15}[b[0]]
	if skip == 0 || len(b) < skip {
		return nil
	}
	for _, n := range m.nodes {
		if string(b[skip:]) == n.name {
			return n
		}
	}
	return nil
}

// split cuts the connections between the sides, or lets them come again.
func (m *mesh) split(apart bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.apart = apart
	for x := range m.conns {
		if apart && x.from.side != x.to.side {
			x.close()
		}
	}
}
