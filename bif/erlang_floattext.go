package bif

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/num"
	"github.com/beamrd/beamrd/vm/term"
)

// The forms of float_to_list/2.
const (
	floatDefault = iota
	floatShort
	floatFixed
	floatScientific
)

// maxFloatText is the longest text of a float: ERTS's buffer without its zero.
const maxFloatText = 255

// floatOpts decodes the options of float_to_list/2; the last one counts.
func floatOpts(l term.Term) (form, decimals int, compact, ok bool) {
	decimals = 20
	for ; l.IsList(); l = l.Tail() {
		o := l.Head()
		switch {
		case o == amCompact:
			compact = true
		case o == amShort:
			form = floatShort
		case o.IsTuple() && o.Arity() == 2 && o.El(2).IsSmall():
			decimals = int(int32(o.El(2).Small()))
			switch o.El(1) {
			case amDecimals:
				form = floatFixed
			case amScientific:
				form = floatScientific
			default:
				return 0, 0, false, false
			}
		default:
			return 0, 0, false, false
		}
	}
	return form, decimals, compact, l.IsNil()
}

func floatTo(build func(*heap.Heap, []byte) term.Term) func(*native.Call) term.Term {
	return func(c *native.Call) term.Term {
		f := c.Arg(0)
		if !f.IsFloat() {
			return c.Badarg()
		}
		form, decimals, compact := floatDefault, 20, false
		if c.Row.Arity == 2 {
			var ok bool
			if form, decimals, compact, ok = floatOpts(c.Arg(1)); !ok {
				return c.Badarg()
			}
		}
		s, ok := floatText(f.Float(), form, decimals, compact)
		if !ok {
			return c.Badarg()
		}
		return build(&c.P.Heap, s)
	}
}

func floatText(f float64, form, decimals int, compact bool) (s []byte, ok bool) {
	buf := make([]byte, 0, 64)
	if form == floatShort {
		return num.AppendShort(buf, f), true
	}
	if decimals > maxFloatText {
		return nil, false
	}
	switch form {
	case floatFixed:
		if decimals < 0 {
			return nil, false
		}
		exact := num.AppendFixed(buf, f, decimals, false)
		if len(exact) > maxFloatText {
			return nil, false
		}
		if compact {
			exact = num.AppendFixed(buf, f, decimals, true)
		}
		return exact, true
	}
	if decimals < 0 { // as C's printf reads a negative precision
		decimals = 6
	}
	s = num.AppendFloat(buf, f, decimals)
	return s, len(s) <= maxFloatText
}

// listBytes returns a proper list of bytes as a slice.
func listBytes(l term.Term) (s []byte, ok bool) {
	for ; l.IsList(); l = l.Tail() {
		hd := l.Head()
		if !hd.IsSmall() || hd.Small()&^255 != 0 {
			return nil, false
		}
		s = append(s, byte(hd.Small()))
	}
	return s, l.IsNil()
}

func parsedFloat(c *native.Call, s []byte, ok bool) term.Term {
	if !ok {
		return c.Badarg()
	}
	c.Bump(len(s) / digitPerRed)
	f, ok := num.ParseFloat(s)
	if !ok {
		return c.Badarg()
	}
	return num.Float(&c.P.Heap, f)
}

func listToFloat(c *native.Call) term.Term {
	s, ok := listBytes(c.Arg(0))
	return parsedFloat(c, s, ok)
}

func binaryToFloat(c *native.Call) term.Term {
	s, ok := heap.AlignedBytes(c.Arg(0))
	return parsedFloat(c, s, ok)
}

// floatScan reads the longest float at the start of a list.
type floatScan struct {
	l term.Term
	s []byte
}

func (p *floatScan) peek() byte {
	if p.l.IsList() && p.l.Head().IsSmall() {
		if v := p.l.Head().Small(); v > 0 && v < 128 {
			return byte(v)
		}
	}
	return 0
}

func (p *floatScan) take() {
	p.s = append(p.s, p.peek())
	p.l = p.l.Tail()
}

func (p *floatScan) sign() {
	if b := p.peek(); b == '+' || b == '-' {
		p.take()
	}
}

func (p *floatScan) digits() bool {
	n := len(p.s)
	for b := p.peek(); b >= '0' && b <= '9'; b = p.peek() {
		p.take()
	}
	return len(p.s) > n
}

// float reads sign, digits, point or comma, digits, and an exponent if it is
// complete.
func (p *floatScan) float() bool {
	p.sign()
	if !p.digits() || p.peek() != '.' && p.peek() != ',' {
		return false
	}
	p.take()
	if !p.digits() {
		return false
	}
	if p.peek()|0x20 != 'e' {
		return true
	}
	before := *p
	p.take()
	p.sign()
	if !p.digits() {
		*p = before
	}
	return true
}

// stringToFloat is string:list_to_float/1: the float at the start of a list
// and the rest, or an error tuple.
func stringToFloat(c *native.Call) term.Term {
	l := c.Arg(0)
	if !l.IsList() && !l.IsNil() {
		return c.ErrorTuple(amNotAList)
	}
	p := floatScan{l: l}
	if !p.float() {
		return c.ErrorTuple(amNoFloat)
	}
	c.Bump(len(p.s) / digitPerRed)
	f, ok := num.ParseFloat(p.s)
	if !ok {
		return c.ErrorTuple(amNoFloat)
	}
	return c.P.Heap.Tuple(num.Float(&c.P.Heap, f), p.l)
}
