package etf

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"unicode/utf8"

	"github.com/beamrd/beamrd/internal/wire"
)

// Marshal writes a term with its version byte, for binary_to_term/1.
func Marshal(t Term) ([]byte, error) { return Append([]byte{Version}, t) }

// UnsupportedError is a value that is no term.
type UnsupportedError struct {
	Value any
	Why   string
}

func (e *UnsupportedError) Error() string {
	if e.Why != "" {
		return "etf: " + e.Why
	}
	return fmt.Sprintf("etf: a %T is no term", e.Value)
}

// work is a compound term of which parts are still to be written.
type work struct {
	els   []Term
	pairs []Pair
	value bool // the value of pairs[0] is next
	close func(b []byte) []byte
}

// Append writes a term without a version byte. The error is an
// *UnsupportedError; b is then as it was.
func Append(b []byte, t Term) ([]byte, error) {
	start := len(b)
	var stack []work
	for {
		out, w, err := appendOne(b, t)
		if err != nil {
			return b[:start], err
		}
		b = out
		if w != nil {
			stack = append(stack, *w)
		}
		for {
			if len(stack) == 0 {
				return b, nil
			}
			w := &stack[len(stack)-1]
			var ok bool
			if t, ok = w.next(); ok {
				break
			}
			if w.close != nil {
				b = w.close(b)
			}
			*w = work{}
			stack = stack[:len(stack)-1]
		}
	}
}

// next returns the part that is to be written next.
func (w *work) next() (t Term, ok bool) {
	switch {
	case len(w.els) > 0:
		t, w.els = w.els[0], w.els[1:]
		return t, true
	case len(w.pairs) == 0:
		return nil, false
	case !w.value:
		w.value = true
		return w.pairs[0].Key, true
	}
	t, w.value = w.pairs[0].Value, false
	w.pairs = w.pairs[1:]
	return t, true
}

func appendNil(b []byte) []byte { return append(b, wire.TagNil) }

func appendOne(b []byte, t Term) ([]byte, *work, error) {
	be := binary.BigEndian
	switch v := t.(type) {
	case Atom:
		b, err := appendAtom(b, v)
		return b, nil, err
	case bool:
		b, err := appendAtom(b, Atom(fmt.Sprint(v)))
		return b, nil, err
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return b, nil, &UnsupportedError{v, "float is no number"}
		}
		return be.AppendUint64(append(b, wire.TagNewFloat), math.Float64bits(v)), nil, nil
	case Binary:
		return append(be.AppendUint32(append(b, wire.TagBinary), uint32(len(v))), v...), nil, nil
	case BitString:
		b, err := appendBits(b, v)
		return b, nil, err
	case Tuple:
		if len(v) < 256 {
			b = append(b, wire.TagSmallTuple, byte(len(v)))
		} else {
			b = be.AppendUint32(append(b, wire.TagLargeTuple), uint32(len(v)))
		}
		return b, &work{els: v}, nil
	case List:
		b, w := appendList(b, v)
		return b, w, nil
	case Improper:
		if len(v.Head) == 0 {
			return b, nil, &UnsupportedError{v, "improper list without elements"}
		}
		b = be.AppendUint32(append(b, wire.TagList), uint32(len(v.Head)))
		return b, &work{els: append(append([]Term{}, v.Head...), v.Tail)}, nil
	case Map:
		return be.AppendUint32(append(b, wire.TagMap), uint32(len(v))), &work{pairs: v}, nil
	case Export, *Fun, Pid, Port, Ref:
		return appendIdentity(b, v)
	}
	if n, ok := intOf(t); ok {
		return appendInt(b, n), nil, nil
	}
	if n, ok := bigOf(t); ok {
		return appendBig(b, n), nil, nil
	}
	return b, nil, &UnsupportedError{Value: t}
}

func appendAtom(b []byte, a Atom) ([]byte, error) {
	if !utf8.ValidString(string(a)) || utf8.RuneCountInString(string(a)) > maxAtomChars {
		return b, &UnsupportedError{a, "atom too long or not UTF-8"}
	}
	if len(a) < 256 {
		b = append(b, wire.TagSmallAtomUTF8, byte(len(a)))
	} else {
		b = binary.BigEndian.AppendUint16(append(b, wire.TagAtomUTF8), uint16(len(a)))
	}
	return append(b, a...), nil
}

func appendBits(b []byte, v BitString) ([]byte, error) {
	n := len(v.Bytes)
	if n == 0 || v.Bits < 1 || v.Bits > 7 {
		return b, &UnsupportedError{v, "bit string without bits"}
	}
	b = binary.BigEndian.AppendUint32(append(b, wire.TagBitBinary), uint32(n))
	b = append(append(b, byte(v.Bits)), v.Bytes...)
	b[len(b)-1] &^= 1<<(8-v.Bits) - 1
	return b, nil
}

func appendList(b []byte, l List) ([]byte, *work) {
	if len(l) == 0 {
		return appendNil(b), nil
	}
	if len(l) < 1<<16 {
		at := len(b)
		b = binary.BigEndian.AppendUint16(append(b, wire.TagString), uint16(len(l)))
		for _, e := range l {
			c, ok := intOf(e)
			if !ok || c < 0 || c > 255 {
				b = b[:at]
				break
			}
			b = append(b, byte(c))
		}
		if len(b) > at {
			return b, nil
		}
	}
	return binary.BigEndian.AppendUint32(append(b, wire.TagList), uint32(len(l))), &work{els: l, close: appendNil}
}

func appendInt(b []byte, n int64) []byte {
	switch {
	case n >= 0 && n < 256:
		return append(b, wire.TagSmallInteger, byte(n))
	case n == int64(int32(n)):
		return binary.BigEndian.AppendUint32(append(b, wire.TagInteger), uint32(n))
	}
	return appendBig(b, big.NewInt(n))
}

func appendBig(b []byte, v *big.Int) []byte {
	be := v.Bytes()
	if len(be) < 256 {
		b = append(b, wire.TagSmallBig, byte(len(be)))
	} else {
		b = binary.BigEndian.AppendUint32(append(b, wire.TagLargeBig), uint32(len(be)))
	}
	sign := byte(0)
	if v.Sign() < 0 {
		sign = 1
	}
	b = append(b, sign)
	for i := len(be) - 1; i >= 0; i-- {
		b = append(b, be[i])
	}
	return b
}

func appendIdentity(b []byte, t Term) ([]byte, *work, error) {
	be := binary.BigEndian
	var err error
	switch v := t.(type) {
	case Export:
		if v.Arity < 0 || v.Arity > 255 {
			return b, nil, &UnsupportedError{v, "arity out of range"}
		}
		if b, err = appendAtom(append(b, wire.TagExport), v.Module); err == nil {
			b, err = appendAtom(b, v.Function)
		}
		return append(b, wire.TagSmallInteger, byte(v.Arity)), nil, err
	case Pid:
		b, err = appendAtom(append(b, wire.TagNewPid), v.Node)
		b = be.AppendUint32(be.AppendUint32(b, v.ID), v.Serial)
		return be.AppendUint32(b, v.Creation), nil, err
	case Port:
		if v.ID < 1<<28 {
			b, err = appendAtom(append(b, wire.TagNewPort), v.Node)
			b = be.AppendUint32(b, uint32(v.ID))
		} else {
			b, err = appendAtom(append(b, wire.TagV4Port), v.Node)
			b = be.AppendUint64(b, v.ID)
		}
		return be.AppendUint32(b, v.Creation), nil, err
	case Ref:
		if v.Len < 1 || v.Len > wire.MaxRefNumbers {
			return b, nil, &UnsupportedError{v, "reference without numbers"}
		}
		b = be.AppendUint16(append(b, wire.TagNewerReference), uint16(v.Len))
		b, err = appendAtom(b, v.Node)
		b = be.AppendUint32(b, v.Creation)
		for _, n := range v.ID[:v.Len] {
			b = be.AppendUint32(b, n)
		}
		return b, nil, err
	case *Fun:
		return appendFun(b, v)
	}
	panic("unreachable")
}

func appendFun(b []byte, f *Fun) ([]byte, *work, error) {
	if f == nil || f.Arity < 0 || f.Arity > 255 {
		return b, nil, &UnsupportedError{f, "fun without an arity"}
	}
	be := binary.BigEndian
	at := len(b) + 1
	b = append(b, wire.TagNewFun, 0, 0, 0, 0, byte(f.Arity))
	b = append(b, f.Uniq[:]...)
	b = be.AppendUint32(be.AppendUint32(b, f.Index), uint32(len(f.Free)))
	els := append([]Term{f.Module, f.OldIndex, f.OldUniq, f.Pid}, f.Free...)
	return b, &work{els: els, close: func(b []byte) []byte {
		be.PutUint32(b[at:], uint32(len(b)-at))
		return b
	}}, nil
}
