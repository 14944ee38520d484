package loader_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/beamrd/beamrd/internal/fixture"
	. "github.com/beamrd/beamrd/loader"
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// forms are functions main/0 of instructions that today's compilers do not
// write, or write where the verifier has to repair, and what they give.
var forms = []struct {
	name, want string
	body       func(b *Builder)
}{
	{"put_tuple", "{ok,{1,[]}}", func(b *Builder) {
		b.Emit(op.GTestHeap, 3, 0).Emit(op.GPutTuple, 2, X(0)).Emit(op.GPut, I(1)).Emit(op.GPut, nil).Emit(op.GReturn)
	}},
	{"saved positions", "{ok,{1,2,2,<<1,2,3>>,<<2,3>>}}", func(b *Builder) {
		b.Literal(131, 109, 0, 0, 0, 3, 1, 2, 3)
		b.Emit(op.GMove, Q(0), X(0)).Emit(op.GBsStartMatch2, F(1), X(0), 1, 1, X(0)).
			Emit(op.GBsGetInteger2, F(1), X(0), 1, I(8), 1, 0, X(1)).Emit(op.GBsSave2, X(0), 0).
			Emit(op.GBsGetInteger2, F(1), X(0), 2, I(8), 1, 0, X(2)).Emit(op.GBsRestore2, X(0), 0).
			Emit(op.GBsGetInteger2, F(1), X(0), 3, I(8), 1, 0, X(3)).
			Emit(op.GBsRestore2, X(0), 0).Emit(op.GBsGetBinary2, F(1), X(0), 4, "all", 8, 0, X(5)).
			Emit(op.GBsContextToBinary, X(0)).Emit(op.GMove, X(0), X(4)).
			Emit(op.GTestHeap, 6, 6).Emit(op.GPutTuple2, X(0), L{X(1), X(2), X(3), X(4), X(5)}).Emit(op.GReturn)
	}},
	{"a position never saved", "{error,badarg", func(b *Builder) {
		b.Literal(131, 109, 0, 0, 0, 3, 1, 2, 3)
		b.Emit(op.GMove, Q(0), X(0)).Emit(op.GBsStartMatch2, F(1), X(0), 1, 1, X(0)).
			Emit(op.GBsRestore2, X(0), 7).Emit(op.GIfEnd)
	}},
	{"no longer supported", "{error,{unsupported_instruction,m_plus}", func(b *Builder) {
		b.Emit(op.GMPlus, F(0), I(1), I(2), X(0)).Emit(op.GReturn)
	}},
	{"loop without calls", "{ok,100000}", func(b *Builder) {
		b.Emit(op.GMove, I(0), X(0)).Emit(op.GMove, I(100000), X(1)).
			Emit(op.GLabel, 3).Emit(op.GGcBif2, F(0), 2, b.Import("erlang", "+", 2), X(0), I(1), X(0)).
			Emit(op.GIsGe, F(3), X(0), X(1)).Emit(op.GReturn)
	}},
	{"loop by exceptions", "{ok,1000}", func(b *Builder) {
		b.Emit(op.GAllocateZero, 2, 0).Emit(op.GMove, I(0), Y(0)).Emit(op.GJump, F(4)).
			Emit(op.GLabel, 3).Emit(op.GTryCase, Y(1)).
			Emit(op.GGcBif2, F(0), 0, b.Import("erlang", "+", 2), Y(0), I(1), Y(0)).
			Emit(op.GIsGe, F(4), Y(0), I(1000)).Emit(op.GMove, Y(0), X(0)).Emit(op.GDeallocate, 2).Emit(op.GReturn).
			Emit(op.GLabel, 4).Emit(op.GTry, Y(1), F(3)).Emit(op.GIfEnd)
	}},
	{"result of a guard that failed", "{ok,none}", func(b *Builder) {
		b.Emit(op.GMove, "none", X(0)).Emit(op.GBif2, F(3), b.Import("erlang", "is_map_key", 2), "k", X(0), X(1)).
			Emit(op.GMove, X(1), X(0)).Emit(op.GReturn).
			Emit(op.GLabel, 3).Emit(op.GIsEqExact, F(4), X(1), "true").Emit(op.GMove, "wrong", X(0)).
			Emit(op.GLabel, 4).Emit(op.GReturn)
	}},
	{"arity of what is no tuple", "{ok,none}", func(b *Builder) {
		b.Emit(op.GMove, nil, X(0)).Emit(op.GTestArity, F(3), X(0), 1).Emit(op.GReturn).
			Emit(op.GLabel, 3).Emit(op.GTestArity, F(4), X(0), 2).Emit(op.GReturn).
			Emit(op.GLabel, 4).Emit(op.GMove, "none", X(0)).Emit(op.GReturn)
	}},
	{"register lost by a call", "{ok,[]}", func(b *Builder) {
		b.Emit(op.GAllocate, 0, 0).Emit(op.GCallExt, 0, b.Import("erlang", "self", 0)).
			Emit(op.GMove, X(3), X(0)).Emit(op.GDeallocate, 0).Emit(op.GReturn)
	}},
}

func TestForms(t *testing.T) {
	dir := t.TempDir()
	fixture.Compile(t, dir, filepath.Join(fixture.Root(t), "testdata/harness/fixture_main.erl"))
	fixture.Start(t)
	fixture.Load(t, dir, "fixture_main")
	for i, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			m := "form_" + string(rune('a'+i))
			load1(t, m, f.body)
			if got := fixture.Eval(t, m); !strings.HasPrefix(got, f.want) {
				t.Errorf("%s, expected %s", got, f.want)
			}
		})
	}
}

// load1 loads a module with a function main/0.
func load1(t *testing.T, name string, body func(*Builder)) {
	b := NewBuilder()
	b.Name(name)
	b.Fn("main", 0, 1)
	body(b)
	b.Export("main", 0, 2)
	p, err := Prepare(b.File())
	if err != nil {
		t.Fatal(err)
	}
	if o, _ := Commit([]*Prepared{p}, func(f func()) { f() }); o != Loaded {
		t.Fatal(o)
	}
}

// TestEndlessLoop kills processes that loop without calls: they come to the end
// of their slices.
func TestEndlessLoop(t *testing.T) {
	fixture.Start(t)
	for i, body := range []func(b *Builder){
		func(b *Builder) { b.Emit(op.GLabel, 3).Emit(op.GJump, F(3)) },
		func(b *Builder) { b.Emit(op.GIsAtom, F(2), I(1)).Emit(op.GJump, F(2)) },
		func(b *Builder) {
			b.Emit(op.GLabel, 3).Emit(op.GSelectVal, I(1), F(3), L{I(1), F(3), I(2), F(2)})
		},
		func(b *Builder) {
			b.Emit(op.GAllocateZero, 1, 0).Emit(op.GJump, F(4)).Emit(op.GLabel, 3).Emit(op.GCatchEnd, Y(0)).
				Emit(op.GLabel, 4).Emit(op.GCatch, Y(0), F(3)).Emit(op.GIfEnd)
		},
	} {
		m := "endless_" + string(rune('a'+i))
		load1(t, m, body)
		o := proc.DefaultSpawnOpts()
		pid, _, err := proc.Spawn(nil, term.Intern(m), term.Intern("main"), nil, &o)
		if err != term.None {
			t.Fatal(err)
		}
		proc.SendExit(nil, pid, pid, term.AmKill)
		for n := 0; proc.Lookup(pid) != nil; n++ {
			if time.Sleep(time.Millisecond); n == 20000 {
				t.Fatalf("loop %d cannot be killed", i)
			}
		}
	}
}
