package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// LogSource is where a node's log is.
type LogSource struct {
	File string
	Unit string // of systemd: the log is in its journal
}

// FindLog returns where the log of a daemon is, also of one that has ended; an
// empty name means the only one that runs.
func FindLog(name string) (*LogSource, error) {
	i, err := Find(name)
	if err != nil {
		if name != "" {
			if f := oldLog(name); f != "" {
				return &LogSource{File: f}, nil
			}
		}
		return nil, err
	}
	switch {
	case i.LogFile != "":
		return &LogSource{File: i.LogFile}, nil
	case i.Journal && i.Unit != "":
		return &LogSource{Unit: i.Unit}, nil
	case i.Journal:
		return nil, fmt.Errorf("node %s logs to the journal: journalctl _PID=%d", i.Name, i.PID)
	}
	return nil, fmt.Errorf("node %s (pid %d) logs to its own standard output: start it with --log-file or --detach for a log file", i.Name, i.PID)
}

// oldLog returns the log file that --detach chose for a node, if it exists.
func oldLog(name string) string {
	o := Options{Name: name}
	state, err := o.stateDir()
	if err != nil {
		return ""
	}
	f := filepath.Join(o.logDir(state), o.service()+".log")
	if _, err := os.Stat(f); err != nil {
		return ""
	}
	return f
}

// unit returns the unit of systemd that a process belongs to, by the path of
// its control group, or an empty string.
func unit(cgroup string) string {
	for _, l := range strings.Split(cgroup, "\n") {
		_, path, ok := strings.Cut(l, "::")
		if !ok {
			continue
		}
		parts := strings.Split(path, "/")
		for i := len(parts) - 1; i >= 0; i-- {
			if strings.HasSuffix(parts[i], ".service") {
				return parts[i]
			}
		}
	}
	return ""
}

func ownUnit() string {
	b, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	return unit(string(b))
}

// Tail writes the last n lines of a file, or all if n is negative; with follow
// it goes on with what is added, also when a new file takes the name, until
// writing fails.
func Tail(w io.Writer, name string, n int, follow bool) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { f.Close() }()
	if n >= 0 {
		if err := seekLines(f, n); err != nil {
			return err
		}
	}
	for {
		if _, err := io.Copy(w, f); err != nil || !follow {
			return err
		}
		time.Sleep(200 * time.Millisecond)
		next, err := newer(f, name)
		if err != nil {
			return err
		}
		if next != nil {
			if _, err := io.Copy(w, f); err != nil {
				return err
			}
			f.Close()
			f = next
		}
	}
}

// newer returns the file of the name if it is another one by now. One that was
// cut short is read from its beginning.
func newer(f *os.File, name string) (*os.File, error) {
	st, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it was moved away, and will be made anew
	}
	if err != nil {
		return nil, err
	}
	cur, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !os.SameFile(cur, st) {
		return os.Open(name)
	}
	if at, err := f.Seek(0, io.SeekCurrent); err == nil && at > st.Size() {
		_, err = f.Seek(0, io.SeekStart)
		return nil, err
	}
	return nil, nil
}

// seekLines moves to the beginning of the last n lines.
func seekLines(f *os.File, n int) error {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	buf := make([]byte, 32<<10)
	seen := 0
	for at := end; at > 0; {
		size := min(at, int64(len(buf)))
		at -= size
		if _, err := f.ReadAt(buf[:size], at); err != nil {
			return err
		}
		for b := buf[:size]; ; {
			i := bytes.LastIndexByte(b, '\n')
			if i < 0 {
				break
			}
			if pos := at + int64(i) + 1; pos < end {
				if seen++; seen == n {
					_, err := f.Seek(pos, io.SeekStart)
					return err
				}
			} else if n == 0 {
				return nil
			}
			b = b[:i]
		}
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}
