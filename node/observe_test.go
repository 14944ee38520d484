package node

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func TestObserve(t *testing.T) {
	bin := beamrd(t, t.TempDir())
	t.Run("look", func(t *testing.T) { observeNode(t, bin) })
	t.Run("refuse", func(t *testing.T) { refuseObserver(t, bin) })
}

// observeNode starts a node that serves HTTP on a Unix domain socket, and looks
// at it until it is ready, while it is, and when it has been stopped.
func observeNode(t *testing.T, bin string) {
	path := filepath.Join(t.TempDir(), "http")
	cmd := exec.Command(bin, "erl", "-noshell", "-kernel", "logger_level", "none",
		"-eval", `io:format("~p~n", [os:getenv("BEAMRD_HTTP")])`)
	cmd.Env = append(os.Environ(), "BEAMRD_HTTP=unix:"+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var ended atomic.Bool
	timer := time.AfterFunc(time.Minute, func() { ended.Store(true); cmd.Process.Kill() })
	defer timer.Stop()
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}}
	get := func(what string) (int, string) {
		r, err := client.Get("http://node" + what)
		if err != nil {
			return 0, err.Error()
		}
		defer r.Body.Close()
		b, _ := io.ReadAll(r.Body)
		return r.StatusCode, string(b)
	}
	for code := 0; code != 200; time.Sleep(10 * time.Millisecond) {
		var body string
		if code, body = get("/readyz"); ended.Load() {
			t.Fatalf("/readyz: %d %s", code, body)
		}
	}
	if code, body := get("/healthz"); code != 200 {
		t.Errorf("/healthz: %d %s", code, body)
	}
	code, body := get("/metrics")
	for _, want := range []string{"erlang_vm_schedulers ", `beamrd_scheduler_wall_seconds_total{scheduler="1"} `, "erlang_vm_memory_ets_tables "} {
		if code != 200 || !strings.Contains(body, "\n"+want) {
			t.Errorf("/metrics: %d, no %s", code, want)
		}
	}
	if code, body := get("/debug/pprof/heap"); code != 200 || body == "" {
		t.Errorf("/debug/pprof/heap: %d", code)
	}
	cmd.Process.Signal(syscall.SIGTERM)
	b, _ := io.ReadAll(out)
	if !strings.HasPrefix(string(b), "false\n") {
		t.Errorf("the node printed %q", b)
	}
	cmd.Wait()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the socket is left: %v", err)
	}
}

// refuseObserver has an address that other machines reach.
func refuseObserver(t *testing.T, bin string) {
	cmd := exec.Command(bin, "erl", "-noshell", "-s", "erlang", "halt")
	cmd.Env = append(os.Environ(), "BEAMRD_HTTP=0.0.0.0:0")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "not an address of the loopback interface") {
		t.Errorf("%v: %s", err, out)
	}
}
