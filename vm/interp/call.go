package interp

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/gc"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Calls of funs and by name.

// maxArity is the largest number of arguments.
const maxArity = 255

func callFun(x uintptr) {
	c, p := at(x)
	w := ld(p.IP)
	n := int(w >> 16 & 0xffff)
	to := enterFun(c, p, c.X[n], n)
	if to != 0 {
		st(p.E, uint64(p.IP+8))
		jump(c, p, to)
	}
}

func callFunLast(x uintptr) {
	c, p := at(x)
	w := ld(p.IP)
	n := int(w >> 32 & 0xffff)
	to := enterFun(c, p, c.X[n], n)
	if to != 0 {
		p.E += uintptr(w >> 16 & 0xffff)
		jump(c, p, to)
	}
}

// jump goes to a function's entry, charging a reduction.
func jump(c *proc.Ctx, p *proc.Process, to uintptr) {
	p.IP = to
	p.FCalls--
	if p.FCalls <= 0 {
		yieldAtEntry(offheap.Addr(c))
	}
}

// enterFun prepares the call of a fun with n arguments in X: free variables
// go to the registers after them. It returns the entry, or 0 after raising.
func enterFun(c *proc.Ctx, p *proc.Process, fun term.Term, n int) uintptr {
	if fun.Is(term.KFun) {
		fe := offheap.At[code.FunEntry](uintptr(fun.W(1)))
		if int(fe.Arity) != n {
			raiseBadarity(c, p, fun, n)
			return 0
		}
		a := fe.Load()
		if a == code.UnloadedFun {
			return undefinedLambda(c, p, fe, fun, n)
		}
		for i := range term.HeaderWords(fun.Hdr()) - 2 {
			c.X[n+i] = term.Term(fun.W(3 + i))
		}
		return a
	}
	if fun.Is(term.KExport) {
		e := offheap.At[code.Export](uintptr(fun.W(1)))
		if int(e.MFA.Arity) != n {
			raiseBadarity(c, p, fun, n)
			return 0
		}
		return e.Load()
	}
	raiseError(c, p, p.Heap.Tuple(term.AmBadfun, fun))
	return 0
}

func raiseBadarity(c *proc.Ctx, p *proc.Process, fun term.Term, n int) {
	args := p.Heap.List(c.X[:n]...)
	raiseError(c, p, p.Heap.Tuple(term.AmBadarity, p.Heap.Tuple(fun, args)))
}

// undefinedLambda prepares error_handler:undefined_lambda(Module, Fun, Args).
func undefinedLambda(c *proc.Ctx, p *proc.Process, fe *code.FunEntry, fun term.Term, n int) uintptr {
	if fe.Purging == 0 && code.Current(fe.Module) != nil {
		// The module is there, but without this fun: asking for it again
		// would not end.
		raiseError(c, p, p.Heap.Tuple(term.AmBadfun, fun))
		return 0
	}
	e := code.FindExport(errorHandler(p), term.AmUndefinedLambda, 3)
	if fe.Purging != 0 { // wait for the purge's end, then try again
		e = code.FindExport(amErtsInternal, amPendingFun, 3)
	}
	if e == nil || !e.Loaded() {
		raiseUndef(c, p, code.MFA{Module: fe.Module, Function: term.Nil, Arity: uint64(n)}, p.IP)
		return 0
	}
	args := p.Heap.List(c.X[:n]...)
	c.X[0], c.X[1], c.X[2] = fe.Module, fun, args
	return e.Load()
}

// opUnloadedFun stands where a fun's code was. enterFun looks before it goes,
// so it is reached only by a purge between the two: the fun is in no register
// any more, and the call is undefined.
func opUnloadedFun(c *proc.Ctx, p *proc.Process, _ uint64) {
	raiseError(c, p, term.AmUndef)
}

func errorHandler(p *proc.Process) term.Term {
	if p.ErrHandler != term.None {
		return p.ErrHandler
	}
	return term.AmErrorHandler
}

// opCallErrorHandler is where a call of an export without code ends up:
// error_handler:undefined_function(M, F, Args) takes over.
func opCallErrorHandler(c *proc.Ctx, p *proc.Process, _ uint64) {
	mfa := *offheap.At[code.MFA](p.IP - 32)
	e := code.FindExport(errorHandler(p), term.AmUndefinedFunction, 3)
	if e == nil || !e.Loaded() {
		raiseUndef(c, p, mfa, 0)
		return
	}
	args := p.Heap.List(c.X[:mfa.Arity]...)
	c.X[0], c.X[1], c.X[2] = mfa.Module, mfa.Function, args
	p.IP = e.Load()
	if wantsGC(p) {
		collect(c, p, 3, 0, nil)
	}
}

// applySlow finds the function of an apply instruction: module and function
// are in the registers after the arguments.
func applySlow(x uintptr) {
	c, p := at(x)
	w := ld(p.IP)
	if to := applyTarget(c, p, int(w>>16&0xffff)/8, p.IP+8); to != 0 {
		st(p.E, uint64(p.IP+16))
		jump(c, p, to)
	}
}

func applyLastSlow(x uintptr) {
	c, p := at(x)
	w := ld(p.IP)
	if to := applyTarget(c, p, int(w>>16&0xffff)/8, p.IP+8); to != 0 {
		applyJump(c, p, uint64(w>>32&0xffff)+1, p.IP+16, to)
	}
}

func applyTarget(c *proc.Ctx, p *proc.Process, n int, cache uintptr) uintptr {
	m, f := c.X[n], c.X[n+1]
	if !m.IsAtom() || !f.IsAtom() {
		args := p.Heap.List(c.X[:n]...)
		c.X[0], c.X[1], c.X[2] = m, f, args
		raiseBif(c, p, term.AmBadarg, code.MFA{Module: term.AmErlang, Function: amApply, Arity: 3}, p.IP)
		return 0
	}
	if m == term.AmErlang && f == amApply && n == 3 {
		return spread(c, p, p.IP)
	}
	e := code.GetExport(m, f, n)
	if !raisesForCaller(e.MFA) { // which calls leave their caller's frame alone
		storeWord(cache, uint64(offheap.Addr(e)))
	}
	return e.Load()
}

// inTrampoline tells whether an instruction is no module's.
func inTrampoline(ip uintptr) bool {
	m, _ := code.Find(ip)
	return m == nil
}

// applyJump goes to a function by an apply: drop is the bytes of the frame plus
// 1 when it is the last act, 0 in a frame that stays, next where to return to.
// The frame stays, too, for what raises an exception in its caller's name, so
// that the stack tells the caller.
func applyJump(c *proc.Ctx, p *proc.Process, drop uint64, next, to uintptr) {
	if drop != 0 && (!raisesForCaller(*offheap.At[code.MFA](to - 32)) || inTrampoline(p.IP)) {
		p.E += uintptr(drop - 1)
		jump(c, p, to)
		return
	}
	if drop == 1 { // there is no frame yet
		if p.E-p.HP < 8 && !collect(c, p, int(ld(to-16)), 1, nil) {
			return
		}
		p.E -= 8
	}
	st(p.E, uint64(next))
	jump(c, p, to)
}

var (
	amApply     = term.Intern("apply")
	amHibernate = term.Intern("hibernate")
)

// spread prepares apply(X0, X1, X2): the list's elements go to the X
// registers. It returns the entry, or 0 after raising.
func spread(c *proc.Ctx, p *proc.Process, pc uintptr) uintptr {
	mfa := code.MFA{Module: term.AmErlang, Function: amApply, Arity: 3}
	for {
		m, f, l := c.X[0], c.X[1], c.X[2]
		if !m.IsAtom() || !f.IsAtom() {
			raiseBif(c, p, term.AmBadarg, mfa, pc)
			return 0
		}
		n, bad := 0, false
		for l.IsList() && n <= maxArity {
			n++
			l = l.Tail()
		}
		bad = !l.IsNil()
		if bad && n > maxArity {
			for l.IsList() {
				l = l.Tail()
			}
			if l.IsNil() {
				raiseBif(c, p, term.AmSystemLimit, mfa, pc)
				return 0
			}
		}
		if bad {
			raiseBif(c, p, term.AmBadarg, mfa, pc)
			return 0
		}
		l = c.X[2]
		for i := range n {
			c.X[i] = l.Head()
			l = l.Tail()
		}
		if m != term.AmErlang || f != amApply || n != 3 {
			return code.GetExport(m, f, n).Load()
		}
	}
}

// opStartApply is the first instruction of a process.
func opStartApply(c *proc.Ctx, p *proc.Process, _ uint64) {
	if to := spread(c, p, 0); to != 0 {
		jump(c, p, to)
	}
}

// opApply3: erlang:apply/3 where it is called. Operand 1: 0 in a frame that
// stays; else the bytes to drop plus 1.
func opApply3(c *proc.Ctx, p *proc.Process, w uint64) {
	to := spread(c, p, p.IP)
	if to == 0 {
		return
	}
	applyJump(c, p, opw(p, 1), p.IP+uintptr(w>>16&0xffff)*8, to)
}

// opApplyFun: erlang:apply/2 with a fun in X0 and a list in X1; the operand is
// as in opApply3.
func opApplyFun(c *proc.Ctx, p *proc.Process, w uint64) {
	fun, l, n := c.X[0], c.X[1], 0
	for l.IsList() && n <= maxArity {
		n++
		l = l.Tail()
	}
	if !l.IsNil() {
		reason := term.AmBadarg
		if l.IsList() {
			reason = term.AmSystemLimit
		}
		raiseBif(c, p, reason, code.MFA{Module: term.AmErlang, Function: amApply, Arity: 2}, p.IP)
		return
	}
	l = c.X[1]
	for i := range n {
		c.X[i] = l.Head()
		l = l.Tail()
	}
	to := enterFun(c, p, fun, n)
	if to == 0 {
		return
	}
	applyJump(c, p, opw(p, 1), p.IP+uintptr(w>>16&0xffff)*8, to)
}

// hibernateError returns what a hibernate with n arguments before tail raises,
// or None. More arguments than a function can have fail only when the process
// wakes; more than there are registers at once.
func hibernateError(m, f, tail term.Term, n int) term.Term {
	const registers = 1024
	switch {
	case n > registers:
		return term.AmSystemLimit
	case !m.IsAtom() || !f.IsAtom() || !tail.IsNil():
		return term.AmBadarg
	}
	return term.None
}

// opHibernate: erlang:hibernate/3. The stack is thrown away; the process waits
// with nothing but the call to make.
func opHibernate(c *proc.Ctx, p *proc.Process, _ uint64) {
	m, f, l := c.X[0], c.X[1], c.X[2]
	n := 0
	for ; l.IsList(); l = l.Tail() {
		n++
	}
	if why := hibernateError(m, f, l, n); why != term.None {
		raiseBif(c, p, why, code.MFA{Module: term.AmErlang, Function: amHibernate, Arity: 3}, p.IP)
		return
	}
	p.E = p.End - 8
	st(p.E, uint64(proc.NormalExitIP))
	p.Catches = 0
	p.IP = proc.ApplyIP
	if p.PeekMessage() != term.None {
		return
	}
	r := regsOf(c)
	r.roots = r.roots[:0]
	r.add(offheap.Addr(c), 3)
	p.VisitRoots(r.add)
	if !gc.Hibernate(&p.Heap, r.roots, 0) {
		exitNow(c, p, term.AmKilled)
		return
	}
	saveLive(c, p, 3)
	if p.PrepareWait() {
		c.Exit = uint64(proc.Waiting) + 1
		return
	}
	restoreLive(c, p)
}
