// Package etf is the external term format, as in OTP's erl_ext_dist document.
//
// Decode reads bytes that nobody vouches for: what a count promises must fit
// the bytes that follow before anything is allocated, so memory stays within a
// small multiple of the input; malformed input is an error, never a panic.
// Neither direction recurses, and both can be run in slices (Decoder, Encoder).
package etf

import (
	"fmt"

	"github.com/beamrd/beamrd/internal/wire"
)

// Version is the byte that starts a term outside a distribution message.
const Version = wire.Version

// Sizes of the release's identifiers, by which those of other nodes with our
// own name are told from ours. Set before the node starts.
var (
	// PidNumberBits is the width of a pid's number, below its serial.
	PidNumberBits = 15
	// PidBits is the width of number and serial together.
	PidBits = 28
	// PortBits is the width of a port's number.
	PortBits = 28
	// RefBits is the width of a local reference's first number.
	RefBits = 18
)

// Error is what is wrong with the bytes given to Decode.
type Error struct {
	Off  int // where the offending term starts
	What string
}

func (e *Error) Error() string { return fmt.Sprintf("etf: byte %d: %s", e.Off, e.What) }
