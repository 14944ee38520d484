// Package futex lets a locked thread sleep in the kernel until another wakes it.
package futex

import (
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// Waiter is a futex word: 0 while nothing happened, 1 once woken. The sleep is
// a system call that Go sees, so that the sleeper's P is free for others;
// channels are ten times slower. The zero value is ready.
type Waiter struct{ word uint32 }

const (
	futexWaitPrivate = 0 | 128
	futexWakePrivate = 1 | 128
)

// Sleep returns when Wake was called since the last Reset, or after d
// (negative: no limit), or spuriously.
func (w *Waiter) Sleep(d time.Duration) {
	if atomic.LoadUint32(&w.word) != 0 {
		return
	}
	var ts *syscall.Timespec
	if d >= 0 {
		t := syscall.NsecToTimespec(int64(d))
		ts = &t
	}
	_, _, _ = syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&w.word)),
		futexWaitPrivate, 0, uintptr(unsafe.Pointer(ts)), 0, 0)
}

// Reset forgets a wake-up; call it before publishing that one is wanted.
func (w *Waiter) Reset() { atomic.StoreUint32(&w.word, 0) }

// Woken tells whether Wake was called since the last Reset.
func (w *Waiter) Woken() bool { return atomic.LoadUint32(&w.word) != 0 }

// Wake ends a sleep, or the next one. One thread may sleep at a time.
func (w *Waiter) Wake() {
	if atomic.SwapUint32(&w.word, 1) == 0 {
		_, _, _ = syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&w.word)),
			futexWakePrivate, 1, 0, 0, 0)
	}
}
