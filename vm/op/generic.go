// Package op is the one table of opcodes: the generic instructions found in
// .beam files (generic_table.go, from OTP's numbering) and the internal
// instructions the engines execute (written from _gen/ops.go).
package op

import "github.com/beamrd/beamrd/vm/term"

// ArgKind tells what an operand of a generic instruction is.
type ArgKind uint8

// The kinds of operands.
const (
	ArgU    ArgKind = iota // untagged number: arity, live count, size, index
	ArgTerm                // a constant term: small, atom, nil, literal (Val is the term)
	ArgX                   // X register
	ArgY                   // Y register
	ArgF                   // label; 0 means none
	ArgFR                  // float register
	ArgList                // extended list: List
	ArgAllo                // allocation list: List of pairs (ArgU kind 0 words, 1 floats, 2 funs; ArgU count)
	ArgBig                 // untagged number that does not fit 63 bits; never valid where used
)

// Arg is an operand of a generic instruction. Type is an index+1 into the
// module's type table (typed registers), or 0.
type Arg struct {
	Kind ArgKind
	Type uint32
	Val  int64
	List []Arg
}

// Term returns a constant operand's term.
func (a Arg) Term() term.Term { return term.Term(uint64(a.Val)) }

// Instr is a generic instruction. Off is its offset in the code chunk.
// Unproven is set by the verifier when it could not prove what the instruction
// takes for granted about its source (a tuple with that element, a cons, a
// match context, a map, a float): the checked form is to be used. To a jump
// that has to cost reductions it adds an operand, the number of X registers
// that live on.
type Instr struct {
	Op       Generic
	Unproven bool
	Check    int64 // loader/spec: the size to check an unproven tuple for
	Off      uint32
	Args     []Arg
}

// Generic is a generic opcode number.
type Generic uint8
