package term

import (
	"math/big"
	"strconv"
)

// String returns t as erlang:display/1 prints it.
func (t Term) String() string { return string(t.AppendTo(nil)) }

// Hooks by which print, compare and hash see what higher packages know of a
// fun entry or export (both by address).
type FunInfo struct {
	Module         Term
	Index, OldUniq uint64
	OldIndex       uint64 // as printed
	Uniq           [16]byte
	Arity, NumFree int
}

var (
	FunInfoOf    func(entry uintptr) FunInfo
	ExportInfoOf func(export uintptr) (m, f Term, arity int)
)

// AppendTo appends t to b as erlang:display/1 prints it.
func (t Term) AppendTo(b []byte) []byte {
	p := printer{b: b}
	p.run(t)
	return p.b
}

// What waits on a printer's stack: a term, the rest of a list (a term too), n
// terms at an address, or text.
const (
	prTerm = iota
	prRest
	prWords
	prText
)

type printFrame struct {
	op   int
	t    Term
	n    int
	text string
}

type printer struct {
	b  []byte
	st []printFrame
}

func (p *printer) push(f printFrame) { p.st = append(p.st, f) }

func (p *printer) run(t Term) {
	var buf [16]printFrame
	p.st = buf[:0]
	p.one(t)
	for len(p.st) > 0 {
		f := p.st[len(p.st)-1]
		p.st = p.st[:len(p.st)-1]
		switch f.op {
		case prTerm:
			p.one(f.t)
		case prText:
			p.b = append(p.b, f.text...)
		case prRest:
			p.rest(f.t)
		case prWords:
			if f.n > 1 {
				p.push(printFrame{prWords, f.t + 8, f.n - 1, ""})
				p.push(printFrame{op: prText, text: ","})
			}
			p.one(Term(Get(uintptr(f.t), 0)))
		}
	}
}

// rest prints the elements of a list from t on.
func (p *printer) rest(t Term) {
	if tl := t.Tail(); tl.IsList() {
		p.push(printFrame{op: prRest, t: tl})
		p.push(printFrame{op: prText, text: ","})
	} else if tl != Nil {
		p.push(printFrame{op: prTerm, t: tl})
		p.push(printFrame{op: prText, text: "|"})
	}
	p.push(printFrame{op: prTerm, t: t.Head()})
}

func (p *printer) one(t Term) {
	switch {
	case t == None:
		p.b = append(p.b, "<TNV>"...)
	case t.IsSmall():
		p.b = strconv.AppendInt(p.b, t.Small(), 10)
	case t.IsAtom():
		p.b = appendAtom(p.b, t.Atom().String())
	case t.IsNil():
		p.b = append(p.b, "[]"...)
	case t.IsPid():
		n, num, ser := PidParts(t)
		p.id("<", channelOf(n), uint64(num), uint64(ser))
	case t.IsPort():
		n, num := PortParts(t)
		p.id("#Port<", channelOf(n), num)
	case t.IsList():
		if n, ok := printable(t); ok {
			p.b = appendString(p.b, t, n)
			return
		}
		p.b = append(p.b, '[')
		p.push(printFrame{op: prText, text: "]"})
		p.rest(t)
	case t.IsBoxed():
		p.boxed(t)
	default:
		p.b = append(p.b, "<cp/header:0x"...)
		p.b = strconv.AppendUint(p.b, uint64(t), 16)
		p.b = append(p.b, '>')
	}
}

func (p *printer) id(open string, parts ...uint64) {
	p.b = append(p.b, open...)
	for i, n := range parts {
		if i > 0 {
			p.b = append(p.b, '.')
		}
		p.b = strconv.AppendUint(p.b, n, 10)
	}
	p.b = append(p.b, '>')
}

// channelOf is the first number of a printed pid, port or reference: 0 for
// this node, the number of its name's atom for another.
func channelOf(n NodeRef) uint64 {
	if n.Name == ThisNode().Name {
		return 0
	}
	return uint64(n.Name)
}

func (p *printer) words(open, close string, a uintptr, n int) {
	p.b = append(p.b, open...)
	p.push(printFrame{op: prText, text: close})
	if n > 0 {
		p.push(printFrame{prWords, Term(a), n, ""})
	}
}

func (p *printer) boxed(t Term) {
	switch t.Kind() {
	case KTuple:
		p.words("{", "}", t.Addr()+8, t.Arity())
	case KMap:
		p.maps(t)
	case KFloat:
		p.b = strconv.AppendFloat(p.b, t.Float(), 'e', 6, 64)
	case KPosBig, KNegBig:
		p.b = BigOf(t).Append(p.b, 10)
	case KHeapBits, KSubBits:
		p.b = appendBits(p.b, t)
	case KRef, KExtRef:
		n, r, k := RefParts(t)
		parts := []uint64{channelOf(n)}
		for i := k - 1; i >= 0; i-- {
			parts = append(parts, uint64(r[i]))
		}
		p.id("#Ref<", parts...)
	case KFun:
		p.fun(t)
	case KExport:
		p.export(t)
	case KMatch:
		p.b = append(p.b, "#MatchState"...)
	default:
		p.b = append(p.b, "<unknown:0x"...)
		p.b = strconv.AppendUint(p.b, uint64(t), 16)
		p.b = append(p.b, '>')
	}
}

func (p *printer) fun(t Term) {
	var f FunInfo
	if FunInfoOf == nil {
		f.Module = AmUndefined
	} else {
		f = FunInfoOf(uintptr(t.W(1)))
	}
	p.b = append(p.b, "#Fun<"...)
	p.b = append(p.b, f.Module.Atom().String()...)
	p.b = append(p.b, '.')
	p.b = strconv.AppendInt(p.b, int64(int32(f.OldIndex)), 10)
	p.b = append(p.b, '.')
	p.b = strconv.AppendInt(p.b, int64(int32(f.OldUniq)), 10)
	p.b = append(p.b, '>')
}

func (p *printer) export(t Term) {
	m, f, a := AmUndefined, AmUndefined, 0
	if ExportInfoOf != nil {
		m, f, a = ExportInfoOf(uintptr(t.W(1)))
	}
	p.b = append(p.b, "fun "...)
	p.b = appendAtom(p.b, m.Atom().String())
	p.b = append(p.b, ':')
	p.b = appendAtom(p.b, f.Atom().String())
	p.b = append(p.b, '/')
	p.b = strconv.AppendInt(p.b, int64(a), 10)
}

// maps prints a flat map, or a node of a large one: display shows the tree.
func (p *printer) maps(t Term) {
	if t.MapKind() == MapFlat {
		p.b = append(p.b, "#{"...)
		p.push(printFrame{op: prText, text: "}"})
		keys := Term(t.W(1))
		for i := t.MapSize(); i > 0; i-- {
			p.push(printFrame{op: prTerm, t: Term(t.W(1 + i))})
			p.push(printFrame{op: prText, text: "=>"})
			p.push(printFrame{op: prTerm, t: keys.El(i)})
			if i > 1 {
				p.push(printFrame{op: prText, text: ","})
			}
		}
		return
	}
	if t.MapKind() == MapHead {
		p.b = append(p.b, '#')
	}
	p.b = append(p.b, '<')
	p.b = strconv.AppendUint(p.b, t.Hdr()>>32&0xFFFF, 16)
	f := childrenOf(t)
	p.words(">{", "}", f.at, f.n)
}

// BigOf returns the value of a bignum.
func BigOf(t Term) *big.Int {
	n := HeaderWords(t.Hdr())
	w := make([]big.Word, n)
	for i := range w {
		w[i] = big.Word(t.W(i + 1))
	}
	v := new(big.Int).SetBits(w)
	if t.Kind() == KNegBig {
		v.Neg(v)
	}
	return v
}
