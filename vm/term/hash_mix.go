package term

// The mixing steps that phash2 and the internal hash are made of (Bob
// Jenkins' lookup2, over three 32-bit words), with the constants of ERTS.

const hconst = 0x9e3779b9 // the golden ratio

// hc returns multiple n of hconst, which tells kinds of terms apart.
func hc(n uint32) uint32 { return hconst * n }

func mix(a, b, c uint32) (uint32, uint32, uint32) {
	a -= b
	a -= c
	a ^= c >> 13
	b -= c
	b -= a
	b ^= a << 8
	c -= a
	c -= b
	c ^= b >> 13
	a -= b
	a -= c
	a ^= c >> 12
	b -= c
	b -= a
	b ^= a << 16
	c -= a
	c -= b
	c ^= b >> 5
	a -= b
	a -= c
	a ^= c >> 3
	b -= c
	b -= a
	b ^= a << 10
	c -= a
	c -= b
	c ^= b >> 15
	return a, b, c
}

// hash2 mixes two words under a constant into the hash h: mix, spelled out
// because it is too large for the compiler to inline.
func hash2(h, x, y, con uint32) uint32 {
	a, b, c := con+x, con+y, h
	a -= b
	a -= c
	a ^= c >> 13
	b -= c
	b -= a
	b ^= a << 8
	c -= a
	c -= b
	c ^= b >> 13
	a -= b
	a -= c
	a ^= c >> 12
	b -= c
	b -= a
	b ^= a << 16
	c -= a
	c -= b
	c ^= b >> 5
	a -= b
	a -= c
	a ^= c >> 3
	b -= c
	b -= a
	b ^= a << 10
	c -= a
	c -= b
	return c ^ b>>15
}

// hash64 mixes a word of 64 bits, low half first.
func hash64(h uint32, w uint64, con uint32) uint32 {
	return hash2(h, uint32(w), uint32(w>>32), con)
}

// hashBlock hashes bytes, starting from an earlier hash.
func hashBlock(s []byte, init uint32) uint32 {
	a, b, c := uint32(hconst), uint32(hconst), init
	n := uint32(len(s))
	for len(s) >= 12 {
		k := s[:12]
		a += uint32(k[0]) | uint32(k[1])<<8 | uint32(k[2])<<16 | uint32(k[3])<<24
		b += uint32(k[4]) | uint32(k[5])<<8 | uint32(k[6])<<16 | uint32(k[7])<<24
		c += uint32(k[8]) | uint32(k[9])<<8 | uint32(k[10])<<16 | uint32(k[11])<<24
		a, b, c = mix(a, b, c)
		s = s[12:]
	}
	c += n
	for i, x := range s { // the lowest byte of c is the length's
		switch {
		case i < 4:
			a += uint32(x) << (8 * i)
		case i < 8:
			b += uint32(x) << (8 * (i - 4))
		default:
			c += uint32(x) << (8 * (i - 7))
		}
	}
	_, _, c = mix(a, b, c)
	return c
}

// hashBits hashes a bitstring into h as both hashes do.
func hashBits(t Term, h uint32, limit uint64) uint32 {
	con := hc(13) + h
	base, start, end := BitsOf(t)
	n := (end - start) / 8 & limit
	rest := (end - start) & 7
	if n == 0 && rest == 0 {
		return con
	}
	var s []byte
	a, sh := base+uintptr(start>>3), start&7
	if sh == 0 {
		s = bytesAt(a, n)
	} else {
		s = make([]byte, n)
		for i := range s {
			s[i] = bitsAt(a+uintptr(i), sh, 8)
		}
	}
	h = hashBlock(s, con)
	if rest > 0 {
		h = hash2(h, uint32(rest), uint32(bitsAt(a+uintptr(n), sh, rest)), hc(15))
	}
	return h
}

// floatHashWords returns the halves of a float with -0.0 taken as 0.0.
func floatHashWords(t Term) (lo, hi uint32) {
	w := t.W(1)
	if w == 1<<63 {
		w = 0
	}
	return uint32(w), uint32(w >> 32)
}
