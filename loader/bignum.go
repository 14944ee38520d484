package loader

import (
	"math/big"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/num"
	"github.com/beamrd/beamrd/vm/term"
)

// bignum builds the integer of big-endian two's complement bytes; None when it
// passes the release's limit.
func bignum(h *heap.Heap, b []byte) term.Term {
	v := new(big.Int).SetBytes(b)
	if b[0]&0x80 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(len(b))*8))
	}
	return num.FromBig(h, v)
}
