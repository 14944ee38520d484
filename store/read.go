package store

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// ErrNotFound says that a module is not in the store.
var ErrNotFound = errors.New("not in the store")

// List describes the modules, in the order in which they were loaded; those
// whose record is damaged come first.
func (s *Store) List() (is []Info, err error) {
	err = s.attempt(func() error {
		is = nil
		return s.each(infoPrefix, func(name string, v []byte) { is = append(is, decodeInfo(name, v)) })
	})
	if err != nil {
		return nil, s.damaged(err)
	}
	slices.SortFunc(is, func(a, b Info) int {
		return cmp.Or(cmp.Compare(a.Generation, b.Generation), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Name, b.Name))
	})
	return is, nil
}

// each visits the keys with a prefix, which it takes off.
func (s *Store) each(prefix string, f func(name string, v []byte)) error {
	o := &pebble.IterOptions{}
	if prefix != "" {
		o.LowerBound, o.UpperBound = []byte(prefix), []byte(prefix)
		o.UpperBound[len(prefix)-1]++
	}
	it, err := s.db.NewIter(o)
	if err != nil {
		return err
	}
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.ValueAndErr()
		if err != nil {
			return errors.Join(err, it.Close())
		}
		f(string(it.Key()[len(prefix):]), v)
	}
	return it.Close()
}

// Get returns a module. Damage is an error of type *DamagedError.
func (s *Store) Get(name string) (*Module, error) {
	bad := func(msg string) error { return &DamagedError{Dir: s.dir, Msg: "module " + name + ": " + msg} }
	v, err := s.value(infoKey(name))
	if err != nil {
		return nil, err
	}
	m := &Module{Info: decodeInfo(name, v)}
	if m.Damaged != "" {
		return nil, bad(m.Damaged)
	}
	m.Code, err = s.value(codeKey(name))
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, bad("the code is missing")
	case err != nil:
		return nil, err
	case sha256.Sum256(m.Code) != m.Digest:
		return nil, bad("the code is not what its digest says")
	}
	return m, nil
}

// value returns a copy of the value of a key.
func (s *Store) value(key []byte) (v []byte, err error) {
	err = s.attempt(func() error {
		b, c, err := s.db.Get(key)
		if err != nil {
			return err
		}
		v = slices.Clone(b)
		return c.Close()
	})
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, s.damaged(err)
	}
	return v, nil
}

func (s *Store) damaged(err error) error {
	var d *DamagedError
	if pebble.IsCorruptionError(err) || errors.As(err, &d) {
		return asDamage(s.dir, err)
	}
	return fmt.Errorf("store %s: %w", s.dir, tidy(err))
}

// checkFormat marks a new store and refuses one of another layout.
func (s *Store) checkFormat() error {
	v, err := s.value([]byte(formatKey))
	switch {
	case errors.Is(err, ErrNotFound):
		if s.readOnly != nil {
			return nil
		}
		return s.mark()
	case err != nil:
		return err
	case string(v) != formatName:
		return &DamagedError{Dir: s.dir, Msg: fmt.Sprintf("its format is %.40q, not %q", v, formatName)}
	}
	return nil
}

func (s *Store) mark() error {
	keys := 0
	if err := s.attempt(func() error { return s.each("", func(string, []byte) { keys++ }) }); err != nil {
		return s.damaged(err)
	}
	if keys > 0 {
		return &DamagedError{Dir: s.dir, Msg: "it is a database of something else"}
	}
	b := s.db.NewBatch()
	if err := b.Set([]byte(formatKey), []byte(formatName), nil); err != nil {
		return s.damaged(err)
	}
	if err := s.commit(b); err != nil {
		return s.damaged(err)
	}
	return nil
}

func (s *Store) readGeneration() (uint64, error) {
	v, err := s.value([]byte(generationKey))
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	g, err := decodeGeneration(v)
	if err != nil {
		return 0, &DamagedError{Dir: s.dir, Msg: "the generation: " + err.Error()}
	}
	return g, nil
}
