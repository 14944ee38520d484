package epmd

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strconv"
	"testing"
	"time"
)

func start(t *testing.T, relaxed bool) (*Server, Client) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	port := l.Addr().(*net.TCPAddr).Port
	s := &Server{Port: port, Relaxed: relaxed}
	go s.Serve(l)
	return s, Client{Port: port}
}

func TestRegister(t *testing.T) {
	_, cl := start(t, false)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	n := Node{Name: "näme", Port: 1234, Type: 77, Highest: 6, Lowest: 5, Extra: []byte{1, 2}}
	r, err := cl.Register(ctx, n)
	if err != nil || r.Creation < 4 {
		t.Fatal(r, err)
	}
	if _, err := cl.Register(ctx, n); !errors.Is(err, ErrRefused) {
		t.Errorf("a second registration: %v", err)
	}
	got, err := cl.Lookup(ctx, "näme")
	if err != nil || got.Port != 1234 || got.Type != 77 || got.Highest != 6 || !bytes.Equal(got.Extra, n.Extra) {
		t.Errorf("Lookup: %+v %v", got, err)
	}
	if names, err := cl.Names(ctx); err != nil || len(names) != 1 || names["näme"] != 1234 {
		t.Errorf("Names: %v %v", names, err)
	}
	r.Close()
	for {
		if _, err := cl.Lookup(ctx, "näme"); errors.Is(err, ErrNoNode) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestCommands(t *testing.T) {
	s, cl := start(t, true)
	killed := make(chan struct{})
	s.Killed = func() { close(killed) }
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := cl.Register(ctx, Node{Name: "a", Port: 1, Highest: 6}); err != nil {
		t.Fatal(err)
	}
	p := strconv.Itoa(cl.Port)
	for _, c := range []struct {
		args []string
		code int
		out  string
	}{
		{[]string{"-names"}, 0, "epmd: up and running on port " + p + " with data:\nname a at port 1\n"},
		{[]string{"-stop", "b"}, 0, "NOEXIST\n"},
		{[]string{"-stop", "a"}, 0, "STOPPED\n"},
		{[]string{"-names"}, 0, "epmd: up and running on port " + p + " with data:\n"},
		{[]string{"-kill"}, 0, "Killed\n"},
		{[]string{"-nonsense"}, 1, ""},
	} {
		var out, errs bytes.Buffer
		if code := Main("", append([]string{"-port", p}, c.args...), &out, &errs); code != c.code || out.String() != c.out {
			t.Errorf("%v: %d %q %q", c.args, code, out.String(), errs.String())
		}
	}
	<-killed
}

func FuzzServer(f *testing.F) {
	f.Add([]byte{reqAlive, 0, 1, 77, 0, 0, 6, 0, 5, 0, 1, 'a', 0, 0})
	f.Add([]byte{reqPort, 'a'})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 {
			return
		}
		s := &Server{}
		switch b[0] {
		case reqAlive:
			if n, err := parseNode(b[1:]); err == nil {
				s.enter(n, nil)
				s.port([]byte(n.Name))
				s.list(true)
			}
		case reqPort:
			s.port(b[1:])
		}
	})
}
