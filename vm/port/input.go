package port

import (
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// Standard input has two readers: a driver, and the menu of Ctrl-C, which takes
// it from the driver for a while.
var (
	inputMu sync.Mutex
	cooked  atomic.Pointer[func() (restore func())]
)

// SetCooked says how a terminal on standard input is put into the modes it had
// before a driver changed them, and how it gets the driver's back.
func SetCooked(f func() (restore func())) { cooked.Store(&f) }

// TakeInput keeps drivers from reading standard input until giveBack is called.
// A terminal shows and edits what is typed meanwhile.
func TakeInput() (giveBack func()) {
	inputMu.Lock()
	f := cooked.Load()
	if f == nil {
		return inputMu.Unlock
	}
	restore := (*f)()
	return func() {
		restore()
		inputMu.Unlock()
	}
}

// ReadInput reads from a file descriptor that was found ready. On standard
// input it waits while that is taken, and returns EAGAIN when nothing is left.
func ReadInput(fd int, buf []byte) (int, error) {
	if fd != 0 {
		return unix.Read(fd, buf)
	}
	inputMu.Lock()
	defer inputMu.Unlock()
	if n, err := unix.Poll([]unix.PollFd{{Fd: 0, Events: unix.POLLIN}}, 0); err == nil && n == 0 {
		return 0, unix.EAGAIN
	}
	return unix.Read(fd, buf)
}
