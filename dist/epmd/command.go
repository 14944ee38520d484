package epmd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
)

// options are those of the command line.
type options struct {
	port    int
	addrs   []string
	daemon  bool
	systemd bool // the sockets are those that systemd passed
	relaxed bool
	timeout time.Duration
	accept  time.Duration
	write   time.Duration
	debug   int
	cmd     byte
	name    string
}

const usage = `usage: epmd [-d|-debug] [DbgExtra...] [-address List]
            [-port No] [-daemon] [-systemd] [-relaxed_command_check]
       epmd [-d|-debug] [-port No] [-names|-kill|-stop name]

See the Erlang epmd manual page for info about the usage.
`

var errUsage = errors.New("epmd: usage")

func parse(args []string) (o options, err error) {
	o = options{port: DefaultPort, timeout: time.Minute}
	if v := os.Getenv("ERL_EPMD_PORT"); v != "" {
		if o.port, err = strconv.Atoi(v); err != nil {
			return o, errUsage
		}
	}
	if v := os.Getenv("ERL_EPMD_ADDRESS"); v != "" {
		o.addrs = strings.Split(v, ",")
	}
	if os.Getenv("ERL_EPMD_RELAXED_COMMAND_CHECK") != "" {
		o.relaxed = true
	}
	for i := 0; i < len(args); i++ {
		value := func() string {
			if i++; i < len(args) {
				return args[i]
			}
			err = errUsage
			return ""
		}
		number := func() (n int) {
			v := value()
			if n, e := strconv.Atoi(v); e == nil && n >= 0 {
				return n
			}
			err = errUsage
			return 0
		}
		switch args[i] {
		case "-debug", "-d":
			o.debug++
		case "-packet_timeout":
			o.timeout = time.Duration(number()) * time.Second
		case "-delay_accept":
			o.accept = time.Duration(number()) * time.Second
		case "-delay_write":
			o.write = time.Duration(number()) * time.Second
		case "-systemd":
			o.systemd = true
		case "-daemon":
			o.daemon = true
		case "-relaxed_command_check":
			o.relaxed = true
		case "-kill":
			o.cmd = reqKill
		case "-names":
			o.cmd = reqNames
		case "-started":
			o.cmd = 1
		case "-dump":
			o.cmd = reqDump
		case "-stop":
			o.cmd, o.name = reqStop, value()
		case "-address":
			o.addrs = strings.Split(value(), ",")
		case "-port":
			o.port = number()
		default:
			err = errUsage
		}
		if err != nil || o.port < 1 || o.port > 0xFFFF {
			return o, errUsage
		}
	}
	return o, nil
}

// daemonEnv tells a process that it is the daemon.
const daemonEnv = "BEAMRD_EPMD_DAEMON"

// Main is the program epmd; it returns the exit code. self is how the program
// is run again as a daemon: a path, with epmd's name as its own.
func Main(self string, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args)
	if err != nil {
		io.WriteString(stderr, usage)
		return 1
	}
	switch {
	case o.cmd == 1:
		return started(&o)
	case o.cmd != 0:
		return ask(&o, stdout, stderr)
	case o.daemon && os.Getenv(daemonEnv) == "":
		return startDaemon(self, args, &o, stderr)
	}
	return serve(&o, stderr)
}

func dialLocal(o *options) (net.Conn, error) {
	return net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.port)), 5*time.Second)
}

func started(o *options) int {
	c, err := dialLocal(o)
	if err != nil {
		return 1
	}
	c.Close()
	return 0
}

// ask does the interactive options.
func ask(o *options, stdout, stderr io.Writer) int {
	c, err := dialLocal(o)
	if err != nil {
		fmt.Fprintln(stderr, "epmd: Cannot connect to local epmd")
		return 1
	}
	defer c.Close()
	b := []byte{o.cmd}
	if o.cmd == reqStop {
		b = append(append(b, o.name...), 0)
	}
	if _, err := c.Write(request(b...)); err != nil {
		fmt.Fprintln(stdout, "epmd: Can't write to epmd")
		return 1
	}
	r, err := io.ReadAll(io.LimitReader(c, 64<<20))
	switch o.cmd {
	case reqNames, reqDump:
		if len(r) < 4 {
			fmt.Fprintln(stdout, "epmd: no response from local epmd")
			return 1
		}
		fmt.Fprintf(stdout, "epmd: up and running on port %d with data:\n", binary.BigEndian.Uint32(r))
		stdout.Write(r[4:])
		return 0
	case reqKill:
		switch string(r) {
		case "OK":
			fmt.Fprintln(stdout, "Killed")
			return 0
		case "NO":
			fmt.Fprintln(stdout, "Killing not allowed - living nodes in database.")
			return 1
		}
	default:
		if len(r) == 7 {
			fmt.Fprintf(stdout, "%s\n", r)
			return 0
		}
	}
	if err != nil {
		fmt.Fprintln(stdout, "epmd: failed to read answer from local epmd")
	} else {
		fmt.Fprintf(stdout, "epmd: local epmd responded with <%s>\n", r)
	}
	return 1
}

// startDaemon runs the program again, apart from everything, and waits until it
// answers.
func startDaemon(self string, args []string, o *options, stderr io.Writer) int {
	if started(o) == 0 {
		return 0
	}
	cmd := exec.Command(self, args...)
	cmd.Args[0] = "epmd"
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), daemonEnv+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		fmt.Fprintf(stderr, "epmd: %v\n", err)
		return 1
	}
	done := make(chan struct{})
	go func() { cmd.Wait(); close(done) }()
	for range 100 {
		if started(o) == 0 {
			return 0
		}
		select {
		case <-done:
			return 0 // as OTP's, whose parent does not know
		case <-time.After(20 * time.Millisecond):
		}
	}
	return 0
}

// inherited returns the listeners that systemd passed, and forgets about them, so
// that no child process takes them for its own.
func inherited() (ls []net.Listener, err error) {
	all, err := activation.Listeners()
	for _, l := range all {
		if l != nil { // nil: no stream socket
			ls = append(ls, l)
		}
	}
	if err == nil && len(ls) == 0 {
		err = errors.New("-systemd is given, but no socket was passed")
	}
	return ls, err
}

// listen opens the listeners: everywhere, or at the addresses asked for and the
// loopback interface.
func listen(o *options) (ls []net.Listener, err error) {
	if o.systemd {
		return inherited()
	}
	port := strconv.Itoa(o.port)
	if len(o.addrs) == 0 {
		l, err := net.Listen("tcp", ":"+port)
		return []net.Listener{l}, err
	}
	seen := map[string]bool{}
	addrs := append([]string{"127.0.0.1"}, o.addrs...)
	for _, a := range addrs {
		if strings.Contains(a, ":") {
			addrs = append(addrs, "::1")
			break
		}
	}
	for _, a := range addrs {
		if seen[a] {
			continue
		}
		seen[a] = true
		l, err := net.Listen("tcp", net.JoinHostPort(a, port))
		if err != nil {
			for _, l := range ls {
				l.Close()
			}
			return nil, err
		}
		ls = append(ls, l)
	}
	return ls, nil
}

// slowListener waits before it accepts, to simulate a busy server.
type slowListener struct {
	net.Listener
	d time.Duration
}

func (l slowListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	time.Sleep(l.d)
	return c, err
}

func serve(o *options, stderr io.Writer) int {
	ls, err := listen(o)
	if err != nil {
		if errors.Is(err, syscall.EADDRINUSE) {
			fmt.Fprintf(stderr, "epmd: there is already a epmd running at port %d\r\n", o.port)
		} else {
			fmt.Fprintf(stderr, "epmd: %v\r\n", err)
		}
		return 1
	}
	killed := make(chan struct{}, len(ls)+1)
	s := &Server{Port: o.port, Relaxed: o.relaxed, Timeout: o.timeout, delay: o.write, Killed: func() { killed <- struct{}{} }}
	for _, l := range ls {
		if o.accept > 0 {
			l = slowListener{l, o.accept}
		}
		go s.Serve(l)
	}
	<-killed
	return 0
}
