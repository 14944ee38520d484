package poll

import (
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func pipe(t *testing.T) (r, w int) {
	t.Helper()
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_NONBLOCK|unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	return p[0], p[1]
}

func wait(t *testing.T, c chan [2]bool) [2]bool {
	t.Helper()
	select {
	case e := <-c:
		return e
	case <-time.After(10 * time.Second):
		t.Fatal("no event")
		return [2]bool{}
	}
}

func TestOneShot(t *testing.T) {
	r, w := pipe(t)
	defer unix.Close(r)
	defer unix.Close(w)
	c := make(chan [2]bool, 16)
	f, err := Register(r, func(rd, wr bool) { c <- [2]bool{rd, wr} })
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Arm(true, false); err != nil {
		t.Fatal(err)
	}
	_, _ = unix.Write(w, []byte("x"))
	if e := wait(t, c); !e[0] || e[1] {
		t.Error(e)
	}
	select {
	case e := <-c:
		t.Error("reported twice", e)
	case <-time.After(50 * time.Millisecond):
	}
	if err := f.Arm(true, false); err != nil {
		t.Fatal(err)
	}
	wait(t, c)
	n := Count()
	f.Forget()
	f.Forget()
	if Count() != n-1 {
		t.Error(Count(), n)
	}
}

// TestReuse closes descriptors and uses their numbers anew while events are on
// their way: no registration may see an event of another.
func TestReuse(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 300 {
				r, w := pipe(t)
				want := i%3 != 0
				c := make(chan [2]bool, 4)
				f, err := Register(r, func(rd, wr bool) { c <- [2]bool{rd, wr} })
				if err != nil {
					t.Error(err)
					return
				}
				_ = f.Arm(true, false)
				if want {
					_, _ = unix.Write(w, []byte{byte(g)})
					if i%3 == 1 {
						wait(t, c)
					}
				}
				f.Forget()
				unix.Close(r)
				unix.Close(w)
				if !want && len(c) > 0 {
					t.Error("an event of someone else")
				}
			}
		}()
	}
	wg.Wait()
}

// TestTwoRegistrations registers a descriptor twice: who armed it last is told.
func TestTwoRegistrations(t *testing.T) {
	r, w := pipe(t)
	defer unix.Close(r)
	defer unix.Close(w)
	c1, c2 := make(chan [2]bool, 16), make(chan [2]bool, 16)
	f1, err := Register(r, func(rd, wr bool) { c1 <- [2]bool{rd, wr} })
	if err != nil {
		t.Fatal(err)
	}
	f2, err := Register(r, func(rd, wr bool) { c2 <- [2]bool{rd, wr} })
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*FD{f1, f2} {
		if err := f.Arm(true, false); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = unix.Write(w, []byte("x"))
	wait(t, c2)
	f1.Forget()
	if err := f2.Arm(true, false); err != nil {
		t.Fatal(err)
	}
	wait(t, c2)
	f2.Forget()
	if len(c1) != 0 {
		t.Error("told the one that was armed first")
	}
}
