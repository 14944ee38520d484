// Package interp is the reduction-counted interpreter: the reference engine.
//
// loop.go is generated from the table in vm/op/_gen and the bodies in _ops;
// it holds its state (stack pointer, heap top, instruction pointer,
// reductions) in locals. Anything that needs more stores them in the process
// and calls a helper with the address of the register file; the helper moves
// p.IP on, or sets Ctx.Exit to leave the loop, and the loop reloads. The rest
// of the instructions ("cold") are functions of this package.
//
// Memory: helpers allocate with p.Heap, which never collects; what does not
// fit goes to fragments. Collections happen in collect (exec.go), at the end
// of an instruction, with the number of live X registers.
package interp

import (
	"unsafe"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

const (
	offP      = unsafe.Offsetof(proc.Ctx{}.P)
	offArgs   = unsafe.Offsetof(proc.Ctx{}.Args)
	offExit   = unsafe.Offsetof(proc.Ctx{}.Exit)
	offNextIP = unsafe.Offsetof(proc.Ctx{}.NextIP)
	offFailIP = unsafe.Offsetof(proc.Ctx{}.FailIP)
	offDst    = unsafe.Offsetof(proc.Ctx{}.Dst)
	offExp    = unsafe.Offsetof(proc.Ctx{}.Exp)
	offLive   = unsafe.Offsetof(proc.Ctx{}.Live)

	offExpModule   = unsafe.Offsetof(code.Export{}.MFA)
	offExpFunction = offExpModule + 8
	offFunArity    = unsafe.Offsetof(code.FunEntry{}.Arity)

	offHP      = unsafe.Offsetof(proc.Process{}.HP)
	offE       = unsafe.Offsetof(proc.Process{}.E)
	offIP      = unsafe.Offsetof(proc.Process{}.IP)
	offFCalls  = unsafe.Offsetof(proc.Process{}.FCalls)
	offCatches = unsafe.Offsetof(proc.Process{}.Catches)
	offID      = unsafe.Offsetof(proc.Process{}.ID)
)

func ld(a uintptr) uint64      { return *(*uint64)(unsafe.Add(nil, a)) }
func st(a uintptr, v uint64)   { *(*uint64)(unsafe.Add(nil, a)) = v }
func ldf(a uintptr) float64    { return *(*float64)(unsafe.Add(nil, a)) }
func stf(a uintptr, v float64) { *(*float64)(unsafe.Add(nil, a)) = v }

// at returns the register file at x and its process.
func at(x uintptr) (*proc.Ctx, *proc.Process) {
	c := offheap.At[proc.Ctx](x)
	return c, c.P
}

// Operands of cold instructions. The first word holds the opcode and, in bits
// 16 to 31, the length in words; then one word follows for each operand:
//
//	source        a term, or a register: offset<<8, with bit 2 set for Y
//	destination   a register, likewise
//	number        itself
//	branch        offset in bytes from the instruction's start; 0 is none
//	list          its length, then its elements

// opw returns operand word i, counted from 1.
func opw(p *proc.Process, i int) uint64 { return ld(p.IP + uintptr(i)*8) }

// value reads a source word.
func value(c *proc.Ctx, p *proc.Process, v uint64) term.Term {
	if v&3 != 0 {
		return term.Term(v)
	}
	return term.Term(ld(regAddr(c, p, v)))
}

// regAddr returns the address of the register that a word names.
func regAddr(c *proc.Ctx, p *proc.Process, v uint64) uintptr {
	if v&4 == 0 {
		return offheap.Addr(c) + uintptr(v>>8)
	}
	return p.E + uintptr(v>>8)
}

// src reads source operand i.
func src(c *proc.Ctx, p *proc.Process, i int) term.Term { return value(c, p, opw(p, i)) }

// setDst writes destination operand i.
func setDst(c *proc.Ctx, p *proc.Process, i int, t term.Term) {
	st(regAddr(c, p, opw(p, i)), uint64(t))
}

// next moves on to the next instruction; w is the first word of this one.
func next(p *proc.Process, w uint64) { p.IP += uintptr(w>>16&0xffff) * 8 }

// branch goes to branch operand i.
func branch(p *proc.Process, i int) { p.IP += uintptr(opw(p, i)) }
