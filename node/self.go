package node

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// linkNames are the programs the one binary answers as.
var linkNames = []string{"beamrd", "erl", "erlexec", "inet_gethost", "epmd", "heart", "erlc", "escript"}

// selfPath returns the path of the running binary, links resolved.
func selfPath() (string, error) {
	p, err := os.Executable()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(p)
}

// isSelf tells whether a path leads to the running binary.
func isSelf(path string) bool {
	a, err := selfPath()
	if err != nil {
		return false
	}
	sa, err := os.Stat(a)
	if err != nil {
		return false
	}
	sb, err := os.Stat(path)
	return err == nil && os.SameFile(sa, sb)
}

// ownBindir tells whether a folder is one of our folders of links.
func ownBindir(dir string) bool { return dir != "" && isSelf(filepath.Join(dir, "erlexec")) }

// linkDir returns the private folder in which this binary answers under the
// names of linkNames, making it if need be. It is named after the binary's
// path, so that nodes share it, and belongs to the user alone.
func linkDir() (string, error) {
	self, err := selfPath()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(self))
	name := "bin-" + hex.EncodeToString(sum[:6])
	var firstErr error
	for _, base := range linkBases() {
		dir := filepath.Join(base, name)
		if err := fillLinkDir(dir, self); err == nil {
			return dir, nil
		} else if firstErr == nil {
			firstErr = err
		}
	}
	return "", fmt.Errorf("cannot make the folder of links to %s: %w", self, firstErr)
}

func linkBases() (bases []string) {
	if c, err := os.UserCacheDir(); err == nil && filepath.IsAbs(c) {
		bases = append(bases, filepath.Join(c, "beamrd"))
	}
	return append(bases, filepath.Join(os.TempDir(), fmt.Sprintf("beamrd-%d", os.Getuid())))
}

func fillLinkDir(dir, self string) error {
	if strings.ContainsAny(dir, " \t\n'\"\\:") {
		// progname and BINDIR end up in shell commands of OTP.
		return fmt.Errorf("%s: unsuitable characters in the path", dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	st, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if s, ok := st.Sys().(*syscall.Stat_t); !st.IsDir() || ok && int(s.Uid) != os.Getuid() || st.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s: not a private folder of this user", dir)
	}
	for _, n := range linkNames {
		l := filepath.Join(dir, n)
		if t, err := os.Readlink(l); err == nil && t == self {
			continue
		}
		tmp := fmt.Sprintf("%s.%d", l, os.Getpid())
		_ = os.Remove(tmp)
		if err := os.Symlink(self, tmp); err != nil {
			return err
		}
		if err := os.Rename(tmp, l); err != nil {
			return err
		}
	}
	return nil
}
