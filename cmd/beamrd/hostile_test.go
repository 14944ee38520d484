package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/beamrd/beamrd/dist"
	"github.com/beamrd/beamrd/dist/epmd"
	"github.com/beamrd/beamrd/dist/etf"
)

// hostile is a node that peers are hostile to, and an honest client that asks
// it throughout.
type hostile struct {
	*cluster
	addr   string
	cookie string
	full   bool
	pid    int
	conn   *dist.Conn
	ctx    context.Context
}

// few or many, for a short run and for HOSTILE=all.
func (h *hostile) times(few, many int) int {
	if h.full {
		return many
	}
	return few
}

// TestHostile has peers that do what no peer should. The node must answer
// throughout, and its memory must stay within bounds.
func TestHostile(t *testing.T) {
	c := newCluster(t)
	h := &hostile{cluster: c, cookie: "clientcookie", full: os.Getenv("HOSTILE") == "all"}
	raiseFiles(t)
	p, exited := c.start(false, "victim")
	h.pid = p.Pid
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	h.ctx = ctx
	n, err := epmd.Client{Port: c.port}.Lookup(ctx, "victim")
	if err != nil {
		t.Fatal(err)
	}
	h.addr = "127.0.0.1:" + strconv.Itoa(int(n.Port))
	if h.conn, err = dist.Dial(ctx, "victim", dist.Options{Cookie: h.cookie, EPMDPort: c.port}); err != nil {
		t.Fatal(err)
	}
	defer h.conn.Close()
	for _, s := range []struct {
		name string
		f    func(t *testing.T)
		mib  int // by which memory may grow
	}{
		{"handshakes", h.handshakes, 64},
		{"cookies", h.cookies, 64},
		{"half open", h.halfOpen, h.times(64, 400)},
		{"lengths", h.lengths, 64},
		{"packets", h.packets, 128},
		{"slow", h.slow, h.times(96, 256)},
		{"deaf", h.deaf, h.times(320, 640)},
	} {
		t.Run(s.name, func(t *testing.T) {
			before := h.memory()
			if t.Failed() {
				return
			}
			stop := make(chan struct{})
			var asked sync.WaitGroup
			asked.Add(1)
			most := before
			go func() {
				defer asked.Done()
				for h.answers(t) {
					most = max(most, h.memory())
					select {
					case <-stop:
						return
					case <-time.After(20 * time.Millisecond):
					}
				}
			}()
			s.f(t)
			close(stop)
			asked.Wait()
			h.answers(t)
			t.Logf("memory: %d MiB before, %d at most, %d after", before>>20, most>>20, h.memory()>>20)
			if most-before > int64(s.mib)<<20 {
				t.Errorf("memory grew from %d to %d MiB", before>>20, most>>20)
			}
			// Who connects anew is let in.
			if o := h.sh("$B ping victim --timeout 60s"); o.out != "pong\n" {
				t.Errorf("ping: %s%s", o.out, o.err)
			}
		})
		select {
		case <-exited:
			t.Fatal("the node has ended")
		default:
		}
	}
}

func raiseFiles(t *testing.T) {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		t.Fatal(err)
	}
	l.Cur = l.Max
	syscall.Setrlimit(syscall.RLIMIT_NOFILE, &l)
}

// memory returns the bytes that are resident.
func (h *hostile) memory() int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", h.pid))
	if err != nil {
		return 0
	}
	var all, resident int64
	fmt.Sscan(string(b), &all, &resident)
	return resident * int64(os.Getpagesize())
}

// answers asks over the honest connection.
func (h *hostile) answers(t *testing.T) bool {
	err := h.conn.Ping(h.ctx)
	if err != nil {
		t.Errorf("the node does not answer: %v", err)
	}
	return err == nil
}

func (h *hostile) dial(t *testing.T) net.Conn {
	c, err := net.Dial("tcp", h.addr)
	if err != nil {
		t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(2 * time.Minute))
	return c
}

// each does f n times, some at a time.
func each(n int, f func(i int)) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, 16)
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() { f(i); <-slots })
	}
	wg.Wait()
}

// tap keeps what is written.
type tap struct {
	io.ReadWriter
	w bytes.Buffer
}

func (t *tap) Write(b []byte) (int, error) {
	t.w.Write(b)
	return t.ReadWriter.Write(b)
}

// mutate damages bytes: bits, bytes, pieces left out or said twice.
func mutate(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + r.IntN(4) {
		if len(b) == 0 {
			return b
		}
		i := r.IntN(len(b))
		j := i + r.IntN(len(b)-i)
		switch r.IntN(6) {
		case 0:
			b[i] ^= 1 << r.IntN(8)
		case 1:
			b[i] = byte(r.IntN(256))
		case 2:
			b[i] = 255
		case 3:
			b = append(b[:i], b[j:]...)
		case 4:
			b = append(b[:j:j], b[i:]...)
		case 5:
			b = b[:i]
		}
	}
	return b
}

// handshakes begins handshakes that are wrong in many ways.
func (h *hostile) handshakes(t *testing.T) {
	good := h.dial(t)
	rec := &tap{ReadWriter: good}
	if _, _, err := dist.Handshake(rec, "victim", dist.Options{Cookie: h.cookie}); err != nil {
		t.Fatal(err)
	}
	good.Close()
	each(h.times(200, 5000), func(i int) {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		c := h.dial(t)
		defer c.Close()
		b := mutate(r, rec.w.Bytes())
		if i%4 == 0 {
			for k := range b {
				b[k] = byte(r.IntN(256))
			}
		}
		c.Write(b)
		if i%3 == 0 {
			c.(*net.TCPConn).CloseWrite()
			io.Copy(io.Discard, c)
		}
	})
}

// cookies come with wrong cookies, none of which gets in.
func (h *hostile) cookies(t *testing.T) {
	each(h.times(100, 2000), func(i int) {
		c := h.dial(t)
		defer c.Close()
		if _, _, err := dist.Handshake(c, "victim", dist.Options{Cookie: "wrong" + strconv.Itoa(i)}); err == nil {
			t.Error("a wrong cookie gets in")
		}
	})
}

// halfOpen opens connections and says nothing, or begins to.
func (h *hostile) halfOpen(t *testing.T) {
	n := h.times(1000, 10000)
	conns := make([]net.Conn, n)
	each(n, func(i int) {
		c, err := net.Dial("tcp", h.addr)
		if err != nil {
			t.Error(err)
			return
		}
		if i%2 == 0 {
			c.Write([]byte("\x00\x20N"))
		}
		conns[i] = c
	})
	// An honest one gets in between them, however many there are.
	if o := h.sh("$B ping victim --timeout 60s"); o.out != "pong\n" {
		t.Errorf("ping: %s%s", o.out, o.err)
	}
	for _, c := range conns {
		if c != nil {
			c.Close()
		}
	}
}

// peer gets in, and leaves packets to the caller.
func (h *hostile) peer(t *testing.T) (net.Conn, etf.Pid) {
	c := h.dial(t)
	name, creation, err := dist.Handshake(c, "victim", dist.Options{Cookie: h.cookie})
	if err != nil {
		t.Error(err)
	}
	return c, etf.Pid{Node: etf.Atom(name), ID: 5, Creation: creation}
}

// lengths promise what never comes.
func (h *hostile) lengths(t *testing.T) {
	var conns []net.Conn
	for i := range h.times(20, 100) {
		c, _ := h.peer(t)
		c.Write([]byte{[]byte{0x7F, 0xFF, 0x40, 0x10}[i%4], 0xFF, 0xFF, 0xF0, 131, 68, 0})
		conns = append(conns, c)
		// Before the handshake, the length of the name.
		c = h.dial(t)
		c.Write([]byte{0xFF, 0xFF, 'N'})
		conns = append(conns, c)
	}
	h.answers(t)
	for _, c := range conns {
		c.Close()
	}
}

func frame(terms ...etf.Term) []byte {
	b := []byte{0, 0, 0, 0, etf.Version, 68, 0}
	for _, t := range terms {
		b, _ = etf.Append(b, t)
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

// controls are messages as they should be, to be damaged.
func controls(self etf.Pid, node string) [][]byte {
	init := etf.Pid{Node: etf.Atom(node), ID: 0}
	ref := etf.Ref{Node: self.Node, Creation: self.Creation, Len: 3, ID: [5]uint32{1, 2, 3}}
	a := func(s string) etf.Atom { return etf.Atom(s) }
	deep := etf.Term(a("x"))
	for range 2000 {
		deep = etf.List{deep}
	}
	return [][]byte{
		frame(etf.Tuple{1, self, init}), frame(etf.Tuple{2, a(""), init}, etf.Tuple{a("hi"), 1.5, deep}),
		frame(etf.Tuple{3, self, init, a("normal")}), frame(etf.Tuple{4, self, init}),
		frame(etf.Tuple{6, self, a(""), a("nobody")}, etf.Map{{Key: a("k"), Value: etf.Binary("some bytes")}, {Key: self, Value: ref}}),
		frame(etf.Tuple{7, self, init}), frame(etf.Tuple{19, self, a("init"), ref}), frame(etf.Tuple{20, self, a("init"), ref}),
		frame(etf.Tuple{21, self, init, ref, a("why")}), frame(etf.Tuple{22, self, init}, etf.Export{Module: "m", Function: "f", Arity: 3}),
		frame(etf.Tuple{24, self, init}, a("normal")), frame(etf.Tuple{28, self, init, ref}, etf.BitString{Bytes: []byte{1, 128}, Bits: 1}),
		frame(etf.Tuple{29, ref, self, self, etf.Tuple{a("erlang"), a("node"), 0}, etf.List{a("monitor"), a("link")}}, etf.List{}),
		frame(etf.Tuple{31, ref, init, 3, a("no")}), frame(etf.Tuple{33, self, ref}, int64(1)<<60), frame(etf.Tuple{35, 7, self, init}), frame(etf.Tuple{36, 7, self, init}),
		append([]byte{0, 0, 0, 26}, "\x83\x45\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x02\x01\x08\x05\x03abch\x03"...),
	}
}

// packets come over connections that are let in, damaged.
func (h *hostile) packets(t *testing.T) {
	each(h.times(120, 4000), func(i int) {
		r := rand.New(rand.NewPCG(uint64(i), 2))
		c, self := h.peer(t)
		defer c.Close()
		all := controls(self, "victim@localhost")
		for range 20 {
			m := bytes.Clone(all[r.IntN(len(all))])
			if r.IntN(3) > 0 {
				// What is in the packet is wrong, the length is not.
				body := mutate(r, m[4:])
				m = append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
			} else if r.IntN(2) == 0 {
				m = mutate(r, m)
			}
			if _, err := c.Write(m); err != nil {
				return
			}
		}
	})
}

// slow peers say one byte after another.
func (h *hostile) slow(t *testing.T) {
	var conns []net.Conn
	for range h.times(50, 500) {
		c, self := h.peer(t)
		conns = append(conns, c)
		m := frame(etf.Tuple{6, self, etf.Atom(""), etf.Atom("nobody")}, make(etf.Binary, 1<<20))
		c.Write(m[:100])
	}
	for i := range h.times(50, 500) {
		for _, c := range conns {
			c.Write([]byte{byte(i)})
		}
	}
	for _, c := range conns {
		c.Close()
	}
}

// deaf peers ask for much and read nothing, until they are cut off.
func (h *hostile) deaf(t *testing.T) {
	each(h.times(1, 4), func(int) {
		c, self := h.peer(t)
		defer c.Close()
		var b []byte
		for i := range uint32(1000) {
			// A link with a process that does not exist is answered.
			pid := etf.Pid{Node: "victim@localhost", ID: 1<<27 + i}
			b = append(b, frame(etf.Tuple{1, self, pid})...)
		}
		b = bytes.Repeat(b, 100)
		for h.knows(t, self.Node) {
			c.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
			n, _ := c.Write(b) // what is left of a message comes next
			b = append(b[n:], b[:n]...)
		}
	})
}

// knows tells whether the node has a connection to another.
func (h *hostile) knows(t *testing.T, node etf.Atom) bool {
	v, err := h.conn.Call(h.ctx, "erlang", "nodes", etf.Atom("hidden"))
	if err != nil {
		t.Error(err)
	}
	l, _ := v.(etf.List)
	for _, n := range l {
		if n == etf.Term(node) {
			return true
		}
	}
	return false
}
