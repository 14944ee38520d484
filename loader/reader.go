package loader

// A reader walks the data of one chunk. The first failure sticks: later reads
// return zeros, and err holds the failure.
type reader struct {
	chunk string
	b     []byte
	p     int
	err   *Error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = chunkErr(r.chunk, r.p, format, args...)
		r.p = len(r.b)
	}
}

func (r *reader) left() int { return len(r.b) - r.p }

func (r *reader) u8() byte {
	if r.p >= len(r.b) {
		r.fail("cut short")
		return 0
	}
	c := r.b[r.p]
	r.p++
	return c
}

func (r *reader) u16() int {
	s := r.bytes(2)
	if s == nil {
		return 0
	}
	return int(s[0])<<8 | int(s[1])
}

func (r *reader) u32() uint32 {
	s := r.bytes(4)
	if s == nil {
		return 0
	}
	return uint32(s[0])<<24 | uint32(s[1])<<16 | uint32(s[2])<<8 | uint32(s[3])
}

func (r *reader) i32() int32 { return int32(r.u32()) }

func (r *reader) i64() int64 {
	hi := uint64(r.u32())
	return int64(hi<<32 | uint64(r.u32()))
}

// bytes returns the next n bytes, shared with the file, or nil on failure.
func (r *reader) bytes(n int) []byte {
	if n < 0 || n > r.left() {
		r.fail("cut short")
		return nil
	}
	s := r.b[r.p : r.p+n : r.p+n]
	r.p += n
	return s
}

// count reads a number of items that take at least size bytes each, so that a
// huge count fails before anything is allocated for it.
func (r *reader) count(size int) int {
	n := r.i32()
	if n < 0 || int64(n)*int64(size) > int64(r.left()) {
		r.p -= 4
		r.fail("count of %d items does not fit", n)
		return 0
	}
	return int(n)
}

// index reads a number below limit.
func (r *reader) index(what string, limit int) int {
	n := r.u32()
	if r.err == nil && uint64(n) >= uint64(limit) {
		r.p -= 4
		r.fail("%s %d is not below %d", what, n, limit)
		return 0
	}
	return int(n)
}

// Tags of compact terms.
const (
	tagU = 0
	tagI = 1
	tagA = 2
	tagX = 3
	tagY = 4
	tagF = 5
	tagH = 6
	tagZ = 7
)

// tagged reads a compact term. Numbers that fit come in val; big is set for
// those that do not (then they are big-endian two's complement).
func (r *reader) tagged() (tag int, val int64, big []byte) {
	c := r.u8()
	tag = int(c & 7)
	switch {
	case c&8 == 0:
		return tag, int64(c >> 4), nil
	case c&0x10 == 0:
		return tag, int64(c>>5)<<8 | int64(r.u8()), nil
	}
	n := int(c>>5) + 2
	if n == 9 {
		t, v, b := r.tagged9()
		if t != tagU || b != nil || v < 0 || v > int64(r.left()) {
			r.fail("bad size of a number")
			return tag, 0, nil
		}
		n = int(v) + 9
	}
	s := r.bytes(n)
	if s == nil {
		return tag, 0, nil
	}
	if n > 8 {
		return tag, 0, s
	}
	var v uint64
	for _, b := range s {
		v = v<<8 | uint64(b)
	}
	if tag == tagI {
		sh := 64 - 8*uint(n)
		return tag, int64(v<<sh) >> sh, nil
	}
	if int64(v) < 0 {
		return tag, 0, s
	}
	return tag, int64(v), nil
}

// tagged9 reads the size of a long number, which is never itself long.
func (r *reader) tagged9() (tag int, val int64, big []byte) {
	if r.p < len(r.b) && r.b[r.p]&0xF8 == 0xF8 {
		r.fail("bad size of a number")
		return 0, 0, nil
	}
	return r.tagged()
}
