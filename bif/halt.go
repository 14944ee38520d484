package bif

import (
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
	"unicode/utf8"
)

var haltRows = []native.Row{
	{Module: "erlang", Name: "halt", Arity: 2, Fn: erlangHalt},
}

// HaltRequest is what erlang:halt/2 asks for.
type HaltRequest struct {
	Code   int
	Abort  bool   // end with SIGABRT
	Dump   bool   // write Slogan and a crash dump, exit with 1
	Slogan string // UTF-8
	Flush  bool   // write what ports have pending first
}

// Halt ends the node and does not return; set by the node.
var Halt func(HaltRequest)

// maxSlogan is how many characters of a slogan count.
const maxSlogan = 1023

func erlangHalt(c *native.Call) term.Term {
	req := HaltRequest{Flush: true}
	l := c.Arg(1)
	for ; l.IsList(); l = l.Tail() {
		t := l.Head()
		if !t.IsTuple() || t.Arity() != 2 || t.El(1) != term.AmFlush || !t.El(2).IsBool() {
			return c.Badarg()
		}
		req.Flush = t.El(2) == term.True
	}
	if !l.IsNil() {
		return c.Badarg()
	}
	switch s := c.Arg(0); {
	case s.IsInteger():
		n, ok := intArg(s)
		if s.IsBig() && s.Kind() == term.KPosBig && !ok {
			// Only the low bits matter; a big status is what a huge one is.
			n, ok = int64(s.W(1)&0x7FFFFFFF), true
		}
		if !ok || n < 0 {
			return c.Badarg()
		}
		req.Code = int(n & 0x7FFFFFFF)
	case s == term.Intern("abort"):
		req.Abort, req.Flush = true, false
	case s.IsNil() || s.IsList():
		text, ok := slogan(s)
		if !ok {
			return c.Badarg()
		}
		req.Dump, req.Slogan, req.Flush = true, text, false
	default:
		return c.Badarg()
	}
	Halt(req)
	return term.True
}

// slogan reads a string of characters, cut at maxSlogan.
func slogan(l term.Term) (string, bool) {
	var b []byte
	n := 0
	for ; l.IsList(); l = l.Tail() {
		t := l.Head()
		if !t.IsSmall() || t.Small() < 0 || t.Small() > utf8.MaxRune {
			return "", false
		}
		if n++; n <= maxSlogan {
			b = utf8.AppendRune(b, rune(t.Small()))
		}
	}
	return string(b), l.IsNil()
}
