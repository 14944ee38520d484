package interp

import (
	"sync/atomic"
	"unsafe"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

func storeWord(a uintptr, w uint64) { atomic.StoreUint64((*uint64)(unsafe.Add(nil, a)), w) }

// callRow calls a builtin with n arguments at args.
func callRow(c *proc.Ctx, p *proc.Process, row *native.Row, args uintptr) (*native.Call, term.Term) {
	k := &regsOf(c).call
	k.P, k.Args, k.N, k.Row = p, args, row.Arity, row
	k.State, k.To, k.Cause, k.ErrMod = native.Raised, nil, term.None, term.None
	return k, row.Fn(k)
}

// callNative runs a builtin as an instruction of a function that has a frame.
func callNative(x uintptr) {
	c, p := at(x)
	e := offheap.At[code.Export](uintptr(ld(p.IP + 8)))
	if e.Native < 0 || e.Traced != 0 { // call what is there, as a function
		st(p.E, uint64(p.IP+16))
		p.IP = e.Load()
		return
	}
	row := native.Table[e.Native]
	if wantsDirty(c, p, row) {
		return
	}
	p.FCalls--
	k, r := callRow(c, p, row, x)
	if r == term.None {
		nativeState(c, p, k, e.MFA, p.IP+16, p.IP)
		return
	}
	c.X[0] = r
	p.IP += 16
	nativeDone(c, p)
}

// nativeEntry runs a builtin as a function: it returns to the continuation
// pointer. The function's header is before the instruction.
func nativeEntry(x uintptr) {
	c, p := at(x)
	row := native.Table[ld(p.IP-8)]
	if wantsDirty(c, p, row) {
		return
	}
	k, r := callRow(c, p, row, x)
	if r == term.None {
		mfa := *offheap.At[code.MFA](p.IP - 32)
		nativeState(c, p, k, mfa, 0, 0)
		return
	}
	c.X[0] = r
	p.IP = uintptr(ld(p.E))
	st(p.E, uint64(term.Nil))
	nativeDone(c, p)
}

// wantsDirty sends p to a dirty thread when the builtin belongs there and this
// is none. The instruction is executed again there.
func wantsDirty(c *proc.Ctx, p *proc.Process, row *native.Row) bool {
	if row.Flags&(native.DirtyCPU|native.DirtyIO) == 0 || c.SchedID == 0 {
		return false
	}
	p.DirtyIO = row.Flags&native.DirtyIO != 0
	leave(c, p, proc.Dirty, row.Arity)
	return true
}

// nativeDone ends a builtin call that left its result in X0.
func nativeDone(c *proc.Ctx, p *proc.Process) {
	if wantsGC(p) && !collect(c, p, 1, 0, nil) {
		return
	}
	if c.SchedID == 0 {
		leave(c, p, proc.Yielded, 1)
	}
}

// nativeState acts on a builtin that returned no value. ret is where it would
// have returned to, 0 when that is on the stack already; pc is the calling
// instruction, 0 when the call came from the function on the stack.
func nativeState(c *proc.Ctx, p *proc.Process, k *native.Call, mfa code.MFA, ret, pc uintptr) {
	n := k.N
	switch k.State {
	case native.Raised:
		raiseNative(c, p, k, mfa, pc)
		if c.SchedID == 0 && c.Exit == 0 {
			leave(c, p, proc.Yielded, 4)
		}
	case native.Trapped:
		if ret != 0 {
			st(p.E, uint64(ret))
		}
		p.IP = k.To.Load()
		if c.SchedID == 0 {
			leave(c, p, proc.Yielded, int(k.To.MFA.Arity))
		} else if p.FCalls <= 0 {
			yieldAtEntry(offheap.Addr(c))
		}
	case native.Yielded:
		if wantsGC(p) && !collect(c, p, n, 0, nil) {
			return
		}
		p.InNative = pc != 0
		leave(c, p, proc.Yielded, n)
	case native.Waiting:
		if wantsGC(p) && !collect(c, p, n, 0, nil) {
			return
		}
		if p.PrepareWait() {
			p.InNative = pc != 0
			leave(c, p, proc.Waiting, n)
		}
	case native.Suspend:
		c.X[0] = term.True
		if ret != 0 {
			p.IP = ret
		} else {
			p.IP = uintptr(ld(p.E))
			st(p.E, uint64(term.Nil))
		}
		leave(c, p, proc.Suspended, 1)
	case native.Exited:
		c.Exit = uint64(proc.Exited) + 1
	}
}

// Guard and body builtins. The loop left the operands in Args, the rest in
// the fields of the register file.

func bif0Slow(x uintptr) { bifN(x, 0) }
func bif1Slow(x uintptr) { bifN(x, 1) }
func bif2Slow(x uintptr) { bifN(x, 2) }

func bifN(x uintptr, n int) {
	c, p := at(x)
	e := offheap.At[code.Export](c.Exp)
	if e.Native < 0 {
		raiseNoBif(c, p, e, x+offArgs)
		return
	}
	k := &regsOf(c).call
	k.InGuard = true
	_, r := callRow(c, p, native.Table[e.Native], x+offArgs)
	k.InGuard = false
	if r == term.None {
		if c.FailIP != 0 {
			p.IP += c.FailIP
			return
		}
		k.N = n
		if isIncrement(c, p, e.MFA) {
			raiseError(c, p, p.Fvalue) // badarith, or system_limit
			return
		}
		raiseNative(c, p, k, e.MFA, p.IP)
		return
	}
	finish(c, p, r)
}

var amPlus, amMinus = term.Intern("+"), term.Intern("-")

// isIncrement tells whether the instruction adds a small integer of the code to
// a register, or subtracts it. ERTS has an instruction of its own for that,
// whose errors do not name the builtin.
func isIncrement(c *proc.Ctx, p *proc.Process, m code.MFA) bool {
	if m.Module != term.AmErlang || m.Arity != 2 || m.Function != amPlus && m.Function != amMinus {
		return false
	}
	var isConst [2]bool
	o := op.Op(ld(p.IP) & 511)
	for i := range isConst {
		if o == op.GcBif {
			isConst[i] = opw(p, 6+i)&3 != 0
		} else if k := op.Infos[o].Kinds; len(k) > 1 {
			isConst[i] = k[i] == 'c'
		}
	}
	if m.Function == amMinus {
		return isConst[1] && !isConst[0] && c.Args[1].IsSmall() && c.Args[1].Small() != term.MinSmall
	}
	return isConst[0] != isConst[1] && (isConst[0] && c.Args[0].IsSmall() || isConst[1] && c.Args[1].IsSmall())
}

// finish stores a result, goes to the next instruction and collects if that is
// due and the live registers are known. The destination may lie above them.
func finish(c *proc.Ctx, p *proc.Process, r term.Term) {
	dst := c.Dst
	st(dst, uint64(r))
	p.IP = c.NextIP
	if c.Live < 0 || !wantsGC(p) {
		return
	}
	v := uint64(r)
	inFrame := dst-p.E < p.End-p.E
	if collect(c, p, int(c.Live), 0, &v) && !inFrame {
		st(dst, v)
	}
}
