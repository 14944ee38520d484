package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// logFile is where standard output and standard error go: everything that
// writes there, the node's logger, its processes and this program, needs not
// know of it.
type logFile struct {
	mu   sync.Mutex
	name string
}

// open lets both streams go to the file, which is made if need be. A file that
// was moved away is left, and a new one begun.
func (l *logFile) open() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(l.name), 0o750); err != nil {
		return fmt.Errorf("log file: %w", err)
	}
	f, err := os.OpenFile(l.name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o640)
	if err != nil {
		return fmt.Errorf("log file: %w", err)
	}
	defer f.Close()
	for _, to := range []int{1, 2} {
		if err := unix.Dup2(int(f.Fd()), to); err != nil {
			return fmt.Errorf("log file %s: %w", l.name, err)
		}
	}
	return nil
}

// onJournal tells whether standard error leads to systemd's journal: the
// variable names the device and the inode of the stream.
func onJournal() bool {
	var dev, ino uint64
	if _, err := fmt.Sscanf(os.Getenv("JOURNAL_STREAM"), "%d:%d", &dev, &ino); err != nil {
		return false
	}
	for _, fd := range []int{1, 2} {
		var st unix.Stat_t
		if unix.Fstat(fd, &st) == nil && st.Dev == dev && st.Ino == ino {
			return true
		}
	}
	return false
}
