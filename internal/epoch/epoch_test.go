package epoch

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestAfterWaitsForThreads(t *testing.T) {
	a := Register(true)
	defer a.Unregister()
	a.Enter()
	ran := false
	After(func() { ran = true })
	Poll()
	if ran {
		t.Fatal("ran while a thread may hold it")
	}
	a.Report()
	Poll()
	if !ran {
		t.Fatal("has not run though all threads have passed")
	}
}

func TestOfflineThreadsDelayNothing(t *testing.T) {
	a := Register(false)
	defer a.Unregister()
	if s := Stamp(); !Passed(s) {
		t.Fatal("an offline thread holds up the epoch")
	}
	p := Pin()
	s := Stamp()
	if Passed(s) {
		t.Fatal("passed though pinned")
	}
	p.Unpin()
	if !Passed(s) {
		t.Fatal("not passed after Unpin")
	}
}

// TestReuse frees blocks through the epoch while readers look at them.
func TestReuse(t *testing.T) {
	type box struct{ live atomic.Bool }
	var cur atomic.Pointer[box]
	b := &box{}
	b.live.Store(true)
	cur.Store(b)
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			th := Register(true)
			defer th.Unregister()
			th.Enter()
			for !stop.Load() {
				if !cur.Load().live.Load() {
					t.Error("a reader saw a freed block")
				}
				th.Report()
			}
		}()
	}
	for i := range 2000 {
		n := &box{}
		n.live.Store(true)
		old := cur.Swap(n)
		After(func() { old.live.Store(false) })
		if i%100 == 0 {
			BlockAll(nil, func() {})
		}
	}
	stop.Store(true)
	wg.Wait()
}
