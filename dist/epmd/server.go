package epmd

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// Server is a port mapper.
type Server struct {
	Port    int           // which NAMES and DUMP answer
	Relaxed bool          // may be killed, and names dropped, while nodes are registered
	Timeout time.Duration // of connections that do not register; 0: a minute
	Killed  func()        // called when a client has ended the server

	delay    time.Duration // before an answer
	mu       sync.Mutex
	nodes    []*registered // newest first
	old      []*registered // newest first
	creation uint32
	conns    int
}

type registered struct {
	Node
	creation uint32
	conn     net.Conn
	id       int
}

// The limits of what clients can make a server keep.
const (
	maxConns = 8192
	maxOld   = 1000
)

// Serve answers on a listener until that is closed.
func (s *Server) Serve(l net.Listener) error {
	for {
		c, err := l.Accept()
		if err != nil {
			if ne, ok := err.(net.Error); ok && ne.Timeout() {
				continue
			}
			return err
		}
		s.mu.Lock()
		full := s.conns >= maxConns
		if !full {
			s.conns++
		}
		s.mu.Unlock()
		if full {
			c.Close()
			continue
		}
		go s.conn(c)
	}
}

func isLocal(c net.Conn) bool {
	r, ok := c.RemoteAddr().(*net.TCPAddr)
	l, ok2 := c.LocalAddr().(*net.TCPAddr)
	return !ok || !ok2 || r.IP.IsLoopback() || r.IP.Equal(l.IP)
}

func (s *Server) conn(c net.Conn) {
	defer func() {
		c.Close()
		s.mu.Lock()
		s.conns--
		s.mu.Unlock()
	}()
	t := s.Timeout
	if t == 0 {
		t = time.Minute
	}
	c.SetDeadline(time.Now().Add(t))
	b, err := readRequest(c)
	if err != nil {
		return
	}
	local := isLocal(c)
	time.Sleep(s.delay)
	switch b[0] {
	case reqAlive:
		if local {
			s.alive(c, b[1:])
		}
	case reqPort:
		c.Write(s.port(b[1:]))
	case reqNames:
		c.Write(s.list(false))
	case reqDump:
		if local {
			c.Write(s.list(true))
		}
	case reqKill:
		if local {
			s.kill(c)
		}
	case reqStop:
		if local {
			s.stop(c, string(trimZero(b[1:])))
		}
	}
}

func trimZero(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] == 0 {
		return b[:n-1]
	}
	return b
}

// alive registers a node until its connection ends.
func (s *Server) alive(c net.Conn, b []byte) {
	n, err := parseNode(b)
	if err != nil {
		return
	}
	r := s.enter(n, c)
	resp := []byte{respAlive, 0}
	if n.Highest >= 6 {
		resp[0] = respAliveX
	}
	creation := uint32(99)
	if r == nil {
		resp[1] = 1
	} else {
		creation = r.creation
	}
	if n.Highest >= 6 {
		resp = binary.BigEndian.AppendUint32(resp, creation)
	} else {
		resp = binary.BigEndian.AppendUint16(resp, uint16(creation%3+1))
	}
	if _, err := c.Write(resp); err != nil || r == nil {
		s.leave(r)
		return
	}
	c.SetDeadline(time.Time{})
	// What a registered node sends is not looked at.
	var buf [64]byte
	for {
		if _, err := c.Read(buf[:]); err != nil {
			break
		}
	}
	s.leave(r)
}

func (s *Server) enter(n Node, c net.Conn) *registered {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.nodes {
		if o.Name == n.Name {
			return nil
		}
	}
	if s.creation == 0 {
		s.creation = rand.Uint32()
	}
	for s.creation++; s.creation < 4; s.creation++ {
	}
	r := &registered{Node: n, creation: s.creation, conn: c, id: len(s.nodes) + 5}
	s.nodes = append([]*registered{r}, s.nodes...)
	for i, o := range s.old {
		if o.Name == n.Name {
			s.old = append(s.old[:i:i], s.old[i+1:]...)
			break
		}
	}
	return r
}

func (s *Server) leave(r *registered) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, o := range s.nodes {
		if o == r {
			s.nodes = append(s.nodes[:i:i], s.nodes[i+1:]...)
			s.old = append([]*registered{r}, s.old...)
			if len(s.old) > maxOld {
				s.old = s.old[:maxOld]
			}
			return
		}
	}
}

func (s *Server) port(b []byte) []byte {
	name := string(trimZero(b))
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.nodes {
		if r.Name == name {
			return r.Node.append([]byte{respPort, 0})
		}
	}
	return []byte{respPort, 1}
}

func (s *Server) list(dump bool) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(s.Port))
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.nodes {
		if dump {
			b = fmt.Appendf(b, "active name     <%s> at port %d, fd = %d\n\x00", r.Name, r.Node.Port, r.id)
		} else {
			b = fmt.Appendf(b, "name %s at port %d\n", r.Name, r.Node.Port)
		}
	}
	if dump {
		for _, r := range s.old {
			b = fmt.Appendf(b, "old/unused name <%s>, port = %d, fd = %d \n\x00", r.Name, r.Node.Port, r.id)
		}
	}
	return b
}

func (s *Server) kill(c net.Conn) {
	s.mu.Lock()
	ok := s.Relaxed || len(s.nodes) == 0
	s.mu.Unlock()
	if !ok {
		c.Write([]byte("NO"))
		return
	}
	c.Write([]byte("OK"))
	c.Close()
	if s.Killed != nil {
		s.Killed()
	}
}

func (s *Server) stop(c net.Conn, name string) {
	if !s.Relaxed {
		return
	}
	s.mu.Lock()
	var found *registered
	for _, r := range s.nodes {
		if r.Name == name {
			found = r
		}
	}
	s.mu.Unlock()
	if found == nil {
		c.Write([]byte("NOEXIST"))
		return
	}
	found.conn.Close()
	s.leave(found)
	c.Write([]byte("STOPPED"))
}
