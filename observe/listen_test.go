package observe

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestListenAddresses(t *testing.T) {
	for _, c := range []struct {
		addr  string
		local bool
		fails bool
	}{
		{"127.0.0.1:0", true, false},
		{"127.3.2.1:0", true, false},
		{"localhost:0", true, false},
		{"public:0.0.0.0:0", false, false},
		{"public:127.0.0.1:0", false, false},
		{"0.0.0.0:0", false, true},
		{":0", false, true},
		{"[::]:0", false, true},
		{"[::ffff:8.8.8.8]:0", false, true},
		{"192.0.2.1:0", false, true},
		{"127.0.0.1", false, true},
		{"", false, true},
		{"unix:", false, true},
	} {
		l, local, err := Listen(c.addr)
		if (err != nil) != c.fails || local != c.local {
			t.Errorf("Listen(%q): local %v, error %v", c.addr, local, err)
		}
		if err == nil {
			l.Close()
		}
	}
	if _, _, err := Listen("0.0.0.0:0"); !errors.Is(err, ErrNotLoopback) {
		t.Errorf("the error for all addresses is %v", err)
	}
}

func TestListenUnix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "http")
	l, _, err := Listen("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(path)
	if err != nil || fi.Mode().Perm() != 0o600 || fi.Mode().Type() != os.ModeSocket {
		t.Errorf("the socket is %v, %v", fi, err)
	}
	if _, _, err := Listen("unix:" + path); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("listening twice: %v", err)
	}
	l.Close()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("after closing there is a file: %v", err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 0 {
		t.Errorf("files are left: %v", left)
	}
	if _, _, err := Listen("unix:/" + strings.Repeat("x", 200)); err == nil {
		t.Error("a path that is too long was taken")
	}
}

// TestListenUnixOld has a socket of a node that was killed, and a file that is
// none.
func TestListenUnixOld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "http")
	old, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	old.SetUnlinkOnClose(false)
	old.Close()
	l, _, err := Listen("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	l.Close()
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Listen("unix:" + path); err == nil {
		t.Error("a file was replaced")
	}
}
