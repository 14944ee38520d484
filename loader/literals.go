package loader

import (
	"bytes"
	"compress/zlib"
	"io"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/etf"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// maxInflate is more than the best that deflate can do.
const maxInflate = 1100

// parseLiterals reads LitT: the size of what follows and that in zlib's
// format, or a size of 0 and the literals as they are (OTP 28 and later).
func (f *File) parseLiterals(r *reader) *Error {
	size := r.u32()
	if r.err != nil {
		return r.err
	}
	data := r.b[r.p:]
	if size > 0 {
		var err *Error
		if data, err = inflate(data, int64(size)); err != nil {
			return err
		}
	}
	l := &reader{chunk: "LitT", b: data}
	n := l.count(5)
	f.Literals = make([]term.Term, 0, n)
	for i := range n {
		s := l.bytes(int(l.u32()))
		if l.err != nil {
			return l.err
		}
		if len(s) == 0 || s[0] != 131 {
			l.fail("literal %d is not in the external term format", i)
			return l.err
		}
		t, _, err := etf.Decode(&f.heap, s[1:], false)
		if err != nil {
			l.fail("literal %d: %v", i, err)
			return l.err
		}
		f.Literals = append(f.Literals, t)
	}
	return l.err
}

func inflate(data []byte, size int64) ([]byte, *Error) {
	if size > int64(len(data))*maxInflate {
		return nil, chunkErr("LitT", 0, "%d bytes cannot come out of %d", size, len(data))
	}
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, chunkErr("LitT", 4, "%v", err)
	}
	out := make([]byte, size)
	if _, err := io.ReadFull(z, out); err != nil {
		return nil, chunkErr("LitT", 4, "%v", err)
	}
	var one [1]byte
	if n, err := z.Read(one[:]); n != 0 || err != io.EOF {
		return nil, chunkErr("LitT", 4, "not the %d bytes announced", size)
	}
	return out, nil
}

// moveLiterals copies the literals to an area of their own in the literal
// range and points the decoded operands at it. f owns the area until takeLiterals.
func (f *File) moveLiterals() {
	words := 0
	for _, l := range [][]term.Term{f.Literals, f.dynLits} {
		for _, t := range l {
			words += heap.Size(t, true)
		}
	}
	if words > 0 {
		n := uintptr(words) * 8
		f.litStart, f.litSize = offheap.AllocLiteral(n), n
		hp := f.litStart
		for _, l := range [][]term.Term{f.Literals, f.dynLits} {
			for i, t := range l {
				if !t.IsImmed() {
					l[i] = heap.Copy(t, &hp, &f.litOff, true)
				}
			}
		}
		f.litEnd = hp
	}
	for _, r := range f.litRefs {
		if r.idx >= 0 {
			r.arg.Val = int64(f.Literals[r.idx])
		} else {
			r.arg.Val = int64(f.dynLits[^r.idx])
		}
	}
	lits, dyn := f.Literals, f.dynLits
	f.Free()
	f.Literals, f.dynLits = lits, dyn
}

// freeLiterals gives the literal area back.
func (f *File) freeLiterals() {
	if f.litStart == 0 {
		return
	}
	heap.ReleaseOffHeap(&f.litOff)
	offheap.FreeLiteral(f.litStart, f.litSize)
	f.litStart, f.litEnd, f.litSize = 0, 0, 0
}
