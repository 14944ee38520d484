package interp

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/gc"
	"github.com/beamrd/beamrd/vm/term"
)

var amErtsInternal, amPendingFun = term.Intern("erts_internal"), term.Intern("pending_fun")

// setTermHooks tells vm/term what lies behind the addresses in funs, and vm/gc
// what to do with heaps that are too large.
func setTermHooks() {
	gc.OnMaxHeap = maxHeapReached
	term.FunInfoOf = func(entry uintptr) term.FunInfo {
		f := offheap.At[code.FunEntry](entry)
		return term.FunInfo{
			Module: f.Module, Index: f.Index, OldIndex: f.OldIdx, OldUniq: f.OldUniq, Uniq: f.Uniq,
			Arity: int(f.Arity), NumFree: int(f.NumFree),
		}
	}
	term.ExportInfoOf = func(export uintptr) (m, f term.Term, arity int) {
		e := offheap.At[code.Export](export)
		return e.MFA.Module, e.MFA.Function, int(e.MFA.Arity)
	}
}
