package store

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
)

// ErrInUse says that another program has the store open.
var ErrInUse = errors.New("in use by another node")

// DamagedError says that a store cannot be trusted.
type DamagedError struct {
	Dir string
	Msg string
}

func (e *DamagedError) Error() string { return "the store " + e.Dir + " is damaged: " + e.Msg }

// asDamage returns an error as a *DamagedError.
func asDamage(dir string, err error) error {
	var d *DamagedError
	if errors.As(err, &d) {
		return d
	}
	return &DamagedError{Dir: dir, Msg: err.Error()}
}

// noRoom tells whether an error says that nothing can be written.
func noRoom(err error) bool {
	for _, e := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EROFS} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// lockHeld is in the text of Pebble's error when this process has the lock.
const lockHeld = "lock held by current process"

// isInUse tells whether an error is that of a lock that is held: by another
// process, or by this one.
func isInUse(err error) bool {
	return errors.Is(err, syscall.EAGAIN) || strings.Contains(err.Error(), lockHeld)
}

func isDenied(err error) bool { return errors.Is(err, fs.ErrPermission) }

// tidy returns the error of the system call that is behind an error, with the
// path if it has one: Pebble's own texts repeat both.
func tidy(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe
	}
	var en syscall.Errno
	if errors.As(err, &en) {
		return en
	}
	return err
}
