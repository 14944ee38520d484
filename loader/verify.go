package loader

import (
	"fmt"
	"slices"

	"github.com/beamrd/beamrd/loader/spec"
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/term"
)

// The verifier proves of each function that it can be run without looking:
// operands are of the right kind and name registers that hold something, the
// stack frame is the one the code thinks it is, what is built fits what was
// reserved, and jumps stay within the function. It walks the instructions once
// with what is known at each point, joining at labels, and again as long as a
// backward jump changed something.
//
// Where the proof of a type fails (get_tuple_element of what may be no tuple)
// the instruction is marked Unproven, and the checked form is used. Compilers
// know more than what is written in a file: the types of other functions'
// arguments and results, and which functions never return.
//
// Three repairs are made to what is allowed to compilers:
//   - a tail call that deallocates another frame than there is (after a call
//     that cannot return the compiler does not care) gets the right size;
//   - when something may fail or collect while Y registers are not initialised,
//     the frames of the function are made with the initialising forms;
//   - code after a call that never returns may fall into a label with another
//     frame: the fall is cut with if_end;
//   - an X register that is read though it holds nothing on some way here (one
//     that the compiler knows is never taken) is given [] beforehand;
//   - a branch back that costs no reductions goes by way of a jump that does
//     (verify_repair.go).

// maxWork bounds the words copied and instructions walked, in multiples of the
// code's size: what compilers write needs a small part.
const (
	maxPasses    = 64
	maxStateWord = 1 << 24
)

// A verifier checks the functions of one module.
type verifier struct {
	f        *File
	funcs    []spec.Func
	entry    map[int]int    // label of an entry -> function
	contexts map[int][]bool // by function: arguments that may be match contexts
	todo     []int          // functions to verify (again)
	fixes    []fix          // by function
	labels   []labelInfo

	fn      *spec.Func
	fi      int
	in      *op.Instr // the current one
	pos     int       // its index
	body    int       // index of the entry label
	st      vstate    // what holds before it
	live    bool      // it can be reached
	zero    bool      // frames of this function start initialised
	need    []int     // X registers that are given [] where they would hold nothing
	again   bool
	fragile vtype // vFragile when a source of the instruction is
	mem     stateMem
	words   int
	cut     map[int]bool // falls (by index of the label) that are cut
	lossy   []int        // falls after a call that brought a wrong frame
	back    backs        // branches back that have to cost
	fill    []fill       // moves that give X registers []
	edge    *op.Arg      // the operand that branches, if one does
	clash   *op.Arg      // one that could not, for the frames differ
	clones  int
	err     *Error
}

type labelInfo struct {
	fn, pos int32 // function and index of the instruction; fn is -1 when undefined
	state   *vstate
}

// verify checks all functions and completes their instructions in place.
func (f *File) verify(funcs []spec.Func) error {
	modernise(funcs)
	v := &verifier{f: f, funcs: funcs, entry: make(map[int]int, len(funcs)), labels: make([]labelInfo, f.Code.NumLabels)}
	if err := v.findLabels(); err != nil {
		return err
	}
	for i := range funcs {
		v.fi, v.fn = i, &funcs[i]
		if err := v.shapes(); err != nil {
			return err
		}
		v.wakeAtSelf()
	}
	if err := v.tables(); err != nil {
		return err
	}
	if err := v.all(); err != nil {
		return err
	}
	for i := range funcs {
		v.fn = &funcs[i]
		v.repair(&v.fixes[i], i)
	}
	return nil
}

// all verifies each function, and again those that turn out to be called with
// match contexts.
func (v *verifier) all() error {
	v.contexts, v.fixes = map[int][]bool{}, make([]fix, len(v.funcs))
	for i := range v.funcs {
		v.fi, v.fn = i, &v.funcs[i]
		if err := v.function(); err != nil {
			return err
		}
	}
	for len(v.todo) > 0 {
		i := v.todo[len(v.todo)-1]
		v.todo = v.todo[:len(v.todo)-1]
		v.fi, v.fn = i, &v.funcs[i]
		if err := v.function(); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) fail(format string, args ...any) {
	if v.err == nil {
		v.err = v.f.at(v.in, fmt.Sprintf(format, args...))
		v.err.Func = v.name(v.fn)
	}
}

func (v *verifier) name(fn *spec.Func) string {
	return fmt.Sprintf("%s/%d", fn.Name.Atom(), fn.Arity)
}

// findLabels numbers the labels and finds the functions' entries.
func (v *verifier) findLabels() error {
	for i := range v.labels {
		v.labels[i].fn = -1
	}
	for fi := range v.funcs {
		v.fn = &v.funcs[fi]
		for i := range v.fn.Instrs {
			v.in = &v.fn.Instrs[i]
			if v.in.Op != op.GLabel {
				continue
			}
			a := v.in.Args[0]
			if a.Kind != op.ArgU || a.Val < 1 || a.Val >= int64(len(v.labels)) {
				v.fail("label out of range")
				return v.err
			}
			l := &v.labels[a.Val]
			if l.fn >= 0 {
				v.fail("label %d is defined twice", a.Val)
				return v.err
			}
			l.fn, l.pos = int32(fi), int32(i)
			if i > 0 && v.fn.Instrs[i-1].Op == op.GFuncInfo {
				v.entry[int(a.Val)] = fi
			}
		}
	}
	return nil
}

// shapes checks the operands of the current function, reachable or not.
func (v *verifier) shapes() error {
	for i := range v.fn.Instrs {
		v.in = &v.fn.Instrs[i]
		sig := shapes[v.in.Op]
		for j := range v.in.Args {
			a := &v.in.Args[j]
			if sig == "" { // nothing looks at its operands
				v.label(a, false)
				continue
			}
			if !shapeOK(sig[j], a) {
				v.fail("operand %d is of the wrong kind", j+1)
				return v.err
			}
			v.label(a, sig[j] == 'C')
			for k := range a.List {
				v.label(&a.List[k], false)
			}
		}
		if v.err == nil {
			v.list()
		}
		if v.err != nil {
			return v.err
		}
	}
	return nil
}

// label checks that a label exists, in this function unless it is called.
func (v *verifier) label(a *op.Arg, called bool) {
	if a.Kind != op.ArgF || a.Val == 0 {
		return
	}
	if l := &v.labels[a.Val]; l.fn < 0 {
		v.fail("label %d does not exist", a.Val)
	} else if called {
		v.callee(int(a.Val), v.in.Args[0].Val)
	} else if int(l.fn) != v.fi && v.in.Op != op.GCallFun2 {
		v.fail("label %d is in another function", a.Val)
	}
}

func (v *verifier) callee(label int, arity int64) {
	if fi, ok := v.entry[label]; !ok {
		v.fail("label %d is no function's entry", label)
	} else if v.funcs[fi].Arity != int(arity) {
		v.fail("calls %s with %d arguments", v.name(&v.funcs[fi]), arity)
	}
}

// tables checks what exports and lambdas say against the functions.
func (v *verifier) tables() error {
	check := func(chunk string, i int, name term.Term, arity, label int) error {
		fi, ok := v.entry[label]
		if !ok || v.funcs[fi].Arity != arity {
			return v.f.name(chunkErr(chunk, -1, "row %d: %s/%d is not at label %d", i, name.Atom(), arity, label))
		}
		return nil
	}
	for i, e := range v.f.Exports {
		if err := check("ExpT", i, e.Function, e.Arity, e.Label); err != nil {
			return err
		}
	}
	for i, l := range v.f.Lambdas {
		if err := check("FunT", i, l.Function, l.Arity, l.Label); err != nil {
			return err
		}
	}
	return nil
}

// function verifies the current function, with the repairs it turns out to
// need.
func (v *verifier) function() error {
	v.zero, v.cut, v.need, v.clones = false, nil, nil, 0
	for {
		zero, cuts, need := v.zero, len(v.cut), len(v.need)
		err := v.passes()
		switch {
		case v.zero != zero || len(v.need) != need:
			continue
		case err == nil:
			v.fixes[v.fi] = fix{v.zero, v.cut, slices.Clone(v.fill), v.back}
			return nil
		}
		for _, p := range v.lossy {
			v.cutFall(p)
		}
		if len(v.cut) == cuts && !v.clone() {
			return err
		}
	}
}

// passes walks the function until nothing changes.
func (v *verifier) passes() error {
	is := v.fn.Instrs
	for i := range is {
		if is[i].Op == op.GLabel {
			v.labels[is[i].Args[0].Val].state = nil
		}
	}
	v.words = 0
	v.mem.reset()
	v.body = 2
	if is[1].Op == op.GLine {
		v.body = 3
	}
	for range maxPasses {
		v.err, v.again, v.lossy, v.clash = nil, false, v.lossy[:0], nil
		v.back, v.fill = nil, v.fill[:0]
		v.start()
		v.walk(v.body, len(is))
		if v.live {
			v.in = &is[len(is)-1]
			v.fail("the function's end can be reached")
		}
		v.live = false
		v.walk(0, v.body)
		if v.err != nil {
			return v.err
		}
		if !v.again {
			return nil
		}
	}
	v.fail("too complex to verify")
	return v.err
}

// start sets the state at the function's entry.
func (v *verifier) start() {
	s := &v.st
	*s = vstate{x: s.x[:0], y: s.y[:0]}
	for range v.fn.Arity {
		s.x = append(s.x, vAny)
	}
	for i, c := range v.contexts[v.fi] {
		if c {
			s.x[i] = vArg
		}
	}
	v.live = true
}

func (v *verifier) walk(from, to int) {
	is := v.fn.Instrs
	for i := from; i < to && v.err == nil; i++ {
		v.in, v.pos = &is[i], i
		if v.in.Op == op.GLabel {
			v.atLabel()
			if i == v.body {
				v.fillX(i)
			}
			continue
		}
		if v.live {
			v.in.Unproven, v.fragile = false, 0
			v.step()
			if v.live && len(v.need) > 0 {
				v.fillX(i)
			}
		}
	}
}

// atLabel joins what comes from above with what was jumped here.
func (v *verifier) atLabel() {
	l := &v.labels[v.in.Args[0].Val]
	if v.live {
		if v.cut[v.pos] || v.pos > 0 && isCall(v.fn.Instrs[v.pos-1].Op) && v.startsWith(v.in.Args[0].Val, op.GTryCase) {
			// try_case is reached by exceptions only: the call never returns.
			v.cutFall(v.pos)
			v.live = false
		} else {
			v.join(l)
		}
	}
	if l.state != nil {
		v.st.copyFrom(l.state)
		v.live = true
	}
}

func (v *verifier) cutFall(pos int) {
	if v.cut == nil {
		v.cut = map[int]bool{}
	}
	v.cut[pos] = true
}

func isCall(g op.Generic) bool {
	switch g {
	case op.GCall, op.GCallExt, op.GCallFun, op.GCallFun2, op.GApply, op.GRawRaise,
		op.GBif0, op.GBif1, op.GBif2, op.GGcBif1, op.GGcBif2, op.GGcBif3: // the compiler may know that one fails
		return true
	}
	return false
}

// join adds the current state to a label's.
func (v *verifier) join(l *labelInfo) {
	if l.state == nil {
		if v.words += len(v.st.x) + len(v.st.y) + 8; v.words > maxStateWord {
			v.fail("too complex to verify")
			return
		}
		l.state = v.mem.clone(&v.st)
		if int(l.pos) <= v.pos {
			v.again = true
		}
		return
	}
	was := l.state.frame
	settled := l.state.settled() && v.st.settled()
	changed, ok := l.state.merge(&v.st)
	if l.state.frame == anyFrame && was != anyFrame && !settled {
		v.ready()
		v.zero = true
		v.fail("a Y register holds nothing here")
	}
	if !ok {
		if p := int(l.pos); p > 0 && isCall(v.fn.Instrs[p-1].Op) {
			v.lossy = append(v.lossy, p)
		}
		if v.err == nil {
			v.clash = v.edge
		}
		v.fail("the stack frame differs from the one on another way to label %d", v.fn.Instrs[l.pos].Args[0].Val)
		return
	}
	if changed && int(l.pos) <= v.pos {
		v.again = true
	}
}
