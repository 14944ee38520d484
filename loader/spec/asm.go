package spec

import (
	"fmt"

	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/term"
)

// operand is a decoded operand on its way into an internal instruction.
type operand struct {
	kind byte // x, y: register by byte offset; c: constant; u: number; f: label
	v    uint64
	dst  bool // a register that is written
}

func num(v int) operand            { return operand{kind: 'u', v: uint64(v)} }
func label(l int) operand          { return operand{kind: 'f', v: uint64(l)} }
func constant(t term.Term) operand { return operand{kind: 'c', v: uint64(t)} }
func xreg(n int) operand           { return operand{kind: 'x', v: uint64(n) * 8} }
func scratch(n int) operand        { return operand{kind: 'x', v: op.ScratchOff + uint64(n)*8} }
func (o operand) out() operand     { o.dst = true; return o }

// fixup is a place that waits for a label.
type fixup struct {
	instr, word int32 // the offset counts from instr
	label       int32
	half        bool // in the top half of the word
}

// asm assembles one module.
type asm struct {
	in     *Input
	out    *Output
	fixups []fixup
	fn     *Func
	cur    *op.Instr // the instruction that an emitter translates
	err    error
}

func (a *asm) fail(format string, args ...any) {
	if a.err == nil {
		where := ""
		if a.fn != nil {
			where = fmt.Sprintf("%s/%d: ", a.fn.Name.Atom(), a.fn.Arity)
		}
		a.err = fmt.Errorf("spec: %s%s", where, fmt.Sprintf(format, args...))
	}
}

func (a *asm) here() int32 { return int32(len(a.out.Words)) }

func (a *asm) word(w uint64) { a.out.Words = append(a.out.Words, w) }

// arg decodes a register, constant, number or label.
func (a *asm) arg(g op.Arg) operand {
	switch g.Kind {
	case op.ArgX:
		return operand{kind: 'x', v: uint64(g.Val) * 8}
	case op.ArgY:
		return operand{kind: 'y', v: uint64(g.Val)*8 + 8}
	case op.ArgFR:
		return operand{kind: 'x', v: op.FloatOff + uint64(g.Val)*8}
	case op.ArgTerm:
		return operand{kind: 'c', v: uint64(g.Val)}
	case op.ArgU:
		return operand{kind: 'u', v: uint64(g.Val)}
	case op.ArgF:
		return operand{kind: 'f', v: uint64(g.Val)}
	case op.ArgAllo:
		return num(a.words(g))
	}
	a.fail("operand of kind %d where a register, constant or label belongs", g.Kind)
	return operand{}
}

// words returns the heap words of an allocation operand.
func (a *asm) words(g op.Arg) int {
	if g.Kind == op.ArgU {
		return int(g.Val)
	}
	n := 0
	for i := 0; i+1 < len(g.List); i += 2 {
		k, c := g.List[i].Val, int(g.List[i+1].Val)
		switch k {
		case 0:
			n += c
		case 1:
			n += c * floatWords
		case 2:
			n += c * funWords
		default:
			a.fail("allocation of kind %d", k)
		}
	}
	return n
}

const (
	floatWords = 2
	funWords   = 3
)

// cost tells how many operands must go through scratch registers for a form,
// or -1 when the form is impossible.
func cost(kinds string, ops []operand) int {
	if len(kinds) != len(ops) {
		return -1
	}
	n := 0
	for i := range ops {
		o := &ops[i]
		switch kinds[i] {
		case 'x':
			if o.kind == 'y' || o.kind == 'c' && !o.dst {
				n++
			} else if o.kind != 'x' {
				return -1
			}
		case 'y':
			if o.kind != 'y' {
				return -1
			}
		case 'a':
			if o.kind != 'x' || o.v >= 128*8 {
				return -1
			}
		case 'c':
			if o.kind != 'c' {
				return -1
			}
		case 't':
			if o.kind != 'u' || o.v > 0xffff {
				return -1
			}
		case 'u':
			if o.kind != 'u' || o.v > 127 {
				return -1
			}
		case 'w':
			if o.kind != 'u' {
				return -1
			}
		case 'f', 'F':
			if o.kind != 'f' || kinds[i] == 'f' && o.v == 0 {
				return -1
			}
		default:
			return -1
		}
	}
	return n
}

// emit writes an operation in the form that fits best. It returns the word
// index of the instruction, and false when no form fits.
func (a *asm) emit(b op.Base, ops ...operand) (at int32, ok bool) {
	best, least := -1, 1<<30
	forms := op.Forms[b]
	for i := range forms {
		if c := cost(forms[i].Kinds, ops); c >= 0 && c < least {
			best, least = i, c
			if c == 0 {
				break
			}
		}
	}
	if best < 0 {
		return 0, false
	}
	f := forms[best]
	var after [4]operand
	used := 0
	for i := range ops {
		if f.Kinds[i] != 'x' || ops[i].kind == 'x' {
			continue
		}
		s := scratch(used)
		if ops[i].dst {
			after[used] = ops[i]
		} else {
			a.emit(op.BMove, ops[i], s)
		}
		used++
		ops[i] = s
	}
	at = a.form(f, ops)
	for i := range used {
		if after[i].dst {
			a.emit(op.BMove, scratch(i), after[i])
		}
	}
	return at, true
}

// must is emit for operations that have a form for everything.
func (a *asm) must(b op.Base, ops ...operand) int32 {
	at, ok := a.emit(b, ops...)
	if !ok {
		a.fail("no form of %s fits %v", op.Infos[op.Forms[b][0].Op].Name, ops)
	}
	return at
}

// form writes an instruction whose operands fit the form.
func (a *asm) form(f op.Form, ops []operand) int32 {
	at := a.here()
	w := uint64(f.Op)
	a.word(0)
	shift := 16
	for i, o := range ops {
		switch f.Kinds[i] {
		case 'x', 'y', 't':
			w |= o.v << shift
			shift += 16
		case 'a':
			w |= o.v / 8 << 9
		case 'u':
			w |= o.v << 9
		case 'c', 'w':
			a.word(o.v)
		case 'f':
			a.fixups = append(a.fixups, fixup{at, at, int32(o.v), true})
		case 'F':
			a.labelWord(at, int(o.v))
		}
	}
	a.out.Words[at] = w
	return at
}

// labelWord appends a word for a branch of the instruction at word at.
func (a *asm) labelWord(at int32, l int) {
	if l != 0 {
		a.fixups = append(a.fixups, fixup{at, a.here(), int32(l), false})
	}
	a.word(0)
}

// cold writes an instruction that runs outside the loop: its length, then a
// word for each operand.
func (a *asm) cold(o op.Op, args ...op.Arg) {
	at := a.here()
	a.word(0)
	for _, g := range args {
		a.coldArg(at, g)
	}
	a.endCold(at, o)
}

func (a *asm) endCold(at int32, o op.Op) {
	n := a.here() - at
	if n > 0xffff {
		a.fail("%s of %d words", op.Infos[o].Name, n)
	}
	a.out.Words[at] = uint64(o) | uint64(n)<<16
}

func (a *asm) coldArg(at int32, g op.Arg) {
	switch g.Kind {
	case op.ArgList:
		a.word(uint64(len(g.List)))
		for _, e := range g.List {
			a.coldArg(at, e)
		}
	case op.ArgF:
		a.labelWord(at, int(g.Val))
	default:
		a.word(a.source(a.arg(g)))
	}
}

// source encodes a register or constant as a word (vm/interp reads it so).
func (a *asm) source(o operand) uint64 {
	switch o.kind {
	case 'x':
		return o.v << 8
	case 'y':
		return o.v<<8 | 4
	}
	return o.v
}

func (a *asm) resolve() {
	for _, f := range a.fixups {
		t := int32(-1)
		if int(f.label) < len(a.out.Labels) {
			t = a.out.Labels[f.label]
		}
		if t < 0 {
			a.fail("label %d is used but not defined", f.label)
			return
		}
		d := int64(t-f.instr) * 8
		if f.half {
			a.out.Words[f.word] |= uint64(uint32(d)) << 32
		} else {
			a.out.Words[f.word] = uint64(d)
		}
	}
}
