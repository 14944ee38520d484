// Package spec turns generic instructions into internal ones: declarative
// rewrite rules, operand specialisation, label resolution.
package spec

import (
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/term"
)

// Func is one function: the instructions from its func_info's label to the
// next function, labels and lines included.
type Func struct {
	Name   term.Term
	Arity  int
	Instrs []op.Instr
}

// Input is a verified module. All terms in it are literals or immediates.
type Input struct {
	Module    term.Term
	Funcs     []Func
	Imports   []*code.Export   // by import index
	Funs      []*code.FunEntry // by lambda index
	Strings   uintptr          // address of the string chunk's copy
	NumLabels int
	Types     []Type
}

// Type is a row of the Type chunk: what a typed register is known to hold.
type Type struct {
	Mask     uint32 // beam_types bits of the file's version, as OTP 25 numbers them
	HasMin   bool
	HasMax   bool
	Min, Max int64
	Unit     int
}

// Output is position independent but for Relocs: those words hold an offset
// in bytes from the code's start, to which its address is to be added.
type Output struct {
	Words  []uint64
	Relocs []int32 // word indexes
	Labels []int32 // word index of each label, -1 if unused
	Infos  []int32 // word index of each function's header (code.InfoWords words)
	Lines  []LineMark
}

// LineMark says that from a word on (up to the next mark or function) the
// source position is a row of the Line chunk; 0 is no position.
type LineMark struct {
	Word int32
	Line int32
}

// Assemble specialises a module.
func Assemble(in *Input) (*Output, error) {
	a := &asm{in: in, out: &Output{Labels: make([]int32, in.NumLabels+1)}}
	for i := range a.out.Labels {
		a.out.Labels[i] = -1
	}
	for i := range in.Funcs {
		a.fn = &in.Funcs[i]
		mergeChecks(in.Funcs[i].Instrs)
		a.function(hoistLines(in.Funcs[i].Instrs))
		if a.err != nil {
			return nil, a.err
		}
	}
	a.fn = nil
	a.resolve()
	if a.err != nil {
		return nil, a.err
	}
	return a.out, nil
}

// function assembles a run of instructions: the first rule that takes some of
// them, else the emitter of the first.
func (a *asm) function(ins []op.Instr) {
	for len(ins) > 0 && a.err == nil {
		if ins[0].Unproven {
			a.check(&ins[0])
		}
		n := 0
		for _, r := range rules[ins[0].Op] {
			if matches(r.ops, ins) {
				if n = r.try(a, ins); n > 0 {
					break
				}
			}
		}
		if n == 0 {
			a.cur = &ins[0]
			e := emitters[ins[0].Op]
			if e == nil {
				a.unsupported(ins[0])
			} else {
				e(a, ins[0].Args)
			}
			n = 1
		}
		ins = ins[n:]
	}
}

func matches(want []op.Generic, ins []op.Instr) bool {
	if len(want) > len(ins) {
		return false
	}
	for i, g := range want {
		if ins[i].Op != g || i > 0 && ins[i].Unproven {
			return false
		}
	}
	return true
}

// unsupported lets a module load that holds an instruction of a later release
// or a compiler too old for OTP itself; executing it raises an error naming it.
func (a *asm) unsupported(in op.Instr) {
	a.cold(op.Unsupported, op.Arg{Kind: op.ArgTerm, Val: int64(term.Intern(op.Generics[in.Op].Name))})
}
