package daemon

import _ "embed"

// controlBeam is control/beamrd.erl, compiled.
//
//go:generate erlc +deterministic -o control control/beamrd.erl
//go:embed control/beamrd.beam
var controlBeam []byte
