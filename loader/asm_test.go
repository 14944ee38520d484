package loader

import (
	"bytes"
	"encoding/binary"

	"github.com/beamrd/beamrd/vm/op"
)

// A builder makes .beam files of what compilers never write. Operands of emit:
// u, i numbers; x, y, f registers and labels; strings are atoms; lists.
type builder struct {
	atoms   []string
	code    []byte
	imports [][3]any // module, function, arity
	exports [][3]any // function, arity, label
	lambdas [][6]int // arity, label, index, free, olduniq; 0 is the atom
	lits    [][]byte // ETF
	strs    []byte
	labels  int
	funcs   int
}

type (
	u  int64
	i  int64
	x  int
	y  int
	f  int
	fr int
	l  []any // extended list
	q  int   // literal
	al []int // allocation list: kind, count, …
)

func newBuilder() *builder { return &builder{atoms: []string{"m"}, labels: 1} }

func (b *builder) atom(s string) int {
	for i, a := range b.atoms {
		if a == s {
			return i + 1
		}
	}
	b.atoms = append(b.atoms, s)
	return len(b.atoms)
}

func tagged(out []byte, tag int, v int64) []byte {
	switch {
	case v >= 0 && v < 16:
		return append(out, byte(v<<4)|byte(tag))
	case v >= 0 && v < 2048:
		return append(out, byte(v>>8<<5)|8|byte(tag), byte(v))
	}
	var w [8]byte
	binary.BigEndian.PutUint64(w[:], uint64(v))
	return append(append(out, 6<<5|0x18|byte(tag)), w[:]...)
}

func (b *builder) operand(a any) {
	c := &b.code
	switch a := a.(type) {
	case u:
		*c = tagged(*c, tagU, int64(a))
	case int:
		*c = tagged(*c, tagU, int64(a))
	case i:
		*c = tagged(*c, tagI, int64(a))
	case x:
		*c = tagged(*c, tagX, int64(a))
	case y:
		*c = tagged(*c, tagY, int64(a))
	case f:
		*c = tagged(*c, tagF, int64(a))
		b.labels = max(b.labels, int(a)+1)
	case string:
		*c = tagged(*c, tagA, int64(b.atom(a)))
	case nil:
		*c = tagged(*c, tagA, 0)
	case fr:
		*c = tagged(tagged(*c, tagZ, 2), tagU, int64(a))
	case q:
		*c = tagged(tagged(*c, tagZ, 4), tagU, int64(a))
	case l:
		*c = tagged(tagged(*c, tagZ, 1), tagU, int64(len(a)))
		for _, e := range a {
			b.operand(e)
		}
	case al:
		*c = tagged(tagged(*c, tagZ, 3), tagU, int64(len(a)/2))
		for _, e := range a {
			*c = tagged(*c, tagU, int64(e))
		}
	default:
		panic("operand")
	}
}

func (b *builder) emit(g op.Generic, args ...any) *builder {
	b.code = append(b.code, byte(g))
	for _, a := range args {
		b.operand(a)
	}
	if g == op.GLabel {
		b.labels = max(b.labels, args[0].(int)+1)
	}
	return b
}

// fn starts a function whose entry is the label after start.
func (b *builder) fn(name string, arity, start int) *builder {
	b.funcs++
	return b.emit(op.GLabel, start).emit(op.GFuncInfo, b.atoms[0], name, arity).emit(op.GLabel, start+1)
}

func (b *builder) imp(m, fn string, arity int) int {
	b.imports = append(b.imports, [3]any{m, fn, arity})
	return len(b.imports) - 1
}

func u32(out []byte, vs ...int) []byte {
	for _, v := range vs {
		out = binary.BigEndian.AppendUint32(out, uint32(v))
	}
	return out
}

func (b *builder) file() []byte {
	b.emit(op.GIntCodeEnd)
	code := append(u32(nil, 16, 0, int(op.MaxGeneric), b.labels, b.funcs), b.code...)
	imp := u32(nil, len(b.imports))
	for _, e := range b.imports {
		imp = u32(imp, b.atom(e[0].(string)), b.atom(e[1].(string)), e[2].(int))
	}
	exp := u32(nil, len(b.exports))
	for _, e := range b.exports {
		exp = u32(exp, b.atom(e[0].(string)), e[1].(int), e[2].(int))
	}
	fun := u32(nil, len(b.lambdas))
	for _, e := range b.lambdas {
		fun = u32(fun, e[0], e[1], e[2], e[3], e[4], e[5])
	}
	atoms := u32(nil, len(b.atoms))
	for _, a := range b.atoms {
		atoms = append(append(atoms, byte(len(a))), a...)
	}
	var out bytes.Buffer
	chunk := func(id string, d []byte) {
		out.WriteString(id)
		out.Write(u32(nil, len(d)))
		out.Write(d)
		for out.Len()%4 != 0 {
			out.WriteByte(0)
		}
	}
	chunk("AtU8", atoms)
	chunk("Code", code)
	chunk("StrT", b.strs)
	chunk("ImpT", imp)
	chunk("ExpT", exp)
	if len(b.lambdas) > 0 {
		chunk("FunT", fun)
	}
	if len(b.lits) > 0 {
		lit := u32(nil, 0, len(b.lits))
		for _, t := range b.lits {
			lit = append(u32(lit, len(t)), t...)
		}
		chunk("LitT", lit)
	}
	body := out.Bytes()
	return append(append([]byte("FOR1"), u32(nil, len(body)+4)...), append([]byte("BEAM"), body...)...)
}
