package dist

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/beamrd/beamrd/dist/epmd"
	"github.com/beamrd/beamrd/dist/etf"
)

// mapper starts a port mapper of the test's own and returns its port.
func mapper(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	port := l.Addr().(*net.TCPAddr).Port
	go (&epmd.Server{Port: port}).Serve(l)
	return port
}

const testCookie = "a cookie"

// startErl starts erl as name@localhost, and returns when the port mapper
// knows it.
func startErl(t testing.TB, port int, name string) (node string) {
	t.Helper()
	erl, err := exec.LookPath("erl")
	if err != nil {
		t.Skip("no erl to talk to")
	}
	cmd := exec.Command(erl, "-sname", name+"@localhost", "-setcookie", testCookie, "-noinput", "-start_epmd", "false", "+pc", "unicode")
	cmd.Env = append(os.Environ(), "ERL_EPMD_PORT="+strconv.Itoa(port), "HOME="+t.TempDir())
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() { cmd.Wait(); close(exited) }()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-exited
		if t.Failed() {
			t.Log(out.String())
		}
	})
	for {
		if _, err := (epmd.Client{Port: port}).Lookup(context.Background(), name); err == nil {
			return name + "@localhost"
		}
		select {
		case <-exited:
			t.Fatalf("erl has ended: %s", out.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func background(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestErl(t *testing.T) {
	port := mapper(t)
	node := startErl(t, port, "called")
	ctx := background(t)
	var out strings.Builder
	c, err := Dial(ctx, node, Options{Cookie: testCookie, EPMDPort: port, Output: &out})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	t.Run("calls", func(t *testing.T) {
		v, err := c.Call(ctx, "lists", "reverse", etf.List{1, etf.Atom("b"), 3.5})
		if err != nil || etf.Format(v) != "[3.5,b,1]" {
			t.Errorf("%v, %v", v, err)
		}
		var re *RemoteError
		if _, err = c.Call(ctx, "erlang", "hd", etf.List{}); !errors.As(err, &re) || re.Class != "error" || re.Reason != etf.Term(etf.Atom("badarg")) {
			t.Errorf("hd([]): %v", err)
		}
		if _, err = c.Call(ctx, "erlang", "throw", etf.Atom("x")); !errors.As(err, &re) || re.Class != "throw" {
			t.Errorf("throw: %v", err)
		}
		if v, err := c.Call(ctx, "io", "format", etf.Chars("~p~n"), etf.List{etf.Atom("hi")}); v != etf.Term(amOK) || err != nil || out.String() != "hi\n" {
			t.Errorf("io:format: %v, %v, %q", v, err, out.String())
		}
	})
	t.Run("large", func(t *testing.T) {
		b := make(etf.Binary, 3<<20)
		for i := range b {
			b[i] = byte(i * i >> 3)
		}
		v, err := c.Call(ctx, "erlang", "list_to_tuple", etf.List{b, etf.Atom("x"), etf.List{b}})
		if err != nil || !etf.Equal(v, etf.Tuple{b, etf.Atom("x"), etf.List{b}}) {
			t.Errorf("large terms are not the same, %v", err)
		}
	})
	t.Run("text", func(t *testing.T) { sameText(t, ctx, c) })
	if _, err := Dial(ctx, node, Options{Cookie: "wrong", EPMDPort: port}); !errors.Is(err, ErrCookie) {
		t.Errorf("wrong cookie: %v", err)
	}
	var ue *UnreachableError
	if _, err := Dial(ctx, "nobody@localhost", Options{EPMDPort: port}); !errors.As(err, &ue) || !errors.Is(err, epmd.ErrNoNode) {
		t.Errorf("no node: %v", err)
	}
	if _, err := c.Call(ctx, "erlang", "halt"); err == nil || c.Err() == nil {
		t.Errorf("halt: %v, %v", err, c.Err())
	}
	<-c.Done()
}

// echo is a process that sends what it gets back; links itself, monitors a name
// and dies on request.
const echo = `register(echo, spawn(fun F() -> receive
	{link, P} -> link(P), P ! linked, F();
	{monitor, P} -> R = monitor(process, P), P ! {monitoring, self()},
		receive {'DOWN', R, process, _, Why} -> register(saw, spawn(fun() -> receive {ask, Q} -> Q ! {saw, Why} end end)) end, F();
	{die, Why} -> exit(Why);
	{P, M} -> P ! {self(), M}, F() end end)).`

func eval(t testing.TB, ctx context.Context, c *Conn, text string) etf.Term {
	t.Helper()
	v, err := c.Call(ctx, "erl_scan", "string", etf.Chars(text))
	if err == nil {
		v, err = c.Call(ctx, "erl_parse", "parse_exprs", v.(etf.Tuple)[1])
	}
	if err == nil {
		v, err = c.Call(ctx, "erl_eval", "exprs", v.(etf.Tuple)[1], etf.List{})
	}
	if err != nil {
		t.Fatal(text, err)
	}
	return v.(etf.Tuple)[1]
}

func receive[E Event](t testing.TB, ctx context.Context, m *Mailbox) E {
	t.Helper()
	e, err := m.Receive(ctx)
	if err != nil {
		t.Fatal(err)
	}
	v, ok := e.(E)
	if !ok {
		t.Fatalf("%#v is no %T", e, v)
	}
	return v
}

func TestProcesses(t *testing.T) {
	port := mapper(t)
	node := startErl(t, port, "procs")
	ctx := background(t)
	c, err := Dial(ctx, node, Options{Cookie: testCookie, EPMDPort: port})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Ping(ctx); err != nil {
		t.Error(err)
	}
	eval(t, ctx, c, echo)
	m := c.Mailbox()
	msg := etf.Tuple{etf.Atom("x"), etf.List{1, 2}, m.Pid()}
	if err := m.Send(ctx, etf.Atom("echo"), etf.Tuple{m.Pid(), msg}); err != nil {
		t.Fatal(err)
	}
	got := receive[Message](t, ctx, m).Term.(etf.Tuple)
	pid := got[0].(etf.Pid)
	if !etf.Equal(got[1], msg) {
		t.Errorf("echo: %s", etf.Format(got))
	}
	// Links: both ways, unlinked, broken.
	m.Send(ctx, pid, etf.Tuple{etf.Atom("link"), m.Pid()})
	receive[Message](t, ctx, m)
	if err := m.Unlink(pid); err != nil {
		t.Error(err)
	}
	if err := m.Link(pid); err != nil {
		t.Error(err)
	}
	ref, err := m.Monitor(pid)
	if err != nil {
		t.Fatal(err)
	}
	m.Send(ctx, pid, etf.Tuple{etf.Atom("die"), etf.Tuple{etf.Atom("why"), 1}})
	var exits, downs int
	for range 2 {
		e, err := m.Receive(ctx)
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case Exit:
			exits++
			if e.From != pid || !e.Linked || etf.Format(e.Reason) != "{why,1}" {
				t.Errorf("exit: %+v", e)
			}
		case Down:
			downs++
			if e.Ref != ref || e.Target != etf.Term(pid) || etf.Format(e.Reason) != "{why,1}" {
				t.Errorf("down: %+v", e)
			}
		}
	}
	if exits != 1 || downs != 1 {
		t.Errorf("%d exits and %d downs", exits, downs)
	}
	if err := m.Link(pid); err != nil || receive[Exit](t, ctx, m).Reason != etf.Term(noproc) {
		t.Errorf("a link with a dead process: %v", err)
	}
	watched(t, ctx, c)
	names(t, ctx, c, node, m)
	// The end of the node: monitors fire, Done is closed.
	if _, err := m.Monitor(etf.Atom("init")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Call(ctx, "erlang", "halt"); err == nil {
		t.Error("halt returns")
	}
	if d := receive[Down](t, ctx, m); d.Reason != etf.Term(noconnection) {
		t.Errorf("down: %+v", d)
	}
	if _, err := m.Receive(ctx); err == nil {
		t.Error("an event after the end")
	}
	<-c.Done()
}

// watched has a process of the peer monitor a mailbox that ends.
func watched(t *testing.T, ctx context.Context, c *Conn) {
	eval(t, ctx, c, echo)
	m, w := c.Mailbox(), c.Mailbox()
	if err := w.Register("w"); err != nil {
		t.Fatal(err)
	}
	m.Send(ctx, etf.Atom("echo"), etf.Tuple{etf.Atom("monitor"), w.Pid()})
	receive[Message](t, ctx, w)
	w.Exit(etf.Atom("bye"))
	for {
		v := eval(t, ctx, c, "whereis(saw).")
		if _, ok := v.(etf.Pid); ok {
			break
		}
	}
	m.Send(ctx, etf.Atom("saw"), etf.Tuple{etf.Atom("ask"), m.Pid()})
	if got := etf.Format(receive[Message](t, ctx, m).Term); got != "{saw,bye}" {
		t.Error(got)
	}
	m.Close()
}

// names has the peer ping us, and send to a name of ours.
func names(t *testing.T, ctx context.Context, c *Conn, node string, m *Mailbox) {
	if err := m.Register("box"); err != nil {
		t.Fatal(err)
	}
	if v, err := c.Call(ctx, "net_adm", "ping", etf.Atom(c.Node())); v != etf.Term(etf.Atom("pong")) || err != nil {
		t.Errorf("ping from the peer: %v, %v", v, err)
	}
	eval(t, ctx, c, "{box, '"+c.Node()+"'} ! "+"{hello, node()}.")
	if got := etf.Format(receive[Message](t, ctx, m).Term); got != "{hello,"+string(etf.AppendAtom(nil, etf.Atom(node)))+"}" {
		t.Error(got)
	}
}

// TestListen has erl connect to us, and two of us to one another.
func TestListen(t *testing.T) {
	port := mapper(t)
	ctx := background(t)
	l, err := Listen(ctx, Options{Name: "us@localhost", Cookie: testCookie, EPMDPort: port})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dialed := make(chan *Conn, 1)
	go func() {
		c, err := Dial(ctx, "us@localhost", Options{Cookie: testCookie, EPMDPort: port})
		if err != nil {
			t.Error(err)
		}
		dialed <- c
	}()
	a, err := l.Accept(ctx)
	if err != nil {
		t.Fatal(err)
	}
	b := <-dialed
	if a.Peer() != b.Node() || b.Peer() != "us@localhost" {
		t.Errorf("%s and %s", a.Peer(), b.Peer())
	}
	if err := b.Ping(ctx); err != nil {
		t.Error(err)
	}
	var se *SpawnError
	if _, err := b.Call(ctx, "erlang", "node"); !errors.As(err, &se) {
		t.Errorf("a call of us: %v", err)
	}
	b.Close()
	<-a.Done()
	if _, err := Dial(ctx, "us@localhost", Options{Cookie: "wrong", EPMDPort: port}); !errors.Is(err, ErrCookie) {
		t.Errorf("wrong cookie: %v", err)
	}
	node := startErl(t, port, "calls")
	c, err := Dial(ctx, node, Options{Cookie: testCookie, EPMDPort: port})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if v, err := c.Call(ctx, "net_kernel", "connect_node", etf.Atom("us@localhost")); v != etf.Term(etf.Atom("true")) || err != nil {
		t.Fatal(v, err)
	}
	if a, err = l.Accept(ctx); err != nil || a.Peer() != node {
		t.Fatal(err)
	}
	defer a.Close()
	if v, err := a.Call(ctx, "erlang", "nodes", etf.Atom("hidden")); err != nil || !strings.Contains(etf.Format(v), "us@localhost") {
		t.Error(etf.Format(v), err)
	}
}

// sameText compares the text of terms with that of erl, and what is read back.
func sameText(t *testing.T, ctx context.Context, c *Conn) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		term := randomTerm(rnd, 4)
		v, err := c.Call(ctx, "io_lib", "format", etf.Chars("~0tp"), etf.List{term})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := etf.Text(v)
		if got := etf.Format(term); got != want {
			t.Errorf("%s, erl has %s", got, want)
		}
		if back, err := etf.Parse(want); err != nil || !etf.Equal(back, term) {
			t.Errorf("%s is read as %s, %v", want, etf.Format(back), err)
		}
	}
}

func randomTerm(r *rand.Rand, depth int) etf.Term {
	list := func() []etf.Term {
		l := make([]etf.Term, r.IntN(5))
		for i := range l {
			l[i] = randomTerm(r, depth-1)
		}
		return l
	}
	text := func() string {
		var b []rune
		for range r.IntN(8) {
			b = append(b, rune(r.IntN([]int{128, 256, 0x3000}[r.IntN(3)])))
		}
		return string(b)
	}
	n := 12
	if depth == 0 {
		n = 8
	}
	switch r.IntN(n) {
	case 0:
		return r.Int64() >> r.IntN(64)
	case 1:
		return new(big.Int).Mul(big.NewInt(r.Int64()), big.NewInt(-r.Int64()))
	case 2:
		if r.IntN(2) == 0 {
			return float64(r.Int64N(1<<r.IntN(62)+1)) / float64(int64(1)<<r.IntN(60))
		}
		return r.NormFloat64() * math.Pow(10, float64(r.IntN(600)-300))
	case 3:
		return etf.Atom(text())
	case 4:
		return etf.Binary(text())
	case 5:
		b := make(etf.Binary, 1+r.IntN(4))
		for i := range b {
			b[i] = byte(r.IntN(256))
		}
		if bits := r.IntN(8); bits > 0 {
			b[len(b)-1] &^= 1<<(8-bits) - 1
			return etf.BitString{Bytes: b, Bits: bits}
		}
		return b
	case 6:
		return etf.Chars(text())
	case 7:
		// erl does not write the atoms of a fun as Unicode.
		return etf.Export{Module: "a b", Function: "f", Arity: r.IntN(256)}
	case 8:
		return etf.Tuple(list())
	case 9:
		return etf.List(list())
	case 10:
		return etf.Improper{Head: etf.List{randomTerm(r, depth-1)}, Tail: etf.Atom(text())}
	}
	// Only one key: the order of a map is the node's.
	return etf.Map{{Key: randomTerm(r, depth-1), Value: randomTerm(r, depth-1)}}
}
