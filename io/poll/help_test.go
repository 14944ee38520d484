package poll

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestWait has a helper wait for an event, for an interruption, and for nothing.
func TestWait(t *testing.T) {
	never := func() bool { return false }
	Awake()
	defer Asleep()
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	seen := make(chan bool, 1)
	f, err := Register(fds[0], func(r, w bool) { seen <- r })
	if err != nil {
		t.Fatal(err)
	}
	defer f.Forget()
	if err := f.Arm(true, false); err != nil {
		t.Fatal(err)
	}
	if _, err := unix.Write(fds[1], []byte("x")); err != nil {
		t.Fatal(err)
	}
	for len(seen) == 0 { // the poller's goroutine may have been first
		if !Wait(time.Second, func() bool { return len(seen) > 0 }) {
			t.Fatal("it did not wait")
		}
	}
	if !<-seen {
		t.Error("not readable")
	}
	if !Wait(time.Minute, func() bool { return true }) {
		t.Error("it did not wait although nobody else does")
	}
	if !Wait(0, never) {
		t.Error("it did not look")
	}
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			Wait(-1, never)
			select {
			case <-stop:
				return
			default: // something else, as a signal, has ended it
			}
		}
	}()
	for !help.in.Load() {
		time.Sleep(time.Millisecond)
	}
	close(stop)
	for {
		Interrupt()
		select {
		case <-ended:
			return
		case <-time.After(time.Millisecond):
		}
	}
}
