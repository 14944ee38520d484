package loader

import "github.com/beamrd/beamrd/vm/op"

// The assembler, for tests that also run what it makes.
type (
	Builder = builder
	U       = u
	I       = i
	X       = x
	Y       = y
	F       = f
	FR      = fr
	L       = l
	Q       = q
	Al      = al
)

// NewBuilder returns an assembler for module m.
func NewBuilder() *Builder { return newBuilder() }

func (b *builder) Emit(g op.Generic, args ...any) *builder { return b.emit(g, args...) }
func (b *builder) Fn(name string, arity, start int)        { b.fn(name, arity, start) }
func (b *builder) Import(m, fn string, arity int) int      { return b.imp(m, fn, arity) }
func (b *builder) Export(fn string, arity, label int) {
	b.exports = append(b.exports, [3]any{fn, arity, label})
}
func (b *builder) Literal(etf ...byte) { b.lits = append(b.lits, etf) }
func (b *builder) Strings(s string)    { b.strs = []byte(s) }
func (b *builder) Lambda(fn string, arity, label, free int) {
	b.lambdas = append(b.lambdas, [6]int{b.atom(fn), arity, label, len(b.lambdas), free, 1})
}
func (b *builder) Name(s string) { b.atoms[0] = s }
func (b *builder) File() []byte  { return b.file() }
