package observe

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Config says what a server serves.
type Config struct {
	Addr    string // see Listen
	Version string // of the node, for beamrd_build_info
	// Ready returns nil when the boot is done and the node is not stopping,
	// else why not. It is called for each request, and returns by the context's
	// deadline.
	Ready func(ctx context.Context) error
}

// The longest that health and readiness are waited for.
const (
	healthTime = 5 * time.Second
	readyTime  = 5 * time.Second
)

// Server is a server that listens.
type Server struct {
	l     net.Listener
	local bool
	conf  Config
	http  http.Server
}

// Open opens the socket, so that what is wrong with the address shows before
// the node boots. Errors later on are written to messages.
func Open(c Config, messages io.Writer) (*Server, error) {
	l, local, err := Listen(c.Addr)
	if err != nil {
		return nil, err
	}
	return &Server{l: l, local: local, conf: c, http: http.Server{
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: log.New(messages, "beamrd: http: ", 0),
	}}, nil
}

// Serve begins to serve, on a goroutine of its own. The node's schedulers run.
func (s *Server) Serve() {
	h := handler(s.conf)
	if s.local {
		h = onlyLocalNames(h)
	}
	s.http.Handler = h
	go func() {
		if err := s.http.Serve(s.l); !errors.Is(err, http.ErrServerClosed) {
			s.http.ErrorLog.Print(err)
		}
	}()
}

// Addr is the address that the server listens on.
func (s *Server) Addr() net.Addr { return s.l.Addr() }

// Close ends the server and its connections, and removes the file of a Unix
// domain socket.
func (s *Server) Close() error { return errors.Join(s.http.Close(), ignoreClosed(s.l.Close())) }

// ignoreClosed drops the error of closing twice: the HTTP server closes the
// sockets that it serves.
func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// handler serves all paths.
func handler(c Config) http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	r.MustRegister(vmCollectors(c.Version)...)
	m := http.NewServeMux()
	// An error of one collector must not hide the rest, and one scrape at a time
	// is enough.
	m.Handle("GET /metrics", promhttp.HandlerFor(r, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 4, Registry: r,
	}))
	m.HandleFunc("GET /healthz", check(healthTime, alive))
	m.HandleFunc("GET /readyz", check(readyTime, c.Ready))
	m.HandleFunc("GET /debug/pprof/", pprof.Index)
	m.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	m.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	m.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	m.HandleFunc("POST /debug/pprof/symbol", pprof.Symbol)
	m.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	m.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "/metrics\n/healthz\n/readyz\n/debug/pprof/\n")
	})
	return m
}

// check answers "ok", or 503 and the reason.
func check(limit time.Duration, f func(ctx context.Context) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), limit)
		defer cancel()
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		if err := f(ctx); err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			io.WriteString(w, err.Error()+"\n")
			return
		}
		io.WriteString(w, "ok\n")
	}
}

// onlyLocalNames refuses requests whose Host is neither localhost nor a
// loopback address: a page in a browser on this machine may reach the server
// under a name of its own (DNS rebinding).
func onlyLocalNames(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !localName(r.Host) {
			http.Error(w, "this server is for requests to localhost", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

func localName(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
