// Package loader turns .beam files into code: it reads the chunks, decodes the
// generic instructions, proves that they can do no harm, has them specialised
// (loader/spec), and makes the result the current code of a module.
//
// Everything a file holds is taken for hostile: counts are checked against the
// bytes left before anything is allocated, and whatever is refused is refused
// with an *Error.
package loader

import (
	"github.com/beamrd/beamrd/loader/spec"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/term"
)

// File is a parsed .beam file.
type File struct {
	Module   term.Term
	Atoms    []term.Term // by index; 0 is unused
	Code     CodeChunk
	Strings  []byte
	Imports  []Import
	Exports  []Entry
	Locals   []Entry
	Lambdas  []Lambda
	Literals []term.Term // in heap, until they are moved
	Lines    Lines
	Types    []spec.Type // nil when there is no (usable) Type chunk
	Attr     []byte      // ETF, version byte included
	Compile  []byte
	MD5      [16]byte

	mem      *scratch  // of the decoded instructions
	heap     heap.Heap // where literals are built
	dynLits  []term.Term
	litRefs  []litRef
	litStart uintptr // literal area, once the literals are moved
	litEnd   uintptr
	litSize  uintptr // of the allocation, in bytes
	litOff   heap.OffHeap
}

// litRef is an operand that holds a literal: an index into Literals, or its
// complement into dynLits.
type litRef struct {
	arg *op.Arg
	idx int
}

// CodeChunk is the Code chunk.
type CodeChunk struct {
	MaxOpcode, NumLabels, NumFuncs int
	Off                            int // of Data within the chunk
	Data                           []byte
}

// Import names an imported function.
type Import struct {
	Module, Function term.Term
	Arity            int
}

// Entry is an exported or local function.
type Entry struct {
	Function term.Term
	Arity    int
	Label    int
}

// Lambda is a row of the FunT chunk. Arity counts the free variables too.
type Lambda struct {
	Function                     term.Term
	Arity, Label, Index, NumFree int
	OldUniq                      uint32
}

// Lines is the Line chunk.
type Lines struct {
	Items []LineItem // by line index; 0 is no position
	Files []string   // 0 is the module's name with .erl
}

// LineItem is a source position.
type LineItem struct {
	File, Line int32
}

// Parse reads the chunks of a .beam file. The result shares memory with b.
// Free it, or move its literals, when done.
func Parse(b []byte) (*File, error) {
	f, err := parse(b)
	if err != nil {
		f.Free()
		return nil, err
	}
	return f, nil
}

func parse(b []byte) (*File, error) {
	f := &File{}
	cs, err := Chunks(b)
	if err != nil {
		return f, err
	}
	// The last of several chunks of a name counts, as in ERTS.
	by := make(map[string][]byte, len(cs))
	for _, c := range cs {
		by[c.ID] = c.Data
	}
	need := func(id string, parse func(*reader) *Error) error {
		if len(by[id]) == 0 {
			return chunkErr(id, -1, "missing")
		}
		return f.chunk(id, by[id], parse)
	}
	opt := func(id string, parse func(*reader) *Error) error {
		if len(by[id]) == 0 {
			return nil
		}
		return f.chunk(id, by[id], parse)
	}
	atoms := "AtU8"
	if len(by[atoms]) == 0 && len(by["Atom"]) > 0 {
		atoms = "Atom"
	}
	steps := []struct {
		read  func(string, func(*reader) *Error) error
		id    string
		parse func(*reader) *Error
	}{
		{need, "Code", f.parseCode},
		{need, atoms, f.parseAtoms},
		{need, "ImpT", f.parseImports},
		{need, "ExpT", f.parseExports},
		{opt, "LocT", f.parseLocals},
		{opt, "FunT", f.parseLambdas},
		{opt, "LitT", f.parseLiterals},
		{opt, "Line", f.parseLines},
		{opt, "Type", f.parseTypes},
	}
	for _, s := range steps {
		if err := s.read(s.id, s.parse); err != nil {
			return f, err
		}
	}
	f.Strings, f.Attr, f.Compile = by["StrT"], by["Attr"], by["CInf"]
	f.MD5 = checksum(atoms, by)
	return f, nil
}

func (f *File) chunk(id string, data []byte, parse func(*reader) *Error) error {
	r := &reader{chunk: id, b: data}
	err := parse(r)
	if err == nil {
		err = r.err
	}
	if err == nil {
		return nil
	}
	return f.name(err)
}

// name completes an error with the module's name, if that is known by now.
func (f *File) name(err *Error) *Error {
	if f.Module != term.None {
		err.Module = f.Module.Atom().String()
	}
	return err
}

// Free gives back what the literals hold, when they were not moved.
func (f *File) Free() {
	if f.heap.Off.First != 0 {
		heap.ReleaseOffHeap(&f.heap.Off)
		f.heap.Off = heap.OffHeap{}
	}
	for fr := f.heap.Frags; fr != nil; {
		next := fr.Next
		fr.Free()
		fr = next
	}
	f.heap.Frags = nil
	f.Literals, f.dynLits, f.litRefs = nil, nil, nil
}
