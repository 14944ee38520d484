package interp_test

import (
	"testing"
	"time"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/loader/spec"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/interp"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

func x(n int64) op.Arg        { return op.Arg{Kind: op.ArgX, Val: n} }
func y(n int64) op.Arg        { return op.Arg{Kind: op.ArgY, Val: n} }
func u(n int64) op.Arg        { return op.Arg{Kind: op.ArgU, Val: n} }
func lab(n int64) op.Arg      { return op.Arg{Kind: op.ArgF, Val: n} }
func k(t term.Term) op.Arg    { return op.Arg{Kind: op.ArgTerm, Val: int64(t)} }
func small(n int64) op.Arg    { return k(term.Small(n)) }
func list(a ...op.Arg) op.Arg { return op.Arg{Kind: op.ArgList, List: a} }
func ins(g op.Generic, a ...op.Arg) op.Instr {
	return op.Instr{Op: g, Args: a}
}

// fibInput is fib/1 as erlc compiles it.
func fibInput() *spec.Input {
	m, f := term.Intern("hand"), term.Intern("fib")
	exp := func(n string, a int) *code.Export { return code.GetExport(term.AmErlang, term.Intern(n), a) }
	return &spec.Input{
		Module: m, NumLabels: 4,
		Imports: []*code.Export{exp("-", 2), exp("+", 2)},
		Funcs: []spec.Func{{Name: f, Arity: 1, Instrs: []op.Instr{
			ins(op.GLabel, u(1)),
			ins(op.GFuncInfo, k(m), k(f), u(1)),
			ins(op.GLabel, u(2)),
			ins(op.GIsLt, lab(3), x(0), small(2)),
			ins(op.GReturn),
			ins(op.GLabel, u(3)),
			ins(op.GAllocate, u(1), u(1)),
			ins(op.GMove, x(0), y(0)),
			ins(op.GGcBif2, lab(0), u(1), u(0), x(0), small(1), x(0)),
			ins(op.GCall, u(1), lab(2)),
			ins(op.GGcBif2, lab(0), u(1), u(0), y(0), small(2), x(1)),
			ins(op.GMove, x(0), y(0)),
			ins(op.GMove, x(1), x(0)),
			ins(op.GCall, u(1), lab(2)),
			ins(op.GGcBif2, lab(0), u(1), u(1), y(0), x(0), x(0)),
			ins(op.GDeallocate, u(1)),
			ins(op.GReturn),
		}}},
	}
}

// place puts assembled code in memory and returns the address of a label.
func place(out *spec.Output, label int) uintptr {
	a := offheap.Alloc(uintptr(len(out.Words))*8, offheap.Code)
	copy(offheap.Words(a, uintptr(len(out.Words))), out.Words)
	for _, r := range out.Relocs {
		offheap.Store(a+uintptr(r)*8, offheap.Load(a+uintptr(r)*8)+uint64(a))
	}
	return a + uintptr(out.Labels[label])*8
}

func TestHandBuiltFib(t *testing.T) {
	e := interp.New()
	out, err := spec.Assemble(fibInput())
	if err != nil {
		t.Fatal(err)
	}
	entry := place(out, 2)
	rows := []native.Row{{Module: "hand", Name: "stop", Fn: func(c *native.Call) term.Term {
		c.State = native.Exited
		return term.None
	}}}
	if err := native.Install(rows); err != nil {
		t.Fatal(err)
	}
	stop := code.FindExport(term.Intern("hand"), term.Intern("stop"), 0)
	ctx := offheap.New[proc.Ctx](offheap.Proc)
	ctx.SchedID = 1
	p := offheap.New[proc.Process](offheap.Proc)
	const words = 4096
	p.Start = offheap.AllocZero(words*8, offheap.Heap)
	p.HP, p.End = p.Start, p.Start+words*8
	p.E = p.End - 8
	offheap.Store(p.E, uint64(stop.Load()))
	arg := int64(27)
	p.IP = entry
	p.SaveX = offheap.AllocZero(64, offheap.Proc)
	p.SaveCap, p.Live = 8, 1
	term.PutTerm(p.SaveX, 0, term.Small(arg))
	start := time.Now()
	for {
		o := e.Run(ctx, p, 4000)
		if o == proc.Exited {
			break
		}
		if o != proc.Yielded {
			t.Fatalf("outcome %d", o)
		}
	}
	if ctx.X[0] != term.Small(196418) {
		t.Errorf("fib(%d) = %#x", arg, uint64(ctx.X[0]))
	}
	t.Logf("%v", time.Since(start))
}
