package loader

import (
	"unicode/utf8"

	"github.com/beamrd/beamrd/loader/spec"
	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/term"
)

// Limits of the instruction set.
const (
	codeFormat = 0
	maxArity   = 255
	// MaxReg is the number of X and of Y registers an instruction can name.
	MaxReg = 1024
)

func (f *File) parseCode(r *reader) *Error {
	head := int(r.u32())
	if r.err == nil && (head < 16 || head > r.left()) {
		r.fail("header of %d bytes", head)
	}
	end := r.p + head
	if v := r.u32(); r.err == nil && v != codeFormat {
		r.fail("instruction set version %d", v)
	}
	c := &f.Code
	c.MaxOpcode, c.NumLabels, c.NumFuncs = int(r.u32()), int(r.u32()), int(r.u32())
	if r.err != nil {
		return r.err
	}
	c.Off, c.Data = end, r.b[end:]
	if c.MaxOpcode > op.MaxGeneric {
		return chunkErr("Code", 8, "uses opcode %d, newer than %d, the newest known", c.MaxOpcode, op.MaxGeneric)
	}
	// Each label and function takes at least two bytes of code.
	if c.NumLabels > len(c.Data)/2+1 || c.NumFuncs > c.NumLabels {
		return chunkErr("Code", 12, "%d labels and %d functions in %d bytes", c.NumLabels, c.NumFuncs, len(c.Data))
	}
	return nil
}

// parseAtoms reads AtU8 or its Latin-1 forerunner Atom. A negative count (OTP
// 28 and later) says that lengths are compact terms.
func (f *File) parseAtoms(r *reader) *Error {
	n := int64(r.i32())
	long := n < 0
	if long {
		n = -n
	}
	if n < 1 || n > int64(r.left()) {
		r.fail("count of %d atoms", n)
		return r.err
	}
	f.Atoms = make([]term.Term, 1, n+1)
	f.Atoms[0] = term.Nil
	for range n {
		size := 0
		if long {
			t, v, big := r.tagged()
			if t != tagU || big != nil || v > int64(r.left()) {
				r.fail("bad length of an atom")
			}
			size = int(v)
		} else {
			size = int(r.u8())
		}
		s := r.bytes(size)
		if r.err != nil {
			return r.err
		}
		var a atom.Atom
		var err error
		if r.chunk == "Atom" {
			a, err = atom.InternLatin1(s)
		} else {
			a, err = atom.TryIntern(string(s))
		}
		if err != nil {
			r.fail("%v", err)
			return r.err
		}
		f.Atoms = append(f.Atoms, term.Atom(a))
	}
	f.Module = f.Atoms[1]
	return nil
}

// atom reads the index of an atom; 0 is none.
func (f *File) atom(r *reader) term.Term {
	i := r.index("atom", len(f.Atoms))
	if r.err == nil && i == 0 {
		r.p -= 4
		r.fail("atom 0")
	}
	return f.Atoms[i]
}

func (r *reader) arity() int {
	n := r.index("arity", maxArity+1)
	return n
}

func (f *File) parseImports(r *reader) *Error {
	f.Imports = make([]Import, r.count(12))
	for i := range f.Imports {
		f.Imports[i] = Import{f.atom(r), f.atom(r), r.arity()}
	}
	return r.err
}

func (f *File) parseExports(r *reader) *Error { return f.parseEntries(r, &f.Exports) }
func (f *File) parseLocals(r *reader) *Error  { return f.parseEntries(r, &f.Locals) }

func (f *File) parseEntries(r *reader, to *[]Entry) *Error {
	es := make([]Entry, r.count(12))
	for i := range es {
		es[i] = Entry{f.atom(r), r.arity(), r.index("label", f.Code.NumLabels)}
	}
	*to = es
	return r.err
}

func (f *File) parseLambdas(r *reader) *Error {
	f.Lambdas = make([]Lambda, r.count(24))
	for i := range f.Lambdas {
		l := &f.Lambdas[i]
		l.Function, l.Arity = f.atom(r), r.arity()
		l.Label = r.index("label", f.Code.NumLabels)
		l.Index, l.NumFree, l.OldUniq = int(r.u32()), int(r.u32()), r.u32()
		if r.err == nil && (l.NumFree < 0 || l.NumFree > l.Arity) {
			r.fail("%d free variables of %d arguments", l.NumFree, l.Arity)
		}
		if r.err != nil {
			return r.err
		}
	}
	if r.left() > 0 {
		r.fail("%d bytes too many", r.left())
	}
	return r.err
}

// parseLines reads the Line chunk; one of an unknown version is ignored.
func (f *File) parseLines(r *reader) *Error {
	if r.u32() != 0 {
		return r.err
	}
	r.u32() // flags
	r.u32() // number of line instructions
	items, names := r.u32(), r.u32()
	if r.err == nil && (int64(items) > int64(r.left()) || int64(names)*2 > int64(r.left())) {
		r.fail("%d positions and %d names in %d bytes", items, names, r.left())
	}
	if r.err != nil {
		return r.err
	}
	l := &f.Lines
	l.Items = make([]LineItem, 1, items+1)
	file := int32(0)
	for len(l.Items) <= int(items) && r.err == nil {
		switch t, v, big := r.tagged(); {
		case r.err != nil:
		case t == tagA && big == nil && v <= int64(names):
			file = int32(v)
		case t == tagI && big == nil && v >= 0 && v < 1<<31:
			l.Items = append(l.Items, LineItem{file, int32(v)})
		default:
			r.fail("bad position")
		}
	}
	mod := f.Module.Atom().String() + ".erl"
	l.Files = append(make([]string, 0, names+1), mod)
	for range names {
		s := r.bytes(r.u16())
		switch {
		case r.err != nil:
			return r.err
		case !utf8.Valid(s):
			r.fail("file name is not UTF-8")
			return r.err
		case len(s) == 0:
			l.Files = append(l.Files, mod)
		default:
			l.Files = append(l.Files, string(s))
		}
	}
	return r.err
}

// The bits of spec.Type.Mask, as OTP 25 numbers them; typeRecord is newer.
const (
	typeAtom = 1 << iota
	typeBits
	typeMatch
	typeCons
	typeFloat
	typeFun
	typeInt
	typeMap
	typeNil
	typePid
	typePort
	typeRef
	typeTuple
	typeRecord
	typeAny = typeRecord<<1 - 1
)

// parseTypes reads the Type chunk in the versions of OTP 25 (1), 26 (2), 27
// (3) and 29 (4). Those of an unknown version are ignored: they are hints.
func (f *File) parseTypes(r *reader) *Error {
	v := r.u32()
	if v < 1 || v > 4 {
		return r.err
	}
	n := r.count(2)
	ts := make([]spec.Type, 0, n)
	for range n {
		t := readType(r, v)
		if r.err != nil {
			return r.err
		}
		if t.Mask == 0 {
			r.fail("empty type")
			return r.err
		}
		ts = append(ts, t)
	}
	if r.err == nil && n == 0 {
		r.fail("no types")
	}
	f.Types = ts
	return r.err
}

func readType(r *reader, version uint32) (t spec.Type) {
	w := uint32(r.u16())
	if version == 1 {
		lo, hi := r.i64(), r.i64()
		if lo <= hi {
			t.HasMin, t.HasMax, t.Min, t.Max = true, true, lo, hi
		}
		t.Mask = w & (typeRecord - 1)
		if t.Mask == typeRecord-1 {
			t.Mask = typeAny
		}
		return t
	}
	flags := w >> 13
	mask := w & (1<<13 - 1)
	switch version {
	case 2:
		if mask == typeRecord-1 {
			mask = typeAny
		}
	case 3, 4:
		if version == 3 {
			flags = w >> 12
			mask = w & (1<<12 - 1)
			if mask == 1<<12-1 {
				mask |= 1 << 12
			}
		}
		// No bit of its own for match contexts: they go with bitstrings.
		m := mask & 3
		if m&typeBits != 0 {
			m |= typeMatch
		}
		mask = m | mask>>2<<3
	}
	t.Mask = mask
	if flags&1 != 0 {
		t.HasMin, t.Min = true, r.i64()
	}
	if flags&2 != 0 {
		t.HasMax, t.Max = true, r.i64()
	}
	if flags&4 != 0 {
		t.Unit = int(r.u8()) + 1
	}
	return t
}
