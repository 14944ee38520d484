package loader

import (
	"bytes"
	"math/rand/v2"

	"github.com/beamrd/beamrd/vm/op"
)

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

// Mutate changes a compiled module, gives it a name, and leaves the container
// in order: mostly the code, an instruction or an operand at a time.
func Mutate(b []byte, name string, r *rand.Rand) ([]byte, error) {
	f, err := Parse(b)
	if err != nil {
		return nil, err
	}
	defer f.Free()
	is, err := f.decode()
	if err != nil {
		return nil, err
	}
	starts := make([]int, len(is))
	for i := range is {
		starts[i] = int(is[i].Off) - f.Code.Off
	}
	f.mem.free()
	m := &mutator{r: r, code: bytes.Clone(f.Code.Data), at: starts}
	for range 1 + r.IntN(3) {
		m.step()
	}
	cs, err := Chunks(b)
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	body.WriteString("BEAM")
	for _, c := range cs {
		d := bytes.Clone(c.Data)
		switch c.ID {
		case "Code":
			d = append(d[:len(d)-len(f.Code.Data)], m.code...)
		case "AtU8":
			d = append(append(append(d[:4:4], byte(len(name))), name...), d[5+int(d[4]):]...)
		case "Dbgi", "Docs", "Abst", "Attr", "CInf":
			continue
		default:
			if len(d) > 0 && r.IntN(100) == 0 {
				d[r.IntN(len(d))] = byte(r.Uint32())
			}
		}
		body.WriteString(c.ID)
		body.Write(u32(nil, len(d)))
		body.Write(d)
		for body.Len()%4 != 0 {
			body.WriteByte(0)
		}
	}
	return append(append([]byte("FOR1"), u32(nil, body.Len())...), body.Bytes()...), nil
}

// A mutator changes code; at are the offsets of its instructions.
type mutator struct {
	r    *rand.Rand
	code []byte
	at   []int
}

// span returns the bytes of a random instruction that is no label, func_info
// or the end.
func (m *mutator) span() (lo, hi int) {
	for range 100 {
		i := m.r.IntN(len(m.at) - 1)
		lo, hi = m.at[i], m.at[i+1]
		if lo < hi && hi <= len(m.code) && m.code[lo] > byte(op.GIntCodeEnd) {
			return lo, hi
		}
	}
	return 0, 0
}

func (m *mutator) step() {
	lo, hi := m.span()
	if hi == 0 {
		return
	}
	n := hi - lo
	switch k := m.r.IntN(12); {
	case k < 5 && n > 1: // another value of an operand
		p := lo + 1 + m.r.IntN(n-1)
		m.code[p] = m.code[p]&15 | byte(m.r.IntN(16))<<4
	case k < 6 && n > 1: // another kind of operand
		p := lo + 1 + m.r.IntN(n-1)
		m.code[p] = m.code[p]&^7 | byte(m.r.IntN(7))
	case k < 7:
		m.code[lo+m.r.IntN(n)] = byte(m.r.Uint32())
	case k < 8: // another opcode
		m.code[lo] = byte(4 + m.r.IntN(op.MaxGeneric-3))
	case k < 10:
		m.replace(lo, hi, nil)
	default: // another instruction before it, or in its place
		a, b := m.span()
		c := bytes.Clone(m.code[a:b])
		if m.r.IntN(2) == 0 {
			hi = lo
		}
		m.replace(lo, hi, c)
	}
}

func (m *mutator) replace(lo, hi int, c []byte) {
	d := len(c) - (hi - lo)
	m.code = append(m.code[:lo:lo], append(c, m.code[hi:]...)...)
	for i := range m.at {
		if m.at[i] >= hi && (m.at[i] > lo || d > 0) {
			m.at[i] += d
		}
	}
}
