package store

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func mod(name string, size int) Module {
	m := Module{Info: Info{Name: name, File: "/x/" + name + ".beam"}}
	m.Code = bytes.Repeat([]byte(name), size/len(name)+1)[:size]
	return m
}

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir, Options{Log: func(l Level, m string) { t.Log(l, m) }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func put(t *testing.T, s *Store, ms ...Module) uint64 {
	t.Helper()
	g, err := s.Put(ms)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func closed(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, s *Store) string {
	t.Helper()
	is, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, i := range is {
		fmt.Fprintf(&b, "%s@%d ", i.Name, i.Generation)
	}
	return b.String()
}

func TestKeepsModules(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := open(t, dir)
	put(t, s, mod("b", 10), mod("a", 3<<20))
	put(t, s, mod("c", 1))
	if g := put(t, s, mod("b", 20)); g != 3 {
		t.Errorf("generation %d", g)
	}
	closed(t, s)
	s = open(t, dir)
	if got := names(t, s); got != "a@1 c@2 b@3 " {
		t.Errorf("modules %s", got)
	}
	m, err := s.Get("a")
	if err != nil || len(m.Code) != 3<<20 || m.File != "/x/a.beam" || m.Size != 3<<20 || m.Seq != 1 || m.Loaded.IsZero() {
		t.Errorf("a is %+v, %v", m.Info, err)
	}
	if g, err := s.Delete([]string{"a", "none"}); g != 4 || err != nil {
		t.Errorf("delete: %d, %v", g, err)
	}
	if _, err := s.Get("a"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a deleted: %v", err)
	}
	closed(t, s)
	s = open(t, dir)
	if got := names(t, s); got != "c@2 b@3 " {
		t.Errorf("modules %s", got)
	}
	closed(t, s)
}

func TestInUse(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrInUse) {
		t.Errorf("second open: %v", err)
	}
	closed(t, s)
	closed(t, open(t, dir))
}
