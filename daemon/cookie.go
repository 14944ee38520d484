package daemon

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/beamrd/beamrd/dist"
)

// cookie reads the cookie of a file, by Erlang's rules; a file that is missing
// is made, readable by its owner alone.
func cookie(file string) (string, error) {
	c, err := dist.ReadCookie(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	var b [20]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	for i := range b {
		b[i] = 'A' + b[i]%26
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return "", err
	}
	// The name appears with the contents, and once only.
	tmp := fmt.Sprintf("%s.%d", file, os.Getpid())
	if err := os.WriteFile(tmp, b[:], 0o400); err != nil {
		return "", err
	}
	defer os.Remove(tmp)
	if err := os.Link(tmp, file); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return dist.ReadCookie(file)
}
