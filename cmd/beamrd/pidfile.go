package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A pid file says which process a node that `beamrd start` started is: its pid,
// when it started (field 22 of /proc/PID/stat, by which another process that got
// the same pid is told apart), and the node's name.

// runtimeDirs are where pid files may be, the one for new ones first: systemd's,
// the user's, the system's, and one in the directory for temporary files.
func runtimeDirs() []string {
	var dirs []string
	if d := os.Getenv("RUNTIME_DIRECTORY"); d != "" {
		d, _, _ = strings.Cut(d, ":")
		dirs = append(dirs, d)
	}
	if os.Getuid() == 0 {
		dirs = append(dirs, "/run/beamrd")
	}
	if d := os.Getenv("XDG_RUNTIME_DIR"); d != "" {
		dirs = append(dirs, filepath.Join(d, "beamrd"))
	}
	if os.Getuid() != 0 {
		dirs = append(dirs, "/run/beamrd")
	}
	return append(dirs, filepath.Join(os.TempDir(), "beamrd-"+strconv.Itoa(os.Getuid())))
}

// writePidFile notes that this process is a node, in the first directory that
// can be written. It returns what removes the file.
func writePidFile(node string) (remove func(), err error) {
	start, err := processStart(os.Getpid())
	if err != nil {
		return nil, err
	}
	name, _, _ := strings.Cut(node, "@")
	for _, d := range runtimeDirs() {
		if err = os.MkdirAll(d, 0o700); err == nil && ownDir(d) {
			file := filepath.Join(d, name+".pid")
			text := fmt.Sprintf("%d %d %s\n", os.Getpid(), start, node)
			tmp := file + "." + strconv.Itoa(os.Getpid())
			if err = os.WriteFile(tmp, []byte(text), 0o600); err == nil {
				if err = os.Rename(tmp, file); err == nil {
					return func() { removePidFile(file, text) }, nil
				}
			}
		}
	}
	return nil, err
}

// removePidFile removes a pid file that still says what we wrote.
func removePidFile(file, text string) {
	if b, err := os.ReadFile(file); err == nil && string(b) == text {
		os.Remove(file)
	}
}

// ownDir tells whether nobody but us and root can write to a directory.
func ownDir(d string) bool {
	st, err := os.Stat(d)
	if err != nil || !st.IsDir() || st.Mode().Perm()&0o22 != 0 {
		return false
	}
	s, ok := st.Sys().(*syscall.Stat_t)
	return ok && (int(s.Uid) == os.Getuid() || s.Uid == 0)
}

// process is a node's process, by a descriptor that means no other.
type process struct {
	pid int
	fd  int
}

var errNoPidFile = errors.New("no pid file")

// findProcess returns the process of a node, by its pid file; the error is
// errNoPidFile where there is none, or its process is gone.
func findProcess(node string) (*process, error) {
	name, host, _ := strings.Cut(node, "@")
	for _, d := range runtimeDirs() {
		if !ownDir(d) {
			continue
		}
		b, err := os.ReadFile(filepath.Join(d, name+".pid"))
		if err != nil {
			continue
		}
		var pid int
		var start uint64
		var full string
		if n, _ := fmt.Sscan(string(b), &pid, &start, &full); n != 3 || pid <= 1 {
			continue
		}
		if _, h, _ := strings.Cut(full, "@"); host != "" && h != host {
			continue
		}
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		if s, err := processStart(pid); err == nil && s == start {
			return &process{pid, fd}, nil
		}
		unix.Close(fd)
	}
	return nil, errNoPidFile
}

// processStart returns when a process started, in ticks since boot.
func processStart(pid int) (uint64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name, in parentheses, may hold anything.
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	if len(f) < 20 {
		return 0, errors.New("malformed /proc/PID/stat")
	}
	return strconv.ParseUint(f[19], 10, 64)
}

func (p *process) signal(sig unix.Signal) error { return unix.PidfdSendSignal(p.fd, sig, nil, 0) }

// wait waits until the process has gone; false: d has passed before. d is 0 for
// no limit.
func (p *process) wait(d time.Duration) bool {
	end := time.Now().Add(d)
	for {
		ms := -1
		if d > 0 {
			ms = max(0, int(time.Until(end).Milliseconds()))
		}
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}}, ms)
		if !errors.Is(err, unix.EINTR) {
			return n > 0
		}
	}
}

func (p *process) close() { unix.Close(p.fd) }
