package observe

import (
	"context"
	"testing"
	"time"

	"github.com/beamrd/beamrd/internal/epoch"
)

// TestAlive has a thread that comes to no safe point, then one, then sleeps.
func TestAlive(t *testing.T) {
	check := func(limit time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		return alive(ctx)
	}
	th := epoch.Register(true)
	defer th.Unregister()
	th.Enter()
	if err := check(50 * time.Millisecond); err != errStuck {
		t.Errorf("with a stuck thread: %v", err)
	}
	stop, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				th.Leave()
				return
			default:
				th.Report()
				time.Sleep(time.Millisecond)
			}
		}
	}()
	if err := check(time.Minute); err != nil {
		t.Errorf("with a thread that reports: %v", err)
	}
	close(stop)
	<-done
	if err := check(time.Minute); err != nil {
		t.Errorf("with a thread that sleeps: %v", err)
	}
}
