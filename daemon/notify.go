package daemon

import (
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	sd "github.com/coreos/go-systemd/v22/daemon"
)

// notifier tells systemd the state of the service. The address is taken out of
// the environment at once, so that no child process can speak in our name;
// go-systemd's own SdNotify reads it there.
type notifier struct {
	mu       sync.Mutex
	addr     string // empty: systemd does not want to know
	watchdog time.Duration
	stopping bool
}

// newNotifier takes what systemd passed to this process, and hides it from
// those it starts.
func newNotifier() (*notifier, error) {
	n := &notifier{addr: os.Getenv("NOTIFY_SOCKET")}
	every, err := sd.SdWatchdogEnabled(true)
	for _, f := range activation.Files(true) { // sockets that nobody here asked for
		f.Close()
	}
	for _, v := range []string{"NOTIFY_SOCKET", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"} {
		os.Unsetenv(v)
	}
	if err != nil {
		return nil, fmt.Errorf("the watchdog's variables: %w", err)
	}
	n.watchdog = every
	return n, nil
}

// send sends assignments, one a line. Nobody can be told if that fails.
func (n *notifier) send(lines ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sendLocked(lines...)
}

func (n *notifier) sendLocked(lines ...string) {
	if n.addr == "" {
		return
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: n.addr, Net: "unixgram"})
	if err != nil {
		return
	}
	defer c.Close()
	// Nothing of ours waits for a reader that does not read.
	_ = c.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = c.Write([]byte(strings.Join(lines, "\n")))
}

func (n *notifier) ready(status string) { n.send(sd.SdNotifyReady, "STATUS="+status) }

// stop says that the service is stopping, once.
func (n *notifier) stop(status string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.stopping {
		n.stopping = true
		n.sendLocked(sd.SdNotifyStopping, "STATUS="+status)
	}
}

func (n *notifier) reloading() {
	n.send(sd.SdNotifyReloading, strings.TrimSpace(sd.SdNotifyMonotonicUsec()), "STATUS=Reading the configuration again")
}

func (n *notifier) isStopping() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.stopping
}
