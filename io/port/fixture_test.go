package ioport_test

import (
	"testing"

	"github.com/beamrd/beamrd/bif"
	"github.com/beamrd/beamrd/internal/fixture"
	"github.com/beamrd/beamrd/internal/sysconf"
	ioport "github.com/beamrd/beamrd/io/port"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
)

// TestFixtures compares the fixtures of ports with real erl.
func TestFixtures(t *testing.T) {
	proc.Ports = port.Signals{}
	proc.ExitHooks = append(proc.ExitHooks, proc.RunOnExit)
	bif.SetPortHooks()
	sysconf.C.MaxPorts = 65536
	port.FdDriver, port.SpawnDrv, port.FileDriver = ioport.Fd{}, ioport.Spawn{}, ioport.File{}
	fixture.Run(t, "port")
}
