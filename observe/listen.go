package observe

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// An address is one of
//
//	HOST:PORT         a name or address of the loopback interface
//	unix:PATH         a Unix domain socket, made with mode 0600
//	public:HOST:PORT  any address, also one that other machines reach
const (
	unixPrefix   = "unix:"
	publicPrefix = "public:"
)

// ErrNotLoopback says that an address is one that other machines reach.
var ErrNotLoopback = errors.New("not an address of the loopback interface (unix:PATH is another way; " +
	publicPrefix + "HOST:PORT serves other machines, without authentication)")

// Listen opens the socket of an address. local tells that only this machine
// reaches it by names of its own, so that requests under other names are
// mischief.
func Listen(addr string) (l net.Listener, local bool, err error) {
	fail := func(err error) (net.Listener, bool, error) {
		return nil, false, fmt.Errorf("listening for HTTP on %q: %w", addr, err)
	}
	if path, ok := strings.CutPrefix(addr, unixPrefix); ok {
		if l, err = listenUnix(path); err != nil {
			return fail(err)
		}
		return l, false, nil
	}
	tcp, public := strings.CutPrefix(addr, publicPrefix)
	if !public {
		if tcp, err = loopback(tcp); err != nil {
			return fail(err)
		}
	}
	if l, err = net.Listen("tcp", tcp); err != nil {
		return fail(err)
	}
	return l, !public, nil
}

// loopback resolves HOST:PORT to an address of the loopback interface.
func loopback(addr string) (string, error) {
	host, p, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	if host == "localhost" {
		return net.JoinHostPort("127.0.0.1", p), nil
	}
	ip, err := netip.ParseAddr(host)
	if err == nil && ip.Unmap().IsLoopback() {
		return addr, nil
	}
	if err == nil || host == "" {
		return "", ErrNotLoopback
	}
	ips, err := net.LookupHost(host)
	if err != nil {
		return "", err
	}
	for _, s := range ips {
		if ip, err := netip.ParseAddr(s); err != nil || !ip.Unmap().IsLoopback() {
			return "", ErrNotLoopback
		}
	}
	return net.JoinHostPort(ips[0], p), nil
}

// maxUnixPath is the longest path of a Unix domain socket on Linux.
const maxUnixPath = 107

// listenUnix makes a socket that its owner alone may use. It is made in a
// folder of its own and moved once its mode is right; a socket that nobody
// listens on is replaced.
func listenUnix(path string) (net.Listener, error) {
	if len(path) > maxUnixPath {
		return nil, fmt.Errorf("the path is longer than %d bytes", maxUnixPath)
	}
	if err := unusedSocket(path); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".beamrd-http-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	// A name through the descriptor is short, however long the path is.
	made := fmt.Sprintf("/proc/self/fd/%d/s", d.Fd())
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: made, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	if err = os.Chmod(made, 0o600); err == nil {
		err = os.Rename(made, path)
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return &unixListener{l, path}, nil
}

// unusedSocket returns nil when there is no file, or a socket that nobody
// listens on.
func unusedSocket(path string) error {
	switch fi, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case fi.Mode().Type() != fs.ModeSocket:
		return errors.New("the file exists and is no socket")
	}
	c, err := net.DialTimeout("unix", path, time.Second)
	switch {
	case err == nil:
		c.Close()
		return syscall.EADDRINUSE
	case errors.Is(err, syscall.ECONNREFUSED):
		return nil
	}
	return err
}

// unixListener removes its file when it is closed.
type unixListener struct {
	*net.UnixListener
	path string
}

func (l *unixListener) Close() error {
	os.Remove(l.path)
	return l.UnixListener.Close()
}

func (l *unixListener) Addr() net.Addr { return &net.UnixAddr{Name: l.path, Net: "unix"} }
