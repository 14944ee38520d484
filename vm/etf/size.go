package etf

import (
	"math/bits"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/term"
)

// run is n words of terms still to be sized.
type run struct {
	addr uintptr
	n    int
}

// Size returns what erlang:external_size answers for a term, without the
// version byte: the bytes of its encoding, except that it takes the integers
// in a fun to be four bytes wide. steps counts the terms looked at.
func (o Options) Size(t term.Term) (size, steps int) {
	size, more := o.size(t, nil)
	for len(more) > 0 {
		steps++
		r := &more[len(more)-1]
		t := term.Term(term.Get(r.addr, 0))
		r.addr += 8
		if r.n--; r.n == 0 {
			more = more[:len(more)-1]
		}
		var n int
		n, more = o.size(t, more)
		size += n
	}
	return size, steps
}

func (o Options) atomSize(a atom.Atom) int {
	switch n := len(a.String()); {
	case !o.UTF8Atoms && a.IsLatin1():
		return 3 + a.Chars()
	case n > 255:
		return 3 + n
	default:
		return 2 + n
	}
}

func smallSize(v int64) int {
	switch {
	case uint64(v) < 256:
		return 2
	case v == int64(int32(v)):
		return 5
	case v < 0:
		v = -v
	}
	return 3 + (bits.Len64(uint64(v))+7)/8
}

// size returns a term's own part; what it holds is pushed.
func (o Options) size(t term.Term, more []run) (int, []run) {
	switch {
	case t.IsSmall():
		return smallSize(t.Small()), more
	case t.IsAtom():
		return o.atomSize(t.Atom()), more
	case t.IsNil():
		return 1, more
	case t.IsList():
		if n, ok := byteList(t); ok {
			return 3 + n, more
		}
		return o.consSize(t, more)
	case t.IsInternalPid():
		return 13 + o.atomSize(term.ThisNode().Name), more
	case t.IsInternalPort():
		return o.portSize(term.ThisNode(), t.ID()), more
	case t.IsBoxed():
		return o.boxedSize(t, more)
	}
	return 0, more
}

// consSize sizes the elements that are immediate at once, so that a long list
// does not cost a run each.
func (o Options) consSize(t term.Term, more []run) (int, []run) {
	n := 5
	for ; t.IsList(); t = t.Tail() {
		if hd := t.Head(); hd.IsImmed() {
			k, _ := o.size(hd, nil)
			n += k
		} else {
			more = append(more, run{t.Addr(), 1})
		}
	}
	if t.IsImmed() {
		k, _ := o.size(t, nil)
		return n + k, more
	}
	k, more := o.boxedSize(t, more)
	return n + k, more
}

func (o Options) portSize(n term.NodeRef, id uint64) int {
	if id>>28 != 0 {
		return 13 + o.atomSize(n.Name)
	}
	return 9 + o.atomSize(n.Name)
}

func (o Options) boxedSize(t term.Term, more []run) (int, []run) {
	h := t.Hdr()
	n := term.HeaderWords(h)
	switch k := term.HeaderKind(h); k {
	case term.KTuple:
		if n > 0 {
			more = append(more, run{t.Addr() + 8, n})
		}
		if n <= 255 {
			return 2, more
		}
		return 5, more
	case term.KPosBig, term.KNegBig:
		b := n*8 - bits.LeadingZeros64(t.W(n))/8
		if b < 256 {
			return 3 + b, more
		}
		return 6 + b, more
	case term.KFloat:
		if o.OldFloats {
			return 32, more
		}
		return 9, more
	case term.KHeapBits, term.KSubBits:
		s := t.BitSize()
		if s&7 != 0 {
			return 6 + int(s/8) + 1, more
		}
		return 5 + int(s/8), more
	case term.KMap:
		return 5, pushMap(t, more)
	case term.KRef:
		return 7 + 12 + o.atomSize(term.ThisNode().Name), more
	case term.KExtPid:
		return 13 + o.atomSize(term.NodeAt(int(t.W(1))).Name), more
	case term.KExtPort:
		return o.portSize(term.NodeAt(int(t.W(1))), t.W(2)), more
	case term.KExtRef:
		return 7 + 4*int(t.W(2)) + o.atomSize(term.NodeAt(int(t.W(1))).Name), more
	case term.KExport:
		x := offheap.At[code.Export](uintptr(t.W(1)))
		return 1 + o.atomSize(x.MFA.Module.Atom()) + o.atomSize(x.MFA.Function.Atom()) +
			smallSize(int64(x.MFA.Arity)), more
	case term.KFun:
		f := offheap.At[code.FunEntry](uintptr(t.W(1)))
		return 40 + o.atomSize(f.Module.Atom()), append(more, run{t.Addr() + 16, n - 1})
	}
	return 0, more
}

func pushMap(t term.Term, more []run) []run {
	n := t.MapSize()
	if n == 0 {
		return more
	}
	if t.MapKind() == term.MapFlat {
		return append(more, run{t.Addr() + 16, n}, run{term.Term(t.W(1)).Addr() + 8, n})
	}
	for _, c := range leaves(t, n) {
		more = append(more, run{c.Addr(), 2})
	}
	return more
}
