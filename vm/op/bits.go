package op

// Segments of bs_create_bin in internal code: SegWords words each.
//
//	word 0  kind | flags<<8 | unit<<16 | number of the segment<<32
//	word 1  source, as operand words are; the address of the bytes of a string
//	word 2  size in bits of the fixed kinds and of strings; otherwise a source
const SegWords = 3

// The kinds of segments.
const (
	SegAppend = iota
	SegPrivateAppend
	SegBin
	SegBinFixed
	SegBinAll
	SegFloat
	SegFloatFixed
	SegInt
	SegIntFixed
	SegString
	SegUtf8
	SegUtf16
	SegUtf32
)
