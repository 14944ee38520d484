// Package etf is the external term format, as in OTP's erl_ext_dist document.
//
// Decode reads bytes that nobody vouches for: what a count promises must fit
// the bytes that follow before anything is allocated, so memory stays within a
// small multiple of the input; malformed input is an error, never a panic.
// Neither direction recurses, and both can be run in slices (Decoder, Encoder).
package etf

import "fmt"

// Version is the byte that starts a term outside a distribution message.
const Version = 131

// The tags.
const (
	tagNewFloat       = 70
	tagBitBinary      = 77
	tagCompressed     = 80
	tagNewPid         = 88
	tagNewPort        = 89
	tagNewerReference = 90
	tagSmallInteger   = 97
	tagInteger        = 98
	tagFloat          = 99
	tagAtom           = 100
	tagReference      = 101
	tagPort           = 102
	tagPid            = 103
	tagSmallTuple     = 104
	tagLargeTuple     = 105
	tagNil            = 106
	tagString         = 107
	tagList           = 108
	tagBinary         = 109
	tagSmallBig       = 110
	tagLargeBig       = 111
	tagNewFun         = 112
	tagExport         = 113
	tagNewReference   = 114
	tagSmallAtom      = 115
	tagMap            = 116
	tagFun            = 117 // refused since OTP 23
	tagAtomUTF8       = 118
	tagSmallAtomUTF8  = 119
	tagV4Port         = 120
)

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

const maxRefNumbers = 5

// Error is what is wrong with the bytes given to Decode.
type Error struct {
	Off  int // where the offending term starts
	What string
}

func (e *Error) Error() string { return fmt.Sprintf("etf: byte %d: %s", e.Off, e.What) }
