package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// envDir returns the first folder that systemd names in a variable.
func envDir(name string) string {
	d, _, _ := strings.Cut(os.Getenv(name), ":")
	return d
}

// stateDir returns the folder for what lasts.
func (o *Options) stateDir() (string, error) {
	switch d := envDir("STATE_DIRECTORY"); {
	case o.StateDir != "":
		return filepath.Abs(o.StateDir)
	case d != "":
		return d, nil
	}
	if d := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "beamrd", o.service()), nil
	}
	if h := os.Getenv("HOME"); filepath.IsAbs(h) {
		return filepath.Join(h, ".local/state/beamrd", o.service()), nil
	}
	if os.Getuid() == 0 {
		return filepath.Join("/var/lib/beamrd", o.service()), nil
	}
	return "", errors.New("no place for the node's state: neither --state-dir nor STATE_DIRECTORY, XDG_STATE_HOME or HOME")
}

// logDir returns the folder for log files and crash dumps.
func (o *Options) logDir(state string) string {
	if d := envDir("LOGS_DIRECTORY"); d != "" {
		return d
	}
	return filepath.Join(state, "log")
}

// runtimeDir returns the folder for what is gone when the node is.
func (o *Options) runtimeDir() string {
	if d := envDir("RUNTIME_DIRECTORY"); d != "" {
		return d
	}
	return filepath.Join(runtimeBases()[0], o.service())
}

// runtimeBases are the folders that hold the runtime folders of this user's
// nodes and of those of the system, the one for new nodes first.
func runtimeBases() (bases []string) {
	if d := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(d) {
		bases = append(bases, filepath.Join(d, "beamrd"))
	} else if os.Getuid() != 0 {
		bases = append(bases, filepath.Join(os.TempDir(), fmt.Sprintf("beamrd-%d", os.Getuid()), "run"))
	}
	return append(bases, "/run/beamrd")
}

// runtimeDirs are the runtime folders that there are.
func runtimeDirs() (dirs []string) {
	if d := envDir("RUNTIME_DIRECTORY"); d != "" {
		return []string{d}
	}
	for _, base := range runtimeBases() {
		es, err := os.ReadDir(base)
		if err != nil || !trusted(base) {
			continue
		}
		for _, e := range es {
			dirs = append(dirs, filepath.Join(base, e.Name()))
		}
	}
	return dirs
}

// trusted tells whether nobody but this user and root can write to a folder.
func trusted(dir string) bool {
	st, err := os.Stat(dir)
	if err != nil || st.Mode().Perm()&0o022 != 0 {
		return false
	}
	uid := owner(st)
	return uid == 0 || uid == os.Getuid()
}

// owner returns the user that a file belongs to.
func owner(st os.FileInfo) int {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}

// private makes a folder that nobody else can write to.
func private(dir string, mode os.FileMode) error {
	if err := os.MkdirAll(dir, mode); err != nil {
		return err
	}
	st, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !st.IsDir() || owner(st) != os.Getuid() || st.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s: not a folder that this user alone can write to", dir)
	}
	return nil
}
