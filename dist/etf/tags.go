package etf

import "fmt"

// Version is the byte before a term that is not part of a distribution message
// with a header.
const Version = 131

const (
	tagNewFloat       = 70
	tagBitBinary      = 77
	tagCompressed     = 80
	tagAtomCacheRef   = 82
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
	tagAtomUTF8       = 118
	tagSmallAtomUTF8  = 119
	tagV4Port         = 120
)

const (
	maxAtomChars  = 255
	maxRefNumbers = 5
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
