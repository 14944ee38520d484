package dist_test

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/beamrd/beamrd/dist"
	"github.com/beamrd/beamrd/dist/epmd"
	"github.com/beamrd/beamrd/dist/etf"
)

// startNode starts real erl, with a port mapper and a cookie of its own.
func startNode(node, cookie string) (epmdPort int, stop func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	epmdPort = l.Addr().(*net.TCPAddr).Port
	registered := make(chan struct{})
	s := &epmd.Server{Port: epmdPort}
	go s.Serve(l)
	home, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	cmd := exec.Command("erl", "-sname", node, "-setcookie", cookie, "-noinput", "-start_epmd", "false")
	cmd.Env = append(os.Environ(), "ERL_EPMD_PORT="+strconv.Itoa(epmdPort), "HOME="+home)
	if err := cmd.Start(); err != nil {
		log.Fatal(err)
	}
	go func() {
		for {
			if names, _ := (epmd.Client{Port: epmdPort}).Names(context.Background()); len(names) > 0 {
				close(registered)
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	<-registered
	return epmdPort, func() {
		cmd.Process.Kill()
		cmd.Wait()
		l.Close()
		os.RemoveAll(home)
	}
}

// A Go program calls functions of a node that runs real erl, and monitors a
// process there.
func Example() {
	port, stop := startNode("example@localhost", "secret")
	defer stop()

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := dist.Dial(ctx, "example@localhost", dist.Options{Cookie: "secret", EPMDPort: port, Output: os.Stdout})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	// A call; what the function prints comes here.
	v, err := c.Call(ctx, "lists", "sort", etf.List{3, etf.Atom("b"), 1})
	fmt.Println(etf.Format(v), err)
	c.Call(ctx, "io", "format", etf.Chars("hello from ~p~n"), etf.List{etf.Atom("erl")})
	_, err = c.Call(ctx, "erlang", "list_to_atom", etf.Atom("no list"))
	fmt.Println(err)

	// A process of ours: it sends, receives, links and monitors.
	m := c.Mailbox()
	defer m.Close()
	ref, err := m.Monitor(etf.Atom("no_such_process"))
	if err != nil {
		log.Fatal(err)
	}
	e, err := m.Receive(ctx)
	if d, ok := e.(dist.Down); ok && err == nil && d.Ref == ref {
		fmt.Println("it is down:", etf.Format(d.Reason))
	}

	// Output:
	// [1,3,b] <nil>
	// hello from erl
	// exception error: badarg
	// it is down: noproc
}
