package bif

import (
	"errors"
	"unicode/utf8"

	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangAtomRows = []native.Row{
	{Module: "erlang", Name: "list_to_atom", Arity: 1, Fn: erlangListToAtom},
	{Module: "erlang", Name: "list_to_existing_atom", Arity: 1, Fn: erlangListToExistingAtom},
	{Module: "erlang", Name: "atom_to_list", Arity: 1, Fn: erlangAtomToList},
	{Module: "erlang", Name: "atom_to_binary", Arity: 2, Fn: erlangAtomToBinary},
	{Module: "erlang", Name: "binary_to_atom", Arity: 2, Fn: erlangBinaryToAtom},
	{Module: "erlang", Name: "binary_to_existing_atom", Arity: 2, Fn: erlangBinaryToExistingAtom},
}

var (
	amCharsLatin1  = term.Intern("latin1")
	amCharsUtf8    = term.Intern("utf8")
	amCharsUnicode = term.Intern("unicode")
)

// charList appends the UTF-8 form of a list of characters to b. It stops as
// soon as there are more than limit; ok is false for anything but a proper
// list of valid ones.
func charList(b []byte, l term.Term, limit int) (s []byte, n int, ok bool) {
	for ; l.IsList(); l = l.Tail() {
		h := l.Head()
		if !h.IsSmall() || uint64(h.Small()) > utf8.MaxRune || !utf8.ValidRune(rune(h.Small())) {
			return b, n, false
		}
		if n++; n > limit {
			return b, n, true
		}
		b = utf8.AppendRune(b, rune(h.Small()))
	}
	return b, n, l.IsNil()
}

// internName makes an atom of a name within the limits.
func internName(c *native.Call, name string) term.Term {
	a, err := atom.TryIntern(name)
	switch {
	case errors.Is(err, atom.ErrFull):
		return c.SystemLimit()
	case err != nil:
		return c.Badarg()
	}
	return term.Atom(a)
}

func erlangListToAtom(c *native.Call) term.Term {
	var room [atom.MaxChars * 4]byte
	s, n, ok := charList(room[:0], c.Arg(0), atom.MaxChars)
	switch {
	case !ok:
		return c.Badarg()
	case n > atom.MaxChars:
		return c.SystemLimit()
	}
	return internName(c, string(s))
}

func erlangListToExistingAtom(c *native.Call) term.Term {
	var room [atom.MaxChars * 4]byte
	s, n, ok := charList(room[:0], c.Arg(0), atom.MaxChars)
	if !ok || n > atom.MaxChars {
		return c.Badarg()
	}
	a, ok := atom.Lookup(string(s))
	if !ok {
		return c.Badarg()
	}
	return term.Atom(a)
}

func erlangAtomToList(c *native.Call) term.Term {
	if !c.Arg(0).IsAtom() {
		return c.Badarg()
	}
	return c.P.Heap.Str(c.Arg(0).Atom().String())
}

// latin1Name is the Latin-1 form of an atom's name.
func latin1Name(a atom.Atom) ([]byte, bool) {
	if !a.IsLatin1() {
		return nil, false
	}
	var b []byte
	for _, r := range a.String() {
		b = append(b, byte(r))
	}
	return b, true
}

func erlangAtomToBinary(c *native.Call) term.Term {
	t := c.Arg(0)
	if !t.IsAtom() {
		return c.Badarg()
	}
	switch c.Arg(1) {
	case amCharsUtf8, amCharsUnicode:
		return c.P.Heap.Binary([]byte(t.Atom().String()))
	case amCharsLatin1:
		if b, ok := latin1Name(t.Atom()); ok {
			return c.P.Heap.Binary(b)
		}
	}
	return c.Badarg()
}

// binaryName decodes the name of an atom in arg 0, encoded as arg 1 says.
// long tells that it has too many characters.
func binaryName(c *native.Call) (name string, long, ok bool) {
	b, ok := alignedBytes(c.Arg(0))
	if !ok {
		return "", false, false
	}
	switch c.Arg(1) {
	case amCharsLatin1:
		if len(b) > atom.MaxChars {
			return "", true, true
		}
		var s []byte
		for _, x := range b {
			s = utf8.AppendRune(s, rune(x))
		}
		return string(s), false, true
	case amCharsUtf8, amCharsUnicode:
		if len(b) > atom.MaxChars*4 {
			return "", true, true
		}
		if !utf8.Valid(b) {
			return "", false, false
		}
		return string(b), utf8.RuneCount(b) > atom.MaxChars, true
	}
	return "", false, false
}

func erlangBinaryToAtom(c *native.Call) term.Term {
	name, long, ok := binaryName(c)
	switch {
	case !ok:
		return c.Badarg()
	case long:
		return c.SystemLimit()
	}
	return internName(c, name)
}

func erlangBinaryToExistingAtom(c *native.Call) term.Term {
	name, long, ok := binaryName(c)
	if ok && !long {
		if a, found := atom.Lookup(name); found {
			return term.Atom(a)
		}
	}
	return c.Badarg()
}
