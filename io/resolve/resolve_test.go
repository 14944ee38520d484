package resolve

import (
	"bytes"
	"context"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func files(t *testing.T) {
	dir := t.TempDir()
	h, s := HostsFile, ServicesFile
	t.Cleanup(func() { HostsFile, ServicesFile = h, s })
	HostsFile, ServicesFile = filepath.Join(dir, "hosts"), filepath.Join(dir, "services")
	for f, text := range map[string]string{
		HostsFile:    "127.0.0.1 localhost lo # here\n::1 localhost ip6-localhost\n10.1.2.3 a.example a b\n",
		ServicesFile: "http 80/tcp www\ndomain 53/tcp\ndomain 53/udp\n",
	} {
		if err := os.WriteFile(f, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHosts(t *testing.T) {
	files(t)
	for _, c := range []struct {
		name  string
		v6    bool
		addrs string
		names string
		code  Code
	}{
		{"localhost", false, "127.0.0.1", "localhost lo ip6-localhost", OK},
		{"localhost", true, "::1", "localhost ip6-localhost", OK},
		{"A", false, "10.1.2.3", "a.example a b", OK},
		{"127.1", false, "127.0.0.1", "127.1", OK},
		{"0x7f.0.0.010", false, "127.0.0.8", "0x7f.0.0.010", OK},
		{"::1", true, "::1", "::1", OK},
		{"::1", false, "", "", NotFound},
		{"", false, "", "", NotFound},
	} {
		h, code := ByName(context.Background(), c.name, c.v6)
		var as []string
		for _, a := range h.Addrs {
			as = append(as, a.String())
		}
		if strings.Join(as, " ") != c.addrs || strings.Join(h.Names, " ") != c.names || code != c.code {
			t.Errorf("%s %v: %v %v %q", c.name, c.v6, as, h.Names, code)
		}
	}
	h, code := ByAddr(context.Background(), netip.MustParseAddr("10.1.2.3"))
	if code != OK || strings.Join(h.Names, " ") != "a.example a b" {
		t.Error(h, code)
	}
}

func TestServices(t *testing.T) {
	files(t)
	if p, ok := ServByName("www", "tcp"); !ok || p != 80 {
		t.Error(p, ok)
	}
	if _, ok := ServByName("www", "udp"); ok {
		t.Error("www/udp found")
	}
	if n, ok := ServByPort(53, "udp"); !ok || n != "domain" {
		t.Error(n, ok)
	}
}

func TestServe(t *testing.T) {
	files(t)
	in := bytes.NewReader([]byte("\x00\x00\x00\x08\x00\x00\x00\x07\x01\x01a\x00\x00\x00\x00\x05\x00\x00\x00\x08\x09"))
	r, w, _ := os.Pipe()
	if err := Serve(in, w, 2); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1024)
	var got string
	want := []string{"\x00\x00\x00\x1f\x00\x00\x00\x07\x04\x00\x00\x00\x01\x0a\x01\x02\x03\x00\x00\x00\x03a.example\x00a\x00b\x00",
		"\x00\x00\x00\x0d\x00\x00\x00\x08\x00enotsup\x00"}
	for len(got) < len(want[0])+len(want[1]) {
		n, err := r.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		got += string(b[:n])
	}
	if !strings.Contains(got, want[0]) || !strings.Contains(got, want[1]) {
		t.Errorf("%q", got)
	}
}
