package interp

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
	"github.com/beamrd/beamrd/vm/trace"
)

// Exceptions. Whoever raises records class and reason in the process
// (proc.Process.Raise) and calls one of the functions below, which take the
// stack trace, find the handler and move p.IP and the stack there, or end the
// process.
//
// A handler gets None in X0, the reason in X1, the raw trace in X2 and the
// class in X3. The raw trace is what build_stacktrace turns into a list:
//
//	{Class, [Item…]}                       given by the program (raise/3)
//	{Class, M, F, A, Args, Info, PC, CP…}  taken where the exception arose
//
// M, F, A name the builtin that failed or the function no clause of which
// matched (M is [] when PC tells the function), Args is its argument list or
// true, Info the list that goes into the first item before the position; PC
// (0: none) and the CPs are code addresses as small integers.

const rawFixed = 7

// fault is where an exception arose.
type fault struct {
	mfa  code.MFA  // named in the first item; Module None: the function at pc
	args term.Term // its arguments, or None
	info term.Term // list for the first item
	pc   uintptr   // the instruction; 0: only what the stack tells
	cp   uintptr   // the newest continuation pointer, when pc was taken from it
}

// raiseError raises error:reason at the current instruction.
func raiseError(c *proc.Ctx, p *proc.Process, reason term.Term) {
	p.Raise(proc.ClassError, reason)
	raise(c, p, fault{pc: p.IP, info: term.Nil})
}

// raiseUndef raises undef for a function whose arguments are in X.
func raiseUndef(c *proc.Ctx, p *proc.Process, mfa code.MFA, pc uintptr) {
	p.Raise(proc.ClassError, term.AmUndef)
	args := p.Heap.List(c.X[:mfa.Arity]...)
	raise(c, p, fault{mfa: mfa, args: args, info: term.Nil, pc: pc})
}

// raiseBif raises error:reason as a failure of a builtin with arguments in X.
func raiseBif(c *proc.Ctx, p *proc.Process, reason term.Term, mfa code.MFA, pc uintptr) {
	p.Raise(proc.ClassError, reason)
	args := p.Heap.List(c.X[:mfa.Arity]...)
	raise(c, p, fault{mfa: mfa, args: args, info: errorInfo(p, mfa.Module, term.None, term.None), pc: pc})
}

// raiseNoBif raises undef for a guard builtin that does not exist.
func raiseNoBif(c *proc.Ctx, p *proc.Process, e *code.Export, args uintptr) {
	if c.FailIP != 0 {
		p.IP += c.FailIP
		return
	}
	p.Raise(proc.ClassError, term.AmUndef)
	l := argList(p, args, int(e.MFA.Arity))
	raise(c, p, fault{mfa: e.MFA, args: l, info: term.Nil, pc: p.IP})
}

func argList(p *proc.Process, args uintptr, n int) term.Term {
	l := term.Nil
	for i := n - 1; i >= 0; i-- {
		l = p.Heap.Cons(term.Term(term.Get(args, i)), l)
	}
	return l
}

// raiseNative acts on the exception of a builtin, of which call tells more.
func raiseNative(c *proc.Ctx, p *proc.Process, k *native.Call, mfa code.MFA, pc uintptr) {
	if k.As.Module != term.None {
		mfa, k.As = k.As, code.MFA{}
	}
	f := fault{mfa: mfa, info: term.Nil, pc: pc}
	switch {
	case p.Freason&proc.ExcArgs != 0: // error/2, error/3: in the caller's name
		f.mfa, f.args = code.MFA{}, p.FaultArgs
		if k.Cause != term.None {
			f.info = infoList(p, k.Cause)
		}
		p.FaultArgs = term.None
	case raisesForCaller(mfa):
		f.mfa = code.MFA{}
	case p.Freason&proc.ExcSaveTrace != 0:
		f.args = argList(p, k.Args, k.N)
		f.info = errorInfo(p, mfa.Module, k.ErrMod, k.Cause)
	}
	if f.mfa.Module == term.None && pc == 0 { // called as a function: the caller is on the stack
		if cp, _ := callerOf(p, p.E); cp != 0 && !isStatic(cp) {
			f.pc, f.cp = cp-8, cp
		}
	}
	raise(c, p, f)
}

// raisesForCaller names the builtins whose exceptions arise in their caller.
func raisesForCaller(m code.MFA) bool {
	if m.Module != term.AmErlang {
		return false
	}
	switch m.Function {
	case term.AmError:
		return m.Arity >= 1 && m.Arity <= 3
	case term.AmExit, term.AmThrow:
		return m.Arity == 1
	}
	return false
}

// errorInfo builds what ERTS adds to the item of a builtin that failed: the
// module that can format the error, and a cause when the builtin gave one.
func errorInfo(p *proc.Process, m, mod, cause term.Term) term.Term {
	if mod == term.None {
		if mod = formatModule(m); mod == term.None {
			return term.Nil
		}
	}
	h := &p.Heap
	if cause != term.None {
		keys := h.Tuple(amCause, amModule)
		return infoList(p, flatMap(p, keys, cause, mod))
	}
	keys := h.Tuple(amModule)
	return infoList(p, flatMap(p, keys, mod))
}

func infoList(p *proc.Process, m term.Term) term.Term {
	return p.Heap.List(p.Heap.Tuple(amErrorInfo, m))
}

// flatMap builds a flat map of a tuple of sorted keys and their values.
func flatMap(p *proc.Process, keys term.Term, vals ...term.Term) term.Term {
	a := p.Heap.Alloc(2 + len(vals))
	term.Put(a, 0, term.MapHeader(1+len(vals), term.MapFlat, 0))
	term.PutTerm(a, 1, keys)
	for i, v := range vals {
		term.PutTerm(a, 2+i, v)
	}
	return term.Box(a)
}

// raise acts on the exception recorded in p.
func raise(c *proc.Ctx, p *proc.Process, f fault) {
	class := p.Freason & proc.ClassMask
	value := p.Fvalue
	if DebugRaise != nil {
		debugRaise(p, &f)
	}
	switch {
	case p.Freason&proc.ExcHasTrace != 0:
		if !isRawTrace(p.Ftrace) {
			p.Ftrace = p.Heap.Tuple(term.Small(int64(class)), p.Ftrace)
		}
	case p.Freason&proc.ExcSaveTrace != 0:
		p.Ftrace = saveTrace(p, class, f)
	}
	if class == proc.ClassThrow && p.Catches <= 0 {
		value = p.Heap.Tuple(term.AmNocatch, value)
		class = proc.ClassError
	}
	p.Freason = class
	if class == proc.ClassError {
		p.Freason |= proc.ExcLog
	}
	p.Fvalue = term.Nil
	back := uintptr(0)
	if p.TraceFlags&proc.TraceFrames != 0 {
		back = traceUnwind(p, proc.ClassAtom(class), value)
	}
	if p.Catches > 0 && unwind(p) {
		if back != 0 && p.Traced(proc.TraceReturnTo) {
			trace.ReturnTo(p, back)
		}
		c.X[0], c.X[1], c.X[2], c.X[3] = term.None, value, p.Ftrace, proc.ClassAtom(class)
		p.Ftrace = term.Nil
		if wantsGC(p) {
			c.X[0] = term.Nil
			if collect(c, p, 4, 0, nil) {
				c.X[0] = term.None
			}
		}
		// A handler before what raised is a loop.
		if p.FCalls--; p.FCalls <= 0 && c.Exit == 0 {
			leave(c, p, proc.Yielded, 4)
		}
		return
	}
	if class == proc.ClassError {
		value = p.Heap.Tuple(value, buildTrace(p, p.Ftrace))
	}
	p.Ftrace = term.Nil
	p.Terminate(value)
	c.Exit = uint64(proc.Exited) + 1
}

// unwind moves the stack and the instruction pointer to the newest handler.
func unwind(p *proc.Process) bool {
	frame := p.E
	for a := p.E; a < p.End; a += 8 {
		w := ld(a)
		switch {
		case w&term.PrimMask == term.PrimHeader:
			frame = a
		case w&term.Immed2Mask == term.TagCatch:
			st(a, uint64(term.Nil))
			p.E = frame
			st(frame, uint64(term.Nil))
			p.IP = uintptr(w >> 6)
			return true
		}
	}
	return false
}

// forgetMessage clears what the newest frame holds of the message that is being
// looked at, when a check of what the verifier could not prove has failed before
// the message was taken from the queue: a handler of the same function would
// find it. The next receive begins at the first message. Other exceptions leave
// the message in hand: prim_eval:receive/2 calls functions then.
func forgetMessage(p *proc.Process) {
	lo, hi := p.ForeignLo, p.ForeignHi
	p.ResetSave()
	for a := p.E + 8; a < p.End; a += 8 {
		w := ld(a)
		switch w & term.PrimMask {
		case term.PrimHeader:
			return
		case term.PrimBoxed, term.PrimList:
			if at := uintptr(w); at-lo < hi-lo {
				st(a, uint64(term.Nil))
			}
		}
	}
}

// saveTrace takes the stack trace in its raw form.
func saveTrace(p *proc.Process, class uint64, f fault) term.Term {
	depth := proc.BacktraceDepth()
	els := make([]term.Term, rawFixed, rawFixed+depth+1)
	els[0] = term.Small(int64(class))
	els[1], els[2], els[3] = term.Nil, term.Nil, term.Nil
	els[4], els[5], els[6] = term.True, f.info, term.Small(0)
	if f.args != term.None {
		els[4] = f.args
	}
	left := max(depth-1, 0)
	if f.mfa.Module != term.None {
		els[1], els[2], els[3] = f.mfa.Module, f.mfa.Function, term.Small(int64(f.mfa.Arity))
		if f.pc != 0 && left > 0 {
			els = append(els, term.Small(int64(f.pc)))
			left--
		}
	} else {
		els[6] = term.Small(int64(f.pc))
	}
	prev := f.pc
	if f.cp != 0 {
		prev = f.cp
	}
	for a := p.E; a < p.End && left > 0; a += 8 {
		w := uintptr(ld(a))
		if w&term.PrimMask != term.PrimHeader || w == prev || isStatic(w) {
			continue
		}
		prev = w
		els = append(els, term.Small(int64(w-8)))
		left--
	}
	return p.Heap.Tuple(els...)
}

func isRawTrace(t term.Term) bool {
	return t.IsTuple() && (t.Arity() == 2 || t.Arity() >= rawFixed)
}

// traceClass returns the class that a raw trace was taken for.
func traceClass(t term.Term) uint64 {
	if isRawTrace(t) && t.El(1).IsSmall() {
		return uint64(t.El(1).Small()) & proc.ClassMask
	}
	return proc.ClassError
}

// buildTrace turns a raw trace into the list that programs see.
func buildTrace(p *proc.Process, t term.Term) term.Term {
	if !isRawTrace(t) {
		if t.IsList() || t.IsNil() {
			return t
		}
		return term.Nil
	}
	if t.Arity() == 2 {
		return t.El(2)
	}
	res := term.Nil
	for i := t.Arity(); i > rawFixed; i-- {
		if item := addrItem(p, t.El(i), term.True, term.Nil); item != term.None {
			res = p.Heap.Cons(item, res)
		}
	}
	args, info := t.El(5), t.El(6)
	if t.El(2) == term.Nil {
		if item := addrItem(p, t.El(7), args, info); item != term.None {
			res = p.Heap.Cons(item, res)
		} else if t.Arity() == rawFixed && p.Initial.Module != term.None {
			res = p.Heap.Cons(p.Heap.Tuple(p.Initial.Module, p.Initial.Function,
				term.Small(int64(p.Initial.Arity)), term.Nil), res)
		}
		return res
	}
	m, f, a := t.El(2), t.El(3), t.El(4)
	if args != term.True {
		a = args
	}
	if pc := t.El(7); pc.IsSmall() && pc.Small() != 0 {
		info = position(p, uintptr(pc.Small()), info)
	}
	return p.Heap.Cons(p.Heap.Tuple(m, f, a, info), res)
}

// addrItem builds the trace item of a code address; None when it is nobody's.
func addrItem(p *proc.Process, addr, args, info term.Term) term.Term {
	if !addr.IsSmall() || addr.Small() == 0 {
		return term.None
	}
	a := uintptr(addr.Small())
	_, fn := code.Find(a)
	if fn == nil {
		return term.None
	}
	ar := term.Small(int64(fn.Arity))
	if args != term.True {
		ar = args
	}
	return p.Heap.Tuple(fn.Module, fn.Function, ar, position(p, a, info))
}

// position puts file and line of a code address before the rest of an item's
// extra information.
func position(p *proc.Process, a uintptr, info term.Term) term.Term {
	m, _ := code.Find(a)
	if m == nil {
		return info
	}
	file, line, ok := m.LineAt(a)
	if !ok {
		return info
	}
	h := &p.Heap
	info = h.Cons(h.Tuple(amLine, term.Small(int64(line))), info)
	return h.Cons(h.Tuple(amFile, h.Str(file)), info)
}

var (
	amFile      = term.Intern("file")
	amLine      = term.Intern("line")
	amCause     = term.Intern("cause")
	amModule    = term.Intern("module")
	amErrorInfo = term.Intern("error_info")
)

var formatModules = map[string]string{
	"atomics": "erl_erts_errors", "counters": "erl_erts_errors", "erlang": "erl_erts_errors",
	"erts_internal": "erl_erts_errors", "persistent_term": "erl_erts_errors",
	"os":     "erl_kernel_errors",
	"binary": "erl_stdlib_errors", "ets": "erl_stdlib_errors", "lists": "erl_stdlib_errors",
	"maps": "erl_stdlib_errors", "math": "erl_stdlib_errors", "re": "erl_stdlib_errors",
	"unicode": "erl_stdlib_errors",
}

var formatAtoms = func() map[term.Term]term.Term {
	m := map[term.Term]term.Term{}
	for k, v := range formatModules {
		m[term.Intern(k)] = term.Intern(v)
	}
	return m
}()

// formatModule returns the module that explains failures of a module's
// builtins, or None.
func formatModule(m term.Term) term.Term { return formatAtoms[m] }

// opFuncInfo is reached when no clause of a function matches.
func opFuncInfo(c *proc.Ctx, p *proc.Process, _ uint64) {
	mfa := *offheap.At[code.MFA](p.IP + 8)
	p.Raise(proc.ClassError, term.AmFunctionClause)
	args := p.Heap.List(c.X[:mfa.Arity]...)
	raise(c, p, fault{mfa: mfa, args: args, info: functionPosition(p), pc: 0})
}

// functionPosition returns the position of the function whose header is at
// the current instruction.
func functionPosition(p *proc.Process) term.Term { return position(p, p.IP, term.Nil) }

func raisePair(c *proc.Ctx, p *proc.Process, tag, v term.Term) {
	raiseError(c, p, p.Heap.Tuple(tag, v))
}

func opBadmatch(c *proc.Ctx, p *proc.Process, _ uint64) {
	raisePair(c, p, term.AmBadmatch, src(c, p, 1))
}
func opCaseEnd(c *proc.Ctx, p *proc.Process, _ uint64) {
	raisePair(c, p, term.AmCaseClause, src(c, p, 1))
}
func opTryCaseEnd(c *proc.Ctx, p *proc.Process, _ uint64) {
	raisePair(c, p, term.AmTryClause, src(c, p, 1))
}
func opBadrecord(c *proc.Ctx, p *proc.Process, _ uint64) {
	raisePair(c, p, term.AmBadrecord, src(c, p, 1))
}
func opIfEnd(c *proc.Ctx, p *proc.Process, _ uint64) { raiseError(c, p, term.AmIfClause) }

var amUnsupported = term.Intern("unsupported_instruction")

// opUnsupported: the name of an instruction, an atom.
func opUnsupported(c *proc.Ctx, p *proc.Process, _ uint64) {
	raisePair(c, p, amUnsupported, src(c, p, 1))
}

// opFailBif is a guard builtin that is no builtin here: branch, or undef.
// Operands: branch, export, n, sources.
func opFailBif(c *proc.Ctx, p *proc.Process, _ uint64) {
	if opw(p, 1) != 0 {
		branch(p, 1)
		return
	}
	e := offheap.At[code.Export](uintptr(opw(p, 2)))
	for i := range int(opw(p, 3)) {
		c.Args[i] = src(c, p, 4+i)
	}
	c.FailIP = 0
	raiseNoBif(c, p, e, offheap.Addr(c)+offArgs)
}

// opCatchEnd: Y. Without an exception the value in X0 stays.
func opCatchEnd(c *proc.Ctx, p *proc.Process, w uint64) {
	setDst(c, p, 1, term.Nil)
	p.Catches--
	if c.X[0] == term.None {
		v := c.X[1]
		switch c.X[3] {
		case term.AmThrow:
		case term.AmExit:
			v = p.Heap.Tuple(term.AmEXIT, v)
		default:
			v = p.Heap.Tuple(term.AmEXIT, p.Heap.Tuple(v, buildTrace(p, c.X[2])))
		}
		c.X[0] = v
	}
	next(p, w)
}

// opTryCase: Y. The handler finds class, reason, trace in X0 to X2.
func opTryCase(c *proc.Ctx, p *proc.Process, w uint64) {
	setDst(c, p, 1, term.Nil)
	p.Catches--
	c.X[0] = c.X[3]
	next(p, w)
}

// opRaise: trace, reason. An exception that no clause took goes on.
func opRaise(c *proc.Ctx, p *proc.Process, _ uint64) {
	trace, value := src(c, p, 1), src(c, p, 2)
	p.Freason, p.Fvalue, p.Ftrace = traceClass(trace)|proc.ExcHasTrace, value, trace
	raise(c, p, fault{pc: p.IP, info: term.Nil})
}

// opRawRaise: class, reason and raw trace in X0 to X2.
func opRawRaise(c *proc.Ctx, p *proc.Process, w uint64) {
	var class uint64
	switch c.X[0] {
	case term.AmError:
		class = proc.ClassError
	case term.AmExit:
		class = proc.ClassExit
	case term.AmThrow:
		class = proc.ClassThrow
	default:
		c.X[0] = term.AmBadarg
		next(p, w)
		return
	}
	p.Freason, p.Fvalue, p.Ftrace = class|proc.ExcHasTrace, c.X[1], reclass(p, c.X[2], class)
	raise(c, p, fault{pc: p.IP, info: term.Nil})
}

// reclass returns a raw trace with another class.
func reclass(p *proc.Process, t term.Term, class uint64) term.Term {
	if !isRawTrace(t) || traceClass(t) == class {
		return t
	}
	els := make([]term.Term, t.Arity())
	els[0] = term.Small(int64(class))
	for i := 1; i < len(els); i++ {
		els[i] = t.El(i + 1)
	}
	return p.Heap.Tuple(els...)
}

func opBuildStacktrace(c *proc.Ctx, p *proc.Process, w uint64) {
	c.X[0] = buildTrace(p, c.X[0])
	next(p, w)
}
