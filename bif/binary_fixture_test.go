package bif_test

import (
	"testing"

	"github.com/beamrd/beamrd/internal/fixture"
)

func TestBinaryFixtures(t *testing.T) { fixture.Run(t, "binary") }
