package store

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Pebble gives up when it cannot write, and a store that has given up is of no
// use until the next start. So before every change the room it needs is taken
// and given back: a full disk then refuses a change without harm.
const (
	openRoom   = 256 << 10
	changeRoom = 2 << 20 // a new log, tables and manifest
	roomName   = "room"
)

// room checks that n bytes can be written.
func (s *Store) room(n int) error {
	name := filepath.Join(s.dir, roomName)
	f, err := s.fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	defer func() { _ = s.fs.Remove(name) }()
	zeros := make([]byte, 64<<10)
	for at := 0; at < n && err == nil; at += len(zeros) {
		_, err = f.Write(zeros[:min(len(zeros), n-at)])
	}
	if err == nil {
		err = f.Sync() // some file systems find out here
	}
	return errors.Join(err, f.Close())
}

// The witness is a file beside Pebble's: the generation that was acknowledged
// last. A database that ends before it has lost something.
const witnessName = "acknowledged"

func (s *Store) readWitness() (uint64, bool) {
	f, err := s.fs.Open(filepath.Join(s.dir, witnessName))
	if err != nil {
		return 0, false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 64))
	if err != nil {
		return 0, false
	}
	g, err := decodeGeneration(b)
	return g, err == nil
}

func (s *Store) writeWitness(g uint64) error {
	name := filepath.Join(s.dir, witnessName)
	tmp := name + ".new"
	f, err := s.fs.Create(tmp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = f.Write(encodeGeneration(g))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := s.fs.Rename(tmp, name); err != nil {
		return err
	}
	d, err := s.fs.OpenDir(s.dir)
	if err != nil {
		return err
	}
	if err = errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("%s: %w", s.dir, err)
	}
	return nil
}
