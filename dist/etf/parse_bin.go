package etf

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/beamrd/beamrd/internal/wire"
)

// bitWriter appends bits to bytes.
type bitWriter struct {
	b    []byte
	free int // bits of the last byte that are not used
}

func (w *bitWriter) bit(v uint) {
	if w.free == 0 {
		w.b, w.free = append(w.b, 0), 8
	}
	w.free--
	w.b[len(w.b)-1] |= byte(v&1) << w.free
}

func (w *bitWriter) int(v *big.Int, size int) {
	if v.Sign() < 0 {
		// The bits of the two's complement.
		v = new(big.Int).Add(v, new(big.Int).Lsh(big.NewInt(1), uint(max(size, v.BitLen()+1))))
	}
	for i := size - 1; i >= 0; i-- {
		w.bit(v.Bit(i))
	}
}

// maxSegment is the most bits of a segment of a binary in text.
const maxSegment = 1 << 16

// binary reads <<…>>: strings and integers, with sizes, and the types integer
// and utf8, utf16 and utf32.
func (r *textReader) binary() Term {
	r.off += 2
	var w bitWriter
	if !r.skip(">>") {
		for {
			r.segment(&w)
			if r.skip(">>") {
				break
			}
			r.expect(",")
		}
	}
	if w.free == 0 {
		return Binary(append([]byte{}, w.b...))
	}
	return BitString{w.b, 8 - w.free}
}

func (r *textReader) segment(w *bitWriter) {
	var values []Term
	r.space()
	if r.peek() == '"' {
		values = Chars(r.strings())
	} else {
		neg := r.skip("-")
		n := r.number()
		if neg {
			n = negate(n)
		}
		values = []Term{n}
	}
	size, typ := 8, "integer"
	if r.skip(":") {
		r.space()
		n, ok := r.number().(int64)
		if !ok || n < 0 || n > maxSegment {
			r.fail("a segment has at most " + strconv.Itoa(maxSegment) + " bits")
		}
		size = int(n)
	}
	if r.skip("/") {
		typ = string(r.atom())
	}
	for _, v := range values {
		n, ok := bigOf(v)
		if !ok {
			r.fail("a float in a binary")
		}
		if typ == "integer" {
			w.int(n, size)
			continue
		}
		c, ok := intOf(v)
		if !ok || c < 0 || c > 0x10FFFF || c >= 0xD800 && c < 0xE000 {
			r.fail("no character")
		}
		r.char(w, rune(c), typ)
	}
}

func (r *textReader) char(w *bitWriter, c rune, typ string) {
	switch typ {
	case "utf8":
		for _, b := range []byte(string(c)) {
			w.int(big.NewInt(int64(b)), 8)
		}
	case "utf16":
		for _, u := range utf16.AppendRune(nil, c) {
			w.int(big.NewInt(int64(u)), 16)
		}
	case "utf32":
		w.int(big.NewInt(int64(c)), 32)
	default:
		r.fail("a segment of type " + typ + " is not read")
	}
}

// identity reads <0.85.0>, #Port<0.5> and #Ref<0.1.2.3> of the local node.
func (r *textReader) identity() Term {
	open := strings.IndexByte(r.s[r.off:], '<')
	kind := r.s[r.off : r.off+open]
	end := strings.IndexByte(r.s[r.off:], '>')
	if end < 0 {
		r.fail("> is missing")
	}
	parts := strings.Split(r.s[r.off+open+1:r.off+end], ".")
	if r.Local == "" {
		r.fail("an identity means nothing without its node")
	}
	node := strings.Join(parts[:max(0, len(parts)-identityNumbers(kind, len(parts)))], ".")
	if node != "0" && node != string(r.Local) {
		r.fail("an identity of another node")
	}
	var ids []uint64
	for _, p := range parts[strings.Count(node, ".")+1:] {
		n, err := strconv.ParseUint(p, 10, 64)
		if err != nil || kind != "#Port" && n > 1<<32-1 {
			r.fail("malformed identity")
		}
		ids = append(ids, n)
	}
	r.off += end + 1
	switch {
	case kind == "" && len(ids) == 2:
		return Pid{r.Local, uint32(ids[0]), uint32(ids[1]), r.Creation}
	case kind == "#Port" && len(ids) == 1:
		return Port{r.Local, ids[0], r.Creation}
	case kind == "#Ref" && len(ids) > 0 && len(ids) <= wire.MaxRefNumbers:
		ref := Ref{Node: r.Local, Creation: r.Creation, Len: uint8(len(ids))}
		for i, n := range ids {
			ref.ID[len(ids)-1-i] = uint32(n)
		}
		return ref
	}
	r.fail("malformed identity")
	return nil
}

// identityNumbers returns how many numbers follow the node.
func identityNumbers(kind string, parts int) int {
	switch kind {
	case "":
		return 2
	case "#Port":
		return 1
	}
	return parts - 1
}
