package loader

import (
	"slices"

	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/term"
)

// fix is what a function needs to have repaired.
type fix struct {
	zero bool
	cut  map[int]bool
	fill []fill
	back backs
}

// backs are branches back that have to cost reductions: the X registers that
// live on, by instruction and label.
type backs map[backEdge]int

type backEdge struct{ pos, label int }

// fill gives an X register [] after the instruction at pos.
type fill struct{ pos, reg int }

// maxNeed bounds the X registers of a function that may be given [].
const maxNeed = 32

// needX notes that an X register was read that holds nothing on some way.
func (v *verifier) needX(r int) {
	if v.err == nil && len(v.need) < maxNeed && r >= v.fn.Arity {
		for _, n := range v.need {
			if n == r {
				return // giving it something did not help
			}
		}
		v.need = append(v.need, r) // the walk starts again
	}
}

// fillX gives the registers that need it [] behind the instruction at pos.
func (v *verifier) fillX(pos int) {
	for _, r := range v.need {
		if r >= len(v.st.x) || v.st.x[r] == vUninit {
			v.st.setX(r, typeNil)
			v.fill = append(v.fill, fill{pos, r})
		}
	}
}

// branch joins the current state to a label's, if it is one. A loop that costs
// no reductions would hold a scheduler for ever; those of a receive cost, and
// others are made of calls. What else branches back is made to cost.
func (v *verifier) branch(a *op.Arg) {
	if a.Kind != op.ArgF || a.Val == 0 {
		return
	}
	l := &v.labels[a.Val]
	if int(l.pos) <= v.pos && int(l.pos) >= v.body {
		switch v.in.Op {
		case op.GLoopRecEnd, op.GWait, op.GWaitTimeout:
		default:
			if v.in.Op != op.GJump || !v.straight(int(l.pos)) {
				v.branchBack(l, int(a.Val))
				return
			}
		}
	}
	v.edge = a
	v.join(l)
	v.edge = nil
}

// branchBack joins what is left when the slice may end on the way: the X
// registers up to the first that holds nothing or a part of a message that is
// still in the queue.
func (v *verifier) branchBack(l *labelInfo, label int) {
	v.ready()
	fragile := v.fragile
	v.fragile = 0
	v.durableY()
	v.fragile = fragile
	n := 0
	for x := v.st.x; n < len(x) && x[n] != vUninit && x[n]&vFragile == 0; n++ {
	}
	v.mem.save.copyFrom(&v.st)
	v.st.keepX(n)
	v.st.heap, v.st.bin = 0, false
	v.st.stale()
	v.join(l)
	v.st.copyFrom(&v.mem.save)
	if v.back == nil {
		v.back = backs{}
	}
	e := backEdge{v.pos, label}
	if m, ok := v.back[e]; ok { // more than one operand of the instruction
		n = min(n, m)
	}
	v.back[e] = n
}

// Bounds of the copying of blocks.
const (
	maxClones = 256 // in a function
	maxClone  = 32  // instructions
)

// clone gives a branch that found another stack frame at its label a copy of
// the block there, if that is short. Code that only raises may be shared by
// ways that are in try blocks, and others. It returns false when it cannot.
func (v *verifier) clone() bool {
	if v.clash == nil || v.clones == maxClones {
		return false
	}
	from := int(v.labels[v.clash.Val].pos)
	if int(v.labels[v.clash.Val].fn) != v.fi || from < v.body {
		return false
	}
	block := v.fn.Instrs[from:]
	n := 1
	for n < len(block) && n <= maxClone && !endsBlock(block[n].Op) {
		n++
	}
	if n == len(block) || n > maxClone {
		return false
	}
	v.clones++
	l := len(v.labels)
	v.labels = append(v.labels, labelInfo{fn: int32(v.fi), pos: int32(len(v.fn.Instrs))})
	v.f.Code.NumLabels = len(v.labels)
	out := append(slices.Clip(v.fn.Instrs), op.Instr{Op: op.GLabel, Off: block[0].Off, Args: []op.Arg{{Kind: op.ArgU, Val: int64(l)}}})
	for _, in := range block[1 : n+1] {
		if in.Op != op.GLabel {
			in.Args = slices.Clone(in.Args)
			for i := range in.Args {
				in.Args[i].List = slices.Clone(in.Args[i].List)
			}
			out = append(out, in)
		}
	}
	v.fn.Instrs = out
	v.clash.Val = int64(l)
	return true
}

// endsBlock tells whether nothing falls through an instruction.
func endsBlock(g op.Generic) bool {
	switch g {
	case op.GReturn, op.GCallLast, op.GCallOnly, op.GCallExtLast, op.GCallExtOnly, op.GApplyLast, op.GJump,
		op.GIfEnd, op.GBadmatch, op.GCaseEnd, op.GTryCaseEnd, op.GBadrecord, op.GRaise, op.GSelectVal, op.GSelectTupleArity,
		op.GLoopRecEnd, op.GWait:
		return true
	}
	return false
}

// straight tells whether the code at a position comes, without a branch, to an
// instruction that costs reductions or ends the function. Compilers that do
// not move blocks jump back to such places. A builtin called by call_ext costs,
// but does not end the slice.
func (v *verifier) straight(pos int) bool {
	for _, in := range v.fn.Instrs[pos:] {
		switch in.Op {
		case op.GReturn, op.GCallLast, op.GCallOnly, op.GCallExtLast, op.GCallExtOnly, op.GApplyLast,
			op.GLoopRec, op.GLoopRecEnd, op.GWait, op.GWaitTimeout, op.GCall, op.GApply, op.GCallFun, op.GCallFun2,
			op.GIfEnd, op.GBadmatch, op.GCaseEnd, op.GTryCaseEnd, op.GBadrecord, op.GRaise:
			return true
		case op.GLabel, op.GLine, op.GTry, op.GCatch:
			continue
		}
		for _, a := range in.Args {
			if a.Kind == op.ArgF && a.Val != 0 || a.Kind == op.ArgList {
				return false
			}
		}
	}
	return false
}

// repair applies what was found to be needed.
func (v *verifier) repair(f *fix, fi int) {
	is := v.fn.Instrs
	if f.zero {
		for i := range is {
			switch is[i].Op {
			case op.GAllocate:
				is[i].Op = op.GAllocateZero
			case op.GAllocateHeap:
				is[i].Op = op.GAllocateHeapZero
			}
		}
	}
	if len(f.cut)+len(f.fill)+len(f.back) == 0 {
		return
	}
	stubs := v.costly(f.back)
	out := make([]op.Instr, 0, len(is)+len(f.cut)+len(f.fill)+len(stubs))
	fills := map[int][]int{}
	for _, x := range f.fill {
		fills[x.pos] = append(fills[x.pos], x.reg)
	}
	for i := range is {
		if f.cut[i] {
			out = append(out, op.Instr{Op: op.GIfEnd, Off: is[i].Off})
		}
		out = append(out, is[i])
		for _, r := range fills[i] {
			out = append(out, op.Instr{Op: op.GMove, Off: is[i].Off, Args: []op.Arg{
				{Kind: op.ArgTerm, Val: int64(term.Nil)}, {Kind: op.ArgX, Val: int64(r)}}})
		}
	}
	v.fn.Instrs = append(out, stubs...)
}

// costly makes branches back cost: a jump gets the number of live X registers
// as its second operand, and other instructions branch to such a jump, which
// goes to the function's end.
func (v *verifier) costly(back backs) (stubs []op.Instr) {
	for i := range v.fn.Instrs {
		in := &v.fn.Instrs[i]
		if in.Op == op.GLabel || len(back) == 0 {
			continue
		}
		redirect := func(a *op.Arg) {
			n, ok := back[backEdge{i, int(a.Val)}]
			if a.Kind != op.ArgF || a.Val == 0 || !ok {
				return
			}
			jump := op.Instr{Op: op.GJump, Off: in.Off, Args: []op.Arg{*a, {Kind: op.ArgU, Val: int64(n)}}}
			if in.Op == op.GJump {
				*in = jump
				return
			}
			l := int64(v.f.Code.NumLabels)
			v.f.Code.NumLabels++
			stubs = append(stubs, op.Instr{Op: op.GLabel, Off: in.Off, Args: []op.Arg{{Kind: op.ArgU, Val: l}}}, jump)
			a.Val = l
		}
		for j := range in.Args {
			redirect(&in.Args[j])
			for k := range in.Args[j].List {
				redirect(&in.Args[j].List[k])
			}
		}
	}
	return stubs
}
