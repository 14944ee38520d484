package interp

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/bits"
	"github.com/beamrd/beamrd/vm/gc"
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
	"github.com/beamrd/beamrd/vm/trace"
)

// Breakpoints. A traced call pushes frames between that of its caller and its
// own, which the return finds:
//
//	returnTrace or exceptionTrace, {M,F,A}, tracer (None: that of the process)
//	returnTo
//	returnTime, the point that time was counted for before (a small)
//
// The first word of each is a continuation pointer into the engine's own code.

// stepOut in Ctx.Exit has the loop execute the instruction word in FailIP in
// place of the one in the code.
const stepOut = 1 << 32

// The words of the frames.
const (
	frameTrace = 3
	frameTo    = 1
	frameTime  = 2
)

var returnTraceIP, exceptionTraceIP, returnToIP, returnTimeIP uintptr

// opTraceEntry is a breakpoint at a function's entry.
func opTraceEntry(c *proc.Ctx, p *proc.Process, w uint64) {
	entry := p.IP
	pt := trace.At(entry)
	if pt == nil {
		return // taken away meanwhile: the loop reads the word again
	}
	if p.TraceSkip == entry {
		p.TraceSkip = 0
	} else if !tracedCall(c, p, pt) {
		return
	}
	w = w&^511 | uint64(pt.Op)
	switch {
	case pt.Target != 0:
		p.IP = pt.Target
	case pt.Op == op.NativeEntry:
		nativeEntry(offheap.Addr(c))
		if p.IP == entry && c.Exit != uint64(proc.Exited)+1 {
			p.TraceSkip = entry // it goes on, as the same call
		}
	case coldOps[pt.Op] != nil:
		coldOps[pt.Op](c, p, w)
	default:
		c.FailIP, c.Exit = uintptr(w), stepOut
	}
}

// callerOf returns the continuation pointer of the call in progress, whose
// frame, or those of the tracer before it, begin at a. to tells whether there
// is one of returnTo among them.
func callerOf(p *proc.Process, a uintptr) (cp uintptr, to bool) {
	for a < p.End {
		switch w := uintptr(ld(a)); w {
		case returnTraceIP, exceptionTraceIP:
			a += frameTrace * 8
		case returnToIP:
			a += frameTo * 8
			to = true
		case returnTimeIP:
			a += frameTime * 8
		default:
			return w, to
		}
	}
	return 0, to
}

// traceArgs returns the arguments of a call; a match context among them is
// shown as the bitstring that is left of it.
func traceArgs(c *proc.Ctx, p *proc.Process, n int) []term.Term {
	args := make([]term.Term, n)
	for i := range n {
		args[i] = c.X[i]
		if args[i].Is(term.KMatch) {
			base, pos, end, _ := ctxOf(args[i])
			args[i] = bits.Extract(&p.Heap, args[i], base, pos, end-pos)
		}
	}
	return args
}

// tracedCall acts on a call; false when the process came to its end.
func tracedCall(c *proc.Ctx, p *proc.Process, pt *trace.Point) bool {
	n := int(pt.MFA.Arity)
	for _, meta := range [2]bool{false, true} {
		if !pt.Wants(p, meta) {
			continue
		}
		cp, to := callerOf(p, p.E)
		r := pt.Call(p, traceArgs(c, p, n), cp, meta)
		if !r.Return && (!r.ReturnTo || to) {
			continue
		}
		if !tracerRoom(c, p, n) {
			return false
		}
		if r.ReturnTo && !to {
			pushFrame(p, returnToIP)
		}
		if r.Return {
			ip := returnTraceIP
			if r.Exception {
				ip = exceptionTraceIP
			}
			m := p.Heap.Tuple(pt.MFA.Module, pt.MFA.Function, term.Small(int64(n)))
			pushFrame(p, ip, m, r.Tracer)
		}
	}
	pt.Count()
	if pt.Times(p) {
		if !tracerRoom(c, p, n) {
			return false
		}
		prev := pt.Begin(p)
		switch uintptr(ld(p.E)) {
		case returnTraceIP, exceptionTraceIP, returnToIP, returnTimeIP:
		default:
			pushFrame(p, returnTimeIP, term.Small(prev))
		}
	}
	return true
}

// tracerRoom makes room on the stack for frames of the tracer and a tuple.
func tracerRoom(c *proc.Ctx, p *proc.Process, live int) bool {
	const need = frameTrace + frameTo + 4
	return p.E-p.HP >= need*8 || collect(c, p, live, need, nil)
}

func pushFrame(p *proc.Process, ip uintptr, rest ...term.Term) {
	p.E -= uintptr(1+len(rest)) * 8
	st(p.E, uint64(ip))
	for i, t := range rest {
		term.PutTerm(p.E, 1+i, t)
	}
	p.TraceFlags |= proc.TraceFrames
}

// popFrame drops a frame of the tracer and returns once more.
func popFrame(p *proc.Process, words int) {
	p.E += uintptr(words) * 8
	p.IP = uintptr(ld(p.E))
	st(p.E, uint64(term.Nil))
}

func opReturnTrace(c *proc.Ctx, p *proc.Process, _ uint64) {
	trace.Return(p, term.Term(ld(p.E+8)), term.Term(ld(p.E+16)), c.X[0])
	popFrame(p, frameTrace)
}

func opExceptionTrace(c *proc.Ctx, p *proc.Process, w uint64) { opReturnTrace(c, p, w) }

func opReturnTo(_ *proc.Ctx, p *proc.Process, _ uint64) {
	if p.Traced(proc.TraceReturnTo) {
		cp, _ := callerOf(p, p.E+frameTo*8)
		trace.ReturnTo(p, cp)
	}
	popFrame(p, frameTo)
}

func opReturnTime(_ *proc.Ctx, p *proc.Process, _ uint64) {
	trace.End(p, term.Term(ld(p.E+8)).Small())
	popFrame(p, frameTime)
}

// traceUnwind reports an exception to what is traced between the place where
// it arose and its handler, if there is one. back is where execution goes on
// as far as return_to is concerned, or 0.
func traceUnwind(p *proc.Process, class, value term.Term) (back uintptr) {
	to := false
	for a := p.E; a < p.End; a += 8 {
		w := ld(a)
		if w&term.Immed2Mask == term.TagCatch && p.Catches > 0 {
			return back
		}
		if w == 0 || w&term.PrimMask != term.PrimHeader {
			continue
		}
		switch uintptr(w) {
		case exceptionTraceIP:
			trace.Exception(p, term.Term(ld(a+8)), term.Term(ld(a+16)), class, value)
			a += (frameTrace - 1) * 8
		case returnTraceIP:
			a += (frameTrace - 1) * 8
		case returnTimeIP:
			trace.End(p, term.Term(ld(a+8)).Small())
			a += (frameTime - 1) * 8
		case returnToIP:
			to = true
		default:
			back = 0
			if to {
				back = uintptr(w)
			}
			to = false
		}
	}
	return 0
}

// traceGC reports the begin of a collection; what it returns reports the end.
func traceGC(p *proc.Process, need int, full bool) (done func()) {
	if !p.Traced(proc.TraceGC) {
		return doNothing
	}
	return trace.GC(p, gc.Minor(&p.Heap, full), need)
}

func doNothing() {}
