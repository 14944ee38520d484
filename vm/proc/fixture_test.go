package proc_test

import (
	"testing"

	"github.com/beamrd/beamrd/internal/fixture"
)

// TestFixtures compares the fixtures of processes with real erl.
func TestFixtures(t *testing.T) { fixture.Run(t, "proc") }
