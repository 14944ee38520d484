package observe

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/beamrd/beamrd/dirty"
)

func get(t *testing.T, h http.Handler, path string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	b, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(b)
}

func TestChecks(t *testing.T) {
	var state error
	h := handler(Config{Ready: func(context.Context) error { return state }})
	if code, body := get(t, h, "/readyz"); code != 200 || body != "ok\n" {
		t.Errorf("/readyz: %d %q", code, body)
	}
	state = errors.New("booting")
	if code, body := get(t, h, "/readyz"); code != 503 || body != "booting\n" {
		t.Errorf("/readyz while booting: %d %q", code, body)
	}
	if code, body := get(t, h, "/healthz"); code != 200 || body != "ok\n" {
		t.Errorf("/healthz: %d %q", code, body)
	}
	if code, _ := get(t, h, "/nothing"); code != 404 {
		t.Errorf("/nothing: %d", code)
	}
	if code, body := get(t, h, "/debug/pprof/goroutine?debug=1"); code != 200 || !strings.Contains(body, "goroutine profile") {
		t.Errorf("/debug/pprof/goroutine: %d %q", code, body)
	}
}

func TestHosts(t *testing.T) {
	h := onlyLocalNames(handler(Config{Ready: func(context.Context) error { return nil }}))
	for host, want := range map[string]int{
		"localhost": 200, "LocalHost:9": 200, "127.0.0.1:9568": 200, "[::1]:9568": 200, "[::1]": 200,
		"example.org": 403, "192.0.2.1:9568": 403, "": 403, "localhost.example.org:9568": 403,
	} {
		r := httptest.NewRequest("GET", "/readyz", nil)
		r.Host = host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("Host %q: %d, not %d", host, w.Code, want)
		}
	}
}

// TestFigures compares names and types with the list in testdata, which is of
// prometheus.erl's documentation as far as its names go.
func TestFigures(t *testing.T) {
	dirty.CPU, dirty.IO = &dirty.Pool{}, &dirty.Pool{}
	defer func() { dirty.CPU, dirty.IO = nil, nil }()
	_, body := get(t, handler(Config{Version: "1"}), "/metrics")
	got := map[string]bool{}
	for s := bufio.NewScanner(strings.NewReader(body)); s.Scan(); {
		if l, ok := strings.CutPrefix(s.Text(), "# TYPE "); ok {
			got[l] = true
		}
	}
	want, err := os.ReadFile("testdata/figures.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range strings.Split(strings.TrimSpace(string(want)), "\n") {
		if !got[l] {
			t.Errorf("no figure %q", l)
		}
		delete(got, l)
	}
	for l := range got {
		if strings.HasPrefix(l, "erlang_vm_") || strings.HasPrefix(l, "beamrd_") {
			t.Errorf("figure %q is not in the list", l)
		}
	}
	if !strings.Contains(body, "go_goroutines") || !strings.Contains(body, "process_cpu_seconds_total") {
		t.Error("the figures of the Go program are missing")
	}
}
