//go:build !invariants

package store

// Pebble shares the tag: with it, a database that could not be opened ends the
// program when it is collected.

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestDamage changes every file of a store in turn: it is refused, or all that
// was acknowledged is there.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	put(t, s, mod("a", 3000), mod("b", 2000))
	closed(t, s)
	s = open(t, dir) // the log of before becomes a table
	put(t, s, mod("c", 4000))
	closed(t, s)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		orig, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for name, bad := range damages(orig) {
			work := t.TempDir()
			if err := os.CopyFS(work, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			if bad == nil {
				err = os.Remove(filepath.Join(work, filepath.Base(f)))
			} else {
				err = os.WriteFile(filepath.Join(work, filepath.Base(f)), bad, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			checkDamaged(t, filepath.Base(f)+" "+name, work)
		}
	}
}

func damages(b []byte) map[string][]byte {
	ds := map[string][]byte{"gone": nil, "empty": {}, "half": b[:len(b)/2]}
	for i := 0; i < len(b); i += 1 + len(b)/7 {
		c := bytes.Clone(b)
		c[i] ^= 0x40
		ds[fmt.Sprintf("bit at %d", i)] = c
	}
	return ds
}

// checkDamaged opens a damaged store: what is there must be right, and what is
// not must be missed.
func checkDamaged(t *testing.T, what, dir string) {
	t.Helper()
	s, err := Open(dir, Options{})
	var d *DamagedError
	if errors.As(err, &d) {
		return
	}
	if err != nil {
		t.Errorf("%s: %v, which is not a *DamagedError", what, err)
		return
	}
	defer s.Close()
	is, err := s.List()
	if err != nil {
		if !errors.As(err, &d) {
			t.Errorf("%s: List: %v", what, err)
		}
		return
	}
	have := map[string]bool{}
	for _, i := range is {
		have[i.Name] = true
	}
	for n, size := range map[string]int{"a": 3000, "b": 2000, "c": 4000} {
		m, err := s.Get(n)
		switch {
		case errors.As(err, &d):
		case err != nil || !have[n]:
			t.Errorf("%s: %s is missing silently: %v", what, n, err)
		case !bytes.Equal(m.Code, mod(n, size).Code):
			t.Errorf("%s: %s is not what it was", what, n)
		}
	}
}
