package interp

import (
	"bytes"
	"fmt"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Where a process is: what process_info tells of a process that is not
// executing instructions now, or that asks about itself by a builtin.

func setInfoHooks() {
	proc.CurrentFunction = currentFunction
	proc.CurrentStacktrace = currentStacktrace
	proc.Backtrace = backtrace
}

var mfaHibernate = code.MFA{Module: term.AmErlang, Function: amHibernate, Arity: 3}

// where returns the function p is in and the address of the instruction, 0 if
// it is not an instruction of that function. from is the stack word at which
// the callers begin.
func where(p *proc.Process) (mfa code.MFA, pc, from uintptr, ok bool) {
	self := p.Ctx != nil && p.Ctx.P == p
	from = p.E
	switch {
	case p.IP == proc.ApplyIP:
		if p.Status(true) == term.AmWaiting {
			return mfaHibernate, 0, from, true
		}
		return p.Initial, 0, from, true
	case isStatic(p.IP):
		return mfa, 0, from, false
	}
	if m, fn := code.Find(p.IP); fn != nil && m != nil {
		w := op.Op(ld(p.IP) & 511)
		switch {
		case w == op.CallNative_w && (p.InDirty() || p.InNative):
			return continuation(offheap.At[code.Export](uintptr(ld(p.IP+8))).MFA, p), 0, from, true
		case w != op.NativeEntry || !self:
			return fn.MFA, p.IP, from, true
		}
	} else if !self {
		mfa = *offheap.At[code.MFA](p.IP - 32) // of an export, before its trampoline
		return continuation(mfa, p), 0, from, mfa.Module.IsAtom() && mfa.Function.IsAtom()
	}
	// A builtin called last: its caller is gone, and the one it returns to
	// counts as the current function.
	for a := p.E; a < p.End; a += 8 {
		w := uintptr(ld(a))
		if w == 0 || w&term.PrimMask != term.PrimHeader {
			continue
		}
		if _, fn := code.Find(w - 8); fn != nil {
			return fn.MFA, w - 8, a + 8, true
		}
	}
	return mfa, 0, from, false
}

// continuations are the builtins that go on, in ERTS, in an internal function
// after they have given up a slice; here they go on themselves.
var continuations = makeContinuations()

func makeContinuations() map[code.MFA]code.MFA {
	m := map[code.MFA]code.MFA{}
	add := func(to string, toArity uint64, mod, fn string, arity uint64) {
		m[code.MFA{Module: term.Intern(mod), Function: term.Intern(fn), Arity: arity}] =
			code.MFA{Module: amErtsInternal, Function: term.Intern(to), Arity: toArity}
	}
	add("list_to_binary_continue", 1, "erlang", "list_to_binary", 1)
	add("list_to_binary_continue", 1, "erlang", "iolist_to_binary", 1)
	add("list_to_binary_continue", 1, "erlang", "list_to_bitstring", 1)
	add("list_to_binary_continue", 1, "binary", "list_to_bin", 1)
	add("binary_to_term_trap", 1, "erlang", "binary_to_term", 1)
	add("binary_to_term_trap", 1, "erlang", "binary_to_term", 2)
	return m
}

// continuation returns the function that p, which is in a builtin, shows.
func continuation(mfa code.MFA, p *proc.Process) code.MFA {
	if to, ok := continuations[mfa]; ok && !p.InDirty() {
		return to
	}
	return mfa
}

// positionOn is position on any heap.
func positionOn(h *heap.Heap, a uintptr) term.Term {
	m, _ := code.Find(a)
	if m == nil {
		return term.Nil
	}
	file, line, ok := m.LineAt(a)
	if !ok {
		return term.Nil
	}
	return h.List(h.Tuple(amFile, h.Str(file)), h.Tuple(amLine, term.Small(int64(line))))
}

func mfaItem(h *heap.Heap, m code.MFA, pos term.Term) term.Term {
	return h.Tuple(m.Module, m.Function, term.Small(int64(m.Arity)), pos)
}

func currentFunction(p *proc.Process, h *heap.Heap, location bool) term.Term {
	m, pc, _, ok := where(p)
	switch {
	case !ok:
		return term.AmUndefined
	case location:
		return mfaItem(h, m, positionOn(h, pc))
	}
	return h.Tuple(m.Module, m.Function, term.Small(int64(m.Arity)))
}

func currentStacktrace(p *proc.Process, h *heap.Heap) term.Term {
	m, pc, from, ok := where(p)
	var items []term.Term
	left := proc.BacktraceDepth()
	if ok && left > 0 && m != mfaHibernate {
		items = append(items, mfaItem(h, m, positionOn(h, pc)))
		left--
	}
	prev := uintptr(0)
	for a := from; a < p.End && left > 0; a += 8 {
		w := uintptr(ld(a))
		if w == 0 || w&term.PrimMask != term.PrimHeader || w == prev {
			continue
		}
		if _, fn := code.Find(w - 8); fn != nil {
			prev = w
			items = append(items, mfaItem(h, fn.MFA, positionOn(h, w-8)))
			left--
		}
	}
	return h.List(items...)
}

// backtrace prints the stack as a crash dump does.
func backtrace(p *proc.Process) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Program counter: 0x%016x (%s)\n", uint64(p.IP), codeName(p.IP))
	y := 0
	for a := p.E; a < p.End; a += 8 {
		w := ld(a)
		switch {
		case a == p.E && term.Term(w) == term.Nil: // where a call would leave its return address
		case w != 0 && w&term.PrimMask == term.PrimHeader:
			fmt.Fprintf(&b, "\n0x%016x Return addr 0x%016x (%s)\n", uint64(a), w, codeName(uintptr(w)))
			y = 0
		default:
			fmt.Fprintf(&b, "y(%d)     %v\n", y, term.Term(w))
			y++
		}
	}
	return b.Bytes()
}

// codeName names the place of an address.
func codeName(a uintptr) string {
	if a == proc.NormalExitIP {
		return "<terminate process normally>"
	}
	if _, fn := code.Find(a); fn != nil {
		return fmt.Sprintf("%v:%v/%d + %d", fn.Module, fn.Function, fn.Arity, a-fn.Entry())
	}
	return "unknown function"
}
