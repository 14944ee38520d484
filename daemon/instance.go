package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Instance describes a node that runs, or is being started, as a daemon; it is
// the file node.json in its runtime folder.
type Instance struct {
	Name       string    `json:"name"`
	Node       string    `json:"node"` // as given: without a host it is this one's
	PID        int       `json:"pid"`
	StateDir   string    `json:"state_dir"`
	LogFile    string    `json:"log_file,omitempty"`    // empty: Journal, or its standard output
	Journal    bool      `json:"journal,omitempty"`     // it logs to the journal
	Unit       string    `json:"unit,omitempty"`        // of systemd
	CookieFile string    `json:"cookie_file,omitempty"` // empty: Erlang's own rules
	Started    time.Time `json:"started"`
}

const (
	lockName = "lock"
	jsonName = "node.json"
	pidName  = "pid"
)

// runDir is the runtime folder of this program, locked.
type runDir struct {
	dir  string
	lock *os.File
}

// RunningError says that a node of the name runs already.
type RunningError struct {
	Name string
	PID  int // 0: not known
}

func (e *RunningError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("node %s is running already", e.Name)
	}
	return fmt.Sprintf("node %s is running already (pid %d)", e.Name, e.PID)
}

// claim takes the runtime folder for this program, until it ends.
func claim(dir, name string) (*runDir, error) {
	if err := private(dir, 0o755); err != nil {
		return nil, err
	}
	if base := filepath.Dir(dir); !trusted(base) {
		return nil, fmt.Errorf("%s: others can write to it", base)
	}
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	l := unix.Flock_t{Type: unix.F_WRLCK}
	if err := unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &l); err != nil {
		f.Close()
		if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
			e := &RunningError{Name: name}
			if i, err := readInstance(dir); err == nil {
				e.PID = i.PID
			}
			return nil, e
		}
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return &runDir{dir: dir, lock: f}, nil
}

// write makes the instance known.
func (r *runDir) write(i *Instance) error {
	b, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		return err
	}
	if err := replaceFile(filepath.Join(r.dir, pidName), fmt.Appendf(nil, "%d\n", i.PID)); err != nil {
		return err
	}
	return replaceFile(filepath.Join(r.dir, jsonName), append(b, '\n'))
}

// remove takes back what write did; the lock ends with the program.
func (r *runDir) remove() {
	_ = os.Remove(filepath.Join(r.dir, jsonName))
	_ = os.Remove(filepath.Join(r.dir, pidName))
}

func replaceFile(name string, b []byte) error {
	tmp := name + ".new"
	if err := os.WriteFile(tmp, b, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, name)
}

func readInstance(dir string) (*Instance, error) {
	b, err := os.ReadFile(filepath.Join(dir, jsonName))
	if err != nil {
		return nil, err
	}
	i := &Instance{}
	if err := json.Unmarshal(b, i); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, jsonName), err)
	}
	return i, nil
}

// held tells whether a program has claimed a runtime folder.
func held(dir string) bool {
	f, err := os.Open(filepath.Join(dir, lockName))
	if err != nil {
		return false
	}
	defer f.Close()
	l := unix.Flock_t{Type: unix.F_RDLCK}
	return unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &l) == nil && l.Type != unix.F_UNLCK
}

// Running returns the nodes that run as daemons: those of this user, and those
// of the system as far as this user may know of them. Within a service of
// systemd it is the one of that service.
func Running() (is []*Instance) {
	for _, dir := range runtimeDirs() {
		if i, err := readInstance(dir); err == nil && held(dir) && i.genuine(dir) {
			is = append(is, i)
		}
	}
	return is
}

// genuine tells whether the process is one of the folder's owner, so that a
// service cannot have another's process taken for its own.
func (i *Instance) genuine(dir string) bool {
	d, err := os.Stat(dir)
	if err != nil {
		return false
	}
	p, err := os.Stat(fmt.Sprintf("/proc/%d", i.PID))
	return err == nil && (owner(d) == owner(p) || owner(d) == 0)
}

// Find returns the running daemon of a name, which may be that of its node; an
// empty name means the only one that runs.
func Find(name string) (*Instance, error) {
	is := Running()
	if name == "" {
		if len(is) == 1 {
			return is[0], nil
		}
		return nil, fmt.Errorf("%d nodes run as daemons: name one", len(is))
	}
	for _, i := range is {
		if i.is(name) {
			return i, nil
		}
	}
	return nil, fmt.Errorf("no node %s runs as a daemon: %w", name, fs.ErrNotExist)
}

// is tells whether a name means the daemon: its own, or its node's, which is on
// this host if it was given without one.
func (i *Instance) is(name string) bool {
	if i.Name == name || i.Node == name {
		return true
	}
	n, host, _ := strings.Cut(name, "@")
	own, err := os.Hostname()
	if err != nil || n != i.Node {
		return false
	}
	short, _, _ := strings.Cut(own, ".")
	return host == short || host == own
}
