package gc

import (
	"unsafe"

	"github.com/beamrd/beamrd/vm/term"
)

// The hot loops. Both scan copied objects word by word and copy what they
// refer to behind the last one (Cheney), so the copy is its own queue.
//
// A copied object leaves its new address behind: a boxed one in its header
// (which then has the tag of a pointer), a cons in its tail with the head 0.
//
// What is to be copied is everything that is neither a literal nor in a range
// to keep: heap terms refer to nothing else (the invariants build verifies
// it), and fragments need no test of their own this way.
//
// No calls, so that everything stays in registers.

func ld(a uintptr) uintptr    { return *(*uintptr)(unsafe.Add(nil, a)) }
func st(a uintptr, w uintptr) { *(*uintptr)(unsafe.Add(nil, a)) = w }

const (
	kindBits = 0x3C
	mapBits  = uintptr(term.KMap) << 2
	funBits  = uintptr(term.KFun) << 2
	subBits  = uintptr(term.KSubBits) << 2
	mctxBits = uintptr(term.KMatch) << 2
	tupBits  = uintptr(term.KTuple) << 2
	recBits  = uintptr(term.KRecord) << 2
	binBits  = uintptr(term.KBinRef) << 2
)

// ranges are the address ranges that a collection tells apart.
type ranges struct {
	fromLo, fromLen uintptr // the block that is copied from: tested first
	toLo, toLen     uintptr // the block that is copied to
	litLo, litLen   uintptr
	forLo, forLen   uintptr // not the heap's: see Heap.ForeignLo
	oldLo, oldLen   uintptr // the old heap, unless it is collected too: kept
	matLo, matLen   uintptr // mature terms: moved to the old heap
}

// keeps tells whether what lies at a is not to be copied.
func (r *ranges) keeps(a uintptr) bool {
	return a-r.fromLo >= r.fromLen && (a-r.toLo < r.toLen || a-r.litLo < r.litLen || a-r.oldLo < r.oldLen || a-r.forLo < r.forLen)
}

// sweepInto scans the objects from p to hp and copies what they refer to to
// hp, except what lies in a range to keep. It returns the end. Of a list the
// whole spine is copied at once; the scan finds its tails in the new block.
//
//go:norace
//go:nocheckptr
func sweepInto(p, hp uintptr, r *ranges) uintptr {
	fromLo, fromLen, toLo, toLen := r.fromLo, r.fromLen, r.toLo, r.toLen
	litLo, litLen, oldLo, oldLen, forLo, forLen := r.litLo, r.litLen, r.oldLo, r.oldLen, r.forLo, r.forLen
	for p < hp {
		w := ld(p)
		switch w & 3 {
		case 3:
			p += 8
		case 1:
			q := p
			p += 8
			a := w - 1
			if a-fromLo >= fromLen && (a-toLo < toLen || a-litLo < litLen || a-oldLo < oldLen || a-forLo < forLen) {
				break
			}
			hd := ld(a)
			if hd == 0 {
				st(q, ld(a+8))
				break
			}
			st(q, hp+1)
			for {
				tl := ld(a + 8)
				st(hp, hd)
				st(a, 0)
				st(a+8, hp+1)
				hp += 16
				a = tl - 1
				if tl&3 != 1 || a-fromLo >= fromLen {
					st(hp-8, tl)
					break
				}
				if hd = ld(a); hd == 0 {
					st(hp-8, ld(a+8))
					break
				}
				st(hp-8, hp+1)
			}
		case 2:
			q := p
			p += 8
			a := w - 2
			if a-fromLo >= fromLen && (a-toLo < toLen || a-litLo < litLen || a-oldLo < oldLen || a-forLo < forLen) {
				break
			}
			h := ld(a)
			if h&3 == 2 {
				st(q, h)
				break
			}
			n := h >> 6
			if h&kindBits == mapBits {
				n = h >> 8 & 0xFFFFFF
			}
			st(a, hp+2)
			st(q, hp+2)
			st(hp, h)
			hp += 8
			for a += 8; n > 0; n-- {
				st(hp, ld(a))
				hp += 8
				a += 8
			}
		default:
			switch w & kindBits {
			case tupBits, mapBits, recBits:
				p += 8
			case funBits:
				p += 16
			case subBits, mctxBits:
				q := p
				p += w>>6*8 + 8
				a := ld(q+32) - 2
				if a-fromLo >= fromLen && (a-toLo < toLen || a-litLo < litLen || a-oldLo < oldLen || a-forLo < forLen) {
					break
				}
				h := ld(a)
				if h&3 == 2 {
					st(q+32, h)
					if ld(h-2)&kindBits != binBits {
						st(q+8, h-2+16)
					}
					break
				}
				st(a, hp+2)
				st(q+32, hp+2)
				if h&kindBits != binBits {
					st(q+8, hp+16)
				}
				st(hp, h)
				hp += 8
				a += 8
				for n := h >> 6; n > 0; n-- {
					st(hp, ld(a))
					hp += 8
					a += 8
				}
			default:
				p += w>>6*8 + 8
			}
		}
	}
	return hp
}

// sweepMinor scans young objects from p to hp and copies what they refer to:
// mature objects to old, the others to hp. It returns both ends.
//
//go:norace
//go:nocheckptr
func sweepMinor(p, hp, old uintptr, r *ranges) (uintptr, uintptr) {
	fromLo, fromLen, toLo, toLen := r.fromLo, r.fromLen, r.toLo, r.toLen
	litLo, litLen, oldLo, oldLen, forLo, forLen := r.litLo, r.litLen, r.oldLo, r.oldLen, r.forLo, r.forLen
	matLo, matLen := r.matLo, r.matLen
	for p < hp {
		w := ld(p)
		switch w & 3 {
		case 3:
			p += 8
		case 1:
			q := p
			p += 8
			a := w - 1
			if a-fromLo >= fromLen && (a-toLo < toLen || a-litLo < litLen || a-oldLo < oldLen || a-forLo < forLen) {
				break
			}
			hd := ld(a)
			if hd == 0 {
				st(q, ld(a+8))
				break
			}
			if a-matLo < matLen {
				st(old, hd)
				st(old+8, ld(a+8))
				st(a, 0)
				st(a+8, old+1)
				st(q, old+1)
				old += 16
				break
			}
			st(q, hp+1)
			for {
				tl := ld(a + 8)
				st(hp, hd)
				st(a, 0)
				st(a+8, hp+1)
				hp += 16
				a = tl - 1
				if tl&3 != 1 || a-fromLo >= fromLen || a-matLo < matLen {
					st(hp-8, tl)
					break
				}
				if hd = ld(a); hd == 0 {
					st(hp-8, ld(a+8))
					break
				}
				st(hp-8, hp+1)
			}
		case 2:
			q := p
			p += 8
			a := w - 2
			if a-fromLo >= fromLen && (a-toLo < toLen || a-litLo < litLen || a-oldLo < oldLen || a-forLo < forLen) {
				break
			}
			h := ld(a)
			if h&3 == 2 {
				st(q, h)
				break
			}
			n := h >> 6
			if h&kindBits == mapBits {
				n = h >> 8 & 0xFFFFFF
			}
			if a-matLo >= matLen {
				st(a, hp+2)
				st(q, hp+2)
				st(hp, h)
				hp += 8
				for a += 8; n > 0; n-- {
					st(hp, ld(a))
					hp += 8
					a += 8
				}
			} else {
				st(a, old+2)
				st(q, old+2)
				st(old, h)
				old += 8
				for a += 8; n > 0; n-- {
					st(old, ld(a))
					old += 8
					a += 8
				}
			}
		default:
			switch w & kindBits {
			case tupBits, mapBits, recBits:
				p += 8
			case funBits:
				p += 16
			case subBits, mctxBits:
				q := p
				p += w>>6*8 + 8
				a := ld(q+32) - 2
				if a-fromLo >= fromLen && (a-toLo < toLen || a-litLo < litLen || a-oldLo < oldLen || a-forLo < forLen) {
					break
				}
				h := ld(a)
				if h&3 == 2 {
					st(q+32, h)
					if ld(h-2)&kindBits != binBits {
						st(q+8, h-2+16)
					}
					break
				}
				n := h>>6*8 + 8
				d := hp
				if a-matLo >= matLen {
					hp += n
				} else {
					d = old
					old += n
				}
				st(q+32, d+2)
				if h&kindBits != binBits {
					st(q+8, d+16)
				}
				for i := uintptr(0); i < n; i += 8 {
					st(d+i, ld(a+i))
				}
				st(a, d+2)
			default:
				p += w>>6*8 + 8
			}
		}
	}
	return hp, old
}

// evac copies the object of a root to hp, or to old if it is mature, and
// returns the root's new value and both ends. A root may point into the new
// block already.
//
//go:norace
//go:nocheckptr
func evac(w, hp, old uintptr, r *ranges) (uintptr, uintptr, uintptr) {
	a := w &^ 3
	if r.keeps(a) {
		return w, hp, old
	}
	h := ld(a)
	n := uintptr(16)
	if w&3 == 1 {
		if h == 0 {
			return ld(a + 8), hp, old
		}
	} else {
		if h&3 == 2 {
			return h, hp, old
		}
		n = h>>6*8 + 8
		if h&kindBits == mapBits {
			n = (h>>8&0xFFFFFF)*8 + 8
		}
	}
	d := hp
	if a-r.matLo < r.matLen {
		d = old
		old += n
	} else {
		hp += n
	}
	for i := uintptr(0); i < n; i += 8 {
		st(d+i, ld(a+i))
	}
	nw := d + w&3
	if w&3 == 1 {
		st(a, 0)
		st(a+8, nw)
	} else {
		st(a, nw)
	}
	return nw, hp, old
}

// evacRun does evac for n words at p: a stack, where words with the tag of a
// header are continuation pointers, or other root slots, where they are unset.
//
//go:norace
//go:nocheckptr
func evacRun(p uintptr, n int, hp, old uintptr, r *ranges) (uintptr, uintptr) {
	for end := p + uintptr(n)*8; p < end; p += 8 {
		w := ld(p)
		if w&3 == 3 || w&3 == 0 {
			continue
		}
		w, hp, old = evac(w, hp, old, r)
		st(p, w)
	}
	return hp, old
}
