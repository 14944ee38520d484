package loader

import (
	"sync"

	"github.com/beamrd/beamrd/loader/spec"
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/term"
)

// A decoder turns the Code chunk into generic instructions. Operands are cut
// from slabs, which serve one module after the other (scratch.free), so that a
// module costs few allocations.
type decoder struct {
	f    *File
	r    reader
	mem  *scratch
	slab []op.Arg
}

// scratch is what instructions are made of, until they are specialised.
type scratch struct {
	instrs []op.Instr
	slabs  [][]op.Arg
	used   int // slabs
}

const (
	slabSize = 2048
	maxSlabs = 256 // kept
)

var scratches = sync.Pool{New: func() any { return new(scratch) }}

func (s *scratch) slab() []op.Arg {
	if s.used == len(s.slabs) {
		s.slabs = append(s.slabs, make([]op.Arg, slabSize))
	}
	s.used++
	return s.slabs[s.used-1]
}

// free lets the memory be used again: no instruction of it is looked at any
// more.
func (s *scratch) free() {
	if s == nil || len(s.slabs) > maxSlabs {
		return
	}
	s.used = 0
	scratches.Put(s)
}

// Decode decodes all instructions, int_code_end included. Operands that are
// literals are not valid terms before moveLiterals.
func (f *File) decode() ([]op.Instr, error) {
	f.mem = scratches.Get().(*scratch)
	d := &decoder{f: f, r: reader{chunk: "Code", b: f.Code.Data}, mem: f.mem}
	is := f.mem.instrs[:0]
	for {
		off := d.r.p
		c := d.r.u8()
		if d.r.err == nil && (c == 0 || c > op.MaxGeneric || op.Generics[c].Name == "") {
			d.r.p--
			d.r.fail("unknown opcode %d", c)
		}
		if d.r.err != nil {
			return nil, d.error(off, "")
		}
		g := op.Generic(c)
		info := &op.Generics[c]
		args := d.take(info.Arity)
		for i := range args {
			d.arg(&args[i])
		}
		if d.r.err != nil {
			return nil, d.error(off, info.Name)
		}
		is = append(is, op.Instr{Op: g, Off: uint32(f.Code.Off + off), Args: args})
		if g == op.GIntCodeEnd {
			f.mem.instrs = is
			return is, nil
		}
	}
}

func (d *decoder) error(off int, instr string) error {
	e := d.f.name(d.r.err)
	e.Offset, e.Instr = d.f.Code.Off+off, instr
	return e
}

func (d *decoder) take(n int) []op.Arg {
	if n == 0 {
		return nil
	}
	if n > slabSize {
		return make([]op.Arg, n)
	}
	if len(d.slab) < n {
		d.slab = d.mem.slab()
	}
	a := d.slab[:n:n]
	d.slab = d.slab[n:]
	clear(a)
	return a
}

// arg decodes one operand.
func (d *decoder) arg(a *op.Arg) {
	tag, v, big := d.r.tagged()
	if tag == tagZ && big == nil {
		d.extended(a, v)
		return
	}
	d.simple(a, tag, v, big)
}

func (d *decoder) simple(a *op.Arg, tag int, v int64, big []byte) {
	a.Val = v
	switch tag {
	case tagU:
		a.Kind = op.ArgU
		if big != nil {
			a.Kind = op.ArgBig
		}
	case tagI:
		d.integer(a, v, big)
	case tagA:
		a.Kind = op.ArgTerm
		if big != nil || v >= int64(len(d.f.Atoms)) {
			d.r.fail("atom %d of %d", v, len(d.f.Atoms)-1)
			return
		}
		a.Val = int64(d.f.Atoms[v])
	case tagX, tagY:
		a.Kind = op.ArgX
		if tag == tagY {
			a.Kind = op.ArgY
		}
		if big != nil || v >= MaxReg {
			d.r.fail("register %d", v)
		}
	case tagF:
		a.Kind = op.ArgF
		if big != nil || v >= int64(d.f.Code.NumLabels) {
			d.r.fail("label %d of %d", v, d.f.Code.NumLabels)
		}
	default:
		d.r.fail("operand of unknown tag %d", tag)
	}
}

func (d *decoder) integer(a *op.Arg, v int64, big []byte) {
	a.Kind = op.ArgTerm
	if big == nil && term.FitsSmall(v) {
		a.Val = int64(term.Small(v))
		return
	}
	t := term.None
	if big == nil {
		t = d.f.heap.Int(v)
	} else if t = bignum(&d.f.heap, big); t == term.None {
		a.Kind = op.ArgBig
		return
	}
	if t.IsSmall() {
		a.Val = int64(t)
		return
	}
	d.f.dynLits = append(d.f.dynLits, t)
	d.f.litRefs = append(d.f.litRefs, litRef{a, ^(len(d.f.dynLits) - 1)})
}

// extended decodes the operands that have no tag of their own.
func (d *decoder) extended(a *op.Arg, kind int64) {
	switch kind {
	case 1:
		d.extList(a)
	case 2:
		a.Kind, a.Val = op.ArgFR, d.number("float register", MaxReg)
	case 3:
		d.allocList(a)
	case 4:
		i := d.number("literal", len(d.f.Literals))
		if d.r.err == nil {
			a.Kind = op.ArgTerm
			if t := d.f.Literals[i]; t.IsImmed() {
				a.Val = int64(t)
			} else {
				d.f.litRefs = append(d.f.litRefs, litRef{a, int(i)})
			}
		}
	case 5:
		tag, v, big := d.r.tagged()
		if tag != tagX && tag != tagY {
			d.r.fail("a type that is not of a register")
			return
		}
		d.simple(a, tag, v, big)
		// A file whose Type chunk was stripped keeps the indexes.
		if n := len(d.f.Types); n > 0 {
			a.Type = uint32(d.number("type", n)) + 1
		} else {
			d.number("type", 1<<31)
		}
	default:
		d.r.fail("operand of unknown extended tag %d", kind)
	}
}

// number reads an untagged number below limit.
func (d *decoder) number(what string, limit int) int64 {
	tag, v, big := d.r.tagged()
	if d.r.err == nil && (tag != tagU || big != nil || v >= int64(limit)) {
		d.r.fail("%s %d is not below %d", what, v, limit)
		return 0
	}
	return v
}

func (d *decoder) extList(a *op.Arg) {
	a.Kind = op.ArgList
	n := int(d.number("size of a list", d.r.left()+1))
	a.Val = int64(n)
	a.List = d.take(n)
	for i := range a.List {
		if d.r.err != nil {
			return
		}
		if d.r.p < len(d.r.b) && d.r.b[d.r.p] == 1<<4|tagZ {
			d.r.fail("a list within a list")
			return
		}
		d.arg(&a.List[i])
	}
}

func (d *decoder) allocList(a *op.Arg) {
	a.Kind = op.ArgAllo
	n := int(d.number("size of an allocation list", 4))
	a.List = d.take(2 * n)
	for i := 0; i < n; i++ {
		a.List[2*i].Val = d.number("kind of allocation", 3)
		a.List[2*i+1].Val = d.number("words to allocate", 1<<28)
	}
}

// functions cuts the instructions at the functions' starts. The first label
// and the line before a func_info belong to it.
func (f *File) functions(is []op.Instr) ([]spec.Func, error) {
	fs := make([]spec.Func, 0, f.Code.NumFuncs)
	start, first := -1, -1
	cut := func(end int) {
		if start >= 0 {
			fs[len(fs)-1].Instrs = is[start:end:end]
		}
	}
	for i := range is {
		in := &is[i]
		if in.Op != op.GFuncInfo {
			continue
		}
		s := i - 1
		if s >= 0 && is[s].Op == op.GLine {
			s--
		}
		if s < 0 || is[s].Op != op.GLabel || is[i+1].Op != op.GLabel {
			return nil, f.at(in, "not between two labels")
		}
		if s <= start {
			return nil, f.at(in, "overlaps the function before")
		}
		fn, ar := in.Args[1], in.Args[2]
		if !isAtom(in.Args[0]) || !isAtom(fn) || ar.Kind != op.ArgU || ar.Val > maxArity {
			return nil, f.at(in, "not a module, function and arity")
		}
		if in.Args[0].Term() != f.Module {
			return nil, f.at(in, "function of another module, "+in.Args[0].Term().Atom().String())
		}
		cut(s)
		start = s
		if first < 0 {
			first = s
		}
		fs = append(fs, spec.Func{Name: fn.Term(), Arity: int(ar.Val)})
	}
	end := len(is) - 1 // int_code_end
	cut(end)
	if first != 0 && end > 0 {
		return nil, f.at(&is[0], "code outside a function")
	}
	if len(fs) != f.Code.NumFuncs {
		return nil, f.name(chunkErr("Code", 16, "%d functions, %d announced", len(fs), f.Code.NumFuncs))
	}
	return fs, nil
}

func isAtom(a op.Arg) bool { return a.Kind == op.ArgTerm && a.Term().IsAtom() }

// at makes an error about an instruction.
func (f *File) at(in *op.Instr, msg string) *Error {
	return f.name(&Error{Chunk: "Code", Offset: int(in.Off), Instr: op.Generics[in.Op].Name, Msg: msg})
}
