package sysnet

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// EpollWait waits for events, for a time (negative: without limit). raw has the
// thread keep its place among Go's while it sleeps, which is good only for short
// times. It returns EINTR as the system does.
func EpollWait(fd int, evs []unix.EpollEvent, d time.Duration, raw bool) (int, syscall.Errno) {
	var ts *unix.Timespec
	if d >= 0 {
		t := unix.NsecToTimespec(int64(d))
		ts = &t
	}
	call := syscall.Syscall6
	if raw {
		call = syscall.RawSyscall6
	}
	n, _, e := call(unix.SYS_EPOLL_PWAIT2, uintptr(fd), uintptr(unsafe.Pointer(&evs[0])), uintptr(len(evs)), uintptr(unsafe.Pointer(ts)), 0, 0)
	if e == unix.ENOSYS { // before Linux 5.11
		ms := -1
		if d >= 0 {
			ms = int((d + time.Millisecond - 1) / time.Millisecond)
		}
		n, err := unix.EpollWait(fd, evs, ms)
		if errno, ok := err.(syscall.Errno); ok {
			return 0, errno
		}
		return n, 0
	}
	return int(n), e
}
