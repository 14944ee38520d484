package heap

import (
	"unsafe"

	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/term"
)

// Copying a term keeps no sharing (as ERTS): a subterm that is reachable twice
// is copied twice. Both passes are iterative: Size walks with a stack, Copy
// scans what it has copied so far.
//
// Bitstrings are copied by these rules, which Size and Copy share: what fits
// in a heap binary, or refers to one, becomes a heap binary of its own; larger
// sub bits are copied with their bin ref, which shares the bytes. A writable
// binary is frozen first: the copy's owner must never see its bytes move.

// Size returns the words that a copy of t needs. Literals count only when
// withLiterals is set (they are shared by messages, copied by ETS).
func Size(t term.Term, withLiterals bool) int {
	if t.IsImmed() {
		return 0
	}
	litBase, litLen := literalRange(withLiterals)
	var buf [64]term.Term
	st := buf[:0]
	words := 0
	for {
		switch {
		case t&term.PrimMask == term.PrimImmed || t.Addr()-litBase < litLen:
		case t.IsList():
			words += 2
			if hd := t.Head(); !hd.IsImmed() {
				st = append(st, t.Tail())
				t = hd
			} else {
				t = t.Tail()
			}
			continue
		default:
			var n int
			n, st = sizeBoxed(t, st, litBase, litLen)
			words += n
		}
		if len(st) == 0 {
			return words
		}
		t = st[len(st)-1]
		st = st[:len(st)-1]
	}
}

// sizeBoxed returns the words of one object and pushes what it refers to.
func sizeBoxed(t term.Term, st []term.Term, litBase, litLen uintptr) (int, []term.Term) {
	h := t.Hdr()
	n := term.HeaderWords(h)
	lo := 1
	switch k := term.HeaderKind(h); k {
	case term.KTuple, term.KRecord, term.KMap:
	case term.KFun:
		lo = 2
	case term.KSubBits:
		return sizeSubBits(t, litBase, litLen), st
	case term.KMatch, term.KBinRef:
		invariants.Failf("copy of a term that is no value: kind %d at %#x", k, t.Addr())
	default:
		return n + 1, st
	}
	for i := n; i >= lo; i-- {
		if e := term.Term(t.W(i)); !e.IsImmed() {
			st = append(st, e)
		}
	}
	return n + 1, st
}

func sizeSubBits(t term.Term, litBase, litLen uintptr) int {
	bits := t.W(3) - t.W(2)
	orig := term.Term(t.W(4))
	switch {
	case bits <= HeapBitsMax*8 || orig.Kind() == term.KHeapBits:
		return HeapBitsWords(bits)
	case orig.Addr()-litBase < litLen:
		return SubBitsWords
	}
	return SubBitsWords + BinRefWords
}

// literalRange returns the base and length of the addresses to share.
func literalRange(withLiterals bool) (base, n uintptr) {
	if withLiterals || copyAll.Load() {
		return 0, 0
	}
	lo, hi := offheap.LiteralRange()
	return lo, hi - lo
}

// Copy copies t to *hp (room for Size words), advancing it, linking what owns
// something outside the heap into o. The copy shares reference counted
// binaries. Literals are shared unless withLiterals is set.
func Copy(t term.Term, hp *uintptr, o *OffHeap, withLiterals bool) term.Term {
	litBase, litLen := literalRange(withLiterals)
	c := copier{start: *hp, hp: *hp, litBase: litBase, litLen: litLen, off: o}
	root := c.move(t)
	c.scan()
	*hp = c.hp
	return root
}

type copier struct {
	start, hp       uintptr // what is copied so far
	litBase, litLen uintptr
	off             *OffHeap
}

func at(a uintptr) *term.Term { return (*term.Term)(unsafe.Add(nil, a)) }

// move copies the object a term points at, and of a list the whole spine. What
// the copy refers to is still the old: scan goes on with that.
func (c *copier) move(t term.Term) term.Term {
	a := t.Addr()
	if t&term.PrimMask == term.PrimImmed || a-c.litBase < c.litLen {
		return t
	}
	if t.IsList() {
		return c.moveList(a)
	}
	h := offheap.Load(a)
	if term.HeaderKind(h) == term.KSubBits {
		return c.moveSubBits(t)
	}
	p := c.hp
	n := uintptr(term.HeaderWords(h)+1) * 8
	c.hp = p + n
	if n <= 64 {
		for i := uintptr(0); i < n; i += 8 {
			offheap.Store(p+i, offheap.Load(a+i))
		}
	} else {
		offheap.Copy(p, a, n)
	}
	if h == term.Header(term.MagicRefWords, term.KRef) {
		MagicBin(term.Box(p)).Ref()
		term.Put(p, 4, uint64(c.off.First))
		c.off.First = p
	}
	return term.Box(p)
}

func (c *copier) moveList(a uintptr) term.Term {
	p := c.hp
	first := term.Term(p | term.PrimList)
	for {
		*at(p) = *at(a)
		tl := *at(a + 8)
		p += 16
		if !tl.IsList() || tl.Addr()-c.litBase < c.litLen {
			*at(p - 8) = tl
			c.hp = p
			return first
		}
		*at(p - 8) = term.Term(p | term.PrimList)
		a = tl.Addr()
	}
}

func (c *copier) moveSubBits(t term.Term) term.Term {
	base, start, end := Bits(t)
	orig := term.Term(t.W(4))
	bits := end - start
	if bits <= HeapBitsMax*8 || orig.Kind() == term.KHeapBits {
		return c.heapBits(base, start, bits)
	}
	if orig.Addr()-c.litBase >= c.litLen {
		b := BinOf(orig)
		b.Freeze()
		b.Ref()
		base = b.Data
		orig = c.off.PutBinRef(c.hp, b)
		c.hp += BinRefWords * 8
	}
	p := c.hp
	c.hp += SubBitsWords * 8
	return PutSubBits(p, base, start, end, orig)
}

func (c *copier) heapBits(base uintptr, start, bits uint64) term.Term {
	p := c.hp
	n := HeapBitsWords(bits)
	c.hp += uintptr(n) * 8
	term.Put(p, n-1, 0)
	term.Put(p, 0, term.Header(n-1, term.KHeapBits))
	term.Put(p, 1, bits)
	CopyBits(offheap.Bytes(p+16, uintptr(n-2)*8), base, start, bits)
	return term.Box(p)
}

// scan copies what the copied objects refer to, and so on to the end.
func (c *copier) scan() {
	for p := c.start; p < c.hp; {
		w := *at(p)
		switch w & term.PrimMask {
		case term.PrimImmed:
			p += 8
		case term.PrimHeader:
			switch k := term.HeaderKind(uint64(w)); k {
			case term.KTuple, term.KRecord, term.KMap:
				p += 8
			case term.KFun:
				p += 16
			default: // no pointers to follow; sub bits come after their bin ref
				p += uintptr(w>>6)*8 + 8
			}
		default:
			// A spine that was copied as a whole points at its own copy.
			if w.Addr()-c.start >= c.hp-c.start {
				*at(p) = c.move(w)
			}
			p += 8
		}
	}
}

// CopyTo copies t into h, sharing literals.
func CopyTo(h *Heap, t term.Term) term.Term {
	if t.IsImmed() {
		return t
	}
	a := h.Alloc(Size(t, false))
	return Copy(t, &a, &h.Off, false)
}

// ReleaseOffHeap drops what a list of off-heap objects owns and empties it.
func ReleaseOffHeap(o *OffHeap) {
	for a := o.First; a != 0; {
		t := term.Box(a)
		a = NextOff(t)
		OwnedBin(t).Unref()
	}
	*o = OffHeap{}
}

// NextOff returns the address of the object after t in its off-heap list.
func NextOff(t term.Term) uintptr {
	if t.Kind() == term.KBinRef {
		return uintptr(t.W(1))
	}
	return uintptr(t.W(4))
}

// SetNextOff changes the object after t in its off-heap list.
func SetNextOff(t term.Term, a uintptr) {
	if t.Kind() == term.KBinRef {
		t.SetW(1, uint64(a))
	} else {
		t.SetW(4, uint64(a))
	}
}

// OwnedBin returns what an object of an off-heap list holds a count of.
func OwnedBin(t term.Term) *Bin {
	if t.Kind() == term.KBinRef {
		return BinOf(t)
	}
	return MagicBin(t)
}

// Append moves the objects of list p to the front of o and empties p.
func (o *OffHeap) Append(p *OffHeap) {
	if p.First == 0 {
		return
	}
	last := term.Box(p.First)
	for n := NextOff(last); n != 0; n = NextOff(last) {
		last = term.Box(n)
	}
	SetNextOff(last, o.First)
	o.First = p.First
	o.Words += p.Words
	*p = OffHeap{}
}
