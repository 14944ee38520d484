package loader

import (
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/loader/spec"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/term"
)

// Prepared is a module ready to become current: verified, specialised and in
// memory, but known to nobody. Commit or Drop it.
type Prepared struct {
	mod   *code.Module
	taken atomic.Bool
}

// Module returns the module's name.
func (p *Prepared) Module() term.Term { return p.mod.Name }

// MD5 returns the checksum of the code, as module_info(md5) has it.
func (p *Prepared) MD5() [16]byte { return p.mod.MD5 }

// HasOnLoad tells whether the module has an on_load function.
func (p *Prepared) HasOnLoad() bool { return p.mod.OnLoad != 0 }

// Take claims the prepared code; false if it was claimed before.
func (p *Prepared) Take() bool { return !p.taken.Swap(true) }

// Taken tells whether the code was claimed.
func (p *Prepared) Taken() bool { return p.taken.Load() }

// Drop gives the prepared code back unless it was claimed.
func (p *Prepared) Drop() {
	if p.Take() {
		p.mod.Free()
		p.mod.FreeLiterals()
	}
}

// Prepare does all of loading that may fail. b is a .beam file, which may be
// gzip-compressed; it is not kept.
func Prepare(b []byte) (*Prepared, error) {
	if p := keptFor(b); p != nil {
		return p, nil
	}
	b, err := Decompress(b)
	if err != nil {
		return nil, err
	}
	f, err := Parse(b)
	if err != nil {
		return nil, err
	}
	u, err := f.assemble()
	if err != nil {
		f.Free()
		f.freeLiterals()
		return nil, err
	}
	m := u.module()
	f.mem.free()
	return &Prepared{mod: m}, nil
}

// unit is a module on its way from a verified file to code.
type unit struct {
	f     *File
	funcs []spec.Func
	in    spec.Input
	out   *spec.Output
	strs  uintptr
}

// assemble decodes, verifies and specialises a parsed file.
func (f *File) assemble() (*unit, error) {
	is, err := f.decode()
	if err != nil {
		return nil, err
	}
	f.moveLiterals()
	u := &unit{f: f}
	if u.funcs, err = f.functions(is); err != nil {
		return nil, err
	}
	if err = f.verify(u.funcs); err != nil {
		return nil, err
	}
	u.in = spec.Input{Module: f.Module, Funcs: u.funcs, NumLabels: f.Code.NumLabels, Types: f.Types}
	for _, i := range f.Imports {
		u.in.Imports = append(u.in.Imports, code.GetExport(i.Module, i.Function, i.Arity))
	}
	for _, l := range f.Lambdas {
		u.in.Funs = append(u.in.Funs, f.funEntry(l))
	}
	if n := uintptr(len(f.Strings)); n > 0 {
		u.strs = offheap.Alloc(n, offheap.Code)
		copy(offheap.Bytes(u.strs, n), f.Strings)
		u.in.Strings = u.strs
	}
	if u.out, err = spec.Assemble(&u.in); err != nil {
		if u.strs != 0 {
			offheap.Free(u.strs, uintptr(len(f.Strings)), offheap.Code)
		}
		return nil, f.name(chunkErr("Code", -1, "%v", err))
	}
	return u, nil
}

func (f *File) funEntry(l Lambda) *code.FunEntry {
	e := code.GetFun(f.Module, uint64(l.OldUniq), f.MD5, uint64(l.Index), uint64(l.Arity-l.NumFree), uint64(l.NumFree))
	e.Name = l.Function
	return e
}

// module places the code in memory and describes it.
func (u *unit) module() *code.Module {
	f, out := u.f, u.out
	n := uintptr(len(out.Words)) * 8
	base := offheap.Alloc(max(n, 8), offheap.Code)
	words := offheap.Words(base, uintptr(len(out.Words)))
	copy(words, out.Words)
	for _, r := range out.Relocs {
		words[r] += uint64(base)
	}
	m := &code.Module{
		Name: f.Module, Code: base, CodeEnd: base + n, CodeSize: max(n, 8), MD5: f.MD5,
		Files: append([]string(nil), f.Lines.Files...),
		Attr:  append([]byte(nil), f.Attr...), Compile: append([]byte(nil), f.Compile...),
		LitStart: f.litStart, LitEnd: f.litEnd, LitSize: f.litSize, LitOff: f.litOff,
		Strings: u.strs, StringLen: uintptr(len(f.Strings)), Funs: u.in.Funs,
	}
	at := func(word int32) uintptr { return base + uintptr(word)*8 }
	m.Funcs = make([]code.Function, len(u.funcs))
	for i, fn := range u.funcs {
		m.Funcs[i] = code.Function{MFA: code.MFA{Module: f.Module, Function: fn.Name, Arity: uint64(fn.Arity)}, Info: at(out.Infos[i])}
		for j := range fn.Instrs {
			if fn.Instrs[j].Op == op.GOnLoad {
				m.OnLoad = m.Funcs[i].Entry()
			}
		}
	}
	for _, e := range f.Exports {
		m.Exported = append(m.Exported, code.Exported{Export: code.GetExport(f.Module, e.Function, e.Arity), Entry: at(out.Labels[e.Label])})
	}
	for _, l := range f.Lambdas {
		m.FunEntries = append(m.FunEntries, at(out.Labels[l.Label]))
	}
	m.Lines = u.lines(at)
	if code.PatchNative != nil {
		m.PatchNatives()
	}
	return m
}

// lines turns the marks into source positions; each function starts with none.
func (u *unit) lines(at func(int32) uintptr) []code.Line {
	ls := make([]code.Line, 0, len(u.out.Lines)+len(u.out.Infos))
	marks := u.out.Lines
	for i, info := range u.out.Infos {
		end := int32(len(u.out.Words))
		if i+1 < len(u.out.Infos) {
			end = u.out.Infos[i+1]
		}
		if len(marks) == 0 || marks[0].Word > info {
			ls = append(ls, code.Line{Addr: at(info), File: -1})
		}
		for len(marks) > 0 && marks[0].Word < end {
			ls = append(ls, u.position(at(marks[0].Word), marks[0].Line))
			marks = marks[1:]
		}
	}
	return ls
}

func (u *unit) position(a uintptr, row int32) code.Line {
	items := u.f.Lines.Items
	if row <= 0 || int(row) >= len(items) {
		return code.Line{Addr: a, File: -1}
	}
	it := items[row]
	if it.File >= maxFiles || it.Line >= maxLine || it == (LineItem{}) {
		return code.Line{Addr: a, File: -1}
	}
	return code.Line{Addr: a, File: it.File, Line: it.Line}
}

// Positions beyond these do not fit ERTS's words of 8 and 24 bits: the code
// they mark is without a position, there and here.
const (
	maxFiles = 255
	maxLine  = 1<<24 - 1
)
