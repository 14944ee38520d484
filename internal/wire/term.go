package wire

// Version is the byte that starts a term outside a distribution message.
const Version = 131

// Tags of terms.
const (
	TagNewFloat       = 70
	TagBitBinary      = 77
	TagCompressed     = 80
	TagNewPid         = 88
	TagNewPort        = 89
	TagNewerReference = 90
	TagSmallInteger   = 97
	TagInteger        = 98
	TagFloat          = 99
	TagAtom           = 100
	TagReference      = 101
	TagPort           = 102
	TagPid            = 103
	TagSmallTuple     = 104
	TagLargeTuple     = 105
	TagNil            = 106
	TagString         = 107
	TagList           = 108
	TagBinary         = 109
	TagSmallBig       = 110
	TagLargeBig       = 111
	TagNewFun         = 112
	TagExport         = 113
	TagNewReference   = 114
	TagSmallAtom      = 115
	TagMap            = 116
	TagFun            = 117 // refused since OTP 23
	TagAtomUTF8       = 118
	TagSmallAtomUTF8  = 119
	TagV4Port         = 120
	TagAtomCacheRef   = 82
)

// Tags of packets after Version, and of packets without a header.
const (
	TagHeader      = 68
	TagFragHeader  = 69
	TagFragCont    = 70
	TagPassThrough = 112
)

// MaxRefNumbers is how many words a reference may have.
const MaxRefNumbers = 5
