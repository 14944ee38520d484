package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"testing"
)

// TestObserveConnection connects a node of beamrd with one of erl and reads what
// the first tells of the connection.
func TestObserveConnection(t *testing.T) {
	c := newCluster(t)
	path := filepath.Join(t.TempDir(), "http")
	t.Setenv("BEAMRD_HTTP", "unix:"+path)
	c.start(false, "one")
	c.start(true, "two")
	c.sh(`until $B rpc -n one net_kernel connect_node two@localhost | grep -q true; do sleep 0.05; done`)
	c.expect("$B rpc -n one rpc call two@localhost erlang node '[]'", 0, "two@localhost\n")
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}}
	r, err := client.Get("http://node/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	out, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`erlang_vm_dist_node_state\{peer="two@localhost"\} 3`,
		`erlang_vm_dist_recv_cnt\{peer="two@localhost"\} [1-9]`,
		`erlang_vm_dist_send_bytes\{peer="two@localhost"\} [1-9]`,
		`erlang_vm_dist_port_input_bytes\{peer="two@localhost"\} [1-9]`,
		`erlang_vm_dist_port_queue_size_bytes\{peer="two@localhost"\} [0-9]`,
		`erlang_vm_dist_node_queue_size_bytes\{peer="two@localhost"\} 0`,
	} {
		if !regexp.MustCompile(`(?m)^` + want).Match(out) {
			t.Errorf("no %s in\n%s", want, regexp.MustCompile(`(?m)^erlang_vm_dist_.*$`).FindAll(out, -1))
		}
	}
}
