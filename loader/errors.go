package loader

import (
	"fmt"
	"strings"
)

// Error says why a file was refused and where. Offset counts bytes from the
// start of the chunk's data; it is -1 when no place can be named.
type Error struct {
	Module string // as far as known
	Chunk  string // four characters, or "" for the container
	Offset int
	Func   string // name/arity, when within a function
	Instr  string // name of the instruction, when within one
	Msg    string
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("beam file")
	if e.Module != "" {
		b.WriteString(" of module " + e.Module)
	}
	if e.Chunk != "" {
		b.WriteString(": chunk " + e.Chunk)
	}
	if e.Offset >= 0 {
		fmt.Fprintf(&b, ", offset %d", e.Offset)
	}
	if e.Func != "" {
		b.WriteString(", function " + e.Func)
	}
	if e.Instr != "" {
		b.WriteString(", instruction " + e.Instr)
	}
	b.WriteString(": " + e.Msg)
	return b.String()
}

func chunkErr(chunk string, off int, format string, args ...any) *Error {
	return &Error{Chunk: chunk, Offset: off, Msg: fmt.Sprintf(format, args...)}
}
