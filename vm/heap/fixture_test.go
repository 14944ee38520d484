package heap_test

import (
	"testing"

	"github.com/beamrd/beamrd/internal/fixture"
)

func TestFixtures(t *testing.T) { fixture.Run(t, "heap") }
