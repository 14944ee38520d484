package sock_test

import (
	"testing"

	"github.com/beamrd/beamrd/bif"
	"github.com/beamrd/beamrd/internal/fixture"
	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/io/sock"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
)

// TestFixtures compares the fixtures of sockets with real erl.
func TestFixtures(t *testing.T) {
	proc.Ports = port.Signals{}
	proc.ExitHooks = append(proc.ExitHooks, proc.RunOnExit)
	bif.SetPortHooks()
	sysconf.C.MaxPorts = 65536
	sock.HTTPTerm, sock.SSLTerm = bif.PacketHTTP, bif.PacketSSL
	port.Register(sock.TCP{})
	port.Register(sock.UDP{})
	fixture.Run(t, "sock")
}
