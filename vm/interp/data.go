package interp

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Funs, maps, records: instructions that build or take apart.

var sendMFA = code.MFA{Module: term.AmErlang, Function: term.Intern("send"), Arity: 2}

// opMakeFun: fun entry, destination, list of free variables. No fun takes
// part in a collection here: Alloc falls to a fragment.
func opMakeFun(c *proc.Ctx, p *proc.Process, w uint64) {
	fe := opw(p, 1)
	n := int(opw(p, 3))
	a := p.Heap.Alloc(3 + n)
	term.Put(a, 0, term.Header(2+n, term.KFun))
	term.Put(a, 1, fe)
	term.PutTerm(a, 2, p.ID)
	for i := range n {
		term.PutTerm(a, 3+i, src(c, p, 4+i))
	}
	setDst(c, p, 2, term.Box(a))
	next(p, w)
}

// opIsFunction2: branch, fun, arity.
func opIsFunction2(c *proc.Ctx, p *proc.Process, w uint64) {
	f, a := src(c, p, 2), src(c, p, 3)
	if a.IsSmall() && a.Small() >= 0 && FunArity(f) == int(a.Small()) {
		next(p, w)
		return
	}
	branch(p, 1)
}

// FunArity returns the arity of a fun, -1 when t is none.
func FunArity(t term.Term) int {
	switch {
	case t.Is(term.KFun):
		return int(offheap.At[code.FunEntry](uintptr(t.W(1))).Arity)
	case t.Is(term.KExport):
		return int(offheap.At[code.Export](uintptr(t.W(1))).MFA.Arity)
	}
	return -1
}

// opPutMapAssoc: branch, source, destination, live, list of keys and values.
func opPutMapAssoc(c *proc.Ctx, p *proc.Process, w uint64) { putMap(c, p, w, false) }

// opPutMapExact is the same for keys that must be there.
func opPutMapExact(c *proc.Ctx, p *proc.Process, w uint64) { putMap(c, p, w, true) }

func putMap(c *proc.Ctx, p *proc.Process, w uint64, exact bool) {
	m, n := src(c, p, 2), int(opw(p, 5))
	if !m.IsMap() {
		mapFails(c, p, term.AmBadmap, m)
		return
	}
	var buf [2 * term.FlatMapLimit]term.Term
	kvs := buf[:0]
	for i := range n {
		kvs = append(kvs, src(c, p, 6+i))
	}
	switch {
	case exact:
		r, bad := maps.UpdateAll(&p.Heap, m, kvs)
		if bad >= 0 {
			mapFails(c, p, term.AmBadkey, kvs[bad])
			return
		}
		m = r
	case m.MapSize() == 0:
		m, _ = maps.FromPairs(&p.Heap, kvs)
	default:
		m = maps.PutAll(&p.Heap, m, kvs)
	}
	c.Dst, c.Live = regAddr(c, p, opw(p, 3)), int64(opw(p, 4))
	c.NextIP = p.IP + uintptr(w>>16&0xffff)*8
	finish(c, p, m)
}

func mapFails(c *proc.Ctx, p *proc.Process, tag, v term.Term) {
	if opw(p, 1) != 0 {
		branch(p, 1)
		return
	}
	raisePair(c, p, tag, v)
}

// opHasMapFields: branch, source, list of keys.
func opHasMapFields(c *proc.Ctx, p *proc.Process, w uint64) {
	m := src(c, p, 2)
	if !m.IsMap() {
		branch(p, 1)
		return
	}
	for i := range int(opw(p, 3)) {
		if _, ok := maps.Get(m, src(c, p, 4+i)); !ok {
			branch(p, 1)
			return
		}
	}
	next(p, w)
}

// opGetMapElements: branch, source, list of keys and destinations. The source
// may be among the destinations, so it is read once.
func opGetMapElements(c *proc.Ctx, p *proc.Process, w uint64) {
	m := src(c, p, 2)
	n := int(opw(p, 3))
	if !m.IsMap() {
		mapFails(c, p, term.AmBadmap, m)
		return
	}
	for i := 0; i < n; i += 2 {
		v, ok := maps.Get(m, src(c, p, 4+i))
		if !ok {
			mapFails(c, p, term.AmBadkey, src(c, p, 4+i))
			return
		}
		setDst(c, p, 5+i, v)
	}
	next(p, w)
}

// getMapSlow is get_map_element on what is no flat map.
func getMapSlow(x uintptr) {
	c, p := at(x)
	m := c.Args[0]
	tag, v := term.AmBadmap, m
	if m.IsMap() {
		if r, ok := maps.Get(m, c.Args[1]); ok {
			st(c.Dst, uint64(r))
			p.IP = c.NextIP
			return
		}
		tag, v = term.AmBadkey, c.Args[1]
	}
	if c.FailIP != 0 {
		p.IP += c.FailIP
		return
	}
	raisePair(c, p, tag, v)
}

// opUpdateRecord: size, source, destination, list of positions and values.
func opUpdateRecord(c *proc.Ctx, p *proc.Process, w uint64) {
	size, t := int(opw(p, 1)), src(c, p, 2)
	a := p.Heap.Alloc(1 + size)
	term.Put(a, 0, term.Header(size, term.KTuple)) // not t's: it may be longer
	for i := 1; i <= size; i++ {
		term.Put(a, i, t.W(i))
	}
	for i := 0; i < int(opw(p, 4)); i += 2 {
		term.PutTerm(a, int(opw(p, 5+i)), src(c, p, 6+i))
	}
	setDst(c, p, 3, term.Box(a))
	next(p, w)
}

// opSelectVal: source, branch otherwise, list of values and branches.
func opSelectVal(c *proc.Ctx, p *proc.Process, _ uint64) {
	v := src(c, p, 1)
	for i := 0; i < int(opw(p, 3)); i += 2 {
		if term.Same(v, term.Term(opw(p, 4+i))) {
			branch(p, 5+i)
			return
		}
	}
	branch(p, 2)
}

// opGcBif: live (-1: unknown), branch, export, destination, list of sources.
func opGcBif(c *proc.Ctx, p *proc.Process, w uint64) {
	n := int(opw(p, 5))
	for i := range n {
		c.Args[i] = src(c, p, 6+i)
	}
	c.Live, c.FailIP, c.Exp = int64(opw(p, 1)), uintptr(opw(p, 2)), uintptr(opw(p, 3))
	c.Dst = regAddr(c, p, opw(p, 4))
	c.NextIP = p.IP + uintptr(w>>16&0xffff)*8
	bifN(offheap.Addr(c), n)
}

// lengthPerRed is the elements of a list that length/1 counts for a reduction.
const lengthPerRed = 16

// opLength: live, fail, export, dst, source, words up to the next instruction.
// It is followed by length_more, which goes on with a list that is too long for
// the slice: the rest of it, its length so far, and all of it are in the
// registers above the live ones.
func opLength(c *proc.Ctx, p *proc.Process, _ uint64) {
	t := src(c, p, 5)
	lengthOn(c, p, t, 0, t, uintptr(opw(p, 6)))
}

// opLengthMore: live, fail, export, dst.
func opLengthMore(c *proc.Ctx, p *proc.Process, w uint64) {
	n := int(opw(p, 1))
	lengthOn(c, p, c.X[n], c.X[n+1].Small(), c.X[n+2], uintptr(w>>16&0xffff))
}

func lengthOn(c *proc.Ctx, p *proc.Process, l term.Term, n int64, list term.Term, words uintptr) {
	budget := max(p.FCalls, 1) * lengthPerRed
	k := int64(0)
	for ; k < budget && l.IsList(); k++ {
		l = l.Tail()
	}
	p.FCalls -= k / lengthPerRed
	switch {
	case l.IsNil():
		setDst(c, p, 4, term.Small(n+k))
		p.IP += words * 8
	case !l.IsList():
		if opw(p, 2) != 0 {
			branch(p, 2)
			return
		}
		p.Raise(proc.ClassError, term.AmBadarg)
		mfa := offheap.At[code.Export](uintptr(opw(p, 3))).MFA
		raise(c, p, fault{mfa: mfa, args: p.Heap.List(list), info: errorInfo(p, mfa.Module, term.None, term.None), pc: p.IP})
	default:
		live := int(opw(p, 1))
		c.X[live], c.X[live+1], c.X[live+2] = l, term.Small(n+k), list
		if w := ld(p.IP); op.Op(w&511) == op.Length {
			next(p, w)
		}
		leave(c, p, proc.Yielded, live+3)
	}
}

// opGetElement: source, word offset, destination.
func opGetElement(c *proc.Ctx, p *proc.Process, w uint64) {
	setDst(c, p, 3, term.Term(src(c, p, 1).W(int(opw(p, 2)))))
	next(p, w)
}

// opPutElement: value, tuple, word offset.
func opPutElement(c *proc.Ctx, p *proc.Process, w uint64) {
	src(c, p, 2).SetW(int(opw(p, 3)), uint64(src(c, p, 1)))
	next(p, w)
}
