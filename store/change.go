package store

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// change makes one change: fill fills the batch and returns about how many
// bytes it writes. When change returns without an error, the change is on disk.
func (s *Store) change(fill func(b *pebble.Batch, gen uint64) (int, error)) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return 0, err
	}
	gen := s.gen + 1
	b := s.db.NewBatch()
	size, err := fill(b, gen)
	if err == nil {
		err = b.Set([]byte(generationKey), encodeGeneration(gen), nil)
	}
	if err == nil {
		err = s.room(2*size + changeRoom)
	}
	if err == nil {
		err = s.commit(b)
	} else {
		_ = b.Close()
	}
	if err != nil {
		return 0, fmt.Errorf("store %s: %w", s.dir, tidy(err))
	}
	s.gen = gen
	if err := s.writeWitness(gen); err != nil {
		return 0, fmt.Errorf("store %s: %w", s.dir, tidy(err))
	}
	return gen, nil
}

func (s *Store) usable() error {
	select {
	case <-s.failed:
		return s.failure
	default:
	}
	if s.db == nil {
		return fmt.Errorf("store %s: closed", s.dir)
	}
	if s.readOnly != nil {
		return fmt.Errorf("store %s: opened for reading alone: %w", s.dir, s.readOnly)
	}
	return nil
}

// commit writes a batch and waits until it is on disk.
func (s *Store) commit(b *pebble.Batch) error {
	return s.attempt(func() error {
		if err := b.Commit(pebble.Sync); err != nil {
			return err
		}
		return b.Close()
	})
}

// attempt calls Pebble, which panics or gives up over some kinds of damage.
// When it gives up, the goroutine of the call does not come back.
func (s *Store) attempt(f func() error) error {
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() {
			if r := recover(); r != nil {
				err = &DamagedError{Dir: s.dir, Msg: fmt.Sprint(r)}
			}
			done <- err
		}()
		err = f()
	}()
	select {
	case err := <-done:
		return err
	case <-s.failed:
		return s.failure
	}
}

// logger is what Pebble logs to. After Fatalf, Pebble must not go on: it holds
// locks and has broken its own promises. The node goes on without the store.
type logger struct{ s *Store }

func (logger) Infof(string, ...any) {}

func (l logger) Errorf(format string, args ...any) {
	l.s.log(Warning, fmt.Sprintf("store %s: %s", l.s.dir, fmt.Sprintf(format, args...)))
}

func (l logger) Fatalf(format string, args ...any) {
	s := l.s
	s.failOnce.Do(func() {
		s.failure = fmt.Errorf("store %s has failed (%s); changes are refused until the node is started again", s.dir, fmt.Sprintf(format, args...))
		close(s.failed)
		s.log(Failure, s.failure.Error())
	})
	select {}
}
