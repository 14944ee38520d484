package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// variants is how many versions of the module crash there are.
const variants = 5

// kept is what a node says of its module crash.
type kept struct {
	Module     string `json:"module"`
	Generation int    `json:"generation"`
	State      string `json:"state"`
}

// crasher kills a node during loads, and compares what it keeps with what it
// acknowledged.
type crasher struct {
	*service
	acked int // generation that was acknowledged last; variant acked%variants
	tried int // generation of the last load
}

// TestCrash kills a node during loads: after the next start all is there that
// was acknowledged. CRASHTIME bounds the rounds by time.
func TestCrash(t *testing.T) {
	c := &crasher{service: newService(t)}
	for i := range variants {
		if err := os.Mkdir(filepath.Join(c.home, strconv.Itoa(i)), 0o700); err != nil {
			t.Fatal(err)
		}
		c.module("crash", fmt.Sprintf("-export([v/0]).\nv() -> %d.\n", i))
		c.run(fmt.Sprintf("mv crash.beam %d", i))
	}
	var end time.Time
	if v := os.Getenv("CRASHTIME"); v != "" {
		d, err := time.ParseDuration(v)
		if err != nil {
			t.Fatal(err)
		}
		end = time.Now().Add(d)
	}
	rounds, loads := 0, 0
	for ; rounds < 3 || time.Now().Before(end); rounds++ {
		loads += c.round(time.Duration(rand.IntN(1500)) * time.Millisecond)
	}
	t.Logf("%d kills, %d loads acknowledged", rounds, loads)
}

// round starts the node, looks at what it keeps, and loads until it is killed.
func (c *crasher) round(life time.Duration) (loads int) {
	c.run("$B start a@localhost --detach")
	c.check()
	pid := c.pid("a")
	killed := make(chan error, 1)
	go func() {
		time.Sleep(life)
		killed <- syscall.Kill(pid, syscall.SIGKILL)
	}()
	for {
		c.tried = c.acked + 1
		o := c.sh(fmt.Sprintf("$B load --timeout 20s %d/crash.beam", c.tried%variants))
		if o.code != 0 {
			break
		}
		if want := fmt.Sprintf("loaded crash (generation %d)\n", c.tried); o.out != want {
			c.t.Fatalf("load: %q, want %q", o.out, want)
		}
		c.acked = c.tried
		loads++
	}
	if err := <-killed; err != nil {
		c.t.Fatal(err)
	}
	c.gone(pid)
	return loads
}

// check compares what the node keeps with what it acknowledged.
func (c *crasher) check() {
	var ms []kept
	if err := json.Unmarshal([]byte(c.run("$B modules --json")), &ms); err != nil {
		c.t.Fatal(err)
	}
	got := 0
	if len(ms) > 0 {
		got = ms[0].Generation
	}
	if got != c.acked && got != c.tried {
		c.t.Fatalf("generation %d is kept, %d was acknowledged, %d tried", got, c.acked, c.tried)
	}
	c.acked = got
	if got == 0 {
		return
	}
	if v := strings.TrimSpace(c.run("$B rpc crash v")); v != strconv.Itoa(got%variants) || ms[0].State != "current" {
		c.t.Fatalf("generation %d is kept (%s), version %s runs", got, ms[0].State, v)
	}
}

// grow gives a .beam file a chunk of n bytes that nobody reads.
func grow(t *testing.T, file string, n int) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b = binary.BigEndian.AppendUint32(append(b, "Junk"...), uint32(n))
	for len(b)%4 != 0 || n > 0 {
		b = append(b, byte(rand.Uint32()))
		n--
	}
	binary.BigEndian.PutUint32(b[4:], uint32(len(b)-8))
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestFullStore loads what there is no room for.
func TestFullStore(t *testing.T) {
	s := newService(t)
	s.module("small", "-export([v/0]).\nv() -> 1.\n")
	s.module("big", "-export([v/0]).\nv() -> 2.\n")
	grow(t, filepath.Join(s.home, "big.beam"), 4<<20)
	s.run("ulimit -f 6000; $B start a@localhost --detach") // no file above 6 MB
	s.run("$B load small.beam")
	s.fails("$B load big.beam", 1, "big: loaded, but not stored: store ")
	s.fails("$B load big.beam", 1, "file too large")
	if out := s.run("$B rpc big v; $B load small.beam; $B modules --json"); strings.Contains(out, `"big"`) || !strings.HasPrefix(out, "2\nloaded small (generation 2)\n") {
		t.Errorf("after a failure: %s", out)
	}
}

// TestDamagedStore starts nodes with stores that cannot be trusted.
func TestDamagedStore(t *testing.T) {
	s := newService(t)
	s.module("one", "-export([v/0]).\nv() -> 1.\n")
	s.module("fickle", "-export([v/0]).\n-on_load(init/0).\ninit() -> case os:getenv(\"FICKLE\") of false -> ok; _ -> no end.\nv() -> 1.\n")
	s.run("mkdir cwd; cd cwd; $B start a@localhost --detach; $B load ../one.beam ../fickle.beam; $B stop")
	eventually(t, "the node ends", func() bool {
		_, err := os.Stat(s.home + "/beamrd/a/pid")
		return err != nil
	})
	s.fails("cd cwd; FICKLE=1 $B start a@localhost --detach", 1, "module fickle cannot be restored: its on_load function failed")
	if out := s.run("cd cwd; FICKLE=1 $B start a@localhost --detach --restore lenient; $B rpc one v; $B modules --json; $B stop"); !strings.Contains(out, `"not_loaded"`) {
		t.Errorf("lenient: %s", out)
	}
	if err := os.WriteFile(s.home+"/state/beamrd/a/modules/acknowledged", acknowledged(99), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the node ends", func() bool {
		_, err := os.Stat(s.home + "/beamrd/a/pid")
		return err != nil
	})
	s.fails("$B start a@localhost --detach", 1, "is damaged: it ends with generation 1, but generation 99 was acknowledged")
	s.run("mv state/beamrd/a/modules damaged; cd cwd; $B start a@localhost --detach")
}

// acknowledged is the file of a store that says which generation was
// acknowledged last.
func acknowledged(g uint64) []byte {
	b := binary.BigEndian.AppendUint64(nil, g)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}
