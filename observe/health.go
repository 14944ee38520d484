package observe

import (
	"context"
	"errors"
	"time"

	"github.com/beamrd/beamrd/internal/epoch"
)

// errStuck says what a node that is not healthy suffers from.
var errStuck = errors.New("a scheduler has not come to a safe point in time")

// alive waits until every thread that runs Erlang code has passed a safe point
// since now: parked ones have, and one that is stuck in a call never does. It
// only reads what the threads report anyway.
func alive(ctx context.Context) error {
	stamp := epoch.Stamp()
	for wait := 100 * time.Microsecond; ; wait = min(2*wait, 100*time.Millisecond) {
		if epoch.Passed(stamp) {
			return nil
		}
		select {
		case <-ctx.Done():
			return errStuck
		case <-time.After(wait):
		}
	}
}
