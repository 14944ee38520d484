package daemon

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestTail(t *testing.T) {
	f := filepath.Join(t.TempDir(), "log")
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"a\nb\nc\n", 2, "b\nc\n"},
		{"a\nb\nc", 2, "b\nc"},
		{"a\nb\nc\n", 3, "a\nb\nc\n"},
		{"a\nb\nc\n", 9, "a\nb\nc\n"},
		{"a\nb\nc\n", -1, "a\nb\nc\n"},
		{"a\nb\nc\n", 0, ""},
		{"\n\n\n", 2, "\n\n"},
		{"", 5, ""},
	} {
		if err := os.WriteFile(f, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := Tail(&b, f, c.n, false); err != nil || b.String() != c.want {
			t.Errorf("the last %d of %q are %q, %v", c.n, c.text, b.String(), err)
		}
	}
	long := bytes.Repeat([]byte("0123456789abcde\n"), 10000)
	if err := os.WriteFile(f, long, 0o600); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Tail(&b, f, 5000, false); err != nil || b.Len() != 5000*16 {
		t.Errorf("5000 lines have %d bytes, %v", b.Len(), err)
	}
}

// TestFollow follows a log over a change of the file.
func TestFollow(t *testing.T) {
	f := filepath.Join(t.TempDir(), "log")
	write := func(s string) {
		if err := os.WriteFile(f, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one\n")
	r, w := io.Pipe()
	done := make(chan error)
	go func() { done <- Tail(w, f, -1, true) }()
	in := bufio.NewReader(r)
	expect := func(want string) {
		if l, err := in.ReadString('\n'); err != nil || l != want {
			t.Fatalf("%q, %v, want %q", l, err, want)
		}
	}
	expect("one\n")
	if err := os.Rename(f, f+".1"); err != nil {
		t.Fatal(err)
	}
	write("two\n")
	expect("two\n")
	r.Close()
	write("two\nthree\n")
	if err := <-done; err != io.ErrClosedPipe {
		t.Errorf("ended with %v", err)
	}
}

func TestStuck(t *testing.T) {
	then := progress{[]uint64{1, 2, 3}, []bool{false, false, true}}
	for _, c := range []struct {
		now  progress
		want bool
	}{
		{progress{[]uint64{2, 3, 3}, []bool{false, false, true}}, false},
		{progress{[]uint64{1, 3, 3}, []bool{false, false, true}}, true},
		{progress{[]uint64{1, 2, 3}, []bool{true, true, true}}, false},
		{progress{[]uint64{2, 3, 3}, []bool{false, false, false}}, false},
	} {
		if got := c.now.stuckSince(then); got != c.want {
			t.Errorf("%v: %t", c.now, got)
		}
	}
}

func TestUnit(t *testing.T) {
	for in, want := range map[string]string{
		"0::/system.slice/system-beamrd.slice/beamrd@demo.service\n":                     "beamrd@demo.service",
		"1:name=systemd:/x\n0::/user.slice/user-0.slice/session-1.scope\n":               "",
		"0::/user.slice/user-1.slice/user@1.service/app.slice/node.service/sub\n":        "node.service",
		"12:cpu:/system.slice/a.service\n0::/system.slice/beamrd@a.service/supervised\n": "beamrd@a.service",
		"": "",
	} {
		if got := unit(in); got != want {
			t.Errorf("the unit of %q is %q, not %q", in, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string // flag and name
		bad  bool
	}{
		{o: Options{Name: "a"}, want: "-sname a"},
		{o: Options{Name: "a@localhost"}, want: "-sname a@localhost"},
		{o: Options{Name: "a@host.example"}, want: "-name a@host.example"},
		{o: Options{Name: "a", Long: "b@host.example"}, want: "-name b@host.example"},
		{o: Options{Name: "a", Short: "b"}, want: "-sname b"},
		{o: Options{Name: "a", Short: "b", Long: "c"}, bad: true},
		{o: Options{Name: "../a"}, bad: true},
		{o: Options{Name: ""}, bad: true},
		{o: Options{Name: "a", Listen: "nowhere"}, bad: true},
		{o: Options{Name: "a", Args: []string{"-sname", "b"}}, bad: true},
		{o: Options{Name: "a", Args: []string{"-detached"}}, bad: true},
		{o: Options{Name: "a", Args: []string{"-extra", "-detached"}}, want: "-sname a"},
	} {
		err := c.o.check()
		if (err != nil) != c.bad {
			t.Errorf("%+v: %v", c.o, err)
		}
		if f := c.o.flags(); !c.bad && f[2]+" "+f[3] != c.want {
			t.Errorf("%+v: %q", c.o, f)
		}
	}
	if got := (&Options{Name: "a", Listen: "::1"}).listen()[2]; got != "{0,0,0,0,0,0,0,1}" {
		t.Errorf("::1 is %s", got)
	}
}
