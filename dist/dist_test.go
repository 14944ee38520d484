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
	t.Cleanup(func() { cmd.Process.Kill(); <-exited })
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
