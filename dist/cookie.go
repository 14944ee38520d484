package dist

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// FindCookie reads the cookie from where Erlang keeps it: .erlang.cookie in the
// home directory, or else in the user's configuration directory for Erlang. As
// in Erlang the file must be readable by its owner alone.
func FindCookie() (string, error) {
	home := os.Getenv("HOME")
	if home == "" {
		return "", errors.New("dist: no cookie: HOME is not set")
	}
	first := filepath.Join(home, ".erlang.cookie")
	c, err := ReadCookie(first)
	if !errors.Is(err, os.ErrNotExist) {
		return c, err
	}
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(home, ".config")
	}
	c, err = ReadCookie(filepath.Join(config, "erlang", ".erlang.cookie"))
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("dist: no cookie: there is no %s", first)
	}
	return c, err
}

// ReadCookie reads a file that holds a cookie: one line, readable by its owner
// alone.
func ReadCookie(file string) (string, error) {
	st, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if st.Mode().Perm()&0o77 != 0 {
		return "", fmt.Errorf("dist: cookie file %s must be accessible by owner only", file)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	c, rest, _ := strings.Cut(string(b), "\n")
	c = strings.TrimRight(c, "\r")
	for _, r := range c {
		if r < ' ' || r > '~' {
			return "", fmt.Errorf("dist: bad characters in cookie file %s", file)
		}
	}
	if c == "" || strings.TrimSpace(rest) != "" {
		return "", fmt.Errorf("dist: cookie file %s does not hold one line", file)
	}
	return c, nil
}
