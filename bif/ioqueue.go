package bif

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// ioQueue is a queue of bytes made of binaries that it holds on to, as the
// NIFs that take iovecs have it. It is not safe for concurrent use.
type ioQueue struct {
	items []ioPiece
	size  int
}

// ioPiece is a run of bytes; bin is the binary they belong to, counted, where
// they begin at off, or nil when they are in the Go heap.
type ioPiece struct {
	bin  *heap.Bin
	off  int
	data []byte
}

func (p *ioPiece) release() {
	if p.bin != nil {
		p.bin.Unref()
	}
	*p = ioPiece{}
}

// piece returns the bytes of a binary in a form that outlives the term.
func piece(t term.Term) (p ioPiece, ok bool) {
	if !t.IsBinary() {
		return p, false
	}
	_, start, _ := heap.Bits(t)
	if t.Kind() == term.KSubBits && start&7 == 0 {
		if o := term.Term(t.W(4)); o.Kind() == term.KBinRef {
			b := heap.BinOf(o)
			b.Freeze()
			b.Ref()
			s, _ := alignedBytes(t)
			return ioPiece{b, int(start >> 3), s}, true
		}
	}
	s, _ := alignedBytes(t)
	return ioPiece{data: append([]byte(nil), s...)}, true
}

func (q *ioQueue) add(p ioPiece) {
	if len(p.data) == 0 {
		p.release()
		return
	}
	q.items = append(q.items, p)
	q.size += len(p.data)
}

// addList queues up to limit binaries of a list and returns the rest of it; ok
// is false, and nothing queued, when there is something else among them.
func (q *ioQueue) addList(l term.Term, limit int) (rest term.Term, ok bool) {
	var ps []ioPiece
	for ; l.IsList() && len(ps) < limit; l = l.Tail() {
		p, ok := piece(l.Head())
		if !ok {
			for i := range ps {
				ps[i].release()
			}
			return 0, false
		}
		ps = append(ps, p)
	}
	if !l.IsList() && !l.IsNil() {
		for i := range ps {
			ps[i].release()
		}
		return 0, false
	}
	for _, p := range ps {
		q.add(p)
	}
	return l, true
}

// drop takes n bytes, which must be there, from the front.
func (q *ioQueue) drop(n int) {
	q.size -= n
	for n > 0 {
		p := &q.items[0]
		if n < len(p.data) {
			p.data = p.data[n:]
			p.off += n
			return
		}
		n -= len(p.data)
		p.release()
		q.items = q.items[1:]
	}
}

// read copies bytes from the front, which must be there.
func (q *ioQueue) read(dst []byte) {
	for _, p := range q.items {
		if len(dst) == 0 {
			return
		}
		dst = dst[copy(dst, p.data):]
	}
}

func (q *ioQueue) clear() {
	for i := range q.items {
		q.items[i].release()
	}
	q.items, q.size = nil, 0
}
