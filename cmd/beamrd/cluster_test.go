package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestCluster has two nodes of erl and two of beamrd work together, each on an
// address of its own: testdata/cluster/cluster.erl says what they do. With
// CLUSTER=full it is done at full size, 100,000 links and monitors and 64 MB.
func TestCluster(t *testing.T) {
	needErl(t)
	size, limit := "600", 4*time.Minute
	if os.Getenv("CLUSTER") == "full" {
		size, limit = "100000", 25*time.Minute
	} else if testing.Short() {
		t.Skip("takes a while")
	}
	c := newMesh(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("erlc", "-o", c.home, filepath.Join(root, "testdata/cluster/cluster.erl")).CombinedOutput(); err != nil {
		t.Fatalf("erlc: %v\n%s", err, out)
	}
	for _, n := range c.nodes[1:] {
		c.start(n)
	}
	args := []string{"-run", "cluster", "main", size}
	for _, n := range c.nodes {
		args = append(args, n.name)
	}
	first := c.command(c.nodes[0], args...)
	in, err := first.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := first.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(limit, func() { first.Process.Kill() })
	defer timer.Stop()
	log, ok := c.serve(out, in)
	if err := first.Wait(); err != nil || !ok {
		t.Errorf("the first node ended: %v\n%s", err, log)
		for _, n := range c.nodes[1:] {
			t.Errorf("%s: %s", n.name, n.out)
		}
	}
}

// meshNode is a node of the cluster.
type meshNode struct {
	name, host string
	side       int // of a split net
	erl        bool
	out        *syncBuffer
	stop       func()
}

// syncBuffer keeps what a node prints.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// serve does what the first node asks for until it ends; ok: it ended well.
func (m *mesh) serve(out io.Reader, in io.Writer) (log string, ok bool) {
	var all strings.Builder
	sc := bufio.NewScanner(out)
	for sc.Scan() {
		l := sc.Text()
		fmt.Fprintln(&all, l)
		ok = ok || l == "cluster ok"
		what, asked := strings.CutPrefix(l, "? ")
		if !asked {
			continue
		}
		switch name, restart := strings.CutPrefix(what, "restart "); {
		case restart:
			for _, n := range m.nodes {
				if n.name == name {
					n.stop()
					m.start(n)
				}
			}
		default:
			m.split(what == "split")
		}
		fmt.Fprintln(in, "done")
	}
	return all.String(), ok
}

func (m *mesh) command(n *meshNode, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		m.t.Fatal(err)
	}
	all := append([]string{"-name", n.name, "-setcookie", "mesh", "-start_epmd", "false", "-pa", m.home, "-noshell",
		"-kernel", "prevent_overlapping_partitions", "false", "inet_dist_use_interface",
		"{" + strings.ReplaceAll(n.host, ".", ",") + "}"}, args...)
	cmd := exec.Command("erl", all...)
	if !n.erl {
		cmd = exec.Command(self, append([]string{"erl"}, all...)...)
	}
	cmd.Dir = m.home
	cmd.Env = append(os.Environ(), asMain+"=1", fmt.Sprintf("ERL_EPMD_PORT=%d", m.port), "HOME="+m.home,
		"ERL_CRASH_DUMP="+filepath.Join(m.home, n.name+".dump"))
	n.out = &syncBuffer{}
	cmd.Stderr = n.out
	return cmd
}

// start starts a node; what it says later is kept.
func (m *mesh) start(n *meshNode) {
	cmd := m.command(n, "-noinput")
	cmd.Stdout = n.out
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	var once sync.Once
	n.stop = func() {
		once.Do(func() {
			cmd.Process.Kill()
			cmd.Wait()
		})
	}
	m.t.Cleanup(n.stop)
}
