package interp

import (
	"sync"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
	"github.com/beamrd/beamrd/vm/trace"
)

// The engine's own code: a few instructions that continuation pointers, new
// processes, exports without code and unloaded funs lead to. Each has the room
// of a function's header before it, with an arity for yieldAtEntry.
const staticStep = code.InfoWords + 1

var static, staticEnd uintptr

func isStatic(ip uintptr) bool { return ip-static < staticEnd-static }

func setup() {
	fillColdOps()
	setTermHooks()
	trace.Setup()
	proc.UnwindExit = func(p *proc.Process, reason term.Term) {
		p.Catches = 0
		traceUnwind(p, term.AmExit, reason)
	}
	setInfoHooks()
	ops := []struct {
		op    op.Op
		arity uint64
	}{
		{op.NormalExit, 0}, {op.StartApply, 3}, {op.UnloadedFun, 0},
		{op.ReturnTrace, 1}, {op.ExceptionTrace, 1}, {op.ReturnTo, 1}, {op.ReturnTime, 1},
	}
	n := uintptr(len(ops)*staticStep) * 8
	static = offheap.AllocZero(n, offheap.Code)
	staticEnd = static + n
	entry := func(i int) uintptr { return static + uintptr(i*staticStep+code.InfoWords)*8 }
	for i, o := range ops {
		st(entry(i), uint64(o.op)|1<<16)
		st(entry(i)-16, o.arity)
	}
	proc.NormalExitIP = entry(0)
	proc.ApplyIP = entry(1)
	code.UnloadedFun = entry(2)
	returnTraceIP, exceptionTraceIP, returnToIP, returnTimeIP = entry(3), entry(4), entry(5), entry(6)
	code.InitTramp = initTramp
	code.SetNative = setNative
	code.PatchNative = patchNative
	code.UnpatchEntry = unpatchEntry
}

// initTramp makes an export without code call the error handler.
func initTramp(e *code.Export) { e.Tramp[0] = uint64(op.CallErrorHandler) | 1<<16 }

// setNative makes an export's own trampoline run a builtin.
func setNative(e *code.Export, row int64) {
	e.Native, e.Aux = row, uint64(row)
	e.Tramp[0] = uint64(op.NativeEntry)
	if o, ok := entries[e.MFA]; ok {
		e.Tramp[0], e.Tramp[1] = uint64(o)|2<<16, 1
	}
	e.Store(e.TrampAddr())
}

// entries are the builtins that are instructions: called as functions they
// run the instruction as a last call that drops no frame.
var entries = map[code.MFA]op.Op{
	{Module: term.AmErlang, Function: amApply, Arity: 2}:     op.ApplyFun,
	{Module: term.AmErlang, Function: amApply, Arity: 3}:     op.Apply3,
	{Module: term.AmErlang, Function: amHibernate, Arity: 3}: op.Hibernate,
}

var patched = struct {
	sync.Mutex
	words map[uintptr]uint64
}{words: map[uintptr]uint64{}}

// patchNative makes a function run a builtin from its entry on.
func patchNative(entry uintptr, row int64) {
	patched.Lock()
	defer patched.Unlock()
	if _, again := patched.words[entry]; !again {
		patched.words[entry] = ld(entry)
	}
	st(entry-8, uint64(row))
	storeWord(entry, uint64(op.NativeEntry))
}

func unpatchEntry(entry uintptr) {
	patched.Lock()
	defer patched.Unlock()
	if w, ok := patched.words[entry]; ok {
		storeWord(entry, w)
		delete(patched.words, entry)
	}
}
