package interp_test

import (
	"testing"

	"github.com/beamrd/beamrd/internal/fixture"
	"github.com/beamrd/beamrd/vm/gc"
)

func TestBitsFixtures(t *testing.T) { fixture.Run(t, "bits") }

// TestBitsFixturesStress collects at every opportunity.
func TestBitsFixturesStress(t *testing.T) {
	gc.Stress = true
	defer func() { gc.Stress = false }()
	fixture.Run(t, "bits")
}
