package main

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/beamrd/beamrd/dist/epmd"
)

// TestInstall installs into a folder and has systemd look at the units.
func TestInstall(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	prefix := t.TempDir()
	c := exec.Command("../../scripts/install.sh", self)
	c.Env = append(os.Environ(), "DESTDIR=", "PREFIX="+prefix, "UNITDIR="+prefix+"/units")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("install: %v\n%s", err, out)
	}
	for _, f := range []string{"bin/beamrd", "share/man/man1/beamrd.1.gz", "lib/sysusers.d/beamrd.conf"} {
		if _, err := os.Stat(filepath.Join(prefix, f)); err != nil {
			t.Error(err)
		}
	}
	units, _ := filepath.Glob(prefix + "/units/beamrd*")
	if len(units) != 3 {
		t.Errorf("units: %v", units)
	}
	for i, u := range units {
		units[i] = strings.Replace(u, "beamrd@.", "beamrd@demo.", 1)
		if units[i] != u {
			if err := os.Symlink(filepath.Base(u), units[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	out, err := exec.Command(analyze, append([]string{"verify", "--man=no"}, units...)...).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

// TestEpmdSocket lets the port mapper take a socket from systemd.
func TestEpmdSocket(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", "-c", `LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" epmd -systemd`, self)
	c.Env = append(os.Environ(), asMain+"=1")
	c.ExtraFiles = []*os.File{f} // descriptor 3
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	names, err := (epmd.Client{Port: l.Addr().(*net.TCPAddr).Port}).Names(context.Background())
	if err != nil || len(names) != 0 {
		t.Errorf("names: %v, %v", names, err)
	}
	if o := sh(t, t.TempDir(), "$B epmd -systemd"); o.code != 1 || !strings.Contains(o.err, "no socket was passed") {
		t.Errorf("without a socket: %+v", o)
	}
}
