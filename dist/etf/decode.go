package etf

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/beamrd/beamrd/internal/wire"
)

// Unmarshal reads a term with its version byte, as term_to_binary/1 writes it.
// Bytes that follow the term are an error.
func Unmarshal(b []byte) (Term, error) {
	if len(b) == 0 || b[0] != Version {
		return nil, &SyntaxError{0, "no version"}
	}
	var d Decoder
	t, rest, err := d.Decode(b[1:])
	if err == nil && len(rest) > 0 {
		err = &SyntaxError{len(b) - len(rest), "bytes after the term"}
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Decoder reads terms. The zero value is ready.
type Decoder struct {
	// Atoms are those of the header of a distribution message, to which the
	// terms refer by number.
	Atoms []Atom
	// MaxInflated is the most bytes that a compressed term may have, 64 MiB
	// if 0.
	MaxInflated int

	b     []byte
	off   int
	need  int // values still to come, in all frames; each is a byte at least
	stack []frame
}

type frameKind uint8

const (
	inTuple frameKind = iota
	inList            // elements
	inTail            // the tail of a list
	inMap
	inFun
)

// frame is a compound term of which parts are still to come.
type frame struct {
	kind frameKind
	els  []Term
	n    int // of els that are there
	fun  *Fun
}

// Decode reads the term at the start of b, which has no version byte, and
// returns the rest. Binaries are copies: b may be used again.
func (d *Decoder) Decode(b []byte) (t Term, rest []byte, err error) {
	d.b, d.off, d.need, d.stack = b, 0, 1, d.stack[:0]
	defer func() { d.b = nil }()
	if len(b) > 0 && b[0] == wire.TagCompressed {
		return d.inflate(b)
	}
	t, err = d.run()
	if err != nil {
		return nil, nil, err
	}
	return t, b[d.off:], nil
}

func (d *Decoder) inflate(b []byte) (Term, []byte, error) {
	limit := d.MaxInflated
	if limit == 0 {
		limit = 64 << 20
	}
	if len(b) < 5 {
		return nil, nil, d.fail("truncated")
	}
	size := int64(binary.BigEndian.Uint32(b[1:]))
	if size > int64(limit) {
		return nil, nil, d.fail("compressed term too large")
	}
	in := bytes.NewReader(b[5:])
	z, err := zlib.NewReader(in)
	if err != nil {
		return nil, nil, d.fail("malformed compressed term")
	}
	// One byte more than promised shows a lie, and lets the checksum be read.
	data, err := io.ReadAll(io.LimitReader(z, size+1))
	if err != nil || int64(len(data)) != size {
		return nil, nil, d.fail("malformed compressed term")
	}
	d.b, d.off = data, 0
	t, err := d.run()
	if err != nil {
		return nil, nil, err
	}
	if d.off != len(data) {
		return nil, nil, d.fail("bytes after the compressed term")
	}
	return t, b[len(b)-in.Len():], nil
}

func (d *Decoder) fail(what string) error { return &SyntaxError{d.off, what} }

// run reads one term. The innermost unfinished term is on top of the stack.
func (d *Decoder) run() (Term, error) {
	for {
		t, done, err := d.value()
		if err != nil {
			return nil, err
		}
		if !done {
			continue
		}
		if t, done, err = d.deliver(t); err != nil || done {
			return t, err
		}
	}
}

// deliver puts a finished term in its place, and so on for the terms that this
// finishes. done: it was the outermost.
func (d *Decoder) deliver(t Term) (_ Term, done bool, err error) {
	for len(d.stack) > 0 {
		f := &d.stack[len(d.stack)-1]
		if f.kind == inTail {
			t = Improper{List(f.els), t}
		} else {
			f.els[f.n] = t
			if f.n++; f.n < len(f.els) {
				return nil, false, nil
			}
			if f.kind == inList {
				if done, err := d.tail(f); !done {
					return nil, false, err
				}
			}
			if t, err = f.finish(); err != nil {
				return nil, false, d.fail(err.Error())
			}
		}
		*f = frame{}
		d.stack = d.stack[:len(d.stack)-1]
	}
	return t, true, nil
}

// tail looks at what follows the last element of a list. A list that follows is
// the list's continuation. done: the list is finished, and proper.
func (d *Decoder) tail(f *frame) (done bool, err error) {
	if d.off >= len(d.b) {
		return false, d.fail("truncated")
	}
	switch d.b[d.off] {
	case wire.TagNil:
		d.off++
		d.need--
		return true, nil
	case wire.TagString:
		s, err := d.string()
		if err != nil {
			return false, err
		}
		d.need--
		f.els = append(f.els, s...)
		return true, nil
	case wire.TagList:
		d.off++
		n, err := d.count(1)
		if err != nil {
			return false, err
		}
		d.need--
		if n > 0 {
			f.els = append(f.els, make([]Term, n)...)
			return false, nil
		}
		if err := d.promise(1); err != nil {
			return false, err
		}
		return d.tail2(f)
	}
	f.kind = inTail
	return false, nil
}

// tail2 reads the tails of lists that say they have no elements.
func (d *Decoder) tail2(f *frame) (bool, error) {
	for d.off+5 <= len(d.b) && d.b[d.off] == wire.TagList && binary.BigEndian.Uint32(d.b[d.off+1:]) == 0 {
		d.off += 5
	}
	if d.off < len(d.b) && d.b[d.off] == wire.TagList {
		d.off++
		n, err := d.count(1)
		if err != nil {
			return false, err
		}
		d.need--
		f.els = append(f.els, make([]Term, n)...)
		return false, nil
	}
	return d.tail(f)
}

type what string

func (w what) Error() string { return string(w) }

// finish makes the term of a full frame.
func (f *frame) finish() (Term, error) {
	switch f.kind {
	case inTuple:
		return Tuple(f.els), nil
	case inList:
		return List(f.els), nil
	case inMap:
		m := make(Map, len(f.els)/2)
		for i := range m {
			m[i] = Pair{f.els[2*i], f.els[2*i+1]}
		}
		return m, nil
	}
	mod, ok := f.els[0].(Atom)
	index, ok1 := f.els[1].(int64)
	uniq, ok2 := f.els[2].(int64)
	pid, ok3 := f.els[3].(Pid)
	if !ok || !ok1 || !ok2 || !ok3 {
		return nil, what("malformed fun")
	}
	f.fun.Module, f.fun.OldIndex, f.fun.OldUniq, f.fun.Pid, f.fun.Free = mod, index, uniq, pid, f.els[4:]
	return f.fun, nil
}

// promise notes that n more values follow.
func (d *Decoder) promise(n int) error {
	d.need += n
	if d.need > len(d.b)-d.off {
		return d.fail("truncated")
	}
	return nil
}

// count reads a number of elements, of which each has values of its own; a list
// has its tail besides.
func (d *Decoder) count(values int) (int, error) {
	if len(d.b)-d.off < 4 {
		return 0, d.fail("truncated")
	}
	n := int64(binary.BigEndian.Uint32(d.b[d.off:]))
	d.off += 4
	if n*int64(values) > int64(len(d.b)-d.off) {
		return 0, d.fail("truncated")
	}
	if n == 0 {
		return 0, nil
	}
	extra := 0
	if values == 1 {
		extra = 1
	}
	return int(n), d.promise(int(n)*values + extra)
}

func (d *Decoder) push(k frameKind, n int, f *Fun) {
	d.stack = append(d.stack, frame{kind: k, els: make([]Term, n), fun: f})
}

// value reads a simple term, or begins a compound one, which is not done.
func (d *Decoder) value() (t Term, done bool, err error) {
	if d.off >= len(d.b) {
		return nil, false, d.fail("truncated")
	}
	tag := d.b[d.off]
	d.need--
	switch tag {
	case wire.TagSmallTuple, wire.TagLargeTuple, wire.TagList, wire.TagMap, wire.TagNewFun:
		d.off++
		return d.compound(tag)
	case wire.TagNil:
		d.off++
		return List{}, true, nil
	case wire.TagString:
		s, err := d.string()
		return List(s), true, err
	case wire.TagExport:
		t, err = d.export()
	case wire.TagPid, wire.TagNewPid, wire.TagPort, wire.TagNewPort, wire.TagV4Port, wire.TagReference, wire.TagNewReference, wire.TagNewerReference:
		t, err = d.identity(tag)
	case wire.TagAtom, wire.TagSmallAtom, wire.TagAtomUTF8, wire.TagSmallAtomUTF8, wire.TagAtomCacheRef:
		t, err = d.atom()
	default:
		d.off++
		t, err = d.simple(tag)
	}
	return t, true, err
}

func (d *Decoder) compound(tag byte) (Term, bool, error) {
	switch tag {
	case wire.TagSmallTuple:
		if d.off >= len(d.b) {
			return nil, false, d.fail("truncated")
		}
		n := int(d.b[d.off])
		d.off++
		if n == 0 {
			return Tuple{}, true, nil
		}
		if err := d.promise(n); err != nil {
			return nil, false, err
		}
		d.push(inTuple, n, nil)
	case wire.TagLargeTuple:
		n, err := d.count(1)
		if err != nil {
			return nil, false, err
		}
		if n == 0 {
			return Tuple{}, true, nil
		}
		d.need-- // count reckons with a tail
		d.push(inTuple, n, nil)
	case wire.TagMap:
		n, err := d.count(2)
		if err != nil {
			return nil, false, err
		}
		if n == 0 {
			return Map{}, true, nil
		}
		d.push(inMap, 2*n, nil)
	case wire.TagList:
		n, err := d.count(1)
		if err != nil {
			return nil, false, err
		}
		if n == 0 {
			// Not written by anyone, but allowed: the list is its tail.
			return nil, false, d.promise(1)
		}
		d.push(inList, n, nil)
	default:
		return nil, false, d.fun()
	}
	return nil, false, nil
}

func (d *Decoder) fun() error {
	h, err := d.take(4 + 1 + 16 + 4 + 4)
	if err != nil {
		return err
	}
	free := int64(binary.BigEndian.Uint32(h[25:]))
	if free > int64(len(d.b)-d.off) {
		return d.fail("truncated")
	}
	f := &Fun{Arity: int(h[4]), Index: binary.BigEndian.Uint32(h[21:])}
	copy(f.Uniq[:], h[5:])
	if err := d.promise(int(free) + 4); err != nil {
		return err
	}
	d.push(inFun, int(free)+4, f)
	return nil
}

func (d *Decoder) take(n int) ([]byte, error) {
	if n < 0 || len(d.b)-d.off < n {
		return nil, d.fail("truncated")
	}
	b := d.b[d.off : d.off+n]
	d.off += n
	return b, nil
}

func (d *Decoder) sized(lenBytes int) ([]byte, error) {
	l, err := d.take(lenBytes)
	if err != nil {
		return nil, err
	}
	n := 0
	for _, c := range l {
		n = n<<8 | int(c)
	}
	return d.take(n)
}

func (d *Decoder) string() ([]Term, error) {
	d.off++
	s, err := d.sized(2)
	if err != nil {
		return nil, err
	}
	l := make([]Term, len(s))
	for i, c := range s {
		l[i] = int64(c)
	}
	return l, nil
}

func (d *Decoder) simple(tag byte) (Term, error) {
	switch tag {
	case wire.TagSmallInteger:
		b, err := d.take(1)
		if err != nil {
			return nil, err
		}
		return int64(b[0]), nil
	case wire.TagInteger:
		b, err := d.take(4)
		if err != nil {
			return nil, err
		}
		return int64(int32(binary.BigEndian.Uint32(b))), nil
	case wire.TagSmallBig, wire.TagLargeBig:
		return d.big(tag)
	case wire.TagNewFloat:
		b, err := d.take(8)
		if err != nil {
			return nil, err
		}
		return d.finite(math.Float64frombits(binary.BigEndian.Uint64(b)))
	case wire.TagFloat:
		b, err := d.take(31)
		if err != nil {
			return nil, err
		}
		f, err := strconv.ParseFloat(strings.TrimRight(string(b), "\x00"), 64)
		if err != nil {
			return nil, d.fail("malformed float")
		}
		return d.finite(f)
	case wire.TagBinary:
		b, err := d.sized(4)
		if err != nil {
			return nil, err
		}
		return Binary(bytes.Clone(b)), nil
	case wire.TagBitBinary:
		return d.bits()
	}
	d.off--
	return nil, d.fail("unknown tag " + strconv.Itoa(int(tag)))
}

func (d *Decoder) finite(f float64) (Term, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, d.fail("float is no number")
	}
	return f, nil
}

func (d *Decoder) bits() (Term, error) {
	h, err := d.take(5)
	if err != nil {
		return nil, err
	}
	n, bits := int(binary.BigEndian.Uint32(h)), int(h[4])
	if bits > 8 || (n == 0) != (bits == 0) {
		return nil, d.fail("malformed bit string")
	}
	b, err := d.take(n)
	if err != nil {
		return nil, err
	}
	b = bytes.Clone(b)
	if bits == 8 || n == 0 {
		return Binary(b), nil
	}
	b[n-1] &^= 1<<(8-bits) - 1
	return BitString{b, bits}, nil
}

func (d *Decoder) big(tag byte) (Term, error) {
	size := 1
	if tag == wire.TagLargeBig {
		size = 4
	}
	l, err := d.take(size + 1)
	if err != nil {
		return nil, err
	}
	n := 0
	for _, c := range l[:size] {
		n = n<<8 | int(c)
	}
	if n > maxBig {
		return nil, d.fail("integer too large")
	}
	le, err := d.take(n)
	if err != nil {
		return nil, err
	}
	be := make([]byte, n)
	for i, c := range le {
		be[n-1-i] = c
	}
	v := new(big.Int).SetBytes(be)
	if l[size] != 0 {
		v.Neg(v)
	}
	if v.IsInt64() {
		return v.Int64(), nil
	}
	return v, nil
}

// atom reads an atom of any kind.
func (d *Decoder) atom() (Atom, error) {
	if d.off >= len(d.b) {
		return "", d.fail("truncated")
	}
	tag := d.b[d.off]
	d.off++
	size := 2
	switch tag {
	case wire.TagAtomCacheRef:
		b, err := d.take(1)
		if err != nil {
			return "", err
		}
		if int(b[0]) >= len(d.Atoms) {
			return "", d.fail("atom not in the header")
		}
		return d.Atoms[b[0]], nil
	case wire.TagSmallAtom, wire.TagSmallAtomUTF8:
		size = 1
	case wire.TagAtom, wire.TagAtomUTF8:
	default:
		d.off--
		return "", d.fail("no atom")
	}
	s, err := d.sized(size)
	if err != nil {
		return "", err
	}
	if tag == wire.TagAtom || tag == wire.TagSmallAtom {
		return latin1(s), nil
	}
	a, ok := AtomOf(s)
	if !ok {
		return "", d.fail("malformed atom")
	}
	return a, nil
}

func latin1(s []byte) Atom {
	b := make([]byte, 0, len(s))
	for _, c := range s {
		b = utf8.AppendRune(b, rune(c))
	}
	return Atom(b)
}

// AtomOf returns the atom of a name; ok is false where the name is too long or
// not UTF-8.
func AtomOf(name []byte) (a Atom, ok bool) {
	if !utf8.Valid(name) || utf8.RuneCount(name) > maxAtomChars {
		return "", false
	}
	return Atom(name), true
}
