package etf

import (
	"encoding/binary"

	"github.com/beamrd/beamrd/internal/wire"
	"github.com/beamrd/beamrd/internal/zlib"
)

// Compressed is the tag of a compressed term, whose size follows, 32 bits wide.
const Compressed = wire.TagCompressed

// maxRatio is more than deflate ever saves (1032 to 1).
const maxRatio = 1040

// Uncompress inflates the compressed term at the start of s (without the
// version byte) and returns it with the bytes of s that it took. The size that
// it announces is believed only as far as deflate could have come.
func Uncompress(s []byte) (raw []byte, taken int, err error) {
	if len(s) < 5 || s[0] != wire.TagCompressed {
		return nil, 0, &Error{0, "not compressed"}
	}
	size := uint64(binary.BigEndian.Uint32(s[1:]))
	if size > uint64(len(s))*maxRatio {
		return nil, 0, &Error{1, "more announced than the bytes can hold"}
	}
	raw, taken, err = zlib.Uncompress(nil, s[5:], int(size))
	if err != nil {
		return nil, 0, &Error{5, err.Error()}
	}
	return raw, taken + 5, nil
}
