// Package file is what prim_file asks of the operating system, with the
// semantics and error codes of ERTS's unix_prim_file: plain system calls, no
// terms. Every call may block; the builtins run them on dirty IO threads.
package file

import (
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Mode is a set of open modes.
type Mode uint

// The modes.
const (
	Read Mode = 1 << iota
	Write
	Append
	Exclusive
	Sync
	SkipTypeCheck
	Directory
)

// Errno returns the system's error number of an error of this package; 0 for
// nil.
func Errno(err error) syscall.Errno {
	if err == nil {
		return 0
	}
	if e, ok := err.(syscall.Errno); ok {
		return e
	}
	switch e := err.(type) {
	case *os.PathError:
		return Errno(e.Err)
	case *os.SyscallError:
		return Errno(e.Err)
	case *os.LinkError:
		return Errno(e.Err)
	}
	return syscall.EINVAL
}

// ErrnoName returns the name Erlang uses for an error number ("enoent").
func ErrnoName(e syscall.Errno) string {
	if e == unix.ENOTSUP {
		return "enotsup"
	}
	if n := unix.ErrnoName(e); n != "" {
		return strings.ToLower(n)
	}
	return "unknown"
}

// retry repeats a call while it is interrupted.
func retry[T any](f func() (T, error)) (T, error) {
	for {
		v, err := f()
		if err != syscall.EINTR {
			return v, err
		}
	}
}

// Open opens a file. A directory is EISDIR unless asked for.
func Open(path string, m Mode) (fd int, err error) {
	flags := unix.O_CLOEXEC
	switch m & (Read | Write) {
	case Read:
		flags |= unix.O_RDONLY
	case Write:
		flags |= unix.O_TRUNC | unix.O_WRONLY | unix.O_CREAT
	case Read | Write:
		flags |= unix.O_RDWR | unix.O_CREAT
	default:
		return -1, unix.EINVAL
	}
	if m&Append != 0 {
		flags = flags&^unix.O_TRUNC | unix.O_APPEND
	}
	if m&Exclusive != 0 {
		flags |= unix.O_EXCL
	}
	if m&Sync != 0 {
		flags |= unix.O_SYNC
	}
	perm := uint32(0o666)
	if m&Directory != 0 {
		flags |= unix.O_DIRECTORY
		perm = 0o777
	}
	fd, err = retry(func() (int, error) { return unix.Open(path, flags, perm) })
	if err != nil {
		return -1, err
	}
	if m&(SkipTypeCheck|Directory) == 0 {
		var st unix.Stat_t
		if unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR {
			unix.Close(fd)
			return -1, unix.EISDIR
		}
	}
	return fd, nil
}

// IsOpen tells whether a number is that of an open file.
func IsOpen(fd int) error {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err
}

// ReadFull reads until b is full, the end of the file, or an error; an error
// after some bytes is reported like one before them.
func ReadFull(fd int, b []byte) (n int, err error) {
	return fill(b, func(b []byte, _ int) (int, error) { return unix.Read(fd, b) })
}

// PreadFull is ReadFull at an offset.
func PreadFull(fd int, b []byte, off int64) (int, error) {
	return fill(b, func(b []byte, n int) (int, error) { return unix.Pread(fd, b, off+int64(n)) })
}

func fill(b []byte, read func(b []byte, done int) (int, error)) (n int, err error) {
	for n < len(b) {
		k, err := read(b[n:], n)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return n, err
		case k == 0:
			return n, nil
		}
		n += k
	}
	return n, nil
}

// iovMax is how many buffers one writev takes.
const iovMax = 1024

// WriteAll writes all buffers in order.
func WriteAll(fd int, bufs [][]byte) (n int64, err error) {
	return drain(bufs, func(bufs [][]byte, _ int64) (int, error) { return unix.Writev(fd, bufs) })
}

// PwriteAll is WriteAll at an offset.
func PwriteAll(fd int, bufs [][]byte, off int64) (int64, error) {
	return drain(bufs, func(bufs [][]byte, n int64) (int, error) { return unix.Pwritev(fd, bufs, off+n) })
}

func drain(bufs [][]byte, write func(bufs [][]byte, done int64) (int, error)) (n int64, err error) {
	bufs = append([][]byte(nil), bufs...)
	for {
		for len(bufs) > 0 && len(bufs[0]) == 0 {
			bufs = bufs[1:]
		}
		if len(bufs) == 0 {
			return n, nil
		}
		k, err := write(bufs[:min(len(bufs), iovMax)], n)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return n, err
		}
		n += int64(k)
		for k > 0 {
			if k < len(bufs[0]) {
				bufs[0] = bufs[0][k:]
				break
			}
			k -= len(bufs[0])
			bufs = bufs[1:]
		}
	}
}

// Allocate reserves space.
func Allocate(fd int, off, length int64) error {
	_, err := retry(func() (int, error) { return 0, unix.Fallocate(fd, 0, off, length) })
	return err
}

// TruncateHere cuts the file at the current position.
func TruncateHere(fd int) error {
	off, err := unix.Seek(fd, 0, 1)
	if err != nil {
		return err
	}
	return unix.Ftruncate(fd, off)
}
