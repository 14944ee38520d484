//go:build !invariants

package store

import (
	"bytes"
	"errors"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// fullDisk is a file system whose writes fail while full is set: all of them,
// or those to files with a suffix.
type fullDisk struct {
	full   atomic.Bool
	suffix string
}

func (d *fullDisk) MaybeError(op errorfs.Op) error {
	if !d.full.Load() || !strings.HasSuffix(op.Path, d.suffix) {
		return nil
	}
	switch op.Kind {
	case errorfs.OpFileWrite, errorfs.OpFileWriteAt, errorfs.OpCreate, errorfs.OpFileSync, errorfs.OpFilePreallocate, errorfs.OpFileSyncData, errorfs.OpFileSyncTo:
		return syscall.ENOSPC
	}
	return nil
}

func (d *fullDisk) String() string { return "full disk" }

func (d *fullDisk) open(t *testing.T, dir string) (*Store, error) {
	t.Helper()
	return Open(dir, Options{FS: errorfs.Wrap(vfs.Default, d), Log: func(_ Level, m string) { t.Log(m) }})
}

// TestFullDisk fills the disk: changes are refused, and work again afterwards.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	d := &fullDisk{}
	s, err := d.open(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, mod("a", 1000))
	d.full.Store(true)
	if _, err := s.Put([]Module{mod("b", 1000)}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("put on a full disk: %v", err)
	}
	if _, err := s.Delete([]string{"a"}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("delete on a full disk: %v", err)
	}
	d.full.Store(false)
	put(t, s, mod("c", 1000))
	closed(t, s)
	d.full.Store(true)
	s, err = d.open(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := names(t, s); got != "a@1 c@2 " || !errors.Is(s.ReadOnly(), syscall.ENOSPC) {
		t.Errorf("opened on a full disk: %s, %v", got, s.ReadOnly())
	}
	if _, err := s.Put([]Module{mod("b", 1)}); err == nil || !strings.Contains(err.Error(), "opened for reading alone") {
		t.Errorf("put into a store opened on a full disk: %v", err)
	}
	closed(t, s)
	if _, err := d.open(t, t.TempDir()); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a new store on a full disk: %v", err)
	}
}

// TestGivesUp lets the writes of the log fail, after the room was there: Pebble
// gives up, the program does not, and nothing acknowledged is lost.
func TestGivesUp(t *testing.T) {
	dir := t.TempDir()
	d := &fullDisk{suffix: ".log"}
	s, err := d.open(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, mod("a", 1000))
	d.full.Store(true)
	for range 2 {
		if _, err := s.Put([]Module{mod("b", 1000)}); err == nil || !strings.Contains(err.Error(), "changes are refused until the node is started again") {
			t.Errorf("put: %v", err)
		}
	}
	closed(t, s)
	copied := t.TempDir() // the lock of the one that gave up is held
	if ok, err := vfs.Clone(vfs.Default, vfs.Default, dir, copied); err != nil || !ok {
		t.Fatal(ok, err)
	}
	s = open(t, copied)
	if m, err := s.Get("a"); err != nil || !bytes.Equal(m.Code, mod("a", 1000).Code) {
		t.Errorf("a: %v", err)
	}
	closed(t, s)
}
