package spec

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/term"
)

type emitter func(a *asm, args []op.Arg)

// emitters translate generic instructions one by one; those without one are
// not supported. Rules (rules.go) come first.
var emitters [op.MaxGeneric + 1]emitter

var _ = fillEmitters()

func fillEmitters() bool {
	for _, t := range []map[op.Generic]emitter{controlEmitters, dataEmitters, testEmitters, bifEmitters, bitEmitters} {
		for g, e := range t {
			emitters[g] = e
		}
	}
	for g, o := range coldForms {
		emitters[g] = func(a *asm, args []op.Arg) { a.cold(o, args...) }
	}
	return true
}

// coldForms are the generic instructions whose operands go unchanged, in
// order, into a cold instruction.
var coldForms = map[op.Generic]op.Op{
	op.GBadmatch: op.Badmatch, op.GCaseEnd: op.CaseEnd, op.GIfEnd: op.IfEnd,
	op.GTryCaseEnd: op.TryCaseEnd, op.GBadrecord: op.Badrecord,
	op.GCatchEnd: op.CatchEnd, op.GTryCase: op.TryCase, op.GRaise: op.Raise,
	op.GRawRaise: op.RawRaise, op.GBuildStacktrace: op.BuildStacktrace,
	op.GSend:          op.Send,
	op.GRemoveMessage: op.RemoveMessage, op.GWait: op.Wait,
	op.GWaitTimeout: op.WaitTimeout, op.GTimeout: op.Timeout,
	op.GRecvMarkerReserve: op.RecvMarkerReserve, op.GRecvMarkerBind: op.RecvMarkerBind,
	op.GRecvMarkerClear: op.RecvMarkerClear, op.GRecvMarkerUse: op.RecvMarkerUse,
	op.GPutMapAssoc: op.PutMapAssoc, op.GPutMapExact: op.PutMapExact,
	op.GHasMapFields: op.HasMapFields,
	op.GIsFunction2:  op.IsFunction2,
}

func nothing(*asm, []op.Arg) {}

var controlEmitters = map[op.Generic]emitter{
	op.GLabel: func(a *asm, g []op.Arg) {
		l := g[0].Val
		if l < 0 || int(l) >= len(a.out.Labels) || a.out.Labels[l] >= 0 {
			a.fail("label %d is out of range or defined twice", l)
			return
		}
		a.out.Labels[l] = a.here()
	},
	op.GFuncInfo: func(a *asm, g []op.Arg) {
		a.out.Infos = append(a.out.Infos, a.here())
		a.word(uint64(op.FuncInfo) | 1<<16)
		a.word(uint64(g[0].Val))
		a.word(uint64(g[1].Val))
		a.word(uint64(g[2].Val))
		a.word(0)
	},
	op.GIntCodeEnd: nothing, op.GOnLoad: nothing, op.GNifStart: nothing,
	op.GFclearerror: nothing, op.GFcheckerror: nothing, op.GDebugLine: nothing,
	op.GRecvMark: nothing, op.GRecvSet: nothing,
	op.GLine:           line,
	op.GExecutableLine: line,

	op.GAllocate:         func(a *asm, g []op.Arg) { a.allocate(int(g[0].Val), 0, int(g[1].Val), false) },
	op.GAllocateZero:     func(a *asm, g []op.Arg) { a.allocate(int(g[0].Val), 0, int(g[1].Val), true) },
	op.GAllocateHeap:     func(a *asm, g []op.Arg) { a.allocate(int(g[0].Val), a.words(g[1]), int(g[2].Val), false) },
	op.GAllocateHeapZero: func(a *asm, g []op.Arg) { a.allocate(int(g[0].Val), a.words(g[1]), int(g[2].Val), true) },
	op.GTestHeap: func(a *asm, g []op.Arg) {
		n, live := a.words(g[0]), int(g[1].Val)
		if _, ok := a.emit(op.BTestHeap, num(n*8), num(live)); !ok {
			a.allocateBig(0, n, live)
		}
	},
	op.GDeallocate: func(a *asm, g []op.Arg) { a.must(op.BDeallocate, frame(g[0])) },
	op.GTrim:       func(a *asm, g []op.Arg) { a.must(op.BTrim, num(int(g[0].Val)*8)) },
	op.GInit:       func(a *asm, g []op.Arg) { a.clear(a.arg(g[0])) },
	op.GInitYregs: func(a *asm, g []op.Arg) {
		a.clearAll(g[0].List)
	},
	op.GReturn:   func(a *asm, g []op.Arg) { a.must(op.BReturn) },
	op.GJump:     jump,
	op.GCall:     func(a *asm, g []op.Arg) { a.must(op.BCall, a.arg(g[1])) },
	op.GCallOnly: func(a *asm, g []op.Arg) { a.must(op.BCallOnly, a.arg(g[1])) },
	op.GCallLast: func(a *asm, g []op.Arg) { a.must(op.BCallLast, frame(g[2]), a.arg(g[1])) },

	op.GCallExt:     func(a *asm, g []op.Arg) { a.callExt(g, inPlace, 0) },
	op.GCallExtOnly: func(a *asm, g []op.Arg) { a.callExt(g, only, 0) },
	op.GCallExtLast: func(a *asm, g []op.Arg) { a.callExt(g, last, int(g[2].Val)*8+8) },
	op.GApply:       func(a *asm, g []op.Arg) { a.must(op.BApply, num(int(g[0].Val)*8), num(0)) },
	op.GApplyLast: func(a *asm, g []op.Arg) {
		a.must(op.BApplyLast, num(int(g[0].Val)*8), frame(g[1]), num(0))
	},
	op.GCallFun: func(a *asm, g []op.Arg) { a.must(op.BCallFun, a.arg(g[0])) },
	op.GCallFun2: func(a *asm, g []op.Arg) {
		a.funToX(g)
		a.must(op.BCallFun, a.arg(g[1]))
	},
	op.GLoopRec:    func(a *asm, g []op.Arg) { a.must(op.BLoopRec, a.arg(g[1]).out(), a.arg(g[0])) },
	op.GLoopRecEnd: func(a *asm, g []op.Arg) { a.must(op.BLoopRecEnd, a.arg(g[0])) },

	op.GCatch:  func(a *asm, g []op.Arg) { a.must(op.BCatch, a.arg(g[0]).out(), a.arg(g[1])) },
	op.GTry:    func(a *asm, g []op.Arg) { a.must(op.BCatch, a.arg(g[0]).out(), a.arg(g[1])) },
	op.GTryEnd: func(a *asm, g []op.Arg) { a.must(op.BTryEnd, a.arg(g[0]).out()) },
}

func line(a *asm, g []op.Arg) {
	a.out.Lines = append(a.out.Lines, LineMark{a.here(), int32(g[0].Val)})
}

// frame is the operand of an instruction that drops a frame of n Y registers.
func frame(n op.Arg) operand { return num(int(n.Val)*8 + 8) }

func (a *asm) clear(y operand) { a.must(op.BMove, constant(term.Nil), y.out()) }

// clearAll initialises Y registers: runs by one instruction, others by two or
// three to an instruction.
func (a *asm) clearAll(ys []op.Arg) {
	for len(ys) > 0 {
		run := 1
		for run < len(ys) && ys[run].Val == ys[0].Val+int64(run) {
			run++
		}
		switch {
		case run > 3:
			a.must(op.BClearRun, a.arg(ys[0]), num(run*8))
			ys = ys[run:]
		case len(ys) >= 3:
			a.must(op.BClear3, a.arg(ys[0]), a.arg(ys[1]), a.arg(ys[2]))
			ys = ys[3:]
		case len(ys) == 2:
			a.must(op.BClear2, a.arg(ys[0]), a.arg(ys[1]))
			ys = nil
		default:
			a.clear(a.arg(ys[0]))
			ys = nil
		}
	}
}

// allocate makes a frame of n Y registers, testing for heap words.
func (a *asm) allocate(n, heap, live int, zero bool) {
	ok := false
	if heap == 0 {
		_, ok = a.emit(op.BAllocate, num(n*8+8), num(live))
	} else {
		_, ok = a.emit(op.BAllocateHeap, num(n*8+8), num(heap*8), num(live))
	}
	if !ok {
		a.allocateBig(n+1, heap, live)
	}
	if zero {
		for i := range n {
			a.clear(operand{kind: 'y', v: uint64(i)*8 + 8})
		}
	}
}

func (a *asm) allocateBig(frame, heap, live int) {
	u := func(n int) op.Arg { return op.Arg{Kind: op.ArgU, Val: int64(n)} }
	a.cold(op.AllocateBig, u(frame), u(heap), u(live))
}

// funToX puts the fun of a call_fun2 after the arguments.
func (a *asm) funToX(g []op.Arg) {
	f, to := a.arg(g[2]), xreg(int(g[1].Val))
	if f.kind != to.kind || f.v != to.v {
		a.must(op.BMove, f, to.out())
	}
}

// How an external call is made.
const (
	inPlace = iota // from a frame that stays
	only           // from a function without a frame, as its last act
	last           // dropping the frame
)

func exp(e *code.Export) operand { return operand{kind: 'u', v: uint64(offheap.Addr(e))} }

func (a *asm) callExt(g []op.Arg, how, drop int) {
	i := int(g[1].Val)
	if i < 0 || i >= len(a.in.Imports) {
		a.fail("import %d of %d", i, len(a.in.Imports))
		return
	}
	e := a.in.Imports[i]
	if o, ok := inline[name(e)]; ok {
		d := int64(0)
		if how != inPlace {
			d = int64(drop) + 1
		}
		a.cold(o, op.Arg{Kind: op.ArgU, Val: d})
		return
	}
	if e.Native >= 0 {
		switch how {
		case only:
			a.allocate(0, 0, int(g[0].Val), false)
			drop = 8
			fallthrough
		case last:
			a.must(op.BCallNative, exp(e))
			a.must(op.BDeallocateReturn, num(drop))
		default:
			a.must(op.BCallNative, exp(e))
		}
		return
	}
	switch how {
	case only:
		a.must(op.BCallExtOnly, exp(e))
	case last:
		a.must(op.BCallExtLast, num(drop), exp(e))
	default:
		a.must(op.BCallExt, exp(e))
	}
}

type mfa struct {
	m, f string
	a    uint64
}

func name(e *code.Export) mfa {
	return mfa{e.MFA.Module.Atom().String(), e.MFA.Function.Atom().String(), e.MFA.Arity}
}

// inline are the calls that are instructions: they go on elsewhere.
var inline = map[mfa]op.Op{
	{"erlang", "apply", 2}:     op.ApplyFun,
	{"erlang", "apply", 3}:     op.Apply3,
	{"erlang", "hibernate", 3}: op.Hibernate,
}

// jump has an operand more when it has to cost reductions: the live registers.
func jump(a *asm, g []op.Arg) {
	if len(g) > 1 {
		a.cold(op.CostlyJump, g...)
		return
	}
	a.must(op.BJump, a.arg(g[0]))
}
