// Package store keeps the modules that a node was given, so that it has them
// again after a restart. It is a Pebble database in a folder of its own.
//
// Put and Delete return when their change is on disk; whatever ends the
// program at any moment, a change that was acknowledged is there afterwards and
// one that was not is there as a whole or not at all. A store that cannot be
// read says so, by a *DamagedError: nothing that was acknowledged is dropped
// silently.
package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Module is a module that the store keeps.
type Module struct {
	Info
	Code []byte // the bytes of the .beam file
}

// Info describes a module that the store keeps.
type Info struct {
	Name       string
	File       string // where the code came from, for code:which/1
	Size       int    // of the code, in bytes
	Digest     [sha256.Size]byte
	MD5        [16]byte // of the code, as module_info(md5) has it
	Loaded     time.Time
	Generation uint64 // grows with every change of the store
	Seq        uint32 // the place among the modules of one generation
	Damaged    string // why the record cannot be used, or empty
}

// Options say how a store is opened.
type Options struct {
	FS  vfs.FS                            // nil: the system's files
	Log func(level Level, message string) // nil: nothing is logged
}

// Level is how grave a message of the store is.
type Level uint8

// The levels.
const (
	Warning Level = iota
	Failure       // the store takes no more changes
)

// Store is an open store. Its methods may be called from several goroutines.
type Store struct {
	dir      string
	fs       vfs.FS
	db       *pebble.DB
	log      func(Level, string)
	readOnly error // why nothing can be changed, or nil

	mu  sync.Mutex // held by changes
	gen uint64     // of the last change; under mu

	failOnce sync.Once
	failed   chan struct{} // closed when Pebble gave up
	failure  error         // set before that
}

// Open opens the store in a folder, which is made if need be. On a full or
// read-only disk it opens for reading alone: see ReadOnly. The errors are
// *DamagedError, ErrInUse, and those of the file system.
func Open(dir string, o Options) (s *Store, err error) {
	s = &Store{dir: dir, fs: o.FS, log: o.Log, failed: make(chan struct{})}
	if s.fs == nil {
		s.fs = vfs.Default
	}
	if s.log == nil {
		s.log = func(Level, string) {}
	}
	if err := s.fs.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("store %s: %w", dir, tidy(err))
	}
	if err := s.open(); err != nil {
		return nil, err
	}
	if err := s.start(); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// open opens the database, for reading alone if there is no room.
func (s *Store) open() error {
	err := s.room(openRoom)
	if err == nil {
		err = s.openDB(false)
	}
	if err != nil && noRoom(err) {
		if e := s.openDB(true); e != nil {
			if errors.Is(e, pebble.ErrDBDoesNotExist) {
				return fmt.Errorf("store %s: %w", s.dir, tidy(err))
			}
			return e
		}
		s.readOnly = tidy(err)
		s.log(Warning, fmt.Sprintf("store %s: %v; modules are restored, changes are refused until the node is started again", s.dir, s.readOnly))
		return nil
	}
	if err != nil && isInUse(err) {
		return fmt.Errorf("store %s: %w", s.dir, ErrInUse)
	}
	return err
}

// openDB opens Pebble's database.
func (s *Store) openDB(readOnly bool) (err error) {
	o := &pebble.Options{
		FS: s.fs, ReadOnly: readOnly, ErrorIfNotExists: readOnly, Logger: logger{s}, FormatMajorVersion: pebble.FormatNewest,
		CacheSize: 1 << 20, MemTableSize: 1 << 20, MaxOpenFiles: 64,
	}
	err = s.attempt(func() (err error) {
		s.db, err = pebble.Open(s.dir, o)
		return err
	})
	switch {
	case err == nil || noRoom(err) || isInUse(err) || errors.Is(err, pebble.ErrDBDoesNotExist):
		return err
	case isDenied(err):
		return fmt.Errorf("store %s: %w", s.dir, tidy(err))
	}
	return asDamage(s.dir, err)
}

// start reads the generation and checks that it is not older than what was
// acknowledged.
func (s *Store) start() error {
	if err := s.checkFormat(); err != nil {
		return err
	}
	gen, err := s.readGeneration()
	if err != nil {
		return err
	}
	if w, ok := s.readWitness(); ok && w > gen {
		return &DamagedError{Dir: s.dir, Msg: fmt.Sprintf("it ends with generation %d, but generation %d was acknowledged", gen, w)}
	}
	s.gen = gen
	return nil
}

// Dir returns the folder of the store.
func (s *Store) Dir() string { return s.dir }

// ReadOnly returns why nothing can be changed, or nil.
func (s *Store) ReadOnly() error { return s.readOnly }

// Put keeps modules, all in one step, in place of those of the same names, and
// returns their generation. It fills in all of Info but Name,
// File and MD5.
func (s *Store) Put(ms []Module) (generation uint64, err error) {
	return s.change(func(b *pebble.Batch, gen uint64) (size int, err error) {
		now := time.Now()
		for i := range ms {
			m := &ms[i]
			m.Size, m.Digest = len(m.Code), sha256.Sum256(m.Code)
			m.Loaded, m.Generation, m.Seq, m.Damaged = now, gen, uint32(i), ""
			if err := b.Set(infoKey(m.Name), encodeInfo(&m.Info), nil); err != nil {
				return 0, err
			}
			if err := b.Set(codeKey(m.Name), m.Code, nil); err != nil {
				return 0, err
			}
			size += len(m.Code) + len(m.File) + 256
		}
		return size, nil
	})
}

// Delete drops modules, all in one step. Names that are not there are ignored.
func (s *Store) Delete(names []string) (generation uint64, err error) {
	return s.change(func(b *pebble.Batch, _ uint64) (int, error) {
		for _, n := range names {
			if err := errors.Join(b.Delete(infoKey(n), nil), b.Delete(codeKey(n), nil)); err != nil {
				return 0, err
			}
		}
		return 256 * len(names), nil
	})
}

// Close ends the use of the store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.failed:
		return nil // Pebble's locks may be held for good
	default:
	}
	if s.db == nil {
		return nil
	}
	err := s.attempt(s.db.Close)
	s.db = nil
	if err != nil {
		return fmt.Errorf("store %s: %w", s.dir, tidy(err))
	}
	return nil
}

// dirName is the folder of the store within a node's state directory.
const dirName = "modules"

// Path returns the folder of the store of a node with a state directory.
func Path(stateDir string) string { return filepath.Join(stateDir, dirName) }
