package loader

import (
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/term"
)

// get returns the type of a source operand, which must hold something.
func (v *verifier) get(a *op.Arg) vtype {
	t := vUninit
	switch a.Kind {
	case op.ArgTerm:
		return typeOf(a.Term())
	case op.ArgX:
		if int(a.Val) < len(v.st.x) {
			t = v.st.x[a.Val]
		}
	case op.ArgY:
		if !v.inFrame(a.Val) {
			return vAny
		}
		t = v.st.y[a.Val]
	default:
		return vAny
	}
	if t == vUninit {
		if a.Kind == op.ArgX {
			v.needX(int(a.Val))
		}
		v.fail("%s holds nothing here", argName(a))
		return vAny
	}
	if t.isTag() {
		v.fail("%s holds a catch tag", argName(a))
		return vAny
	}
	v.fragile |= t & vFragile
	return t
}

// durable demands that none of the sources read is part of a message that is
// still in the queue.
func (v *verifier) durable() {
	if v.fragile != 0 && v.f.Module != amPrimEval {
		v.fail("keeps a part of a message that is still in the queue")
	}
}

// amPrimEval is the one module that passes such messages on: in receive/2, to
// a fun of the evaluator that only matches them.
var amPrimEval = term.Intern("prim_eval")

// passX demands that the first n X registers can be passed on: that they are
// durable, and values.
func (v *verifier) passX(n int64) {
	for i, t := range v.st.x[:min(int(n), len(v.st.x))] {
		v.fragile |= t & vFragile
		if t&typeMatch != 0 {
			v.fail("x%d may be a match context", i)
		}
	}
	v.durable()
}

// passLocal is passX for the call of a function of this module, which is told
// of match contexts.
func (v *verifier) passLocal(n int64, label int64) {
	fi := v.entry[int(label)]
	for i, t := range v.st.x[:min(int(n), len(v.st.x))] {
		v.fragile |= t & vFragile
		if t&typeMatch != 0 {
			v.contextArg(fi, i)
		}
	}
	v.durable()
}

// contextArg notes that a function may be called with a match context.
func (v *verifier) contextArg(fi, arg int) {
	c := v.contexts[fi]
	if c == nil {
		c = make([]bool, v.funcs[fi].Arity)
		v.contexts[fi] = c
	}
	if !c[arg] {
		c[arg] = true
		v.todo = append(v.todo, fi)
	}
}

// durableY is durable for the frame.
func (v *verifier) durableY() {
	for _, t := range v.st.y {
		v.fragile |= t & vFragile
	}
	v.durable()
}

// value is get for what becomes part of a term, or leaves the function: match
// contexts do not.
func (v *verifier) value(a *op.Arg) vtype {
	t := v.get(a)
	if t&typeMatch != 0 {
		v.fail("%s may be a match context", argName(a))
	}
	return t
}

func argName(a *op.Arg) string {
	c := byte('x')
	if a.Kind == op.ArgY {
		c = 'y'
	}
	return string(c) + itoa(a.Val)
}

func itoa(n int64) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

func (v *verifier) inFrame(y int64) bool {
	if y >= int64(len(v.st.y)) {
		v.fail("y%d is outside the frame", y)
		return false
	}
	return true
}

// set gives a destination register a type.
func (v *verifier) set(a *op.Arg, t vtype) {
	t |= v.fragile
	switch a.Kind {
	case op.ArgX:
		v.st.setX(int(a.Val), t)
	case op.ArgY:
		if !v.inFrame(a.Val) {
			return
		}
		if v.st.y[a.Val].isTag() {
			v.fail("y%d holds a catch tag", a.Val)
			return
		}
		v.st.y[a.Val] = t
	}
}

// refine replaces what is known of a source register.
func (v *verifier) refine(a *op.Arg, t vtype) {
	switch a.Kind {
	case op.ArgX:
		v.st.setX(int(a.Val), t)
	case op.ArgY:
		if a.Val < int64(len(v.st.y)) {
			v.st.y[a.Val] = t
		}
	}
}

// want demands that a source be of a type. If that is not proven the
// instruction is marked, and what follows may rely on it.
func (v *verifier) want(a *op.Arg, set vtype) {
	t := v.get(a)
	if !t.within(set) || set&typeTuple != 0 && t.size() < set.size() {
		v.in.Unproven = true
		v.refine(a, meet(t, set))
	}
}

// needFrame demands a stack frame.
func (v *verifier) needFrame() {
	if v.st.frame != oneFrame {
		v.fail("there is no stack frame")
	}
}

// ready demands that the frame's registers may be looked at: by a collection,
// or by the search for a handler.
func (v *verifier) ready() {
	if !v.st.settled() {
		v.zero = true // the walk starts again, if this is new
		v.fail("a Y register holds nothing here")
	}
}

// raise notes that the instruction may raise an exception.
func (v *verifier) raise() {
	v.ready()
	if h := v.st.handler(); h != 0 {
		v.toHandler(h)
	}
}

// toHandler joins the state to an exception handler's: X registers are lost but
// for those that describe the exception.
func (v *verifier) toHandler(label int) {
	v.durableY()
	x := v.st.x
	h, b := v.st.heap, v.st.bin
	v.st.x, v.st.heap, v.st.bin = excX, 0, false
	v.join(&v.labels[label])
	v.st.x, v.st.heap, v.st.bin = x, h, b
}

// orRaise branches to a fail label, or raises when there is none.
func (v *verifier) orRaise(a *op.Arg) {
	if a.Kind == op.ArgF && a.Val != 0 {
		v.branch(a)
		return
	}
	v.raise()
}

// end says that nothing comes after this instruction.
func (v *verifier) end() { v.live = false }

// liveX demands that X registers below n hold something.
func (v *verifier) liveX(n int64) {
	if n > MaxReg {
		v.fail("%d live registers", n)
		return
	}
	for i := range int(n) {
		if i >= len(v.st.x) || v.st.x[i] == vUninit {
			v.needX(i)
			v.fail("x%d holds nothing here", i)
			return
		}
	}
}

// collect is a point where a collection may happen: n X registers survive.
func (v *verifier) collect(n int64) {
	v.liveX(n)
	v.ready()
	v.st.heap, v.st.bin = 0, false
	if v.err == nil {
		v.st.keepX(int(n))
		v.st.stale()
	}
}

// eat takes words from what was reserved.
func (v *verifier) eat(n int) {
	if v.st.heap < n {
		v.fail("needs %d words of heap, %d are reserved", n, v.st.heap)
	}
	v.st.heap -= n
}

// allocate makes a frame of n registers.
func (v *verifier) allocate(n int64, zero bool) {
	if v.st.frame != noFrame {
		v.fail("there is a stack frame already")
		return
	}
	if n > MaxReg {
		v.fail("a frame of %d registers", n)
		return
	}
	t := vUninit
	if zero || v.zero {
		t = typeNil
	}
	v.st.frame = oneFrame
	for range n {
		v.st.y = append(v.st.y, t)
	}
}

// deallocate drops the frame.
func (v *verifier) deallocate() {
	v.needFrame()
	if v.st.tags > 0 {
		v.fail("a catch tag is left in the frame")
	}
	v.st.frame, v.st.y = noFrame, v.st.y[:0]
}
