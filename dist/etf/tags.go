package etf

import (
	"fmt"

	"github.com/beamrd/beamrd/internal/wire"
)

// Version is the byte before a term that is not part of a distribution message
// with a header.
const Version = wire.Version

const (
	maxAtomChars = 255
	// maxBig is the number of bytes of the largest integer: as Erlang's
	// system_limit, which is 64 Mi bits.
	maxBig = 8 << 20
)

// SyntaxError is what is wrong with the bytes of a term.
type SyntaxError struct {
	Offset int // where the offending part starts
	What   string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("etf: byte %d: %s", e.Offset, e.What)
}
