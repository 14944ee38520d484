package trace_test

import (
	"testing"

	"github.com/beamrd/beamrd/internal/fixture"
)

// TestFixtures compares the fixtures of tracing with real erl.
func TestFixtures(t *testing.T) { fixture.Run(t, "trace") }
