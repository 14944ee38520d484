package interp_test

import (
	"testing"

	"github.com/beamrd/beamrd/internal/fixture"
)

// TestFixtures compares the fixtures of the engine's areas with real erl. Set
// FIXTURE to part of a path to run some of them.
func TestFixtures(t *testing.T) { fixture.Run(t, "basic") }
