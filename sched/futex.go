package sched

import (
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// A waiter is a futex word: 0 while nothing happened, 1 once woken. Schedulers
// and dirty workers sleep on it in a system call that Go sees, so that their P
// is free for others; channels are ten times slower (docs: measurements).
type waiter struct{ word uint32 }

const (
	futexWaitPrivate = 0 | 128
	futexWakePrivate = 1 | 128
)

// sleep returns when wake was called since the last reset, or after d
// (negative: no limit), or spuriously.
func (w *waiter) sleep(d time.Duration) {
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

func (w *waiter) reset() { atomic.StoreUint32(&w.word, 0) }

func (w *waiter) wake() {
	if atomic.SwapUint32(&w.word, 1) == 0 {
		_, _, _ = syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&w.word)),
			futexWakePrivate, 1, 0, 0, 0)
	}
}
