package loader_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/internal/fixture"
	. "github.com/beamrd/beamrd/loader"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/gc"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// TestHostile runs random code: what the verifier lets pass may raise, loop or
// build nonsense, but must not break the VM. The invariants build looks at
// every heap after each collection.
//
// BEAMRD_HOSTILE is the number of modules; BEAMRD_SEED repeats a run.
func TestHostile(t *testing.T) {
	n, seed := 200, uint64(1)
	if v, err := strconv.Atoi(os.Getenv("BEAMRD_HOSTILE")); err == nil {
		n = v
	}
	if v, err := strconv.ParseUint(os.Getenv("BEAMRD_SEED"), 10, 64); err == nil {
		seed = v
	}
	gc.Stress = true
	proc.SetSystemLogger(term.AmUndefined)
	fixture.Start(t)
	th := epoch.Pin()
	defer th.Unpin()
	refused := map[string]int{}
	ran := 0
	for i := range n {
		s := seed + uint64(i)
		g := &gen{r: rand.New(rand.NewPCG(s, 7)), b: NewBuilder()}
		g.module(fmt.Sprintf("hostile_%d", s))
		if os.Getenv("BEAMRD_VERBOSE") != "" {
			fmt.Println("seed", s)
			_ = Disasm(g.b.File(), "", false, os.Stdout)
		}
		p, err := Prepare(g.b.File())
		if err != nil {
			refused[err.(*Error).Instr+": "+err.(*Error).Msg]++
			continue
		}
		ran++
		m := p.Module()
		if o, _ := Commit([]*Prepared{p}, func(f func()) { f() }); o != Loaded {
			t.Fatal(o)
		}
		run(m, g.r)
	}
	t.Logf("%d of %d modules ran", ran, n)
	if os.Getenv("BEAMRD_VERBOSE") != "" || ran < n/2 {
		t.Log(refused)
	}
	if ran < n/2 {
		t.Error("most were refused")
	}
}

// run calls f/2 of a module in a few processes and stops those that loop.
func run(m term.Term, r *rand.Rand) {
	f := term.Intern("f")
	if code.FindExport(m, f, 2) == nil {
		return
	}
	var pids []term.Term
	for range 3 {
		var h heap.Heap
		args := []term.Term{value(&h, r, 3), value(&h, r, 3)}
		o := proc.DefaultSpawnOpts()
		o.MaxHeap = term.Small(1 << 20)
		pid, _, _ := proc.Spawn(nil, m, f, args, &o)
		h.Release()
		pids = append(pids, pid)
		proc.SendTerm(term.None, pid, term.Intern("hello"))
		proc.SendTerm(term.None, pid, term.Small(int64(r.IntN(9))))
	}
	end := time.Now().Add(20 * time.Millisecond)
	for _, pid := range pids {
		for proc.Lookup(pid) != nil && time.Now().Before(end) {
			time.Sleep(50 * time.Microsecond)
		}
		for proc.Lookup(pid) != nil {
			proc.SendExit(nil, pid, pid, term.AmKill)
			time.Sleep(time.Millisecond)
		}
	}
}

// value builds a random term.
func value(h *heap.Heap, r *rand.Rand, depth int) term.Term {
	n := 12
	if depth == 0 {
		n = 6
	}
	switch r.IntN(n) {
	case 0:
		return term.Small(int64(r.IntN(20) - 5))
	case 1:
		return term.Intern([]string{"a", "b", "ok", "true", "false", "infinity"}[r.IntN(6)])
	case 2:
		return term.Nil
	case 3:
		return h.Int(r.Int64())
	case 4:
		b := make([]byte, r.IntN(100))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return h.Binary(b)
	case 5:
		return h.Float(uint64(r.IntN(3)) << 62)
	case 6, 7, 8:
		els := make([]term.Term, r.IntN(5))
		for i := range els {
			els[i] = value(h, r, depth-1)
		}
		return h.Tuple(els...)
	}
	l := term.Nil
	if r.IntN(4) == 0 {
		l = value(h, r, 0)
	}
	for range r.IntN(5) {
		l = h.Cons(value(h, r, depth-1), l)
	}
	return l
}

// gen makes a module. In its functions X0 to X3 and the frame's Y registers
// always hold something, and heap is reserved before it is used, mostly.
type gen struct {
	r      *rand.Rand
	b      *Builder
	label  int   // the next one
	blocks []int // those further on
	before []int // those already written, where the frame is whole
	ys     int
	tag    bool // y0 holds a tag
	imp    map[string]int
}

const (
	nX   = 4
	ctxX = X(nX) // match contexts are kept here
	live = nX + 1
)

func (g *gen) module(name string) {
	g.b.Name(name)
	g.imp = map[string]int{}
	g.b.Strings("abcdefghijklmnopqrstuvwxyz0123456789")
	g.b.Literal(131, 104, 2, 97, 1, 97, 2)              // {1,2}
	g.b.Literal(131, 107, 0, 3, 1, 2, 3)                // [1,2,3]
	g.b.Literal(131, 109, 0, 0, 0, 3, 1, 2, 3)          // <<1,2,3>>
	g.b.Literal(131, 116, 0, 0, 0, 1, 97, 1, 106)       // #{1 => []}
	g.b.Literal(131, 70, 64, 9, 33, 251, 84, 68, 45, 0) // 3.14
	g.b.Literal(131, 110, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	g.label = 1
	funcs := 1 + g.r.IntN(3)
	for i := range funcs {
		fn := string(rune('f' + i))
		g.b.Lambda(fn, 2, g.label+1, i%2)
		if i == 0 {
			g.b.Export(fn, 2, g.label+1)
		}
		g.function(fn)
	}
}

func (g *gen) function(name string) {
	b := g.b
	b.Fn(name, 2, g.label)
	entry := g.label
	g.label += 2
	g.ys, g.tag = 1+g.r.IntN(3), false
	n := 2 + g.r.IntN(6)
	blocks := make([]int, n)
	for i := range blocks {
		blocks[i] = g.label
		g.label++
	}
	b.Emit(op.GAllocateZero, g.ys, 2).Emit(op.GMove, X(0), X(2)).Emit(op.GMove, X(1), X(3)).Emit(op.GMove, X(0), ctxX)
	for i, l := range blocks {
		g.blocks, g.before = blocks[i+1:], blocks[:i+1]
		b.Emit(op.GLabel, l)
		if i == n-1 {
			b.Emit(op.GMove, g.src(), X(0)).Emit(op.GDeallocate, g.ys).Emit(op.GReturn)
			break
		}
		for range 1 + g.r.IntN(8) {
			g.instr(entry)
		}
		switch {
		case g.r.IntN(6) == 0:
			b.Emit(op.GMove, g.src(), X(0)).Emit(op.GDeallocate, g.ys).Emit(op.GReturn)
		case g.r.IntN(3) == 0:
			b.Emit(op.GSelectVal, g.src(), g.to(), L{g.con(), g.to(), g.con(), g.to()})
		case g.r.IntN(2) == 0:
			b.Emit(op.GJump, g.to())
		}
	}
}

func (g *gen) to() F {
	if len(g.before) > 0 && !g.tag && g.r.IntN(8) == 0 {
		return F(g.before[g.r.IntN(len(g.before))])
	}
	return F(g.blocks[g.r.IntN(len(g.blocks))])
}
func (g *gen) x() X   { return X(g.r.IntN(nX)) }
func (g *gen) fr() FR { return FR(g.r.IntN(4)) }

func (g *gen) reg() any {
	if g.r.IntN(3) == 0 {
		return Y(g.r.IntN(g.ys))
	}
	return g.x()
}

// ctx is mostly where a match context may be.
func (g *gen) ctx() any {
	if g.r.IntN(20) == 0 {
		return g.reg()
	}
	return ctxX
}

func (g *gen) con() any {
	switch g.r.IntN(6) {
	case 0:
		return I(g.r.IntN(300) - 10)
	case 1:
		return []string{"a", "ok", "true", "false", "b"}[g.r.IntN(5)]
	case 2:
		return nil
	}
	return I(g.r.IntN(9))
}

func (g *gen) src() any {
	switch g.r.IntN(8) {
	case 0:
		return g.con()
	case 1:
		return Q(g.r.IntN(6))
	}
	return g.reg()
}

func (g *gen) size() any {
	if g.r.IntN(3) == 0 {
		return g.src()
	}
	return I([]int{0, 1, 7, 8, 9, 16, 32, 63, 64, 65, 200, 1 << 20}[g.r.IntN(12)])
}

func (g *gen) bif(name string, n int) int {
	k := fmt.Sprint(name, n)
	if _, ok := g.imp[k]; !ok {
		g.imp[k] = g.b.Import("erlang", name, n)
	}
	return g.imp[k]
}

func (g *gen) fail() F {
	if g.r.IntN(2) == 0 {
		return F(0)
	}
	return g.to()
}

// again gives the X registers that a call lost something to hold.
func (g *gen) again(from int) {
	for i := from; i <= nX; i++ {
		g.b.Emit(op.GMove, []any{g.con(), X(0), Y(g.r.IntN(g.ys))}[g.r.IntN(3)], X(i))
	}
}

func pick[T any](r *rand.Rand, v ...T) T { return v[r.IntN(len(v))] }

func (g *gen) instr(entry int) {
	switch g.r.IntN(6) {
	case 0:
		g.dataInstr()
	case 1:
		g.testInstr()
	case 2:
		g.bifInstr()
	case 3:
		g.matchInstr()
	case 4:
		g.bitsInstr()
	case 5:
		g.callInstr(entry)
	}
}

func (g *gen) dataInstr() {
	b := g.b
	switch g.r.IntN(16) {
	case 0, 1:
		b.Emit(op.GMove, g.src(), g.reg())
	case 2:
		b.Emit(op.GSwap, g.reg(), g.reg())
	case 3:
		b.Emit(op.GGetList, g.src(), g.reg(), g.reg())
	case 4:
		b.Emit(pick(g.r, op.GGetHd, op.GGetTl), g.src(), g.reg())
	case 5:
		b.Emit(op.GGetTupleElement, g.src(), g.r.IntN(4), g.reg())
	case 6:
		b.Emit(op.GTestHeap, Al{0, 8, 1, 1, 2, 1}, live).Emit(op.GPutList, g.src(), g.src(), g.reg()).
			Emit(op.GPutTuple2, g.reg(), L{g.src(), g.src()})
	case 7:
		b.Emit(op.GTestHeap, 10, live).Emit(op.GUpdateRecord, pick(g.r, "copy", "reuse"), 2, g.src(), g.reg(), L{1 + g.r.IntN(2), g.src()})
	case 8:
		b.Emit(pick(g.r, op.GPutMapAssoc, op.GPutMapExact), F(0), g.src(), g.reg(), live, L{g.src(), g.src(), g.src(), g.src()})
	case 9:
		b.Emit(op.GGetMapElements, g.to(), g.src(), L{g.src(), X(0), g.src(), X(1)})
	case 10:
		b.Emit(op.GFmove, g.src(), g.fr()).Emit(op.GFconv, g.src(), g.fr()).
			Emit(pick(g.r, op.GFadd, op.GFsub, op.GFmul, op.GFdiv), F(0), g.fr(), g.fr(), g.fr()).
			Emit(op.GTestHeap, Al{1, 1}, live).Emit(op.GFmove, g.fr(), g.reg())
	case 11:
		b.Emit(op.GInitYregs, L{Y(g.r.IntN(g.ys))})
	case 12:
		b.Emit(op.GCallExt, 3, g.bif("setelement", 3)).Emit(op.GSetTupleElement, g.con(), X(0), g.r.IntN(3))
		g.again(1)
	case 13:
		b.Emit(op.GTestHeap, Al{0, 2, 2, 1}, live).Emit(op.GMakeFun3, 0, g.reg(), L{})
	case 14:
		b.Emit(op.GBadmatch, g.src())
		b.Emit(op.GLabel, g.label)
		g.label++
	case 15:
		b.Emit(op.GPutList, g.src(), g.src(), g.reg()) // mostly refused
	}
}

func (g *gen) testInstr() {
	b := g.b
	switch g.r.IntN(8) {
	case 0:
		b.Emit(pick(g.r, op.GIsLt, op.GIsGe, op.GIsEq, op.GIsNe, op.GIsEqExact, op.GIsNeExact), g.to(), g.src(), g.src())
	case 1, 2, 3:
		b.Emit(pick(g.r, op.GIsInteger, op.GIsFloat, op.GIsNumber, op.GIsAtom, op.GIsPid, op.GIsReference, op.GIsPort, op.GIsNil,
			op.GIsBinary, op.GIsBitstr, op.GIsList, op.GIsNonemptyList, op.GIsTuple, op.GIsFunction, op.GIsBoolean, op.GIsMap), g.to(), g.src())
	case 4:
		b.Emit(op.GTestArity, g.to(), g.src(), g.r.IntN(4))
	case 5:
		b.Emit(op.GIsTaggedTuple, g.to(), g.src(), g.r.IntN(4), "ok")
	case 6:
		b.Emit(op.GIsFunction2, g.to(), g.src(), g.src())
	case 7:
		b.Emit(op.GHasMapFields, g.to(), g.src(), L{g.src()})
	}
}

func (g *gen) bifInstr() {
	b := g.b
	switch g.r.IntN(6) {
	case 0:
		b.Emit(op.GBif1, g.fail(), g.bif(pick(g.r, "hd", "tl", "is_atom", "node", "get", "not"), 1), g.src(), g.reg())
	case 1:
		b.Emit(op.GBif2, g.fail(), g.bif(pick(g.r, "element", "map_get", "is_map_key", "=:=", "<", "and", "max"), 2), g.src(), g.src(), g.reg())
	case 2:
		b.Emit(op.GGcBif1, g.fail(), live, g.bif(pick(g.r, "length", "byte_size", "bit_size", "size", "tuple_size", "abs", "trunc", "round", "float", "-", "bnot", "map_size"), 1), g.src(), g.reg())
	case 3, 4:
		b.Emit(op.GGcBif2, g.fail(), live, g.bif(pick(g.r, "+", "-", "*", "div", "rem", "band", "bor", "bxor", "bsl", "bsr", "/", "binary_part"), 2), g.src(), g.src(), g.reg())
	case 5:
		b.Emit(op.GGcBif3, g.fail(), live, g.bif("binary_part", 3), g.src(), g.src(), g.src(), g.reg())
	}
}

func (g *gen) matchInstr() {
	b := g.b
	flags := g.r.IntN(8)
	unit := pick(g.r, 1, 8, 1, 8, 7, 256)
	switch g.r.IntN(17) {
	case 0, 1, 2, 3:
		b.Emit(op.GBsStartMatch3, g.to(), g.src(), live, g.ctx())
	case 4:
		b.Emit(op.GBsStartMatch4, pick(g.r, "no_fail", "resume"), live, g.src(), g.ctx())
	case 5:
		b.Emit(pick(g.r, op.GBsGetInteger2, op.GBsGetFloat2, op.GBsGetBinary2), g.to(), g.ctx(), live, g.size(), unit, flags, g.reg())
	case 6:
		b.Emit(op.GBsGetBinary2, g.to(), g.ctx(), live, "all", unit, flags, g.reg())
	case 7:
		b.Emit(op.GBsSkipBits2, g.to(), g.ctx(), g.size(), unit, flags)
	case 8:
		b.Emit(op.GBsTestTail2, g.to(), g.ctx(), g.r.IntN(20)).Emit(op.GBsTestUnit, g.to(), g.ctx(), unit)
	case 9:
		b.Emit(op.GBsMatchString, g.to(), g.ctx(), g.r.IntN(33), g.r.IntN(30))
	case 10:
		b.Emit(op.GBsGetTail, g.ctx(), g.reg(), live)
	case 11:
		b.Emit(op.GBsGetPosition, g.ctx(), g.reg(), live).Emit(op.GBsSetPosition, g.ctx(), g.src())
	case 12:
		b.Emit(pick(g.r, op.GBsGetUtf8, op.GBsGetUtf16, op.GBsGetUtf32), g.to(), g.ctx(), live, flags, g.reg())
	case 14:
		b.Emit(op.GBsStartMatch2, g.to(), g.src(), live, g.r.IntN(3), ctxX)
	case 15:
		b.Emit(pick(g.r, op.GBsSave2, op.GBsRestore2), g.ctx(), pick[any](g.r, "start", g.r.IntN(3), I(0)))
	case 16:
		b.Emit(op.GBsContextToBinary, g.ctx())
	case 13:
		b.Emit(op.GBsMatch, g.to(), g.ctx(), L{"ensure_at_least", 16, 1, "integer", live, nil, 8, 1, g.reg(), "=:=", nil, 4, 3,
			"binary", live, nil, 4, 1, g.reg(), pick[any](g.r, "skip"), 3, "get_tail", live, 1, g.reg()})
	}
}

func (g *gen) bitsInstr() {
	b := g.b
	unit, flags := pick(g.r, 1, 8, 3, 256), g.r.IntN(8)
	switch g.r.IntN(6) {
	case 0, 1:
		seg := func(k int) []any {
			switch g.r.IntN(5) {
			case 0:
				return []any{"integer", k, unit, nil, g.src(), g.size()}
			case 1:
				return []any{"binary", k, unit, nil, g.src(), pick[any](g.r, "all", g.size())}
			case 2:
				return []any{"float", k, 1, nil, g.src(), I(pick(g.r, 16, 32, 64))}
			case 3:
				return []any{pick(g.r, "utf8", "utf16", "utf32"), k, 0, nil, g.src(), "undefined"}
			}
			return []any{"string", k, 8, nil, U(g.r.IntN(20)), I(g.r.IntN(16))}
		}
		l := L{}
		if g.r.IntN(3) == 0 {
			l = append(l, pick[any](g.r, "append", "private_append"), 1, pick(g.r, 1, 8), nil, g.reg(), "all")
		}
		for k := range 1 + g.r.IntN(3) {
			l = append(l, seg(k+2)...)
		}
		b.Emit(op.GBsCreateBin, g.fail(), Al{0, 2}, live, pick(g.r, 1, 8), g.reg(), l)
	case 2:
		b.Emit(op.GBsInit2, g.fail(), pick[any](g.r, U(g.r.IntN(80)), g.reg()), 0, live, flags, g.x()).
			Emit(op.GBsPutInteger, F(0), g.size(), unit, flags, g.src()).
			Emit(op.GBsPutString, g.r.IntN(16), g.r.IntN(16)).
			Emit(op.GBsPutBinary, F(0), pick[any](g.r, "all", g.size()), unit, flags, g.src())
	case 3:
		b.Emit(op.GBsInitBits, g.fail(), pick[any](g.r, U(g.r.IntN(800)), g.reg()), 0, live, flags, g.x()).
			Emit(op.GBsPutFloat, F(0), I(pick(g.r, 32, 64, 16, 5)), 1, flags, g.src()).
			Emit(pick(g.r, op.GBsPutUtf8, op.GBsPutUtf16, op.GBsPutUtf32), F(0), flags, g.src())
	case 4:
		b.Emit(op.GBsAppend, g.fail(), g.size(), 0, live, unit, g.src(), flags, g.reg()).
			Emit(op.GBsPutInteger, F(0), g.size(), 1, flags, g.src())
	case 5:
		b.Emit(op.GBsInitWritable)
		g.again(1)
	}
}

func (g *gen) callInstr(entry int) {
	b := g.b
	switch g.r.IntN(13) {
	case 0:
		b.Emit(op.GCall, 2, F(entry+1))
		g.again(1)
	case 1:
		b.Emit(op.GCallFun, g.r.IntN(3))
		g.again(1)
	case 2:
		b.Emit(op.GApply, g.r.IntN(2))
		g.again(1)
	case 3:
		b.Emit(op.GSend)
		g.again(1)
	case 4:
		b.Emit(op.GCallExt, 0, g.bif("self", 0))
		g.again(1)
	case 5:
		b.Emit(op.GBuildStacktrace)
		g.again(1)
	case 6:
		b.Emit(op.GRawRaise)
		g.again(1)
	case 7:
		l, n := g.label, g.label+1
		g.label += 2
		b.Emit(op.GLabel, l).Emit(op.GLoopRec, F(n), X(0)).Emit(op.GIsInteger, F(n+1), X(0)).Emit(op.GRemoveMessage)
		g.again(1)
		b.Emit(op.GJump, F(n+2)).Emit(op.GLabel, n+1).Emit(op.GLoopRecEnd, F(l)).
			Emit(op.GLabel, n).Emit(op.GWaitTimeout, F(l), I(g.r.IntN(2))).Emit(op.GTimeout)
		g.label += 2
		b.Emit(op.GMove, g.con(), X(0))
		g.again(1)
		b.Emit(op.GLabel, n+2)
	case 8, 9:
		g.tryCatch(entry)
	case 10:
		b.Emit(op.GCallExt, pick(g.r, 1), g.bif(pick(g.r, "list_to_tuple", "tuple_to_list", "term_to_binary", "iolist_to_binary", "binary_to_list", "make_ref"), 1))
		g.again(1)
	case 11:
		b.Emit(op.GCallExt, 2, g.bif(pick(g.r, "++", "--", "put", "phash2", "append_element", "split_binary"), 2))
		g.again(1)
	case 12:
		b.Emit(op.GTrim, 0, g.ys)
	}
}

// tryCatch runs an instruction under a handler.
func (g *gen) tryCatch(entry int) {
	if g.tag {
		return
	}
	g.tag = true
	b := g.b
	l := g.label
	g.label += 2
	y := Y(g.ys - 1)
	g.ys-- // nobody touches the tag
	if g.ys > 0 {
		blocks := g.blocks
		g.blocks = []int{l + 1} // stay inside
		if g.r.IntN(2) == 0 {
			b.Emit(op.GTry, y, F(l))
			g.instr(entry)
			b.Emit(op.GTryEnd, y).Emit(op.GJump, F(l+1))
			b.Emit(op.GLabel, l).Emit(op.GTryCase, y)
		} else {
			b.Emit(op.GCatch, y, F(l))
			g.instr(entry)
			b.Emit(op.GLabel, l).Emit(op.GCatchEnd, y)
		}
		g.again(1)
		b.Emit(op.GLabel, l+1)
		g.blocks = blocks
	}
	g.ys++
	g.tag = false
}
